"""The error of a torque program, sampled where samples determine it, and how far any stand-in for it can be off.

d = exact - program is, joint by joint, a sum of rows  dM_j qdd_j + dc_jk qd_j qd_k + dg  (`program_form`), and each of
them is a polynomial of known degree in each position (`modular_degree`). It is sampled on a grid of 2 d + 1 angles (or
d + 1 displacements) per joint, rounding bounded (`rounded_evaluation`):

(1)  dg = d(0, 0),   dM_j = d(0, e_j) - dg,   dc_jj = d(e_j, 0) - dg,   2 dc_jk = d(e_j + e_k, 0) - dc_jj - dc_kk - dg
(2)  A polynomial f of these degrees keeps  |f(q)| <= L max over the grid |f|  everywhere (displacements: within their
     range), L the product of the joints' Lebesgue constants:
       angles, m = 2 d + 1:  (1 + 2 sum_{k=1..d} 1/sin((2 k - 1) pi/(2 m)))/m       (Ehlich & Zeller 1966)
       d + 1 even displacements:  1, 1, 1.25, 1.64, 2.21  for  d = 0, .., 4
So a table that stands for a row is wrong by at most L times the largest difference on the grid, radii included. What it
has above these degrees, which is rounding, is `HarmonicTable.excess` and counts beside that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import CheckError
from torquec.expr import Function, evaluate, trace
from torquec.foundation.arrays import Array, Indices
from torquec.foundation.work import Meter, silent
from torquec.proof.checker.allowances import GRID_ANGLE_ERROR, ROUNDED_UP
from torquec.proof.checker.check_boxes import REMEDY
from torquec.proof.checker.modular_degree import TorquePart, exact_degrees
from torquec.proof.checker.program_form import check_program
from torquec.proof.checker.rounded_evaluation import PlacedProgram, RoundedArray
from torquec.robot.robot import Robot

_DISPLACEMENT_LEBESGUE = (1.0, 1.0, 1.25, 1.64, 2.21)
_LARGEST_GRID = 2_000_000
"""Points of a grid: eight joints of degree two have 5^8 = 390,625."""

_NARROWEST = 1e-6
"""A displacement's range, as a part of its ends, within which doubles still make an even grid."""

_CHUNK, _CHUNK_VALUES = 5_000, 6_000_000
"""Points evaluated at once, and values of all steps of a program there: they then stay within some 100 MB."""

_LARGER = 4
"""Parts that are larger by this take the same memory where there is one radius for all values of a step."""


@dataclass(frozen=True)
class GridPart:
    """Some points of a grid: positions (N, n), and for each joint which of its nodes they have."""

    positions: Array
    nodes: tuple[Indices, ...]


_Torque = TypeVar("_Torque", Array, RoundedArray)

StandIn = Callable[[GridPart], RoundedArray]
"""From points of the grid to rows (rows, N, n), and how exactly these are evaluated."""


