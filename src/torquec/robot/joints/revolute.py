"""Rotation about the joint's axis, with position limits (revolute) or without (continuous)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.robot.joints.kind import JointKind, KindCoordinate
from torquec.robot.joints.one_coordinate import OneCoordinate
from torquec.robot.joints.position_basis import PositionBasis
from torquec.robot.joints.unit_twist import UnitTwist
from torquec.robot.right_angle import cos_sin_of
from torquec.spatial import Pose, Scalar, Vector3, axis_angle_rotation

_ROTATION_ABOUT_Z = KindCoordinate(UnitTwist(2, turns=True), PositionBasis.TRIGONOMETRIC)


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


REVOLUTE = RevoluteJoint("revolute", _ROTATION_ABOUT_Z, has_position_limits=True, letter="R", mjcf="hinge")
CONTINUOUS = RevoluteJoint("continuous", _ROTATION_ABOUT_Z, has_position_limits=False, letter="R", mjcf="hinge")
