"""Write a `Robot` as MJCF, every number in full precision: MuJoCo computes the same torques with it.

(1)  a body with its inertia, joint, limits and frames (as sites); the base is a body without a joint
(2)  damping, frictionloss and armature of a joint: its own friction and rotor, and those of the motors that turn with
     it alone, reflected by their gear r: r^2 times viscous friction and inertia, |r| times Coulomb friction. Damping is
     a v + b v |v| + c v^3, with |r|^3 times curved and r^4 times cubic friction. MuJoCo's dry friction is a constraint
     that follows the sign of v + qdd/b, b = 2/(dmax solreffriction). With the default solreffriction of 0.02 s friction
     would reverse 10 ms too early, so every frictionloss gets the smallest value that the default time step allows
(3)  a motor that turns with several joints becomes a fixed tendon with their ratios and the same three parameters
(4)  a constant torque c becomes a spring -k (q - c'), c' = c/k, with k so small that the torque hardly depends on q
(5)  a mimic joint follows by an equality constraint; each independent joint has a motor, to be driven by its torque

MuJoCo cannot express friction that differs by direction, is smoothed at reversals or depends on load, counterbalances,
and rotors that couple joints on different branches. A comment of the file lists them, and a drives file beside it,
which Torquec reads, holds them.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from torquec.errors import ArgumentError, RobotError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.robot.drives import drives_text, side_file
from torquec.robot.friction import Friction
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import BASE, Joint, Motor, Robot
from torquec.robot.state_coordinate import check_single_coordinates, check_tree
from torquec.robot.tuning import TUNING
from torquec.robot.validate import principal_moments
from torquec.robot.xml_text import check_xml_names, link_names, number_list, xml_comment
from torquec.spatial import IDENTITY, Inertia, Pose, rotation_quaternion

_LEAST_INERTIA = 1e-15
"""MuJoCo's mjMINVAL: moving bodies must have more mass and larger moments than this."""

_RELATIVE_COMPLIANCE = 1e-10
"""Stiffness of (4), relative to the torque: a turn of the joint changes the torque by less than 1e-9 of it."""


_BENDS = ("curved", "cubic")
"""Further friction parameters that MuJoCo's damping can express."""

_WORLD = "world"
"""MuJoCo's own name for the body that does not move."""


def write_mjcf(robot: Robot, path: str | os.PathLike[str], *, note: str = "", force: bool = False) -> tuple[Path, ...]:
    """Write the robot as an MJCF file, with a drives file for what MuJoCo cannot express; returns the files written.

    `note` goes into the file's first lines. Files that Torquec did not write are replaced with `force` only. Raises
    `RobotError` for inertias that MuJoCo does not take, friction that drives its joint, and free, ball or planar
    joints; `ArgumentError` for a name that XML cannot hold, a place that cannot be written and a file in the way.
    """
    file = to_path(path)
    if file.suffix.lower() != ".xml":
        raise ArgumentError(f"'{file.name}' is not the name of an MJCF file", remedy="give a name that ends in .xml")
    contents = {file: mjcf_text(robot, note=note)}
    side = side_file(file)
    if not_in_mjcf(robot):
        contents[side] = f"# Drives of {file.name}, written by Torquec.\n\n{drives_text(robot, complete=True)}"
    elif side.exists():  # it would change what is read back
        contents[side] = f"# Drives of {file.name}, written by Torquec: the file itself says everything.\n"
    write_files(contents, force=force)
    return tuple(contents)


def not_in_mjcf(robot: Robot) -> tuple[str, ...]:
    """Parameters that MuJoCo cannot express, one line for each joint or motor."""
    lost = {
        body.joint.name: _inexpressible(body.joint.friction)
        + (["counterbalance"] if body.joint.counterbalances else [])
        for body in robot.bodies
    }
    found = [f"{name}: {', '.join(words)}" for name, words in lost.items() if words]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        words = _inexpressible(motor.friction)
        if motor.rotor_inertia and not _on_one_branch(robot, row):
            words.append("rotor inertia between branches")
        found += [f"motor {motor.name}: {', '.join(words)}"] if words else []
    return tuple(found)


def mjcf_text(robot: Robot, *, note: str = "") -> str:
    """The robot as an MJCF document (1)-(5); raises as `write_mjcf` does."""
    check_xml_names(robot)
    check_single_coordinates(robot)
    check_tree(robot)
    check_friction_is_passive(robot)
    for body in robot.bodies:
        _check_takable(body.name, body.inertia)
    lost = not_in_mjcf(robot)
    lines = [xml_comment("Written by Torquec." + (f" {note}" if note else ""))]
    lines += [xml_comment(f"Not included, because MJCF cannot express it: {'; '.join(lost)}.")] if lost else []
    frictions = [body.joint.friction for body in robot.bodies] + [motor.friction for motor in robot.drives.motors]
    if any(_plain(friction).is_bent for friction in frictions):
        lines.append(xml_comment("Damping of three numbers needs MuJoCo 3.8 or newer."))
    lines += [
        f"<mujoco model={quoteattr(robot.name)}>",
        '  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>',
        f'  <option gravity="{number_list(robot.gravity)}"/>',
        "  <worldbody>",
        *_tree(robot),
        "  </worldbody>",
        *_tendons(robot),
        *_equalities(robot),
        "  <actuator>",
        *(f"    <motor name={quoteattr(name)} joint={quoteattr(name)}/>" for name in robot.joint_names),
        "  </actuator>",
        "</mujoco>",
        "",
    ]
    return "\n".join(lines)


