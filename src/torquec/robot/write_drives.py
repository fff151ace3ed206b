"""What of a robot does not fit into URDF, as the text of its side file: motors, friction in all its words, springs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping

from torquec.robot.friction_words import FRICTION_WORDS
from torquec.robot.robot import Friction, Joint, Robot, Spring


def drives_text(robot: Robot, *, complete: bool = False) -> str:
    """The side file of a robot, empty when URDF can say everything; `torquec.robot.drives` reads it back exactly.

    With `complete` it says all of every joint, whatever the robot file beside it says: that may be less than the truth.
    """
    lines: list[str] = []
    for body in robot.bodies:
        entries = list(_joint_entries(body.joint, complete=complete))
        if entries:
            lines += [f"[joint.{_quoted(body.joint.name)}]", *entries, ""]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        ratios = ", ".join(
            f"{_quoted(name)} = {ratio!r}" for name, ratio in zip(robot.joint_names, row, strict=True) if ratio != 0.0
        )
        lines += ["[[motor]]", f"name = {_quoted(motor.name)}", f"rotor_inertia = {motor.rotor_inertia!r}"]
        lines += [f"friction = {_friction(motor.friction)}"] if motor.friction != Friction() else []
        lines += [f"transmission = {{ {ratios} }}", ""]
    return "\n".join(lines)


def is_symmetric(friction: Friction) -> bool:
    """True where URDF's damping and friction say everything."""
    return friction == Friction.symmetric(friction.viscous_positive, friction.coulomb_positive)


def _joint_entries(joint: Joint, *, complete: bool) -> Iterator[str]:
    if complete or not is_symmetric(joint.friction):
        yield f"friction = {_friction(joint.friction)}"
    if complete or joint.spring is not None:
        spring = joint.spring or Spring(0.0)
        yield f"spring = {{ stiffness = {spring.stiffness!r}, rest = {spring.rest!r} }}"
    if joint.counterbalances:
        tables = ", ".join(_inline(dataclasses.asdict(one)) for one in joint.counterbalances)
        yield f"counterbalance = [{tables}]"


def _friction(friction: Friction) -> str:
    values = friction.values
    return _inline({word: values[word] for word in FRICTION_WORDS if word in values})


def _inline(values: Mapping[str, float]) -> str:
    return f"{{ {', '.join(f'{name} = {value!r}' for name, value in values.items())} }}"


def _quoted(name: str) -> str:
    """A TOML string: JSON's escapes are TOML's, but for DEL, which JSON leaves as it is."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007F")
