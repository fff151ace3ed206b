"""Rows of a robot and of the error of a program on the whole grid, and how far each is from what stands for it.

A row is evaluated once, with the largest of its roundings (`residual_grid`). Its values d on the grid determine it:

(1)  d = sum_k c_k exp(i k q),   c = the discrete Fourier transform of the values over the angles
(2)  |f(q)| <= L max |d| over the grid, L the Lebesgue constant; where all positions are angles also  <= sum |c_k|:
     what is spread over few waves is bounded more closely by these, what is rounding by the other one
(3)  a table in some of the joints has those waves of (1) that are waves of these joints alone
(4)  rounding of (1): the matrix of an angle with m nodes has entries right to 256 u/m, and rows whose magnitudes add up
     to one; a sum of M waves is off by at most  M max |d| sum over the angles (256 + 4 m) u
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.errors import CheckError
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.proof.checker.allowances import ROUNDED_UP, UNIT, WAVE_ENTRY
from torquec.proof.checker.check_boxes import REMEDY, basis_values
from torquec.proof.checker.harmonic_table import HarmonicTable
from torquec.proof.checker.modular_degree import TorquePart
from torquec.proof.checker.residual_grid import ResidualGrid, no_rows, rows_of, snap_grids
from torquec.proof.checker.rounded_evaluation import RoundedArray
from torquec.robot.robot import Robot

_MOST_SAMPLES = 160_000_000
"""Numbers held at once: a gigabyte or so. Eight positions of eight joints have 141 million, seven 28."""


@dataclass(frozen=True)
class SampledRows:
    """Rows of every joint on a grid (n, rows, N), and how far they may be off (n, rows)."""

    value: Array
    radius: Array


@dataclass(frozen=True)
class GridSamples:
    """The rows of the error of a program on a grid, and those of the robot where they were asked for."""

    grid: ResidualGrid
    error: SampledRows
    robot: SampledRows

    def reach(self, differences: Array, radius: float) -> float:
        """The largest |f| in the ranges of a row with these values (N,) on the grid, each off by the radius (2)."""
        largest = float(np.abs(differences).max(initial=0.0))
        rounding = self.grid.lebesgue * (radius + 4.0 * UNIT * largest)
        found = self.grid.lebesgue * largest
        slides = any(slides and degree for slides, degree in zip(self.grid.sliding, self.grid.degrees, strict=True))
        if found > rounding and not slides:
            found = min(found, self._waves(differences, largest))
        return (found + rounding) * ROUNDED_UP

    def _waves(self, differences: Array, largest: float) -> float:
        """sum |c_k| of (2), with (4)."""
        waves = differences.reshape(self._shape).astype(complex)
        for axis, matrix in enumerate(self._fourier):
            waves = np.moveaxis(np.tensordot(matrix, waves, axes=(1, axis)), 0, axis)
        steps = sum(WAVE_ENTRY + 4.0 * size for size in self._shape) * UNIT
        return float(np.abs(waves).sum()) + waves.size * largest * steps

    def table(self, rows: Sequence[Array], joints: Sequence[int], degrees: Sequence[int]) -> HarmonicTable:
        """Rows (N,) each as functions of some joints, of these degrees (3)."""
        sliding = [self.grid.sliding[j] for j in joints]
        found = []
        for row in rows:
            table = row.reshape(self._shape)
            for axis, matrix in enumerate(self._harmonic):
                table = np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)
            others = tuple(slice(None) if j in joints else 0 for j in range(self.grid.n))
            table = np.transpose(table[others], [sorted(joints).index(j) for j in joints])
            for axis, (slides, degree) in enumerate(zip(sliding, degrees, strict=True)):
                table = _of_size(table, axis, degree + 1 if slides else 2 * degree + 1)
            found.append(table)
        variables = tuple(((j, 1),) for j in joints)
        return HarmonicTable(variables, tuple(sliding), tuple(degrees), np.ascontiguousarray(np.stack(found)))

    def on_grid(self, table: HarmonicTable) -> RoundedArray:
        """A table's functions on the grid, (rows, N)."""
        if any(len(variable) != 1 or variable[0][1] != 1 for variable in table.variables):
            return table.at(self.grid.positions)
        joints = [variable[0][0] for variable in table.variables]
        found = table.on_nodes([self.grid.nodes[j] for j in joints])
        order = [0, *(1 + int(k) for k in np.argsort(joints))]
        shape = [len(found.value), *(size if j in joints else 1 for j, size in enumerate(self._shape))]
        whole = (len(found.value), *self._shape)
        value, radius = (
            np.broadcast_to(x.transpose(order).reshape(shape), whole).reshape(len(x), -1)
            for x in (found.value, found.radius)
        )
        return RoundedArray(value, radius)

    @cached_property
    def has_tables(self) -> bool:
        """Whether the grid's nodes differ, so that (3) is possible: a displacement may stand still."""
        return all(len(set(nodes.tolist())) == len(nodes) for nodes in self.grid.nodes)

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(len(nodes) for nodes in self.grid.nodes)

    @cached_property
    def _fourier(self) -> list[Array]:
        """Of every joint, from values at its nodes to c_k of (1)."""
        found = []
        for nodes, degree in zip(self.grid.nodes, self.grid.degrees, strict=True):
            waves = np.arange(-degree, degree + 1)
            found.append(np.exp(-1j * np.outer(waves, nodes)) / len(nodes) if degree else np.ones((1, 1)))
        return found

    @cached_property
    def _harmonic(self) -> list[Array]:
        """Of every joint, from values at its nodes to 1, cos, sin, .. or powers."""
        described = zip(self.grid.nodes, self.grid.sliding, self.grid.degrees, strict=True)
        return [np.asarray(np.linalg.inv(basis_values(*each)), dtype=np.float64) for each in described]


