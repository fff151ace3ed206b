"""Where joints start where nobody says it: at zero, and within their limits.

(1)  zero, or mid-way between the limits where zero is next to one of them or beyond
(2)  zero, or the limit next to it, of a joint that has one limit
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torquec.errors import ArgumentError
from torquec.robot.robot import Joint, Robot

_INNER = 0.8
"""The part of a joint's range in which zero is no odd place to start."""


def start_posture(robot: Robot, given: Sequence[float] | None = None) -> list[float]:
    """As given, else (1) or (2) of every joint (n,).

    Raises `ArgumentError` for another number of joints or for positions that are not finite.

    >>> from torquec.robot import classics
    >>> start_posture(classics.planar2r())
    [0.0, 0.0]
    """
    if given is None:
        return [_start(joint) for joint in robot.joints]
    values = [float(value) for value in given]
    if len(values) != robot.n or not all(map(math.isfinite, values)):
        raise ArgumentError(f"a posture of robot '{robot.name}' has {robot.n} finite positions, in joint order")
    return values


def _start(joint: Joint) -> float:
    lower, upper = joint.limits.lower, joint.limits.upper
    if not joint.kind.has_position_limits:
        return 0.0
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return min(max(0.0, lower), upper)  # (2)
    middle = 0.5 * (lower + upper)
    return 0.0 if abs(middle) <= 0.5 * _INNER * (upper - lower) else middle  # (1)