def _tree(robot: Robot) -> list[str]:
    """The lines of all bodies (1), children inside their parents."""
    names = link_names(robot, reserved=(_WORLD,))
    words = _joint_words(robot)
    children: dict[int, list[int]] = {index: [] for index in range(BASE, len(robot.bodies))}
    for index, body in enumerate(robot.bodies):
        children[body.parent].append(index)
    sites: dict[int, list[str]] = {index: [] for index in children}
    for frame in robot.frames:
        if frame.name not in (names[frame.body], _WORLD):
            sites[frame.body].append(f"<site name={quoteattr(frame.name)}{_placed(frame.pose)}/>")
    lines: list[str] = []
    # Depth first, without recursion: a chain may be longer than Python's stack is deep.
    stack: list[tuple[int, int] | str] = [(BASE, 2)]
    while stack:
        entry = stack.pop()
        if isinstance(entry, str):
            lines.append(entry)
            continue
        index, depth = entry
        indent = "  " * depth
        if index == BASE:
            lines.append(f"{indent}<body name={quoteattr(names[BASE])}>")
            inner = _inertial(robot.base_inertia) if _is_takable(robot.base_inertia) else []
        else:
            body = robot.bodies[index]
            lines.append(f"{indent}<body name={quoteattr(names[index])}{_placed(body.joint.placement)}>")
            inner = [*_inertial(body.inertia), _joint(body.joint, words[body.joint.name])]
        lines += [f"{indent}  {line}" for line in (*inner, *sites[index])]
        stack.append(f"{indent}</body>")
        stack.extend((child, depth + 1) for child in reversed(children[index]))
    return lines


@dataclass
class _Words:
    """MuJoCo's parameters of a joint or tendon: its damping a v + `curved` v |v| + `cubic` v^3, a being `viscous`;
    `constant` is a torque that the drive must overcome always.
    """

    viscous: float = 0.0
    curved: float = 0.0
    cubic: float = 0.0
    frictionloss: float = 0.0
    armature: float = 0.0
    constant: float = 0.0

    @property
    def is_bent(self) -> bool:
        """Whether the damping is nonlinear in the speed."""
        return self.curved != 0.0 or self.cubic != 0.0

    def add(self, other: _Words, ratio: float) -> None:
        """Add the parameters of a shaft that turns `ratio` times as fast (2)."""
        self.viscous += ratio**2 * other.viscous
        self.curved += abs(ratio) ** 3 * other.curved
        self.cubic += ratio**4 * other.cubic
        self.frictionloss += abs(ratio) * other.frictionloss
        self.armature += ratio**2 * other.armature

    @property
    def attributes(self) -> list[str]:
        """The parameters as MJCF attributes, without the constant torque."""
        damping = number_list((self.viscous, self.curved, self.cubic)) if self.is_bent else f"{self.viscous!r}"
        written = [f'damping="{damping}"'] if self.viscous or self.is_bent else []
        if self.frictionloss:
            written += [f'frictionloss="{self.frictionloss!r}"', f'solreffriction="{TUNING.friction_time!r} 1"']
        return written + ([f'armature="{self.armature!r}"'] if self.armature else [])


def _joint_words(robot: Robot) -> dict[str, _Words]:
    """The parameters (2) by joint name, with the constant torques of motors (3), which tendons cannot express."""
    words = {}
    for body in robot.bodies:
        friction = body.joint.friction
        words[body.joint.name] = dataclasses.replace(_plain(friction), constant=friction.offset)
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        turned = [(words[name], ratio) for name, ratio in zip(robot.joint_names, row, strict=True) if ratio != 0.0]
        for word, ratio in turned:
            word.constant += ratio * motor.friction.offset
        if len(turned) == 1:
            word, ratio = turned[0]
            word.add(_shaft_words(motor), ratio)
    return words


def _shaft_words(motor: Motor) -> _Words:
    return dataclasses.replace(_plain(motor.friction), armature=motor.rotor_inertia)


def _plain(friction: Friction) -> _Words:
    """Damping and frictionloss of a friction law; empty where MuJoCo cannot express the law."""
    if _inexpressible(friction):
        return _Words()
    curved, cubic = (friction.value(word) for word in _BENDS)
    return _Words(friction.viscous_positive, curved, cubic, friction.coulomb_positive)