def grid_samples(
    grid: ResidualGrid, *, robot: bool = False, one_radius: bool = False, work: Work | None = None
) -> GridSamples:
    """The error of a grid, and the robot's own rows where they are asked for, at all positions.

    Parts of the grid are tasks of the work; with `one_radius` rounding is bounded less closely, and sooner. Raises
    `CheckError` where positions are too many.
    """
    count, n, rows = len(grid.positions), grid.n, grid.rows
    if (1 + robot) * rows * count * n > _MOST_SAMPLES:
        raise CheckError("the program depends on too many joints to be checked", remedy=REMEDY)
    # What no part fills is not a number, and refused: never what was in the memory before.
    values = [np.full((n, rows, count), np.nan) for _ in range(1 + robot)]
    radii = np.zeros((2, n, rows))
    parts = grid.parts(count, one_radius=one_radius)
    shared = grid.exact, grid.program, grid.sliding, grid.part, robot, one_radius
    tasks = [_Part(*shared, grid.positions[part]) for part in parts]
    task = as_work(work)
    task.budget.check()
    # A single part is evaluated before it would have reached another process.
    name = "evaluating the errors on a grid"
    sampled = task.map(name, _sampled, tasks, kept=False) if len(tasks) > 1 else map(_sampled, tasks)
    for part, found in zip(parts, sampled, strict=True):
        if len(found) != len(radii) or any(each.radius.shape != (n, rows) for each in found):
            raise CheckError("a process gave other values than it was asked for", remedy=REMEDY)
        for k, rows_found in enumerate(found):
            radii[k] = np.maximum(radii[k], rows_found.radius)
            if k < len(values):
                # Written into an array, a result of one position would be spread over all of them.
                if rows_found.value.shape != (n, rows, part.stop - part.start):
                    raise CheckError("a process gave values of other positions than it was asked for", remedy=REMEDY)
                values[k][:, :, part] = rows_found.value
    nothing = SampledRows(np.zeros((n, rows, 0)), radii[1])
    return GridSamples(grid, SampledRows(values[0], radii[0]), SampledRows(values[1], radii[1]) if robot else nothing)


def snap_differences(
    robot: Robot, lower: Sequence[float], upper: Sequence[float], *, work: Work | None = None
) -> Array | float:
    """How far the robot's rows can be in the ranges from those of its file as written, no angle snapped; (rows, n)."""
    found = [_largest_rows(grid, work) for grid in snap_grids(robot, lower, upper)]
    return np.concatenate(found) if found else 0.0


def _largest_rows(grid: ResidualGrid, work: Work | None) -> Array:
    """How large rows of the error can be in the ranges, (rows, n)."""
    if grid.rows * len(grid.positions) * grid.n > _MOST_SAMPLES:  # by Lebesgue constants alone nothing has to be held
        return grid.largest_differences(lambda part: no_rows(part, grid.rows))
    # Rounding is nothing beside what snapping changes.
    samples = grid_samples(grid, one_radius=True, work=work)
    value, radius = samples.error.value, samples.error.radius
    with one_thread():
        found = [[samples.reach(*each) for each in zip(*rows, strict=True)] for rows in zip(value, radius, strict=True)]
    return np.transpose(found)


@dataclass(frozen=True)
class _Part:
    """What a process needs to evaluate some positions (N, n): the programs, whose form has been looked at, which joints
    translate, which part of the torques it is, whether the robot's own rows are asked for, and how closely rounding is
    bounded.
    """

    exact: Function
    program: Function
    sliding: tuple[bool, ...]
    part: TorquePart
    robot: bool
    one_radius: bool
    positions: Array


def _sampled(part: _Part) -> list[SampledRows]:
    """Rows of the error, and of the robot, whose values are not carried where nobody asked for them."""
    with one_thread():
        whole, simplified = (
            rows_of(each, part.sliding, part.positions, part=part.part, one_radius=part.one_radius)
            for each in (part.exact, part.program)
        )
        found = [whole - simplified, whole]
    return [
        SampledRows(
            rows.value.transpose(2, 0, 1) if part.robot or k == 0 else np.zeros((0, 0, 0)), rows.radius.max(axis=1).T
        )
        for k, rows in enumerate(found)
    ]


def _of_size(table: Array, axis: int, size: int) -> Array:
    """A table cut, or filled up with zeros, along an axis."""
    table = np.take(table, range(min(size, table.shape[axis])), axis=axis)
    return np.pad(table, [(0, size - table.shape[axis]) if k == axis else (0, 0) for k in range(table.ndim)])
