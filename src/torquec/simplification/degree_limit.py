"""Degree limit of provable torque programs: which replacements and fits keep it.

(1)  a box of a proof has 2 d + 1 control points along an angle if torques have degree d in its sine and cosine, and
     d + 1 along a displacement. The product over all joints is limited
(2)  a recursion uses the same constant at several places, so that high degrees may cancel. Where fitting all constants
     would raise degrees above the limit, only constants that raise no degree are fitted
(3)  limited time or memory for proof and check lowers the limit, never below the degrees of the initial program
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.expr import Function
from torquec.proof.torque.torque_tables import (
    degrees_of_changes,
    degrees_of_replacements,
    position_degrees,
    positions_read,
)
from torquec.robot.joints import PositionBasis
from torquec.simplification.refit_constants import fitted_constants
from torquec.simplification.replacements import Replacement
from torquec.simplification.tuning import TUNING

_BYTES = 8  # size of a number in a table


@dataclass(frozen=True)
class DegreeRoom:
    """Limits from the time and memory for proof and check (3).

    `degrees` (n,) are lower bounds of the degrees of a check's grid, for any program. `in_grid` limits the points of
    that grid, `in_box` those of a proof's box.
    """

    degrees: tuple[int, ...]
    in_grid: float
    in_box: int

    @staticmethod
    def in_memory(n: int, memory: int) -> DegreeRoom:
        """The limits for tables of n joints in this number of bytes."""
        return DegreeRoom((0,) * n, math.inf, memory // (_BYTES * _values_of_a_point(n)))


class DegreeLimit:
    """The limit for programs that approximate `exact`, starting from `simplified`; `room` where time is limited."""

    def __init__(
        self, exact: Function, simplified: Function, bases: Sequence[PositionBasis], room: DegreeRoom | None = None
    ) -> None:
        self._bases = bases
        self._joints = positions_read(exact) | positions_read(simplified)
        degrees, n = position_degrees(simplified, bases), len(bases)
        self._highest = tuple(max(TUNING.raised_degree, degree) for degree in position_degrees(exact, bases))
        own = self._points_of(degrees)
        checked = TUNING.table_values // _values_of_a_point(n)
        self._most_points = min(max(TUNING.control_points, TUNING.control_point_growth * own), max(own, checked))
        self._room = room
        if room is not None:
            self._most_points = min(self._most_points, max(own, room.in_box))
            self._most_in_grid = max(room.in_grid, self._points_of(self._in_grid(degrees)))

    def points(self, program: Function) -> int:
        """Control points of a box of the program (1)."""
        return self._points_of(position_degrees(program, self._bases))

    def allows(self, program: Function) -> bool:
        """Whether the program is within the limit."""
        return self._allowed(position_degrees(program, self._bases))

    def allows_replacing(self, program: Function, choices: Sequence[Sequence[Replacement]]) -> list[bool]:
        """Whether the program with the replacements of a choice is within the limit, for each choice."""
        replaced = [{one.step: one.in_graph for one in chosen} for chosen in choices]
        return [self._allowed(degrees) for degrees in degrees_of_replacements(program, self._bases, replaced)]

    def constants_to_fit(self, program: Function) -> list[int]:
        """The steps whose constants may change within the limit (2)."""
        constants = fitted_constants(program)
        if not constants:
            return []
        factors = 1.0 + TUNING.degree_probe * np.random.default_rng(0).uniform(0.5, 1.0, len(constants))
        others = {k: program.operations[k].value * float(f) for k, f in zip(constants, factors, strict=True)}
        here, all_changed = degrees_of_changes(program, self._bases, [{}, others])
        if self._allowed(all_changed):
            return constants
        alone = degrees_of_changes(program, self._bases, [{k: others[k]} for k in constants])
        return [k for k, degrees in zip(constants, alone, strict=True) if all(np.less_equal(degrees, here))]

    def _allowed(self, degrees: Sequence[int]) -> bool:
        if any(np.greater(degrees, self._highest)) or self._points_of(degrees) > self._most_points:
            return False
        return self._room is None or self._points_of(self._in_grid(degrees)) <= self._most_in_grid

    def _in_grid(self, degrees: Sequence[int]) -> list[int]:
        """The degrees (n,) of the grid of a check."""
        assert self._room is not None
        return [max(pair) for pair in zip(degrees, self._room.degrees, strict=True)]

    def _points_of(self, degrees: Sequence[int]) -> int:
        return math.prod(self._bases[j].size(degrees[j]) for j in self._joints)


def _values_of_a_point(n: int) -> int:
    """Numbers per grid point in all tables of a proof: the rows of each of n torques."""
    return n * (n + n * (n + 1) // 2 + 1)
