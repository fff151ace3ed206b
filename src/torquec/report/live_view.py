"""The robot in the report: its live view where the page bundle is installed, else a still picture."""

from __future__ import annotations

from torquec.report.arm_picture import arm_picture
from torquec.report.blocks import Block
from torquec.robot.robot import Robot


def live_view(robot: Robot) -> list[Block]:
    """The blocks that show the robot; none where its bodies all lie in one point."""
    still = arm_picture(robot)
    return [] if still is None else [still]
