"""The error of a program: robot minus program, coefficient by coefficient, on a grid that determines it.

(1)  Degrees of every coefficient: those of the program by its operations (`rows`), those of the robot by theory
     (`recursion`). The grid has the larger of both in every joint.
(2)  robot - program is evaluated in balls. Its midpoints are the values of one polynomial f; what the radii allow
     beside it is another one, whose values on the grid are at most the radii
(3)  With m = 2 d + 1 nodes it is a sum of waves, f(q) = sum_k F_k exp(i k q), and for several joints alike. Parseval
     and Cauchy-Schwarz: |f| <= sum |F_k| <= sqrt(m sum |F_k|^2) = sqrt(sum over the nodes |f|^2)
(4)  So midpoints are bounded by the sum of their amplitudes |F_k|; radii count as the root of the sum of their squares:
     the noise
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import flint
import numpy as np

from torquec_check.balls import UNIT, UP, Ball
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.recursion import robot_degrees, robot_torques
from torquec_check.robot import Robot
from torquec_check.rows import Grid, Rows, evaluate, grid_of, program_degrees

SQUARED = 1e-150
"""Added to radii, whose squares would vanish below 1e-162: a robot of 1e-200 kg has errors, too."""

Waves: TypeAlias = np.ndarray[Any, np.dtype[np.complex128]]
Progress = Callable[[str, float], None]
"""Called with a step and the part of it that is done."""


@dataclass(frozen=True)
class Box:
    """Ranges of the joint positions and the largest speeds and accelerations, (n,) each."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]


@dataclass(frozen=True)
class Difference:
    """Torques (n,) of the robot, and of robot minus program, in balls on a grid."""

    grid: Grid
    robot: list[Rows]
    error: list[Rows]


def difference(robot: Robot, program: Program, box: Box) -> Difference:
    """Robot minus program over the positions of a box; raises `RefusedError` where it is too large to check."""
    degrees = list(map(max, robot_degrees(robot), program_degrees(program, robot.turns)))
    grid = grid_of(robot.turns, degrees, box.lower, box.upper)
    own, other = robot_torques(robot, grid), evaluate(program, grid)
    if any(len(key) == 1 and key[0] >= 0 for rows in other for key in rows):
        raise RefusedError("a torque of the program is of first degree in a speed")
    return Difference(grid, own, [a - b for a, b in zip(own, other, strict=True)])


def waves_of(ball: Ball, grid: Grid) -> tuple[Waves, float]:
    """Waves F_k (k = 0, 1 .. d, -d .. -1 along each joint), and the noise (4).

    Rows of the matrices have sums of magnitudes 1, so that the error of a product stays as large in every later one.
    """
    shape = np.broadcast_shapes(ball.mid.shape, ball.rad.shape, (1,) * len(grid.turns))
    waves: Waves = np.broadcast_to(ball.mid, shape).astype(complex)
    for axis, count in enumerate(shape):
        waves = along(fourier_matrix(count), waves, axis)
    noise = float(np.sqrt(np.square(np.broadcast_to(ball.rad, shape) + SQUARED).sum())) * UP
    return waves, noise + product_error(*shape) * waves.size * float(np.abs(ball.mid).max())


def product_error(*columns: int) -> float:
    """Part of the largest value that products with matrices of m columns may be off by: 4 (m + 4) u each."""
    return sum(4.0 * (count + 4) for count in columns) * UNIT * UP


def amplitude(waves: Waves) -> float:
    """Sum of the amplitudes: a bound (3)."""
    return float(np.abs(waves).sum()) * UP


def largest(ball: Ball, grid: Grid) -> float:
    """A bound of a polynomial at all positions: amplitudes and noise."""
    waves, noise = waves_of(ball, grid)
    return (amplitude(waves) + noise) * UP


@functools.cache
def fourier_matrix(count: int) -> Waves:
    """Values at even parts of a turn to waves: exp(-2 pi i j k/m)/m."""
    angles = [[flint.arb(-2 * j * k) / count for k in range(count)] for j in range(count)]
    return np.array([[complex(float(x.cos_pi()), float(x.sin_pi())) / count for x in row] for row in angles])


def along(matrix: Any, values: Any, axis: int) -> Any:
    """A matrix times the values along one axis."""
    return np.moveaxis(np.tensordot(matrix, values, (1, axis)), 0, axis)
