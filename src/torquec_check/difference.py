"""The error of a program: robot minus program, coefficient by coefficient, on a grid that determines it.

(1)  Degrees of every coefficient: those of the program by its operations (`rows`), those of the robot by theory
     (`recursion`). The grid has the larger of both in every joint.
(2)  robot - program is evaluated in balls. Its midpoints are the values of one polynomial f; what the radii allow
     beside it is another one, whose values on the grid are at most the radii
(3)  Angles: a polynomial with m = 2 d + 1 nodes is a sum of waves, f(q) = sum_k F_k exp(i k q). Parseval and
     Cauchy-Schwarz: |f| <= sum |F_k| <= sqrt(m sum |F_k|^2) = sqrt(sum over the nodes |f|^2), for several angles too
(4)  Displacements: with the Bernstein coefficients b = T f of its values, |f| <= max |b| <= max |T| |f|
(5)  So midpoints are bounded by the sum of their amplitudes |F_k|, the largest over displacements; radii count as the
     root of the sum of their squares over angles, the largest |T| rad over displacements: the noise
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import flint
import numpy as np

from torquec_check.balls import UNIT, Array, Ball
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

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Ends of the positions."""
        return list(zip(self.lower, self.upper, strict=True))


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
    """Waves F_k along angles (k = 0, 1 .. d, -d .. -1), Bernstein coefficients along displacements; and the noise (5).

    Rows of the matrices have sums of magnitudes 1 along angles and |T| along displacements, so that a rounding error of
    at most 4 (m + 4) u of the largest value in each step stays as large in every later one, or is multiplied by |T|.
    """
    shape = np.broadcast_shapes(ball.mid.shape, ball.rad.shape, (1,) * len(grid.turns))
    waves: Waves = np.broadcast_to(ball.mid, shape).astype(complex)
    rad, steps, growth = np.broadcast_to(ball.rad, shape), 0.0, 1.0
    for axis, count in enumerate(shape):
        if count > 1 and grid.turns[axis]:
            waves, steps = along(fourier_matrix(count), waves, axis), steps + 4.0 * (count + 4) * UNIT
        elif count > 1:
            matrix = bernstein_matrix(count)
            waves, steps = along(matrix, waves, axis), steps + 4.0 * (count + 4) * UNIT
            rad, growth = along(np.abs(matrix), rad, axis), growth * float(np.abs(matrix).sum(axis=1).max())
    angles = tuple(axis for axis in range(len(shape)) if grid.turns[axis])
    noise = float(np.sqrt(np.square(rad + SQUARED).sum(axis=angles)).max())
    rounding = steps * growth * waves.size * float(np.abs(ball.mid).max())
    return waves, (noise + rounding) * 1.01


def amplitude(waves: Waves, turns: tuple[bool, ...]) -> float:
    """Sum of the amplitudes over angles, the largest over displacements, of the last axes: a bound (3), (4)."""
    angles = tuple(axis - len(turns) for axis, turn in enumerate(turns) if turn)
    return float(np.abs(waves).sum(axis=angles).max(initial=0.0)) * (1.0 + 1e-9)


def largest(ball: Ball, grid: Grid) -> float:
    """A bound of a polynomial at all positions: amplitudes and noise."""
    waves, noise = waves_of(ball, grid)
    return (amplitude(waves, grid.turns) + noise) * (1.0 + 1e-9)


@functools.cache
def fourier_matrix(count: int) -> Waves:
    """Values at even parts of a turn to waves: exp(-2 pi i j k/m)/m."""
    angles = [[flint.arb(-2 * j * k) / count for k in range(count)] for j in range(count)]
    return np.array([[complex(float(x.cos_pi()), float(x.sin_pi())) / count for x in row] for row in angles])


@functools.cache
def bernstein_matrix(count: int) -> Array:
    """Values at even parts of a range to Bernstein coefficients, inverted exactly."""
    top, nodes = count - 1, [flint.fmpq(i, count - 1) for i in range(count)]
    values = [[math.comb(top, k) * t**k * (1 - t) ** (top - k) for k in range(count)] for t in nodes]
    inverse = flint.fmpq_mat(values).inv().table()
    return np.array([[int(x.p) / int(x.q) for x in row] for row in inverse])


def along(matrix: Any, values: Any, axis: int) -> Any:
    """A matrix times the values along one axis."""
    return np.moveaxis(np.tensordot(matrix, values, (1, axis)), 0, axis)
