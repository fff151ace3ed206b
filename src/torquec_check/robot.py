"""The robot that a claim is about: bodies, joints and frames as the file has them, gravity and drives.

Every number is a double of the document, exactly; nothing is snapped or regrouped. Payloads and locked joints are part
of the bodies. A rotation matrix of doubles is no rotation exactly: the robot has the rotation next to it, and likewise
the unit vector a/|a| of the written axis a; `recursion` encloses both in balls. Friction, springs and limits of joints
are no part of a claim about torques, and frames and the base's inertia do not enter any torque.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from torquec_check.document import RefusedError, fields, integer, items, number, numbers, text

NEARLY_ROTATION = 1e-9
"""How far R R' may be from the identity, and the squared length of an axis from one."""

INERTIA = "xx xy xz yy yz zz mx my mz m"
"""Moments about the origin of the body's frame: tensor, first moments, mass."""


@dataclass(frozen=True)
class Body:
    """A body and its joint. Frames coincide at the joint position `multiplier` q[coordinate] + `offset` = 0.

    `rotation` and `origin` place the joint in the frame of the `parent` body (-1: the base), as written.
    """

    parent: int
    turns: bool
    rotation: tuple[tuple[float, ...], ...]
    origin: tuple[float, ...]
    axis: tuple[float, ...]
    coordinate: int
    multiplier: float
    offset: float
    inertia: tuple[float, ...]


@dataclass(frozen=True)
class Robot:
    """Bodies, parents first; independent joints are the coordinates q. `reflected` is T' diag(I) T of the drives."""

    name: str
    joints: tuple[str, ...]
    turns: tuple[bool, ...]
    bodies: tuple[Body, ...]
    gravity: tuple[float, ...]
    reflected: tuple[tuple[Fraction, ...], ...]

    @property
    def n(self) -> int:
        """Number of independent joints."""
        return len(self.joints)


def robot_of(values: Any) -> Robot:
    """The robot of a document; raises `RefusedError`, naming the field."""
    name, rows, gravity, drives = fields(
        values, "name bodies gravity drives", "robot", ignored="frames base_inertia snap attached locked"
    )
    parsed = [_body(row, k) for k, row in enumerate(items(rows, "robot.bodies"))]
    leading = [(joint, body.turns) for joint, body, follows in parsed if follows is None]
    joints = tuple(joint for joint, _ in leading)
    if len({joint for joint, _, _ in parsed}) != len(parsed) or not joints:
        raise RefusedError("robot.bodies: joints need names of their own")
    bodies = []
    for joint, body, follows in parsed:
        leader = joint if follows is None else follows
        if leader not in joints:
            raise RefusedError(f"robot: joint '{joint}' follows '{leader}', which is no independent joint")
        coordinate = joints.index(leader)
        if body.turns != leading[coordinate][1]:
            raise RefusedError(f"robot: joint '{joint}' turns and its leader '{leader}' slides, or the other way round")
        if body.turns and body.multiplier != round(body.multiplier):
            raise RefusedError(f"robot: joint '{joint}' follows {body.multiplier} times, not a whole number")
        bodies.append(replace(body, coordinate=coordinate))
    return Robot(
        text(name, "robot.name"),
        joints,
        tuple(turns for _, turns in leading),
        tuple(bodies),
        numbers(gravity, "robot.gravity", 3),
        _reflected(drives, len(joints)),
    )


def _body(row: Any, index: int) -> tuple[str, Body, str | None]:
    """A body with its joint's name, and the joint that it follows, if any."""
    where = f"robot.bodies[{index}]"
    parent, joint, inertia = fields(row, "parent joint inertia", where, ignored="name lacking_inertia")
    name, kind, placement, axis, mimic = fields(
        joint, "name type placement axis mimic", where, ignored="limits friction spring counterbalances"
    )
    if not -1 <= integer(parent, where) < index:
        raise RefusedError(f"{where}: its parent is no earlier body")
    if kind not in ("revolute", "continuous", "prismatic"):
        raise RefusedError(f"{where}: torques of joints of type '{str(kind)[:40]}' are not checked")
    turn, origin = fields(placement, "rotation origin", where)
    rotation = tuple(numbers(line, where, 3) for line in items(turn, where, 3))
    follows, multiplier, offset = (None, 1.0, 0.0) if mimic is None else fields(mimic, "joint multiplier offset", where)
    body = Body(
        parent,
        kind != "prismatic",
        rotation,
        numbers(origin, where, 3),
        numbers(axis, where, 3),
        0,
        number(multiplier, where),
        number(offset, where),
        tuple(number(x, where) for x in fields(inertia, INERTIA, where)),
    )
    _check_rotation(body, where)
    return text(name, where), body, None if follows is None else text(follows, where)


def _check_rotation(body: Body, where: str) -> None:
    a, b, c = body.rotation
    lengths = [sum(x * y for x, y in zip(u, v, strict=True)) - (u is v) for u in (a, b, c) for v in (a, b, c)]
    volume = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
    if max(map(abs, lengths)) > NEARLY_ROTATION or volume < 0.0:
        raise RefusedError(f"{where}: its placement is no rotation")
    if abs(sum(x * x for x in body.axis) - 1.0) > NEARLY_ROTATION:
        raise RefusedError(f"{where}: its axis is no unit vector")


def _reflected(drives: Any, n: int) -> tuple[tuple[Fraction, ...], ...]:
    """The rotors' part of the mass matrix, T' diag(I) T, exactly."""
    motors, transmission = fields(drives, "motors transmission", "robot.drives")
    rotors = [fields(motor, "rotor_inertia", "motor", ignored="name friction")[0] for motor in items(motors, "motors")]
    ratios = [numbers(row, "transmission", n) for row in items(transmission, "transmission", len(rotors))]
    total = [[Fraction(0)] * n for _ in range(n)]
    for inertia, row in zip(numbers(rotors, "rotor_inertia"), ratios, strict=True):
        for i, j in itertools.product(range(n), range(n)):
            total[i][j] += Fraction(row[i]) * Fraction(inertia) * Fraction(row[j])
    return tuple(map(tuple, total))
