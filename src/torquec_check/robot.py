"""The robot that a claim is about, and the box of its motions: bodies, joints and frames as the file has them.

Every number is a double of the document, exactly; nothing is snapped or regrouped. Payloads and locked joints are part
of the bodies. A rotation matrix of doubles is no rotation exactly: the robot has the rotation next to it, and the unit
vector a/|a| of the written axis a; `recursion` encloses both. Friction, springs and limits of joints, frames and the
base's inertia do not enter a claim about torques.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from torquec_check.document import RefusedError, expect, fields, items, number, numbers

NEARLY_ROTATION, MOST_BODIES = 1e-9, 1000
"""How far R R' may be from the identity, and the squared length of an axis from one; bodies, read with all pairs."""
JOINT, INERTIA = "name type placement axis mimic", "xx xy xz yy yz zz mx my mz m"
"""Moments are about the origin of the body's frame: tensor, first moments, mass."""


@dataclass(frozen=True)
class Box:
    """Ranges of the joint positions and the largest speeds and accelerations, (n,) each."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]


@dataclass(frozen=True)
class Body:
    """A body and its joint. Frames coincide at the joint position `multiplier` q[coordinate] + `offset` = 0."""

    parent: int  # -1: the base
    turns: bool
    rotation: tuple[tuple[float, ...], ...]  # places the joint in the frame of the parent, as written
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
    ignored = "frames base_inertia snap attached locked"
    name, rows, gravity, drives = fields(values, "name bodies gravity drives", "robot", ignored=ignored)
    parts, joints = [], []
    for k, row in enumerate(items(rows, "robot.bodies")):
        where = f"robot.bodies[{k}]"
        parts.append(fields(row, "parent joint inertia", where, ignored="name lacking_inertia"))
        joints.append(fields(parts[-1][1], JOINT, where, ignored="limits friction spring counterbalances"))
    free = {expect(str, joint, "robot"): kind != "prismatic" for joint, kind, _, _, mimic in joints if mimic is None}
    if not 0 < len(free) <= len({expect(str, joint[0], "robot") for joint in joints}) == len(joints) <= MOST_BODIES:
        raise RefusedError(f"robot.bodies: joints need names of their own, and {MOST_BODIES} are the most")
    bodies = tuple(_body(k, part, joint, free) for k, (part, joint) in enumerate(zip(parts, joints, strict=True)))
    pull, reflected = numbers(gravity, "robot.gravity", 3), _reflected(drives, len(free))
    return Robot(expect(str, name, "robot.name"), tuple(free), tuple(free.values()), bodies, pull, reflected)


def _body(index: int, part: list[Any], joint: list[Any], free: dict[str, bool]) -> Body:
    """A body; `free` are the independent joints, and whether they turn."""
    where, (parent, _, inertia), (name, kind, placement, axis, mimic) = f"robot.bodies[{index}]", part, joint
    if not -1 <= expect(int, parent, where) < index:
        raise RefusedError(f"{where}: its parent is not an earlier body")
    if kind not in ("revolute", "continuous", "prismatic"):
        raise RefusedError(f"{where}: torques of joints of type '{str(kind)[:40]}' are not checked")
    leader, multiplier, offset = (name, 1.0, 0.0) if mimic is None else fields(mimic, "joint multiplier offset", where)
    factor, turns = number(multiplier, where), kind != "prismatic"
    if expect(str, leader, where) not in free:
        raise RefusedError(f"robot: joint '{name}' follows '{leader}', which is no independent joint")
    if turns != free[leader]:
        raise RefusedError(f"robot: joint '{name}' turns and its leader '{leader}' slides, or the other way round")
    if turns and factor != round(factor):
        raise RefusedError(f"robot: joint '{name}' follows {factor} times, not a whole number")
    turn, origin = fields(placement, "rotation origin", where)
    rotation, unit = tuple(numbers(line, where, 3) for line in items(turn, where, 3)), numbers(axis, where, 3)
    check_rotation(rotation, unit, where)
    place, moments = numbers(origin, where, 3), numbers(fields(inertia, INERTIA, where), where)
    return Body(parent, turns, rotation, place, unit, moments, list(free).index(leader), factor, number(offset, where))


def check_rotation(rotation: tuple[tuple[float, ...], ...], axis: tuple[float, ...], where: str) -> None:
    """Raise `RefusedError` unless a matrix is nearly a rotation, and an axis a unit vector."""
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
    pairs = list(zip(numbers(rotors, "rotor_inertia"), ratios, strict=True))
    return tuple(
        tuple(sum((Fraction(m) * Fraction(t[i]) * Fraction(t[j]) for m, t in pairs), Fraction(0)) for j in range(n))
        for i in range(n)
    )
