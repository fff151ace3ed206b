"""Tasks of inverse kinematics: pose, position and axis, position alone, tolerances by axis; objectives among solutions.

A pose (R, p) is within a tolerance of the target (R*, p*) where

(1)  p = p* + R* (x, y, z),    R = R* Rx(rx) Ry(ry) Rz(rz),    every coordinate in its interval
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.foundation.arrays import Array

AxisTolerance: TypeAlias = float | tuple[float, float]
"""Plus or minus a number, or the interval (lower, upper)."""


class KinematicsTask(StrEnum):
    """Task of inverse kinematics: the part of a pose that has to be met."""

    POSE = "pose"
    """Position and rotation."""
    AXIS = "axis"
    """Position and direction of the frame's z axis, with any turn about that axis."""
    POSITION = "position"
    """Position alone."""


class PoseObjective(StrEnum):
    """Objective of the best solution."""

    DISTANCE = "distance"
    """Least distance to the reference [rad, m]."""
    MANIPULABILITY = "manipulability"
    """Largest manipulability, sqrt(det J J')."""
    LIMITS = "limits"
    """Largest clearance from joint limits, that of the closest joint, as a fraction of half its range."""
    TORQUE = "torque"
    """Least torque at rest: the largest fraction of a torque limit, or the norm [N m] if there are no limits."""


@dataclass(frozen=True, kw_only=True)
class PoseTolerance:
    """Tolerances along and about the axes of the target frame: of positions [m], then of rotations [rad].

    Rotations are about the target's x axis, then the new y axis, then the new z axis: equation (1) of the module. `inf`
    leaves a coordinate free. Raises `ArgumentError` for a negative tolerance and for an interval that is empty.

    >>> PoseTolerance(z=0.001, rz=math.inf).freedom
    ('z', 'rz')
    """

    x: AxisTolerance = 0.0
    y: AxisTolerance = 0.0
    z: AxisTolerance = 0.0
    rx: AxisTolerance = 0.0
    ry: AxisTolerance = 0.0
    rz: AxisTolerance = 0.0

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, _interval(one.name, getattr(self, one.name)))

    @property
    def bounds(self) -> Array:
        """(6, 2): the intervals; of a rotation at most a whole turn."""
        import numpy as np  # commands read this file before they compute

        found = np.array([getattr(self, one.name) for one in fields(self)], dtype=float)
        turns = found[:, 1] - found[:, 0] >= 2.0 * math.pi
        turns[:3] = False
        found[turns] = -math.pi, math.pi
        return found

    @property
    def freedom(self) -> tuple[str, ...]:
        """The coordinates that may vary: those whose interval is not a single value."""
        return tuple(one.name for one, (lower, upper) in zip(fields(self), self.bounds, strict=True) if lower < upper)


TOLERANCE_AXES = tuple(one.name for one in fields(PoseTolerance))


def tolerances_of(text: str, *, degrees: bool = False) -> dict[str, AxisTolerance]:
    """Tolerances by axis from a text: plus or minus a number, from:to, or free; angles in radians unless `degrees`.

    Raises `ArgumentError` for any other text and for an axis that is named twice.

    >>> tolerances_of("z=0.001,x=0:0.1,rz=free")
    {'z': 0.001, 'x': (0.0, 0.1), 'rz': inf}
    """
    found: dict[str, AxisTolerance] = {}
    for part in text.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if name not in TOLERANCE_AXES or not equals:
            raise ArgumentError(
                f"the tolerance '{part.strip()}' is not AXIS=VALUE",
                remedy=f"write it with one of {', '.join(TOLERANCE_AXES)}, such as z=0.001",
            )
        if name in found:
            raise ArgumentError(f"two tolerances of {name}", remedy="give each axis once")
        ends = [math.inf] if value == "free" else [_number(name, end) for end in value.split(":")]
        if degrees and name.startswith("r"):
            ends = [math.radians(end) for end in ends]
        if len(ends) > 2:
            raise ArgumentError(f"the tolerance of {name} is '{value}'", remedy="give one number, FROM:TO, or free")
        found[name] = ends[0] if len(ends) == 1 else (ends[0], ends[1])
    return found


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ArgumentError(
            f"the tolerance of {name} has '{text}', not a number", remedy="give one number, FROM:TO, or free"
        ) from error


def _interval(name: str, given: AxisTolerance) -> tuple[float, float]:
    try:
        pair = (-float(given), float(given)) if isinstance(given, float | int) else tuple(map(float, given))
        lower, upper = pair
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"the tolerance of {name} is {given!r}", remedy="give a number, or an interval (lower, upper)"
        ) from error
    if math.isnan(lower) or math.isnan(upper) or math.inf in (lower, -upper):
        raise ArgumentError(f"the tolerance of {name} is {given!r}", remedy="give numbers; inf leaves it free")
    if lower > upper:
        what = "negative" if isinstance(given, float | int) else "empty: its lower end is above its upper one"
        raise ArgumentError(
            f"the tolerance of {name}, {given!r}, is {what}",
            remedy="give a number that is not negative, or an interval with the lower end first",
        )
    return lower, upper
