"""Contact experiments: a virtual cube pushed against a wall or a second cube; gap of two boxes (`box_gap`).

The cube moves along the held frame's x. It meets the wall with its four front corners, which share stiffness and
damping. The second cube is fixed. Its space diagonal lies along x, offset by a sixth of an edge, so that one of its
corners meets the front face: the impact pushes the object back and turns it. Corners of either cube touch faces of the
other.

Two convex bodies are apart exactly where some direction separates them. For boxes fifteen directions suffice
(Gottschalk): the three axes of each, and the nine cross products of one axis of each. With C the rotation of the second
box seen from the first, t its centre, a and b the half sizes, the gap along axis i of the first is

(1)  |t_i| - a_i - sum_j |C_ij| b_j

and accordingly for the others. A positive largest gap is the separation along its direction. A negative one is the
overlap, the distance by which the boxes have to be moved apart. Cross products of nearly parallel axes are ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from torquec.errors import RobotError
from torquec.expr import Function, trace
from torquec.expr.math import absolute, maximum, select, sqrt
from torquec.foundation.arrays import Array
from torquec.haptics.admittance import Admittance
from torquec.haptics.contact import Block, SpringDamper, TouchPoint, Wall, block_corners, contact_field, corner_field
from torquec.haptics.felt_inertia import frame_motion
from torquec.haptics.guide import joined_fields
from torquec.haptics.haptic_loop import HapticRecording
from torquec.haptics.haptic_plan import ExperimentOptions
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import Field, rotation_of
from torquec.spatial import (
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    add,
    axis_angle_rotation,
    dot,
    matmul,
    matvec,
    scale,
    subtract,
    transpose,
)

_TURNS = (0.25 * math.pi, math.atan(math.sqrt(0.5)))
"""About the frame's z, then about its y [rad]: a space diagonal then lies along x."""

_HALF = (TUNING.cube_edge / 2.0,) * 3


@dataclass(frozen=True, eq=False)
class WallContactResult:
    """Result of an impact: its `time` [s] and `speed` [m/s], rebound and penetration.

    `object_speed`, `tip_speed`: the largest normal speeds of object and arm tip later than 60 ms after the impact,
    relative to the impact speed. `depth` [m], `turning` [rad/s]: the largest penetration and angular speed of the
    object. `approach` (N,): penetration depth [m], negative before the impact.
    """

    time: float
    speed: float
    object_speed: float
    tip_speed: float
    depth: float
    turning: float
    normal: Array
    approach: Array


@dataclass(frozen=True)
class PushedAgainst:
    """The obstacle that a cube is pushed against: the second `cube`, or a wall where that is None.

    `start`: the initial pose of the pushed cube's mass centre.
    """

    start: Pose
    options: ExperimentOptions
    cube: Block | None

    @property
    def way(self) -> float:
        """Distance from the start to the contact [m]: half the push time plus the flight time, times impact speed."""
        assert self.options.impact is not None
        return self.options.impact * (0.5 * TUNING.push_time + TUNING.flight_time)

    def environment(self, mass: float) -> Field:
        """The contact forces on the object."""
        assert self.options.wall_frequency is not None
        assert self.options.wall_damping is not None
        whole = SpringDamper.tuned(mass, self.options.wall_frequency, ratio=self.options.wall_damping)
        points = 4.0 if self.cube is None else 1.0  # corners that share the stiffness
        law = SpringDamper(whole.stiffness / points, whole.damping / points, bool(self.options.two_sided))
        if self.cube is not None:
            ours = contact_field(block_corners(_HALF), [self.cube], law)
            return joined_fields([ours, corner_field(_HALF, self.cube, law)])
        x, half = _column(self.start, 0), TUNING.cube_edge / 2.0
        offset = -sum(a * b for a, b in zip(x, self.start.origin, strict=True)) - (self.way + half)
        corners = [TouchPoint((half, a * half, b * half)) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
        return contact_field(corners, [Wall(scale(x, -1.0), offset)], law)

    def approach(self, position: Array, orientation: Array) -> Array:
        """Penetration depth (N,) [m], at mass centres (N, 3) with quaternions (N, 4)."""
        if self.cube is None:
            x = np.array(_column(self.start, 0))
            along: Array = (position - np.array(self.start.origin)) @ x - self.way
            return along
        other = PlacedBox(self.cube.centre, self.cube.rotation, self.cube.half)
        rotation = rotation_of(tuple(np.ascontiguousarray(orientation.T)))
        return np.array(
            [
                -float(box_gap(PlacedBox(_vector(c), _matrix(r), _HALF), other))
                for c, r in zip(position, np.moveaxis(np.array(rotation), -1, 0), strict=True)
            ]
        )


def pushed_against_wall(start: Pose, options: ExperimentOptions) -> PushedAgainst:
    """A wall across the path of a cube that starts at a pose."""
    return PushedAgainst(start, options, None)


def pushed_against_cube(start: Pose, options: ExperimentOptions) -> PushedAgainst:
    """A second cube, rotated and offset, whose corner is met at the same distance as the wall."""
    about, tilted = (
        axis_angle_rotation(axis, math.cos(turn), math.sin(turn))
        for axis, turn in zip(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)), _TURNS, strict=True)
    )
    rotation = matmul(start.rotation, matmul(tilted, about))
    way = PushedAgainst(start, options, None).way
    met = PlacedBox(add(start.origin, scale(_column(start, 0), way)), start.rotation, _HALF)

    def centre(distance: float) -> Vector3:
        return add(
            met.centre, add(scale(_column(start, 0), distance), scale(_column(start, 1), TUNING.cube_edge / 6.0))
        )

    near, far = 0.0, 3.0 * TUNING.cube_edge
    for _ in range(60):  # bisection to rounding
        middle = 0.5 * (near + far)
        apart = float(box_gap(met, PlacedBox(centre(middle), rotation, _HALF))) > 0.0
        near, far = (near, middle) if apart else (middle, far)
    return PushedAgainst(start, options, Block(centre(far), _HALF, rotation))


