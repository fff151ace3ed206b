"""The robot that a claim is about: bodies, joints and frames as the file has them, gravity and drives.

Every number is a double of the document, exactly; nothing is snapped or regrouped. Payloads and locked joints are part
of the bodies. A rotation matrix of doubles is no rotation exactly: the robot has the rotation next to it, and likewise
the unit vector a/|a| of the written axis a; `recursion` encloses both in balls. Friction, springs and limits of joints
are no part of a claim about torques, and frames and the base's inertia do not enter any torque.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
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
    inertia: tuple[float, ...]
    coordinate: int
    multiplier: float
    offset: float


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
    parts = [
        fields(row, "parent joint inertia", f"robot.bodies[{k}]", ignored="name lacking_inertia")
        for k, row in enumerate(items(rows, "robot.bodies"))
    ]
    words, ignored = "name type placement axis mimic", "limits friction spring counterbalances"
    joints = [fields(joint, words, f"robot.bodies[{k}]", ignored=ignored) for k, (_, joint, _) in enumerate(parts)]
    free = {text(joint, "robot"): kind != "prismatic" for joint, kind, _, _, mimic in joints if mimic is None}
    if len({text(joint[0], "robot") for joint in joints}) != len(joints) or not free:
        raise RefusedError("robot.bodies: joints need names of their own")
    bodies = [
        _body(k, parent, joint, inertia, free)
        for k, ((parent, _, inertia), joint) in enumerate(zip(parts, joints, strict=True))
    ]
    pull = numbers(gravity, "robot.gravity", 3)
    turns = tuple(free.values())
    return Robot(text(name, "robot.name"), tuple(free), turns, tuple(bodies), pull, _reflected(drives, len(free)))


def _body(index: int, parent: Any, joint: list[Any], inertia: Any, free: dict[str, bool]) -> Body:
    """A body; `free` are the independent joints, and whether they turn."""
    where, (name, kind, placement, axis, mimic) = f"robot.bodies[{index}]", joint
    if not -1 <= integer(parent, where) < index:
        raise RefusedError(f"{where}: its parent is no earlier body")
    if kind not in ("revolute", "continuous", "prismatic"):
        raise RefusedError(f"{where}: torques of joints of type '{str(kind)[:40]}' are not checked")
    leader, multiplier, offset = (name, 1.0, 0.0) if mimic is None else fields(mimic, "joint multiplier offset", where)
    factor, turns = number(multiplier, where), kind != "prismatic"
    if free.get(text(leader, where)) is None:
        raise RefusedError(f"robot: joint '{name}' follows '{leader}', which is no independent joint")
    if turns != free[leader]:
        raise RefusedError(f"robot: joint '{name}' turns and its leader '{leader}' slides, or the other way round")
    if turns and factor != round(factor):
        raise RefusedError(f"robot: joint '{name}' follows {factor} times, not a whole number")
    turn, origin = fields(placement, "rotation origin", where)
    rotation, unit = tuple(numbers(line, where, 3) for line in items(turn, where, 3)), numbers(axis, where, 3)
    moments, coordinate = numbers(fields(inertia, INERTIA, where), where), list(free).index(leader)
    _check_rotation(rotation, unit, where)
    place = numbers(origin, where, 3)
    return Body(parent, turns, rotation, place, unit, moments, coordinate, factor, number(offset, where))


def _check_rotation(rotation: tuple[tuple[float, ...], ...], axis: tuple[float, ...], where: str) -> None:
    a, b, c = rotation
    lengths = [sum(x * y for x, y in zip(u, v, strict=True)) - (u is v) for u in (a, b, c) for v in (a, b, c)]
    volume = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
    if max(map(abs, lengths)) > NEARLY_ROTATION or volume < 0.0:
        raise RefusedError(f"{where}: its placement is no rotation")
    if abs(sum(x * x for x in axis) - 1.0) > NEARLY_ROTATION:
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
