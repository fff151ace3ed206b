"""Joints with one coordinate: revolute (with position limits), continuous (without) and prismatic.

Positions form a line, so that rates are derivatives of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.robot.joints.kind import JointKind, KindCoordinate, PositionBasis, UnitTwist
from torquec.robot.right_angle import cos_sin_of, exact_cos_sin
from torquec.spatial import Pose, Scalar, Vector3, axis_angle_rotation, scale


class OneCoordinate(JointKind):
    """A joint kind with nq = nv = 1."""

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """q + v."""
        return (q[0] + v[0],)

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """q1 - q0; full turns are kept, not wrapped."""
        return (q1[0] - q0[0],)

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """1: the rate is the derivative of the position."""
        del q
        return ((1.0,),)


@dataclass(frozen=True)
class RevoluteJoint(OneCoordinate):
    """A hinge."""

    @property
    def limited(self) -> JointKind:
        """The hinge with position limits."""
        return REVOLUTE

    @property
    def unlimited(self) -> JointKind:
        """The hinge without position limits."""
        return CONTINUOUS

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """Rotation by q about the axis; multiples of pi/2 are not rounded, q is data."""
        return Pose(axis_angle_rotation(axis, apply(Op.COS, q[0]), apply(Op.SIN, q[0])))

    def z_screw(self, theta: float, d: float, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """Rz(theta + q) Tz(d)."""
        return (*cos_sin_of(q[0], theta), d)


@dataclass(frozen=True)
class PrismaticJoint(OneCoordinate):
    """A prismatic joint; file formats have no separate type for one without limits."""

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """Translation by q along the axis."""
        return Pose(origin=scale(axis, q[0]))

    def z_screw(self, theta: float, d: float, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """Rz(theta) Tz(d + q)."""
        return (*exact_cos_sin(theta), d + q[0])


_ABOUT_Z = (KindCoordinate(UnitTwist(2, turns=True), PositionBasis.TRIGONOMETRIC),)
_ALONG_Z = (KindCoordinate(UnitTwist(2, turns=False), PositionBasis.POLYNOMIAL),)

REVOLUTE = RevoluteJoint(
    "revolute", _ABOUT_Z, has_position_limits=True, letter="R", urdf="revolute", mjcf="hinge", dh="revolute"
)
CONTINUOUS = RevoluteJoint("continuous", _ABOUT_Z, letter="R", urdf="continuous", mjcf="hinge", dh="continuous")
PRISMATIC = PrismaticJoint(
    "prismatic", _ALONG_Z, has_position_limits=True, letter="P", urdf="prismatic", mjcf="slide", dh="prismatic"
)