def contact_result(cycle: Admittance, recording: HapticRecording, against: PushedAgainst) -> WallContactResult:
    """The impact response of a recording. Raises `RobotError` where the object never reached the obstacle."""
    x = np.array(_column(against.start, 0))
    found = cycle.read(recording.cycle)
    inside = against.approach(found["position"], found["orientation"])
    touching = np.flatnonzero(inside > 0.0)
    if not len(touching):
        raise RobotError("the object never reached the obstacle", remedy="push it faster, or give larger effort limits")
    first = int(touching[0])
    speed = found["velocity"] @ x
    tip = frame_motion(cycle.robot, cycle.frame)(recording.q, recording.qd, np.zeros_like(recording.q))[2][:, :3] @ x
    time = float(recording.t[first])
    later = recording.t >= time + TUNING.rest_window
    impact = float(speed[first - 1])
    return WallContactResult(
        time,
        impact,
        float(np.abs(speed[later]).max() / impact),
        float(np.abs(tip[later]).max() / impact),
        float(inside.max()),
        float(np.linalg.norm(found["angular_velocity"], axis=1).max()),
        x,
        inside,
    )


def mass_centre(pose: Pose, offset: Vector3) -> Pose:
    """The pose of an object's mass centre that lies at an offset [m] in the axes of the held frame."""
    return Pose(pose.rotation, add(pose.origin, matvec(pose.rotation, offset)))


def _column(pose: Pose, k: int) -> Vector3:
    x, y, z = (row[k] for row in pose.rotation)
    return (x, y, z)


def _vector(values: Array) -> Vector3:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _matrix(values: Array) -> tuple[Vector3, Vector3, Vector3]:
    a, b, c = (_vector(row) for row in values)
    return (a, b, c)


_BELOW_ANY_GAP = -1e300  # less than any gap: for ignored directions


class PlacedBox(NamedTuple):
    """A box: centre, rotation (its axes are the columns), half sizes; over any scalar."""

    centre: Vector3
    rotation: Matrix3
    half: Vector3


def box_gap(first: PlacedBox, second: PlacedBox) -> Scalar:
    """The largest gap of (1) [m]: positive apart, zero touching, negative overlapping by so much."""
    back = transpose(first.rotation)
    turned = matmul(back, second.rotation)
    centre = matvec(back, subtract(second.centre, first.centre))
    size = tuple(tuple(absolute(x) for x in row) for row in turned)
    a, b = first.half, second.half
    gaps = [absolute(centre[i]) - a[i] - dot(size[i], b) for i in range(3)]
    for j in range(3):
        column = (size[0][j], size[1][j], size[2][j])
        along = turned[0][j] * centre[0] + turned[1][j] * centre[1] + turned[2][j] * centre[2]
        gaps.append(absolute(along) - b[j] - dot(column, a))
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            r, s = (j + 1) % 3, (j + 2) % 3
            across = absolute(centre[q] * turned[p][j] - centre[p] * turned[q][j])
            reach = a[p] * size[q][j] + a[q] * size[p][j] + b[r] * size[i][s] + b[s] * size[i][r]
            length = sqrt(maximum(1.0 - turned[i][j] * turned[i][j], 0.0))
            gap = (across - reach) / maximum(length, TUNING.parallel_sine)
            gaps.append(select(length - TUNING.parallel_sine, gap, _BELOW_ANY_GAP))
    largest = gaps[0]
    for gap in gaps[1:]:
        largest = maximum(largest, gap)
    return largest


def box_gap_function() -> Function:
    """`box_gap` of two boxes as a `Function` for native code, C and WebAssembly."""

    def algorithm(**given: Scalar) -> dict[str, Scalar]:
        boxes = (PlacedBox(given[f"centre{k}"], given[f"rotation{k}"], given[f"half{k}"]) for k in (1, 2))
        return {"gap": box_gap(*boxes)}

    ports: dict[str, tuple[int, ...]] = {}
    for k in (1, 2):
        ports |= {f"centre{k}": (3,), f"rotation{k}": (3, 3), f"half{k}": (3,)}
    return trace("box_gap", algorithm, ports)
