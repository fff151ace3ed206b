"""Ball joint: rotation about a point. Position: unit quaternion (w, x, y, z); rates: angular velocity, child's axes.

With p the vector part of a quaternion, and the product of quaternions (a, u)(b, v) = (a b - u . v, a v + b u + u x v):

(1)  R = 1 + 2 w [p x] + 2 [p x][p x]
(2)  integrate:   q (cos(t/2), sin(t/2)/t v),   t = |v|
(3)  difference:  2 atan2(|p|, w)/|p| p  of  q0^-1 q1, its sign chosen so that w >= 0
(4)  rate map:    dq/dt = q (0, v)/2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import apply, atan2, maximum, select, sqrt
from torquec.expr.ops import Op
from torquec.robot.joints.kind import JointKind, KindCoordinate, UnitTwist
from torquec.spatial import Pose, Quaternion, Scalar, Vector3, add, cross, dot, scale, unit_quaternion_rotation

_ZERO_ANGLE_SQUARED = 1e-30  # square of an angle [rad^2] below which sin(t)/t is 1 to all digits: no division by zero


@dataclass(frozen=True)
class BallJoint(JointKind):
    """Three rotations about a point."""

    def motion(self, q: Sequence[Scalar]) -> Pose:
        """Rotation by the quaternion (1)."""
        return Pose(unit_quaternion_rotation(q))

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The position after the rotation vector v (2)."""
        return quaternion_product((q[0], q[1], q[2], q[3]), quaternion_exponential((v[0], v[1], v[2])))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The rotation vector from q0 to q1 (3)."""
        return quaternion_logarithm(q0, q1)

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """Quaternion rates from angular velocities (4)."""
        w, x, y, z = (0.5 * each for each in q)
        return ((-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w))


def quaternion_product(p: Sequence[Scalar], q: Sequence[Scalar]) -> Quaternion:
    """The product of two quaternions, w first."""
    u, v = (p[1], p[2], p[3]), (q[1], q[2], q[3])
    vector = add(add(scale(v, p[0]), scale(u, q[0])), cross(u, v))
    return (p[0] * q[0] - dot(u, v), *vector)


def quaternion_exponential(v: Vector3) -> Quaternion:
    """The rotation by |v| about v (2)."""
    angle = sqrt(maximum(dot(v, v), _ZERO_ANGLE_SQUARED))
    half = 0.5 * angle
    return (apply(Op.COS, half), *scale(v, apply(Op.SIN, half) / angle))


def quaternion_logarithm(q0: Sequence[Scalar], q1: Sequence[Scalar]) -> Vector3:
    """The rotation vector that leads from q0 to q1 (3)."""
    w, x, y, z = quaternion_product((q0[0], -q0[1], -q0[2], -q0[3]), q1)
    sign = select(w, 1.0, -1.0)
    size = sqrt(maximum(x * x + y * y + z * z, _ZERO_ANGLE_SQUARED))
    return scale((x, y, z), sign * (2.0 * atan2(size, sign * w) / size))


BALL = BallJoint(
    "ball",
    tuple(KindCoordinate(UnitTwist(k, turns=True), None, f"w{'xyz'[k]}") for k in range(3)),
    neutral=(1.0, 0.0, 0.0, 0.0),
    letter="S",
    mjcf="ball",
)
