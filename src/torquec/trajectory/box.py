"""The workspace box: a range for every joint of a closed form, over which errors are bounded.

(1)  a revolute joint without limits, or with limits wider than a turn, has one turn: everything repeats after it
(2)  a mimic joint moves over the image of its leader's range
(3)  samples are a Kronecker sequence, x_k = frac(k alpha + 1/2) with alpha_j = 1/phi^j, phi^(d+1) = phi + 1, stretched
     about the centre and clipped, so that faces, edges and corners are sampled too; nothing is random
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, RobotError
from torquec.foundation.arrays import Array
from torquec.robot.robot import Joint, Robot

_STRETCH = 1.35
"""Part of a side that is sampled, its ends standing for the faces: a quarter of the samples lies on each pair."""


@dataclass(frozen=True)
class Box:
    """Ranges [lower, upper] of the coordinates of a closed form, in its order (mimic joints count).

    >>> Box((0.0, -1.0), (2.0, 1.0)).centre
    (1.0, 0.0)
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.lower) != len(self.upper):
            raise ArgumentError(f"{len(self.lower)} lower and {len(self.upper)} upper limits", remedy="give both alike")
        for i, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise ArgumentError(
                    f"the range of coordinate {i + 1} is [{low}, {high}]", remedy="give finite limits, the lower first"
                )

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def centre(self) -> tuple[float, ...]:
        """The middle of every range."""
        return tuple(0.5 * (low + high) for low, high in zip(self.lower, self.upper, strict=True))

    def samples(self, joints: Sequence[int], count: int, *, start: int = 0) -> Array:
        """Positions (count, n), spread over the ranges of `joints` (3), all others at the centre.

        `start` skips that many of the sequence, so that calls can go on where others ended.
        """
        q = np.tile(np.array(self.centre), (count, 1))
        if not joints:
            return q
        phi = 2.0
        for _ in range(40):
            phi = (1.0 + phi) ** (1.0 / (len(joints) + 1.0))
        k = np.arange(start, start + count)[:, None]
        unit = np.mod(0.5 + k * phi ** -np.arange(1.0, len(joints) + 1.0), 1.0)
        unit = np.clip(0.5 + _STRETCH * (unit - 0.5), 0.0, 1.0)
        low, high = (np.array(side)[list(joints)] for side in (self.lower, self.upper))
        q[:, list(joints)] = low + unit * (high - low)
        return q


def joint_box(robot: Robot, ranges: Mapping[str, tuple[float, float]] | None = None) -> Box:
    """The box of a robot's joint limits, (1) and (2); `ranges` by joint name takes the place of the file's limits.

    Raises `RobotError` for a prismatic joint without limits, `ArgumentError` for a name that is no independent joint.
    """
    given = dict(ranges or {})
    for name in given:
        robot.joint_index(name)
    sides = {joint.name: given.get(joint.name) or _range(robot, joint) for joint in robot.joints}
    for body in robot.bodies:
        mimic = body.joint.mimic
        if mimic is not None:
            ends = sorted(mimic.multiplier * x + mimic.offset for x in sides[mimic.joint])
            sides[body.joint.name] = (ends[0], ends[1])
    lower, upper = zip(*(sides[body.joint.name] for body in robot.bodies), strict=True)
    return Box(lower, upper)


def _range(robot: Robot, joint: Joint) -> tuple[float, float]:
    low, high = joint.limits.lower, joint.limits.upper
    if joint.type.is_prismatic:
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RobotError(
                f"the prismatic joint '{joint.name}' of robot '{robot.name}' has no limits",
                where=robot.source,
                remedy="give its range in the specification, or limits in the robot's file",
            )
        return low, high
    return (low, high) if high - low < 2.0 * math.pi else (-math.pi, math.pi)
