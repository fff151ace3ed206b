"""Motion box: ranges of positions, largest speeds and accelerations over which errors are bounded.

(1)  a revolute joint without limits, or with limits wider than a turn, gets one turn: everything is periodic in it
     A rate without a position of its own, as those of a free base, has zero
(2)  the box is stated for the independent joints; a mimic joint, q' = a q + b, moves over the image of its leader's
     range, with |a| times its speed and acceleration (`of_bodies`)
(3)  samples are a Kronecker sequence, x_k = frac(k alpha + 1/2) with alpha_j = 1/phi^j, phi^(d+1) = phi + 1, stretched
     about the centre and clipped, so that faces, edges and corners are sampled too. `sampled_motions` draws
     motions at random instead, with a fixed seed unless a generator is given: both are reproducible bit for bit
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, RobotError
from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import StateCoordinate

_STRETCH = 1.35
"""Stretch factor of samples about the centre: clipping puts a quarter of them on each pair of opposite faces."""


@dataclass(frozen=True)
class MotionBox:
    """Ranges [lower, upper] of n positions, and the largest speeds and accelerations, (n,) each.

    Speeds and accelerations are empty where they are not limited: a box of positions.

    >>> MotionBox((0.0, -1.0), (2.0, 1.0)).centre
    (1.0, 0.0)
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...] = ()
    acceleration: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.lower) != len(self.upper):
            raise ArgumentError(f"{len(self.lower)} lower and {len(self.upper)} upper limits", remedy="give both alike")
        for i, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise ArgumentError(
                    f"the range of coordinate {i + 1} is [{low}, {high}]", remedy="give finite limits, the lower first"
                )
        for name, largest in (("speeds", self.velocity), ("accelerations", self.acceleration)):
            if largest and len(largest) != len(self.lower):
                raise ArgumentError(
                    f"{len(largest)} {name} for {len(self.lower)} positions", remedy="give one for each position"
                )
            if not all(0.0 <= value < math.inf for value in largest):
                raise ArgumentError(f"the largest {name} are {largest}", remedy="give numbers that are not negative")

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def positions(self) -> MotionBox:
        """The box without speeds and accelerations."""
        return MotionBox(self.lower, self.upper)

    @property
    def centre(self) -> tuple[float, ...]:
        """The middle of every range."""
        return tuple(0.5 * (low + high) for low, high in zip(self.lower, self.upper, strict=True))

    def of_bodies(self, robot: Robot) -> MotionBox:
        """The box of all joints of a robot in the order of its bodies, mimic joints too, from its independent ones (2).

        Closed forms, whose coordinates are those of the bodies, are bounded over this box.
        """
        lower, upper, speeds, accelerations = [], [], [], []
        for body in robot.bodies:
            mimic = body.joint.mimic
            k = robot.joint_index(body.joint.name if mimic is None else mimic.joint)
            a, b = (1.0, 0.0) if mimic is None else (mimic.multiplier, mimic.offset)
            low, high = sorted((a * self.lower[k] + b, a * self.upper[k] + b))
            lower.append(low)
            upper.append(high)
            speeds += [abs(a) * self.velocity[k]] if self.velocity else []
            accelerations += [abs(a) * self.acceleration[k]] if self.acceleration else []
        return MotionBox(tuple(lower), tuple(upper), tuple(speeds), tuple(accelerations))

    def samples(self, joints: Sequence[int], count: int, *, start: int = 0) -> Array:
        """Positions (count, n), spread over the ranges of `joints` (3), all others at the centre.

        `start` skips that many samples, so that a call can continue the sequence of an earlier one.
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


def joint_box(robot: Robot, ranges: Mapping[str, tuple[float, float]] | None = None) -> MotionBox:
    """The box of the independent joints' limits (1); `ranges` by joint name takes the place of the file's limits.

    Raises `RobotError` for a prismatic joint without limits, `ArgumentError` for a name that is no independent joint.
    """
    given = dict(ranges or {})
    for name in set(given) - set(robot.coordinate_names):
        robot.joint_index(name)
    sides = [given.get(joint.name) or _range(robot, joint) for joint in robot.coordinates]
    return MotionBox(tuple(low for low, _ in sides), tuple(high for _, high in sides))


def sampled_motions(motions: MotionBox, count: int, *, rng: np.random.Generator | None = None) -> Array:
    """Motions (count, 3, n): positions over the box, speeds mostly at their limits, accelerations at theirs."""
    rng = rng or np.random.default_rng(0)
    lower, upper = np.array(motions.lower), np.array(motions.upper)
    n = len(lower)
    found = np.empty((3, count, n))  # positions, speeds and accelerations each contiguous, as programs read them
    q, speeds, accelerations = found
    rng.random(out=speeds)
    _at_limits(speeds, motions.velocity)
    speeds[::3] *= rng.random(speeds[::3].shape)
    rng.random(out=accelerations)
    _at_limits(accelerations, motions.acceleration)
    rng.random(out=q)
    q *= upper - lower
    q += lower
    return np.moveaxis(found, 0, 1)


def _at_limits(numbers: Array, limits: Sequence[float]) -> None:
    """Replace numbers (N, n) within [0, 1) by the limits (n,), negative where they are below a half; in place."""
    numbers -= 0.5
    np.copysign(np.array(limits), numbers, out=numbers)


def _range(robot: Robot, joint: StateCoordinate) -> tuple[float, float]:
    low, high = joint.limits.lower, joint.limits.upper
    if joint.basis is None:  # it has no position of its own
        return 0.0, 0.0
    if not joint.turns:
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RobotError(
                f"the {joint.joint.type} joint '{joint.name}' of robot '{robot.name}' has no limits",
                where=robot.source,
                remedy="give its range in the specification, or limits in the robot's file",
            )
        return low, high
    return (low, high) if high - low < 2.0 * math.pi else (-math.pi, math.pi)
