"""Payload: a rigid body fixed to a named frame, lumped into the body that carries the frame."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from torquec.errors import ArgumentError, RobotFileError
from torquec.robot.robot import STANDARD_GRAVITY, AttachedPayload, Frame, Robot
from torquec.robot.tree import BodyTree
from torquec.robot.validate import check_inertia
from torquec.spatial import Inertia, Matrix3, Pose


def attach_payload(
    robot: Robot,
    frame: str,
    *,
    mass: float,
    center: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: Sequence[Sequence[float]] = ((0.0,) * 3,) * 3,
    name: str = "payload",
) -> Robot:
    """The robot with a payload fixed to the frame `frame`.

    `mass` [kg]; `center` (3,) [m] is the payload's centre of mass in the frame; `inertia` (3, 3) [kg m^2] is its tensor
    about that centre, in the frame's axes (a point mass unless given). The robot gains a frame `name` at the payload's
    centre, with the axes of `frame`. Raises `ArgumentError` for a frame that does not exist, a name that is taken, and
    an inertia that is not physical.

    >>> from torquec.robot.robot import BASE, Body, Joint, JointType
    >>> arm = Robot("arm", (Body("link", BASE, Joint("hinge", JointType.CONTINUOUS)),), (Frame("tool", 0),))
    >>> attach_payload(arm, "tool", mass=2.0, center=(0.5, 0.0, 0.0)).bodies[0].inertia.zz
    0.5
    """
    carrier = robot.frame(frame)
    if not name or any(existing.name == name for existing in robot.frames):
        raise ArgumentError(f"the name '{name}' is empty or taken", remedy="give the payload its own: name=...")
    weight, at, tensor = _checked(mass, center, inertia)
    here = Inertia.from_center_of_mass(weight, at, tensor)
    try:
        odd = check_inertia(name, here, where="attach_payload")
    except RobotFileError as error:
        raise ArgumentError(error.found, where=error.where, remedy=error.remedy) from None
    grown = dataclasses.replace(
        robot,
        frames=(*robot.frames, Frame(name, carrier.body, carrier.pose @ Pose(origin=at))),
        attached=(*robot.attached, AttachedPayload(name, frame, weight, at, tensor)),
        warnings=(*robot.warnings, *odd),
    )
    tree = BodyTree(robot.base_inertia, robot.bodies)
    tree.weld(here, carrier.body, carrier.pose)
    return tree.applied_to(grown)


def _checked(
    mass: float, center: Sequence[float], inertia: Sequence[Sequence[float]]
) -> tuple[float, tuple[float, float, float], Matrix3]:
    """The arguments as floats, after checking their shapes and values."""
    try:
        weight = float(mass)
        (x, y, z) = (float(value) for value in center)
        rows = [[float(value) for value in row] for row in inertia]
    except (TypeError, ValueError):
        rows = []
    if len(rows) != 3 or any(len(row) != 3 for row in rows):
        raise ArgumentError(
            "the payload is not given as numbers of the right shape",
            remedy="mass is a number, center has 3 values, inertia is a 3 x 3 matrix",
        )
    if not all(math.isfinite(value) for value in (weight, x, y, z, *rows[0], *rows[1], *rows[2])):
        raise ArgumentError("the payload has values that are not finite", remedy="give finite numbers")
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    if (xy, xz, yz) != (yx, zx, zy):
        raise ArgumentError("the payload's inertia is not symmetric", remedy="give the same value at [i][j] and [j][i]")
    return weight, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def changes_text(robot: Robot, *, gravity: bool = False) -> str:
    """Text about payloads and locked joints, a line each; empty for an unchanged robot.

    With `gravity`, also about nonstandard gravity, for texts that do not state it elsewhere.

    >>> from torquec.robot import classics, attach_payload
    >>> changes_text(attach_payload(classics.puma560(), "link6", mass=2.5))
    "Payload, part of this model: 2.5 kg at (0.0, 0.0, 0.0) m of frame 'link6'."
    """
    lines = [f"Payload, part of this model: {_payload_text(held)}." for held in robot.attached]
    if robot.locked:
        held_still = ", ".join(f"'{joint.name}' at {joint.position!r}" for joint in robot.locked)
        lines.append(f"Locked joints [rad; m for prismatic joints]: {held_still}.")
    if gravity and robot.gravity != STANDARD_GRAVITY:
        lines.append(f"Gravity ({', '.join(repr(value) for value in robot.gravity)}) m/s^2 in the base frame.")
    return "\n".join(lines)


def _payload_text(held: AttachedPayload) -> str:
    center = ", ".join(repr(value) for value in held.center)
    text = f"{held.mass!r} kg at ({center}) m of frame '{held.frame}'"
    if any(value for row in held.inertia for value in row):
        rows = ", ".join(f"({', '.join(repr(value) for value in row)})" for row in held.inertia)
        text += f", with the inertia ({rows}) kg m^2 about its centre"
    return text
