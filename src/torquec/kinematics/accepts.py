"""Preconditions of closed-form inverse kinematics; other arms are solved by iteration."""

from __future__ import annotations

from collections.abc import Sequence

from torquec.errors import RobotError, refusal
from torquec.kinematics.arm_family import closed_arm, general_arm
from torquec.kinematics.arm_geometry import ArmGeometry, ClosedArm, arm_geometry
from torquec.kinematics.free_joint import free_joint_arm
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases

_MOST_WITHOUT_FREE = 6
"""Largest number of joints that a pose determines; an arm with more has a free joint."""


def accepts(robot: Robot, frame: str | None = None) -> str | None:
    """Reason why a frame's inverse kinematics (by default the hand's) has no closed form; None if it has one.

    >>> from torquec.robot import classics
    >>> accepts(classics.puma560()) is None
    True
    """
    return refusal(lambda: _check_accepted(robot, frame))


def _check_accepted(robot: Robot, frame: str | None) -> None:
    position_bases(robot)
    named = hand_frame(robot) if frame is None else frame
    arm = arm_geometry(robot, named)
    found = closed_form_of(arm, None)
    if not isinstance(found, ClosedArm) and not isinstance(general_arm(arm), ClosedArm):
        raise RobotError(f"{no_closed_form(robot, named, arm, found)}; poses are solved numerically instead")


def no_closed_form(robot: Robot, frame: str, arm: ArmGeometry, reasons: Sequence[str]) -> str:
    """Message for an arm that belongs to no family."""
    return f"no closed form is known for '{frame}' of robot '{robot.name}' ({arm.letters}): {'; '.join(reasons)}"


def closed_form_of(arm: ArmGeometry, free: str | None) -> ClosedArm | list[str]:
    """The closed form of an arm, or the reasons why it has none."""
    if free is None and len(arm.joints) <= _MOST_WITHOUT_FREE:
        return closed_arm(arm)
    redundant = free_joint_arm(arm, free)
    return redundant if isinstance(redundant, ClosedArm) else [redundant]
