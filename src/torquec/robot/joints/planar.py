"""Planar joint: translation in the plane perpendicular to the axis and rotation about the axis.

Position: (x, y, angle) of the child's frame in the joint frame, x and y perpendicular to the axis; rates: velocity
(x, y) and angular velocity in the child's axes. With a the angle of the motion and h = a/2:

(1)  integrate:   way = R(angle) [[s, -c], [c, s]] (vx, vy),   s = sin(a)/a,   c = (1 - cos(a))/a = h (sin(h)/h)^2
(2)  difference:  (vx, vy) = [[k, h], [-h, k]] R(angle)' way,   k = h/tan(h)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import apply, maximum, sqrt
from torquec.expr.ops import Op
from torquec.robot.joints.kind import JointKind, KindCoordinate, PositionBasis, UnitTwist
from torquec.spatial import (
    IDENTITY_ROTATION,
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    axis_angle_rotation,
    cross,
    matvec,
    norm,
    rotation_z,
    scale,
    transpose,
)

_ZERO_ANGLE_SQUARED = 1e-30  # square of an angle [rad^2] below which sin(a)/a is 1 to all digits: no division by zero


@dataclass(frozen=True)
class PlanarJoint(JointKind):
    """A body that slides on a plane."""

    def axes(self, axis: Vector3) -> Matrix3:
        """z along the axis, x as near as possible to the frame's x axis (its y axis if the joint axis is near x)."""
        if axis == IDENTITY_ROTATION[2]:
            return IDENTITY_ROTATION
        side = IDENTITY_ROTATION[0] if abs(axis[0]) < 0.9 else IDENTITY_ROTATION[1]
        y = cross(axis, side)
        y = scale(y, 1.0 / norm(y))
        return transpose((cross(y, axis), y, axis))

    def motion(self, q: Sequence[Scalar]) -> Pose:
        """Rotation by the angle at (x, y)."""
        return Pose(rotation_z(apply(Op.COS, q[2]), apply(Op.SIN, q[2])), (q[0], q[1], 0.0))

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """The motion for any joint axis, in the child's own frame."""
        rotation = axis_angle_rotation(axis, apply(Op.COS, q[2]), apply(Op.SIN, q[2]))
        return Pose(rotation, matvec(self.axes(axis), (q[0], q[1], 0.0)))

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The position after the constant twist v (1)."""
        s, part = _sinc(v[2]), _sinc(0.5 * v[2])
        c = (0.5 * v[2]) * (part * part)
        x, y = s * v[0] - c * v[1], c * v[0] + s * v[1]
        cosine, sine = apply(Op.COS, q[2]), apply(Op.SIN, q[2])
        return (q[0] + (cosine * x - sine * y), q[1] + (sine * x + cosine * y), q[2] + v[2])

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The constant twist from q0 to q1 (2); full turns are kept, not wrapped."""
        angle = q1[2] - q0[2]
        x, y = q1[0] - q0[0], q1[1] - q0[1]
        cosine, sine = apply(Op.COS, q0[2]), apply(Op.SIN, q0[2])
        x, y = cosine * x + sine * y, cosine * y - sine * x
        half = 0.5 * angle
        k = apply(Op.COS, half) / _sinc(half)
        return (k * x + half * y, k * y - half * x, angle)

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """Rotation of the velocity into the joint frame."""
        return rotation_z(apply(Op.COS, q[2]), apply(Op.SIN, q[2]))


def _sinc(angle: Scalar) -> Scalar:
    size = sqrt(maximum(angle * angle, _ZERO_ANGLE_SQUARED))
    return apply(Op.SIN, size) / size


PLANAR = PlanarJoint(
    "planar",
    (
        KindCoordinate(UnitTwist(0, turns=False), None, "x"),
        KindCoordinate(UnitTwist(1, turns=False), None, "y"),
        KindCoordinate(UnitTwist(2, turns=True), PositionBasis.TRIGONOMETRIC, "angle"),
    ),
    neutral=(0.0, 0.0, 0.0),
    letter="E",
    urdf="planar",
)
