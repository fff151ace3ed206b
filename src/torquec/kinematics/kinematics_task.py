"""Tasks of inverse kinematics: pose, position and axis, or position alone; objectives among solutions."""

from __future__ import annotations

from enum import StrEnum


class KinematicsTask(StrEnum):
    """Task of inverse kinematics: the part of a pose that has to be met."""

    POSE = "pose"
    """Position and rotation."""
    AXIS = "axis"
    """Position and direction of the frame's z axis, whatever the turn about it."""
    POSITION = "position"
    """Position alone."""


class PoseObjective(StrEnum):
    """Objective of the best solution."""

    DISTANCE = "distance"
    """Least distance to the reference [rad, m]."""
    MANIPULABILITY = "manipulability"
    """Largest manipulability, sqrt(det J J')."""
    LIMITS = "limits"
    """Largest distance of any joint from its limits, as a part of half its range."""
    TORQUE = "torque"
    """Least torque at rest: the largest part of a torque limit, or the norm [N m] where there are no limits."""