@dataclass(frozen=True)
class ResidualGrid:
    """A program beside the exact one of a robot, or beside a `reference`, with ranges of the positions (n,).

    Of a `part` of the torques the grid has only the rows, and the degrees.
    """

    robot: Robot
    program: Function
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    reference: Function | None = None
    part: TorquePart = TorquePart.WHOLE

    def __post_init__(self) -> None:
        for joint, low, high in zip(self.robot.coordinates, self.lower, self.upper, strict=True):
            narrow = not joint.turns and 0.0 < high - low < _NARROWEST * max(abs(low), abs(high))
            if narrow or not high - low >= 0.0:
                raise CheckError(f"the range of joint '{joint.name}' is [{low}, {high}]", remedy=REMEDY)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.robot.n

    @property
    def rows(self) -> int:
        """Number of rows (1)."""
        moving = self.n + self.n * (self.n + 1) // 2
        return {TorquePart.WHOLE: moving + 1, TorquePart.MOVING: moving, TorquePart.AT_REST: 1}[self.part]

    @cached_property
    def sliding(self) -> tuple[bool, ...]:
        """Which joints translate (n,)."""
        return tuple(not each.turns for each in self.robot.coordinates)

    @cached_property
    def exact(self) -> Function:
        """The robot's inverse dynamics, or what is given in its place."""
        return own_torque(self.robot) if self.reference is None else self.reference

    @cached_property
    def degrees(self) -> tuple[int, ...]:
        """The degree of both programs in every joint (n,); raises `CheckError` where one is no torque program."""
        found = []
        for program in (self.exact, self.program):
            check_program(self.robot, program)
            found.append(exact_degrees(program, self.sliding, seed=self.robot.content_hash, part=self.part))
        return tuple(max(pair) for pair in zip(*found, strict=True))

    @cached_property
    def nodes(self) -> tuple[Array, ...]:
        """The grid's positions, joint by joint; one where nothing depends on it."""
        return tuple(
            grid_nodes(slides, degree, low, high)
            for slides, degree, low, high in zip(self.sliding, self.degrees, self.lower, self.upper, strict=True)
        )

    @cached_property
    def positions(self) -> Array:
        """The grid (N, n), the last joint fastest."""
        if math.prod(len(node) for node in self.nodes) > _LARGEST_GRID:
            raise CheckError("the program depends on too many joints to be checked", remedy=REMEDY)
        return np.stack(np.meshgrid(*self.nodes, indexing="ij"), axis=-1).reshape(-1, self.n)

    @cached_property
    def lebesgue(self) -> float:
        """L of (2)."""
        constants = (lebesgue(slides, degree) for slides, degree in zip(self.sliding, self.degrees, strict=True))
        return math.prod(constants) * ROUNDED_UP

    def rows_at(self, positions: Array, *, of_robot: bool = False) -> RoundedArray:
        """(1) at positions (N, n): of the error, or of the robot itself; (rows, N, n).

        Rows are dM_j, then dc_jk for j <= k (twice for j < k), then dg.
        """
        self._require_form()
        parts = [self._rows(positions[part], of_robot) for part in self.parts(len(positions))]
        return RoundedArray(
            np.concatenate([part.value for part in parts], axis=1),
            np.concatenate([part.radius for part in parts], axis=1),
        )

    def both_at(self, positions: Array) -> tuple[RoundedArray, RoundedArray]:
        """(1) at positions (N, n), of the robot and of the error."""
        self._require_form()
        whole = self._rows_of(self.exact, positions)
        return whole, whole - self._rows_of(self.program, positions)

    def values_at(self, positions: Array) -> Array:
        """(1) of the error at positions (N, n), in doubles and without their rounding: (rows, N, n)."""
        return np.concatenate(list(self._chunks_of_values(positions, of_robot=False)), axis=1)

    def row_at(self, positions: Array, row: int, joint: int, *, of_robot: bool = False) -> Array:
        """One row of one joint of the same (N,), of the error or of the robot itself."""
        return np.concatenate([values[row, :, joint] for values in self._chunks_of_values(positions, of_robot)])

    def largest_differences(self, stand_in: StandIn, *, of_robot: bool = False, meter: Meter = silent) -> Array:
        """How far rows of the error, or of the robot, can be from what stands for them in the ranges (2); (rows, n)."""
        self._require_form()
        largest = np.zeros(())
        for part in self.parts(len(self.positions)):
            meter(part.start, len(self.positions))
            positions = self.positions[part]
            places = np.unravel_index(np.arange(part.start, part.stop), [len(node) for node in self.nodes])
            left = self._rows(positions, of_robot) - stand_in(GridPart(positions, places))
            largest = np.maximum(largest, (np.abs(left.value) + left.radius).max(axis=1))
        return np.asarray(largest * (self.lebesgue * ROUNDED_UP))

    def largest_coefficient(self) -> float:
        """The largest coefficient of the robot on the grid."""
        self._require_form()
        return max(
            float(np.abs(self._rows(self.positions[part], True).value).max())
            for part in self.parts(len(self.positions))
        )

    def parts(self, count: int, *, one_radius: bool = False) -> list[slice]:
        """Positions in parts that are evaluated at once; in larger ones where values have no radii of their own."""
        steps = max(len(self.exact.operations), len(self.program.operations))
        size = max(1, min(_CHUNK, _CHUNK_VALUES // steps)) * (_LARGER if one_radius else 1)
        return [slice(start, min(start + size, count)) for start in range(0, count, size)]

    def _require_form(self) -> None:
        """Nothing is evaluated before both programs are known to be torques: asking for the degrees looks at that."""
        assert len(self.degrees) == self.n

    def _chunks_of_values(self, positions: Array, of_robot: bool) -> Iterator[Array]:
        """(1) in doubles, some positions at a time: (rows, N, n)."""
        self._require_form()
        for part in self.parts(len(positions)):
            yield self._values(positions[part], of_robot)

    def _values(self, positions: Array, of_robot: bool) -> Array:
        def torque(speed: Array, acceleration: Array) -> Array:
            state = {"q": positions, "qd": speed, "qdd": acceleration}
            whole = evaluate(self.exact, state)["tau"]
            return whole if of_robot else whole - evaluate(self.program, state)["tau"]

        return np.stack(taken_apart(self.n, torque))

    def _rows(self, positions: Array, of_robot: bool) -> RoundedArray:
        """(1), of the robot, or of it minus the program."""
        whole = self._rows_of(self.exact, positions)
        return whole if of_robot else whole - self._rows_of(self.program, positions)

    def _rows_of(self, program: Function, positions: Array) -> RoundedArray:
        return rows_of(program, self.sliding, positions, part=self.part)


def rows_of(
    program: Function,
    sliding: Sequence[bool],
    positions: Array,
    *,
    part: TorquePart = TorquePart.WHOLE,
    one_radius: bool = False,
) -> RoundedArray:
    """(1) of a program at positions (N, n): (rows, N, n); its form has been looked at, and which joints translate.

    With `one_radius` rounding is bounded less closely, and sooner (`rounded_evaluation`).
    """
    # An angle of the grid is a part of a turn, which no double is: its rounding counts.
    off = np.where(sliding, 0.0, GRID_ANGLE_ERROR) * np.ones_like(positions)
    known = np.zeros(len(sliding))
    placed = PlacedProgram(program, RoundedArray(positions, off), one_radius=one_radius)

    def torque(speed: Array, push: Array) -> RoundedArray:
        return placed.torques(RoundedArray(speed, known), RoundedArray(push, known))

    if part is TorquePart.AT_REST:
        found = [torque(known, known)]
    else:
        found = taken_apart(len(sliding), torque)[: None if part is TorquePart.WHOLE else -1]
    return RoundedArray(np.stack([row.value for row in found]), np.stack([row.radius for row in found]))


def taken_apart(n: int, torque: Callable[[Array, Array], _Torque]) -> list[_Torque]:
    """(1), from a torque as a function of speeds and accelerations (n,)."""
    zero, unit = np.zeros(n), np.eye(n)
    rest = torque(zero, zero)
    rows = [torque(zero, unit[j]) - rest for j in range(n)]
    squares = [torque(unit[j], zero) - rest for j in range(n)]
    for j in range(n):
        rows.append(squares[j])
        rows += [torque(unit[j] + unit[k], zero) - squares[j] - squares[k] - rest for k in range(j + 1, n)]
    rows.append(rest)
    return rows


def snap_grids(robot: Robot, lower: Sequence[float], upper: Sequence[float]) -> list[ResidualGrid]:
    """The robot with snapped angles beside the one of its file, moving and at rest; none where they are the same.

    What is added by speeds and accelerations does not depend on how the robot stands, and has most of the rows: where
    weight depends on the first joint, because that is not quite upright, they need a third of the points.
    """
    if not robot.canonical.snaps:
        return []
    written, own = replace(robot, snap=False), own_torque(robot)
    parts = (TorquePart.MOVING, TorquePart.AT_REST)
    return [ResidualGrid(written, own, tuple(lower), tuple(upper), part=part) for part in parts]


def own_torque(robot: Robot) -> Function:
    """The robot's inverse dynamics, which programs stand for."""
    shapes = dict.fromkeys(("q", "qd", "qdd"), (robot.n,))
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": inverse_dynamics(robot, q, qd, qdd)}, shapes)


def no_rows(part: GridPart, rows: int | None = None) -> RoundedArray:
    """The stand-in for rows that are all zero: of a whole torque, or so many."""
    n = part.positions.shape[1]
    zero: Array = np.zeros((n + n * (n + 1) // 2 + 1 if rows is None else rows, len(part.positions), n))
    return RoundedArray(zero, zero)


def grid_nodes(slides: bool, degree: int, lower: float, upper: float) -> Array:
    """Positions that determine a polynomial of a degree: parts of a turn, or of the range of a displacement."""
    if not slides:
        count = 2 * degree + 1
        return 2.0 * np.pi * np.arange(count) / count
    return np.linspace(lower, upper, degree + 1) if degree else np.array([lower])


def lebesgue(slides: bool, degree: int) -> float:
    """The Lebesgue constant of one joint's nodes (2).

    >>> round(lebesgue(False, 1), 6)
    1.666667
    """
    if slides:
        return _DISPLACEMENT_LEBESGUE[degree]
    count = 2 * degree + 1
    sines = (math.sin((2 * k - 1) * math.pi / (2 * count)) for k in range(1, degree + 1))
    return (1.0 + 2.0 * sum(1.0 / s for s in sines)) / count


def row_weights(velocity: Sequence[float], acceleration: Sequence[float]) -> Array:
    """What the rows are multiplied by: the largest accelerations, products of speeds, one for gravity."""
    n = len(velocity)
    return np.array([*acceleration, *(velocity[j] * velocity[k] for j in range(n) for k in range(j, n)), 1.0])
