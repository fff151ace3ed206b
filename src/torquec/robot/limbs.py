"""Limbs of a robot with a free base: the trees of bodies on the base, each as a robot of its own on a copy of the base.

Torques of a limb depend on its own joints and on the base's motion alone: its angular velocity w, dw/dt, and the
acceleration that an accelerometer at its origin measures, v and g in the base's axes, R its orientation:

(1)  A = dv/dt + w x v - R' g

So the pose of a limb's base does not count: it is neutral (`CarriedLimb.held`), its v is zero, gravity is zero, and the
accelerations of its first three coordinates are A. The base's own inertia is divided among the limbs in any way; the
wrench of the base is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from torquec.errors import RobotError
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Body, Drives, Robot
from torquec.robot.state_coordinate import check_tree
from torquec.spatial import IDENTITY, Inertia

RATES = 6
"""Rates of a free base: velocity of its origin, angular velocity, both in its axes."""


@dataclass(frozen=True, repr=False)
class CarriedLimb(Robot):
    """A limb on its base, whose pose is neutral: q, qd and qdd are (6 + joints,), and q[:6] and qd[:3] are not read."""

    held: ClassVar[bool] = True

    @cached_property
    def nq(self) -> int:
        """As many positions as rates."""
        return self.nv


def limb_joints(robot: Robot) -> tuple[tuple[int, ...], ...]:
    """The rates of the independent joints of every limb, in the order of the limbs' first bodies.

    Raises `RobotError` unless the robot has a free base and limbs that nothing but the base couples.
    """
    return tuple(tuple(rates) for _, rates in _limbs(robot))


def carried_limbs(robot: Robot, shares: Sequence[Inertia] | None = None) -> tuple[CarriedLimb, ...]:
    """Every limb with its share of the base's inertia, without gravity; raises as `limb_joints`.

    Without `shares` the first limb has all of it.
    """
    limbs, found = _limbs(robot), []
    root = robot.bodies[0]
    for number, (bodies, rates) in enumerate(limbs):
        own = (root.inertia if number == 0 else Inertia()) if shares is None else shares[number]
        index = {0: 0, **{body: k for k, body in enumerate(bodies, start=1)}}
        moved = (replace(robot.bodies[body], parent=index[robot.bodies[body].parent]) for body in bodies)
        columns = (*range(RATES), *rates)
        turned = [
            (motor, tuple(row[k] for k in columns))
            for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True)
            if any(row[k] for k in rates)
        ]
        drives = Drives(tuple(motor for motor, _ in turned), tuple(row for _, row in turned))
        base = Body(root.name, BASE, root.joint, own)
        found.append(
            CarriedLimb(
                f"{robot.name} {robot.bodies[bodies[0]].name}",
                (base, *moved),
                gravity=(0.0, 0.0, 0.0),
                drives=drives,
                snap=robot.snap,
                source=robot.source,
            )
        )
    return tuple(found)


def _reason(robot: Robot) -> str | None:
    """Why a robot has no free base of this kind."""
    roots = [body for body in robot.bodies if body.parent == BASE]
    if len(roots) != 1 or roots[0].joint.type is not JointType.FREE:
        return "its bodies are not on one free joint of the world"
    if roots[0].joint.placement != IDENTITY:
        return f"joint '{roots[0].joint.name}' is not placed in the axes of the world"
    other = next((joint for joint in robot.joints[1:] if joint.kind.nv > 1), None)
    return None if other is None else f"joint '{other.name}' ({other.type}) in a limb has several coordinates"


def _limbs(robot: Robot) -> list[tuple[list[int], list[int]]]:
    """Bodies and rates of each limb."""
    check_tree(robot)
    reason = _reason(robot)
    limb_of: dict[int, int] = {}
    found: list[tuple[list[int], list[int]]] = []
    for number, body in enumerate(robot.bodies[1:], start=1):
        if reason is not None:
            break
        if body.parent == 0:
            limb_of[number] = len(found)
            found.append(([], []))
        else:
            limb_of[number] = limb_of[body.parent]
        bodies, rates = found[limb_of[number]]
        bodies.append(number)
        if body.joint.mimic is None:
            rates.append(robot.joint_index(body.joint.name))
    names = [{robot.bodies[body].joint.name for body in bodies} for bodies, _ in found]
    for number, limb in limb_of.items():
        mimic = robot.bodies[number].joint.mimic
        if mimic is not None and mimic.joint not in names[limb]:
            reason = reason or f"'{robot.bodies[number].joint.name}' follows a joint of another limb"
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        turned = {k for k, ratio in enumerate(row) if ratio}
        if not any(turned <= set(rates) for _, rates in found):
            reason = reason or f"motor '{motor.name}' turns joints of two limbs, or the base"
    if reason is not None or not found:
        raise RobotError(
            f"robot '{robot.name}' has no free base with limbs of its own: {reason or 'nothing moves on it'}",
            where=robot.source,
            remedy="fix the base (--base fixed, load(path, base='fixed')), or lock or decouple what is named",
        )
    return found
