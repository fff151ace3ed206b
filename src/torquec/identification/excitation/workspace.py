"""Workspace constraints on the frames of a robot: above planes, inside or outside boxes, apart from each other.

(1)  plane:     normal . p - offset             (3)  outside:   max over axes of |p_i - c_i| - h_i
(2)  inside:    h_i - |p_i - c_i| on each axis  (4)  apart:     |p - p'|

are clearances of the origins p of frames (a box has the centre c and the half sides h); a rule requires at least its
`clearance`. A rule that names no frames holds for every frame whose clearance depends on the motion. Only origins are
checked, not the shapes of links: give a clearance that covers the links.

A file of rules (TOML), all lengths in metres, base axes; `frames` and `clearance` may be left out except in [[apart]]:

    [[plane]]                        [[inside]]                     [[outside]]
    normal = [0, 0, 1]               lower = [-1, -1, 0]            lower = [0.4, -0.2, 0]
    offset = 0.05                    upper = [1, 1, 1.5]            upper = [0.8, 0.2, 0.6]
    clearance = 0.1                  frames = ["tool"]
                                                                    [[apart]]
                                                                    frames = ["tool", "link1"]
                                                                    clearance = 0.25
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.expr.graph import Node
from torquec.expr.math import absolute, maximum, sqrt
from torquec.expr.ops import Op
from torquec.robot.robot import BASE, Robot
from torquec.robot.toml import Table, read_toml
from torquec.spatial import Scalar, Vector3

_ROOT_FLOOR = 1e-6
"""[m] Smoothing that keeps the derivative of a distance finite where two points meet; subtracted from the distance."""
_TILT = 1e-3  # relative to gravity: less is a calibration of the base, not a wall mount
_AXES = "xyz"

Clearance = tuple[str, Scalar]
"""Name of a clearance, and its value less the required one [m]."""


class WorkspaceRule(Protocol):
    """A rule about the frames of a robot."""

    def clearances(self, robot: Robot, q: Sequence[Scalar]) -> list[Clearance]:
        """Every clearance of the rule at q (n,), less the required one."""
        ...


@dataclass(frozen=True)
class Plane:
    """(1): frames stay on the side to which `normal` points; the length of `normal` does not matter."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    offset: float = 0.0
    frames: tuple[str, ...] = ()
    clearance: float = 0.0

    def __post_init__(self) -> None:
        if not math.hypot(*self.normal) > 0.0:
            raise ArgumentError("the normal of a plane is zero", remedy="give it a direction, such as 0, 0, 1")

    def clearances(self, robot: Robot, q: Sequence[Scalar]) -> list[Clearance]:
        """(1)."""
        length = math.hypot(*self.normal)
        x, y, z = (value / length for value in self.normal)
        beyond = self.offset + self.clearance
        found = [
            (f"plane below frame '{frame}'", x * p[0] + y * p[1] + z * p[2] - beyond)
            for frame, p in _origins(robot, self.frames, q)
        ]
        return _changing(found, self.frames)


def stands_upright(robot: Robot) -> bool:
    """Whether gravity pulls along -z of the base, so that the plane z = 0 is a floor."""
    x, y, z = robot.gravity
    return z < 0.0 and math.hypot(x, y) <= _TILT * -z


@dataclass(frozen=True)
class _Box:
    """A box along the base axes."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    frames: tuple[str, ...] = ()
    clearance: float = 0.0

    def __post_init__(self) -> None:
        for axis, low, high in zip(_AXES, self.lower, self.upper, strict=True):
            if not low < high:
                raise ArgumentError(f"a box from {low:g} to {high:g} m along {axis}", remedy="let lower be below upper")


@dataclass(frozen=True)
class Inside(_Box):
    """(2): frames stay inside a box."""

    def clearances(self, robot: Robot, q: Sequence[Scalar]) -> list[Clearance]:
        """(2)."""
        found: list[Clearance] = []
        for frame, p in _origins(robot, self.frames, q):
            for axis, value, low, high in zip(_AXES, p, self.lower, self.upper, strict=True):
                room = 0.5 * (high - low) - self.clearance - absolute(value - 0.5 * (low + high))
                found.append((f"box around frame '{frame}' along {axis}", room))
        return _changing(found, self.frames)


@dataclass(frozen=True)
class Outside(_Box):
    """(3): frames keep out of a box."""

    def clearances(self, robot: Robot, q: Sequence[Scalar]) -> list[Clearance]:
        """(3)."""
        found: list[Clearance] = []
        for frame, p in _origins(robot, self.frames, q):
            x, y, z = (
                absolute(value - 0.5 * (low + high)) - 0.5 * (high - low)
                for value, low, high in zip(p, self.lower, self.upper, strict=True)
            )
            found.append((f"box beside frame '{frame}'", maximum(maximum(x, y), z) - self.clearance))
        return _changing(found, self.frames)


@dataclass(frozen=True)
class Apart:
    """(4): two frames keep a distance, like spheres around them."""

    frames: tuple[str, str]
    clearance: float

    def clearances(self, robot: Robot, q: Sequence[Scalar]) -> list[Clearance]:
        """(4)."""
        one, two = (frame_pose(robot, frame, q).origin for frame in self.frames)
        x, y, z = (a - b for a, b in zip(one, two, strict=True))
        distance = sqrt(x * x + y * y + z * z + _ROOT_FLOOR**2) - _ROOT_FLOOR
        return [(f"distance of frames '{self.frames[0]}' and '{self.frames[1]}'", distance - self.clearance)]


def read_workspace(path: str | os.PathLike[str]) -> tuple[WorkspaceRule, ...]:
    """The rules of a TOML file as above.

    Raises `RobotFileError` with file and line for anything else, `ArgumentError` for empty boxes.
    """
    document = read_toml(path)
    rules: list[WorkspaceRule] = [
        Plane(table.vector("normal", (0.0, 0.0, 1.0)), table.number("offset"), **_shared(table))
        for table in document.tables("plane")
    ]
    for key, kind in (("inside", Inside), ("outside", Outside)):
        rules += [kind(t.vector("lower"), t.vector("upper"), **_shared(t)) for t in document.tables(key)]
    for table in document.tables("apart"):
        names = _shared(table)["frames"]
        if len(names) != 2:
            table.refuse("frames", f"{len(names)} frames are kept apart", "name two frames")
        rules.append(Apart((names[0], names[1]), table.number("clearance")))
    document.finish()
    return tuple(rules)


def _shared(table: Table) -> dict[str, Any]:
    """The common keys of the rules; refuses unknown keys."""
    frames = table.texts("frames", ())
    clearance = table.number("clearance", 0.0)
    table.finish()
    return {"frames": frames, "clearance": clearance}


def _origins(robot: Robot, frames: tuple[str, ...], q: Sequence[Scalar]) -> list[tuple[str, Vector3]]:
    """The named frames, or all that a joint carries, with their origins in base axes."""
    names = frames or [frame.name for frame in robot.frames if frame.body != BASE]
    return [(name, frame_pose(robot, name, q).origin) for name in names]


def _changing(found: list[Clearance], frames: tuple[str, ...]) -> list[Clearance]:
    """All clearances of named frames, else those that depend on q."""
    if frames:
        return found
    return [(label, value) for label, value in found if isinstance(value, Node) and value.op is not Op.CONST]
