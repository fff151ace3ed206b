"""Joints: one file per kind, listed in `KINDS`; what a kind has to offer is `JointKind`."""

from collections.abc import Mapping
from types import MappingProxyType

from torquec.robot.joints.kind import JointKind, KindCoordinate
from torquec.robot.joints.position_basis import PositionBasis
from torquec.robot.joints.prismatic import PRISMATIC
from torquec.robot.joints.revolute import CONTINUOUS, REVOLUTE
from torquec.robot.joints.unit_twist import UnitTwist

KINDS: Mapping[str, JointKind] = MappingProxyType({kind.name: kind for kind in (REVOLUTE, CONTINUOUS, PRISMATIC)})
"""Every kind of joint that robots may have, by name; `JointType` has a member for each."""

__all__ = ["KINDS", "JointKind", "KindCoordinate", "PositionBasis", "UnitTwist"]
