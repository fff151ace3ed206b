"""Limits of the joints that a simulated run passed: a simulation has no end stops, the robot does.

With q the true positions at the samples t_k, and [lower, upper] and v the limits that the robot's file states:

(1)  range   max over k of  max(q - upper, lower - q) > 0
(2)  speed   max over k of  |qd| - v > 0

Joints without a limit, such as continuous ones, pass none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot

_ROUNDING = 1e-9
"""Of a limit: a motion that ends on it is inside."""


class LimitedQuantity(StrEnum):
    """What a limit is of; a member's value is the word in documents."""

    POSITION = "position"
    SPEED = "speed"


@dataclass(frozen=True)
class PassedLimit:
    """A limit that was passed first at `time` [s]; `value` is the farthest beyond it, signed, in the joint's unit."""

    joint: str
    quantity: LimitedQuantity
    time: float
    value: float
    limit: float


def passed_limits(robot: Robot, t: Array, q: Array, qd: Array) -> tuple[PassedLimit, ...]:
    """The limits that positions and speeds (S, n) of a run pass, joint by joint: (1), (2)."""
    speeds = _passed(
        robot,
        LimitedQuantity.SPEED,
        t,
        (qd, qd),
        [(-joint.limits.velocity, joint.limits.velocity) for joint in robot.joints],
    )
    found = (*left_ranges(robot, t, q, q), *speeds)
    return tuple(sorted(found, key=lambda passed: robot.joint_names.index(passed.joint)))


def left_ranges(robot: Robot, t: Array, lowest: Array, highest: Array) -> tuple[PassedLimit, ...]:
    """The ranges that are left by positions between `lowest` and `highest` (S, n), those of many runs: (1)."""
    ends = [(joint.limits.lower, joint.limits.upper) for joint in robot.joints]
    return _passed(robot, LimitedQuantity.POSITION, t, (lowest, highest), ends)


def _passed(
    robot: Robot,
    quantity: LimitedQuantity,
    t: Array,
    band: tuple[Array, Array],
    ends: Sequence[tuple[float, float]],
) -> tuple[PassedLimit, ...]:
    """At most one for each joint: the end that is passed the farthest; infinite ends are never."""
    found = []
    for k, (name, (lower, upper)) in enumerate(zip(robot.joint_names, ends, strict=True)):
        sides = []
        for values, limit, sign in ((band[0][:, k], lower, -1.0), (band[1][:, k], upper, 1.0)):
            beyond = sign * (values - limit)
            over = beyond > _ROUNDING * (1.0 + abs(limit)) if np.isfinite(limit) else np.zeros(len(t), dtype=bool)
            if over.any():
                first, worst = int(np.argmax(over)), int(np.nanargmax(beyond))
                passed = PassedLimit(name, quantity, float(t[first]), float(values[worst]), limit)
                sides.append((float(beyond[worst]), passed))
        if sides:
            found.append(max(sides, key=lambda side: side[0])[1])
    return tuple(found)
