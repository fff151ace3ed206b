"""`JointType`: the name of a joint's kind, as robots, files and hashes have it."""

from __future__ import annotations

from enum import StrEnum

from torquec.robot.joints import KINDS
from torquec.robot.joints.kind import JointKind


class JointType(StrEnum):
    """How a body moves on its parent; fixed joints are gone once a robot is built."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"

    @property
    def kind(self) -> JointKind:
        """What this kind of joint is: coordinates, motion, units, words."""
        return KINDS[self.value]

    @property
    def is_prismatic(self) -> bool:
        """True for translation along the axis, False for rotation about it."""
        return self is JointType.PRISMATIC
