"""What can be chosen: the packages for control, where the two-rate structure computes friction, and what it holds."""

from __future__ import annotations

from enum import StrEnum

TWO_RATE = "rt-c"
"""The target of the two-rate package for real-time control, which is more than functions in a language."""
ROS2 = "ros2"
"""The target of a source package for ROS 2: more than functions, too."""
PACKAGE_TARGETS = (TWO_RATE, ROS2)
"""What `torquec generate` and projects write besides the languages of `torquec.codegen`."""


class FrictionTask(StrEnum):
    """Where friction is computed."""

    BACKGROUND = "background"
    """With the other held terms: it costs nothing in a cycle, and turns over as late as they do."""
    SYNCHRONOUS = "synchronous"
    """In every cycle, at its speeds: an extra beyond (3), which its header counts."""
    NONE = "none"


class HoldOrder(StrEnum):
    """What is held between two runs of the background."""

    ZEROTH = "zeroth"
    FIRST = "first"
    """And the functions of zeroth order too, which an application can fall back on."""
