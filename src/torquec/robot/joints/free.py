"""Free joint (floating base): a body that moves without restriction.

Position: (x, y, z) of the child's origin in the joint frame, then its unit quaternion (w, x, y, z); rates: velocity of
the child's origin, then its angular velocity, both in the child's axes. A constant twist (u, v), v angular, moves by

(1)  integrate:   origin + R (u + a v x u + b v x (v x u)),  a = (1 - cos t)/t^2,  b = (t - sin t)/t^3,  t = |v|
(2)  difference:  u = d - v x d/2 + c v x (v x d),  d = R' (change of origin),  c = (1 - (t/2)/tan(t/2))/t^2

and turns as a ball joint does (:mod:`torquec.robot.joints.ball`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import apply, maximum, select, sqrt
from torquec.expr.ops import Op
from torquec.robot.joints.ball import BALL, quaternion_logarithm
from torquec.robot.joints.kind import JointKind, KindCoordinate, UnitTwist
from torquec.spatial import (
    Pose,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    matvec,
    scale,
    subtract,
    transpose,
    unit_quaternion_rotation,
)

_SERIES_BELOW = 0.25
"""Square of an angle [rad^2] below which power series replace b and c of (1), (2): the closed forms cancel there."""

_B = (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800)
_C = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600)
"""Coefficients of the series of b and c in t^2."""


@dataclass(frozen=True)
class FreeJoint(JointKind):
    """Three translations and three rotations."""

    def motion(self, q: Sequence[Scalar]) -> Pose:
        """Rotation of the quaternion at the origin."""
        return Pose(unit_quaternion_rotation(q[3:]), (q[0], q[1], q[2]))

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The position after the constant twist v (1)."""
        u, spin = (v[0], v[1], v[2]), (v[3], v[4], v[5])
        square = dot(spin, spin)
        half = sqrt(maximum(0.25 * square, 1e-30))
        part = apply(Op.SIN, half) / half
        far = maximum(square, _SERIES_BELOW)
        angle = sqrt(far)
        b = select(square - _SERIES_BELOW, (angle - apply(Op.SIN, angle)) / (angle * far), _series(_B, square))
        once = cross(spin, u)
        way = add(u, add(scale(once, 0.5 * (part * part)), scale(cross(spin, once), b)))
        origin = add((q[0], q[1], q[2]), matvec(unit_quaternion_rotation(q[3:]), way))
        return (*origin, *BALL.integrate(q[3:], spin))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The constant twist from q0 to q1 (2)."""
        spin: Vector3 = quaternion_logarithm(q0[3:], q1[3:])
        way = subtract((q1[0], q1[1], q1[2]), (q0[0], q0[1], q0[2]))
        d = matvec(transpose(unit_quaternion_rotation(q0[3:])), way)
        square = dot(spin, spin)
        far = maximum(square, _SERIES_BELOW)
        half = 0.5 * sqrt(far)
        cotangent = apply(Op.COS, half) / apply(Op.SIN, half)
        c = select(square - _SERIES_BELOW, (1.0 - half * cotangent) / far, _series(_C, square))
        once = cross(spin, d)
        return (*add(subtract(d, scale(once, 0.5)), scale(cross(spin, once), c)), *spin)

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """Velocity turned into the joint frame, and the rate map of a ball joint."""
        rotation = unit_quaternion_rotation(q[3:])
        turning = BALL.rate_map(q[3:])
        return (*((*row, 0.0, 0.0, 0.0) for row in rotation), *((0.0, 0.0, 0.0, *row) for row in turning))


def _series(coefficients: Sequence[float], x: Scalar) -> Scalar:
    total: Scalar = coefficients[-1]
    for value in reversed(coefficients[:-1]):
        total = value + x * total
    return total


FREE = FreeJoint(
    "free",
    (
        *(KindCoordinate(UnitTwist(k, turns=False), None, f"v{'xyz'[k]}") for k in range(3)),
        *(KindCoordinate(UnitTwist(k, turns=True), None, f"w{'xyz'[k]}") for k in range(3)),
    ),
    neutral=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    letter="F",
    urdf="floating",
    mjcf="free",
)
