"""Joint kinds (revolute, prismatic, planar, ball, free), one file each, in `KINDS`; `JointKind` is their interface."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from torquec.robot.joints.ball import BALL
from torquec.robot.joints.free import FREE
from torquec.robot.joints.kind import JointKind, KindCoordinate, PositionBasis, UnitTwist
from torquec.robot.joints.one_coordinate import CONTINUOUS, PRISMATIC, REVOLUTE
from torquec.robot.joints.planar import PLANAR

KINDS: Mapping[str, JointKind] = MappingProxyType(
    {kind.name: kind for kind in (REVOLUTE, CONTINUOUS, PRISMATIC, PLANAR, BALL, FREE)}
)
"""Every kind of joint that robots may have, by name; `JointType` has a member for each."""


class JointType(StrEnum):
    """How a body moves on its parent; fixed joints are gone once a robot is built."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    PLANAR = "planar"
    BALL = "ball"
    FREE = "free"

    @property
    def kind(self) -> JointKind:
        """Coordinates, motion, units and words of this kind of joint."""
        return KINDS[self.value]

    @property
    def is_prismatic(self) -> bool:
        """True for translation along the axis, False for rotation about it."""
        return self is JointType.PRISMATIC


__all__ = ["KINDS", "JointKind", "JointType", "KindCoordinate", "PositionBasis", "UnitTwist"]
