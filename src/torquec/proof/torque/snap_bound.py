"""Snapping error bound: the torque change due to snapped angles, compared with the file as written.

It is a part of every torque error bound.

Programs are derived from a robot whose angles near multiples of 90 degrees were snapped; claims are about the robot as
its file is written. Both torques are polynomials of degree d in the sine and cosine of each angle (or in a
displacement), so their difference is bounded, row by row (:mod:`torquec.proof.torque.torque_tables`, (1)), by a grid:

(1)  |f(q)| <= L max over the grid |f|,   L the product of the Lebesgue constants of 2 d + 1 evenly spaced angles
     (Ehlich & Zeller 1966), or d + 1 evenly spaced displacements within their range
(2)  |f(q)| <= sum of the amplitudes of its harmonics, where all positions are angles: for seven joints (1) is about a
     hundred times as large, which would exceed usual tolerances
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import RobotError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array
from torquec.proof.torque.torque_tables import position_degrees, positions_read, torque_rows
from torquec.robot.joints import PositionBasis
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases
from torquec.trajectory.motion_box import MotionBox

_EVEN_DISPLACEMENTS = (1.0, 1.0, 1.25, 1.64)
"""Lebesgue constants of d + 1 even points, d = 0 .. 3, rounded up."""

_MARGIN = 1.1
"""Factor on the bound: the checker computes the same on its own grid, where values differ a little."""

_ROUNDED = 2e-13
"""Rounding of (2) in the checker, as a part of the largest coefficient, times three for every joint: its Lebesgue
constants are about two."""

_MOST_VALUES = 40_000_000
"""Numbers held at once for (2): eight joints, of which seven are turned, have 28 million."""

_MOST_POINTS = 2_000_000  # of the grid: room for nine joints of degree two, which have 5^9


def snap_bound(robot: Robot, motions: MotionBox) -> tuple[float, ...]:
    """The largest change [N m, N] of each joint's torque by snapping over the motions, (n,); zero without snaps.

    Raises `RobotError` where the torques depend on too many joints.
    """
    n, v = robot.n, motions.velocity
    weights = [*motions.acceleration, *(v[j] * v[k] for j in range(n) for k in range(j, n)), 1.0]
    return tuple(float(x) for x in snap_rows(robot, motions) @ np.array(weights))


def snap_rows(robot: Robot, box: MotionBox) -> Array:
    """Bounds (n, rows) of the change by snapping of every torque coefficient, over the positions of the box."""
    if not robot.canonical.snaps:
        return np.zeros((robot.n, robot.n + robot.n * (robot.n + 1) // 2 + 1))
    return _snap_rows(robot, box.lower, box.upper)


@functools.lru_cache(maxsize=64)
def _snap_rows(robot: Robot, lower: tuple[float, ...], upper: tuple[float, ...]) -> Array:
    bases = position_bases(robot)
    programs = [_torque(robot), _torque(replace(robot, snap=False))]
    turned = [max(pair) for pair in zip(*(position_degrees(each, bases, least=0) for each in programs), strict=True)]
    points = math.prod(2 * degree + 1 for degree in turned)
    if (
        all(basis.is_periodic for basis in bases)
        and points * robot.n * (robot.n + robot.n * (robot.n + 1) // 2 + 1) <= _MOST_VALUES
    ):
        return _by_waves(programs, turned)
    # Degrees are two, or three: rotations by rounded angles are not orthogonal, and the checker's degrees are exact.
    found = [
        [max(pair) for pair in zip(*(position_degrees(each, bases, least=least) for each in programs), strict=True)]
        for least in (2, 3)
    ]
    return np.asarray(np.maximum(*(_on_grid(robot, programs, degrees, lower, upper) for degrees in found)))


def _by_waves(programs: Sequence[Function], degrees: Sequence[int]) -> Array:
    """(2), (n, rows)."""
    nodes = [_nodes(PositionBasis.TRIGONOMETRIC, degree, 0.0, 0.0) for degree in degrees]
    positions = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, len(nodes))
    rows = [torque_rows(program, positions) for program in programs]
    rounded = _ROUNDED * 3.0 ** len(nodes) * max(float(np.abs(each).max()) for each in rows)
    difference = rows[0] - rows[1]
    n, count = len(nodes), difference.shape[-1]
    found = np.empty((n, count))
    for joint in range(n):
        waves = np.fft.fftn(difference[:, joint].reshape(*map(len, nodes), -1), axes=range(len(nodes)), norm="forward")
        found[joint] = np.abs(waves).reshape(-1, found.shape[1]).sum(axis=0)
    return np.asarray(_MARGIN * found + rounded)


def _on_grid(
    robot: Robot, programs: Sequence[Function], degrees: Sequence[int], lower: Sequence[float], upper: Sequence[float]
) -> Array:
    """(1) with these degrees."""
    read = set.union(*(positions_read(program) for program in programs))
    bases = position_bases(robot)
    highest = [degree if j in read else 0 for j, degree in enumerate(degrees)]
    nodes = [_nodes(*each) for each in zip(bases, highest, lower, upper, strict=True)]
    if math.prod(map(len, nodes)) > _MOST_POINTS or max(highest) >= len(_EVEN_DISPLACEMENTS):
        raise RobotError(
            f"the torque error of snapped angles of '{robot.name}' cannot be bounded",
            where=robot.source,
            remedy="read the robot without snapping: --no-snap, or load(path, snap=False)",
        )
    largest = np.zeros(())
    for q in _parts(nodes):
        rows = [torque_rows(program, q) for program in programs]
        largest = np.maximum(largest, np.abs(rows[0] - rows[1]).max(axis=0))
    constant = math.prod(_lebesgue(basis, degree) for basis, degree in zip(bases, highest, strict=True))
    return np.asarray(_MARGIN * constant * largest)


def _torque(robot: Robot) -> Function:
    shapes = dict.fromkeys(("q", "qd", "qdd"), (robot.n,))
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": inverse_dynamics(robot, q, qd, qdd)}, shapes)


def _nodes(basis: PositionBasis, degree: int, lower: float, upper: float) -> Array:
    if not basis.is_periodic:
        return np.linspace(lower, upper, degree + 1)
    return 2.0 * np.pi * np.arange(2 * degree + 1) / (2 * degree + 1)


def _lebesgue(basis: PositionBasis, degree: int) -> float:
    if not basis.is_periodic:
        return _EVEN_DISPLACEMENTS[degree]
    count = 2 * degree + 1
    return (1.0 + 2.0 * sum(1.0 / math.sin((2 * k - 1) * math.pi / (2 * count)) for k in range(1, degree + 1))) / count


def _parts(nodes: Sequence[Array]) -> Iterator[Array]:
    """The grid (N, n) in parts, so that rows of a whole grid need not be held at once."""
    first, *others = nodes

    def of(angle: float) -> Array:
        return np.stack(np.meshgrid([angle], *others, indexing="ij"), axis=-1).reshape(-1, len(nodes))

    return (of(float(angle)) for angle in first)
