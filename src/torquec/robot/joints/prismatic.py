"""Translation along the joint's axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.robot.joints.kind import JointKind, KindCoordinate
from torquec.robot.joints.one_coordinate import OneCoordinate
from torquec.robot.joints.position_basis import PositionBasis
from torquec.robot.joints.unit_twist import UnitTwist
from torquec.robot.right_angle import exact_cos_sin
from torquec.spatial import Pose, Scalar, Vector3, scale

_TRANSLATION_ALONG_Z = KindCoordinate(UnitTwist(2, turns=False), PositionBasis.POLYNOMIAL)


@dataclass(frozen=True)
class PrismaticJoint(OneCoordinate):
    """A slide."""

    @property
    def limited(self) -> JointKind:
        """Itself: every slide may have limits."""
        return self

    @property
    def unlimited(self) -> JointKind:
        """Itself: files have no word of their own for a slide without limits."""
        return self

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """Translation by q along the axis."""
        return Pose(origin=scale(axis, q[0]))

    def z_screw(self, theta: float, d: float, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """Rz(theta) Tz(d + q)."""
        return (*exact_cos_sin(theta), d + q[0])


PRISMATIC = PrismaticJoint("prismatic", _TRANSLATION_ALONG_Z, has_position_limits=True, letter="P", mjcf="slide")
