"""Lines in space as fifteen numbers that move linearly: W = (P, l, P.P, P.l, P x l, (P.P) l - 2 (P.l) P, 1).

P is a point of the line and l its direction. Under a displacement x -> R x + t

(1)  P.P -> P.P + 2 t.RP + t.t,    P.l -> P.l + t.Rl,    P x l -> R (P x l) + t x Rl
(2)  V = (P.P) l - 2 (P.l) P  ->  R V - 2 t x R(P x l) + (t.t) R l - 2 (t.Rl + P.l) t

and with a joint every part is linear in y = (1, cos q, sin q), or in (1, q, q^2) of a slide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from torquec.expr.math import atan2, sqrt
from torquec.foundation.arrays import Array
from torquec.kinematics.angle import JointAngle, over
from torquec.kinematics.arm_geometry import ArmJoint, across
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matvec, scale, subtract

LineParts: TypeAlias = list[Scalar]
"""W, 15 numbers."""

_TINY = 1e-13  # of constants of order 1: rounding
UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def line_parts(point: Vector3, along: Vector3) -> LineParts:
    """W of a line through a point."""
    pp, pl = dot(point, point), dot(point, along)
    return [*point, *along, pp, pl, *cross(point, along), *subtract(scale(along, pp), scale(point, 2.0 * pl)), 1.0]


def moved_parts(turn: Matrix3, shift: Vector3, w: Sequence[Scalar]) -> LineParts:
    """W after a displacement x -> turn x + shift; linear in w."""
    p, along, x, v = (matvec(turn, (w[k], w[k + 1], w[k + 2])) for k in (0, 3, 8, 11))
    pp, pl, one = w[6], w[7], w[14]
    square = dot(shift, shift)
    down = dot(shift, along)
    last = add(subtract(v, scale(cross(shift, x), 2.0)), scale(along, square))
    last = subtract(last, scale(shift, 2.0 * (down + pl)))
    return [
        *add(p, scale(shift, one)),
        *along,
        pp + 2.0 * dot(shift, p) + square * one,
        pl + down,
        *add(x, cross(shift, along)),
        *last,
        one,
    ]


def parts_of_joint(joint: ArmJoint, sign: float = 1.0) -> Array:
    """Motion of W with a joint, linear in y: matrices (3, 15, 15); with `sign` -1 by the joint's inverse."""

    def moved(q: float) -> Array:
        angle = None if joint.slides else JointAngle.of(sign * q)
        shift, _ = moved_line(joint, angle, sign * q, (0.0, 0.0, 0.0), joint.axis)
        turn = _rotation(joint, angle)
        return np.array([moved_parts(turn, shift, row) for row in np.eye(15).tolist()]).T

    zero = moved(0.0)
    if joint.slides:
        ahead, behind = moved(1.0), moved(-1.0)
        return np.array([zero, 0.5 * (ahead - behind), 0.5 * (ahead + behind) - zero])
    half, quarter = moved(np.pi), moved(0.5 * np.pi)
    middle = 0.5 * (zero + half)
    found = np.array([middle, 0.5 * (zero - half), quarter - middle])
    return np.where(np.abs(found) < _TINY, 0.0, found)


def _rotation(joint: ArmJoint, angle: JointAngle | None) -> Matrix3:
    return UNITS if angle is None else angle.rotation(joint.axis)


def moved_line(
    joint: ArmJoint, angle: JointAngle | None, q: Scalar, point: Vector3, along: Vector3
) -> tuple[Vector3, Vector3]:
    """A line after a joint has moved."""
    if angle is None:
        return add(point, scale(joint.axis, q)), along
    turned = add(joint.point, angle.turn(joint.axis, subtract(point, joint.point)))
    return turned, angle.turn(joint.axis, along)


def turned(joint: ArmJoint, q: Scalar, v: Vector3, sign: float) -> Vector3:
    """A direction after a joint has moved by q, or by -q."""
    return v if joint.slides else JointAngle.of(q).signed(sign).turn(joint.axis, v)


def value_between(
    joint: ArmJoint, start: tuple[Vector3, Vector3], end: tuple[Vector3, Vector3]
) -> tuple[Scalar, JointAngle | None]:
    """The value of a joint that moves the line `start` to `end`, and its angle."""
    h = joint.axis
    if joint.slides:
        return dot(h, subtract(end[0], start[0])), None
    r, s = (subtract(line[0], joint.point) for line in (start, end))
    pairs = ((r, s), (start[1], end[1]))
    c = sum_of_terms(dot(p, q) - dot(h, p) * dot(h, q) for p, q in pairs)
    sine = sum_of_terms(dot(h, cross(p, q)) for p, q in pairs)
    length = over(1.0, sqrt(c * c + sine * sine))
    return atan2(sine, c), JointAngle(c * length, sine * length)


def unchanged_by(joint: ArmJoint) -> Array:
    """Rows over W (5, 15) that a joint does not change."""
    h, o = np.array(joint.axis), np.array(joint.point)
    rows = np.zeros((5, 15))
    if joint.slides:
        rows[:3, 3:6] = np.eye(3)
        rows[3, :3], rows[4, :3] = (np.array(v) for v in across(joint.axis))
        return rows
    rows[0, 3:6] = h  # h . l
    rows[1, :3], rows[1, 14] = h, -h @ o  # h . r, r = P - o
    rows[2, :3], rows[2, 6], rows[2, 14] = -2.0 * o, 1.0, o @ o  # r . r
    rows[3, 3:6], rows[3, 7] = -o, 1.0  # r . l
    rows[4, 3:6], rows[4, 8:11] = -np.cross(h, o), h  # h . r x l
    return rows


def applied(matrix: Array, w: Sequence[Scalar]) -> LineParts:
    """A constant matrix times w."""
    return [sum_of_terms(float(a) * x for a, x in zip(row, w, strict=True)) for row in matrix]


def plain(values: Array) -> LineParts:
    """Constants as floats, with rounding errors of zero set to zero."""
    return [0.0 if abs(x) < _TINY else float(x) for x in values]


def inner(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a . b"""
    return sum_of_terms(x * y for x, y in zip(a, b, strict=True))


def sum_of_terms(values: Iterable[Scalar]) -> Scalar:
    """A sum without terms that are exactly zero."""
    found: Any = 0.0
    for value in values:
        found = value if isinstance(found, float) and found == 0.0 else found + value
    return found
