"""Tasks of inverse kinematics: pose, position and axis, or position alone."""

from __future__ import annotations

from enum import StrEnum


class KinematicsTask(StrEnum):
    """What of a pose has to be met."""

    POSE = "pose"
    """Position and rotation."""
    AXIS = "axis"
    """Position and direction of the frame's z axis, whatever the turn about it."""
    POSITION = "position"
    """Position alone."""