def _inexpressible(friction: Friction) -> list[str]:
    """Parameters of a friction law that MuJoCo cannot express."""
    bends = tuple((word, value) for word, value in friction.further if word in _BENDS)
    plain = Friction.symmetric(friction.viscous_positive, friction.coulomb_positive, friction.offset)
    is_expressible = friction == dataclasses.replace(plain, further=bends)
    if is_expressible and friction.viscous_positive >= 0.0 and friction.coulomb_positive >= 0.0:
        return []
    return [word for word, value in friction.values.items() if value != 0.0 and word != "offset"]


def _on_one_branch(robot: Robot, row: Sequence[float]) -> bool:
    """Whether the joints that a motor turns with carry one another: MuJoCo's mass matrix has no place for others."""
    turned = {name for name, ratio in zip(robot.joint_names, row, strict=True) if ratio != 0.0}
    carriers: list[set[str]] = []
    for body in robot.bodies:
        above = set() if body.parent == BASE else carriers[body.parent]
        carriers.append(above | {body.joint.name})
    return any(turned <= names for names in carriers)


def _joint(joint: Joint, words: _Words) -> str:
    parts = [f'name={quoteattr(joint.name)} type="{joint.kind.mjcf}" axis="{number_list(joint.axis)}"']
    lower, upper = joint.limits.lower, joint.limits.upper
    # A range needs two limits: a missing one is put beyond the reach of every joint.
    if joint.kind.has_position_limits and (math.isfinite(lower) or math.isfinite(upper)) and lower < upper:
        parts.append(f'range="{number_list((max(lower, -_NO_LIMIT), min(upper, _NO_LIMIT)))}"')
    if math.isfinite(joint.limits.effort) and joint.limits.effort > 0.0:
        parts.append(f'actuatorfrcrange="{number_list((-joint.limits.effort, joint.limits.effort))}"')
    parts += words.attributes
    parts += _spring(joint, words.constant)
    return f"<joint {' '.join(parts)}/>"


_NO_LIMIT = 1e10
"""Position [rad or m] of a missing limit; MuJoCo would refuse more than its own largest position."""


def _spring(joint: Joint, constant: float) -> list[str]:
    """The joint's spring and the constant torque (4) as one spring."""
    stiffness, rest = (0.0, 0.0) if joint.spring is None else (joint.spring.stiffness, joint.spring.rest)
    if not stiffness and not constant:
        return []
    stiffness = stiffness or _RELATIVE_COMPLIANCE * abs(constant)
    return [f'stiffness="{stiffness!r}"', f'springref="{rest - constant / stiffness!r}"']


def _tendons(robot: Robot) -> list[str]:
    """Fixed tendons for motors that turn with several joints (3)."""
    lines = []
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        turned = [(name, ratio) for name, ratio in zip(robot.joint_names, row, strict=True) if ratio != 0.0]
        if len(turned) < 2:
            continue
        written = "".join(f" {attribute}" for attribute in _shaft_words(motor).attributes)
        lines.append(f"    <fixed name={quoteattr(motor.name)}{written}>")
        lines += [f'      <joint joint={quoteattr(name)} coef="{ratio!r}"/>' for name, ratio in turned]
        lines.append("    </fixed>")
    return ["  <tendon>", *lines, "  </tendon>"] if lines else []


def _equalities(robot: Robot) -> list[str]:
    """Equality constraints for mimic joints (5)."""
    lines = []
    for joint in (body.joint for body in robot.bodies):
        if joint.mimic is not None:
            ends = f"joint1={quoteattr(joint.name)} joint2={quoteattr(joint.mimic.joint)}"
            terms = number_list((joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0))
            lines.append(f'    <joint {ends} polycoef="{terms}"/>')
    return ["  <equality>", *lines, "  </equality>"] if lines else []


def _placed(pose: Pose) -> str:
    if pose == IDENTITY:
        return ""
    return f' pos="{number_list(pose.origin)}" quat="{number_list(rotation_quaternion(pose.rotation))}"'


def _inertial(inertia: Inertia) -> list[str]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.central_tensor
    place = f'pos="{number_list(inertia.center_of_mass)}" mass="{float(inertia.m)!r}"'
    return [f'<inertial {place} fullinertia="{number_list((xx, yy, zz, xy, xz, yz))}"/>']


def _is_takable(inertia: Inertia) -> bool:
    if not inertia.m > _LEAST_INERTIA:
        return False
    a, b, c = principal_moments(inertia)
    return a > _LEAST_INERTIA and a + b >= c


def _check_takable(name: str, inertia: Inertia) -> None:
    if not _is_takable(inertia):
        raise RobotError(
            f"MuJoCo rejects the inertia of '{name}'",
            remedy="a moving body needs a mass and three positive moments, none above the sum of the two others",
        )
