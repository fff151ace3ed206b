"""Error of one coefficient as a function of as few variables as possible: tables from which bounds are proven.

(1)  rows of the tables of a torque program (:mod:`torquec.proof.torque.torque_residual`) are its coefficients: M_ij,
     then c_ijk (twice for j < k), then g_i
(2)  variables are the angles of single joints, or sums of the angles of parallel joints. Sums are used where there are
     fewer of them, or fewer terms, and where the box is still a product of ranges: sums share no joint, or each has a
     joint of its own that makes a whole turn. In single joint angles the worst case of such an error would lie on a
     whole surface of the box
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.closedform.compiled_terms import compile_terms
from torquec.closedform.paths import ParallelGroup
from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import basis_powers, changed_variables, monomial_at
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.bernstein import Range, basis_degree
from torquec.proof.torque.coefficient_certificate import ErrorKind, Family
from torquec.proof.torque.error_peaks import ErrorSurface, error_peaks
from torquec.proof.torque.torque_residual import TorqueResidual
from torquec.proof.torque.torque_tables import HIGHEST_DEGREE, TorqueTables
from torquec.trajectory.motion_box import MotionBox

_NOISE = 2e-14  # below this, relative to the largest torque at rest, coefficients of the exact function are rounding
_FLOOR = 3.0  # smallest bound, as a multiple of the rounding allowance
_SQUARES = 5  # basis functions of an angle of degree two: only such variables can be changed to sums of angles


@dataclass(frozen=True)
class CoefficientError:
    """The error of a coefficient as a table (1, basis, ..) over its variables (2).

    For a relative error, a second row is minus the exact coefficient. `allowance` (rows,) bounds the error of the
    table, `snap` is the part of it due to snapped angles, `smallest` the least bound that makes sense.
    """

    table: Array
    variables: tuple[Variable, ...]
    kind: ErrorKind
    allowance: Array
    smallest: float
    snap: float = 0.0

    @property
    def degrees(self) -> tuple[int, ...]:
        """Its degree in the sine and cosine of each variable, or in a displacement."""
        return tuple(basis_degree(v, size) for v, size in zip(self.variables, self.table.shape[1:], strict=True))

    def ranges(self, box: MotionBox) -> list[Range]:
        """Range of each variable; a whole turn covers all values of an angle."""
        return [_range(variable, box) for variable in self.variables]

    def largest_found(self, box: MotionBox) -> float:
        """The largest error that sampling and ascents find."""
        places = np.argwhere(np.any(self.table != 0.0, axis=0)).tolist()
        if not places:
            return 0.0
        terms = compile_terms([monomial_at(self.variables, place, HIGHEST_DEGREE) for place in places])
        rows = np.array([[row[tuple(place)] for place in places] for row in self.table])
        reference = None if self.kind is ErrorKind.ABSOLUTE else rows[1]
        return error_peaks(ErrorSurface(terms, rows[0], reference), box, samples=12000, climbs=64).level


def coefficient_row(n: int, family: Family, index: tuple[int, ...]) -> tuple[int, int, float]:
    """Position of a coefficient in the tables of a torque program: its joint, its row, and its part of that row.

    >>> coefficient_row(3, Family.H, (2, 0, 1))             # rows: three of M, then 2 c for the pairs 11 12 13 22 ..
    (2, 4, 0.5)
    """
    if family is Family.M:
        return index[0], index[1], 1.0
    if family is Family.G:
        return index[0], n + n * (n + 1) // 2, 1.0
    i, j, k = index
    return i, n + j * n - j * (j - 1) // 2 + (k - j), 1.0 if j == k else 0.5


def coefficient_error(
    exact: TorqueTables,
    residual: TorqueResidual,
    family: Family,
    index: tuple[int, ...],
    kind: ErrorKind,
    *,
    snap: float = 0.0,
) -> CoefficientError:
    """The error of one coefficient, from the tables of the exact program and of the residual.

    `snap` is its error due to snapped angles (:mod:`torquec.proof.torque.snap_bound`).
    """
    joint, row, part = coefficient_row(residual.n, family, index)
    rows = [part * residual.tables[joint][row]]
    off = [part * float(residual.dropped[joint][row]) + residual.rounding + snap]
    if kind is ErrorKind.RELATIVE:
        whole = part * exact.table[..., joint, row]
        noise = np.abs(whole) < _NOISE * residual.size
        rows.append(np.where(noise, 0.0, -whole))
        off.append(float(np.abs(whole[noise]).sum()) + residual.rounding + snap)
    table, variables = _without_idle_variables(np.stack(rows), residual.variables)
    return CoefficientError(table, variables, kind, np.array(off), _FLOOR * (residual.rounding + snap), snap)


def in_fewest_variables(error: CoefficientError, box: MotionBox, groups: Sequence[ParallelGroup]) -> CoefficientError:
    """The error in sums of angles (2) where that leaves fewer variables, or as many and fewer terms."""
    single = {v.joints[0][0]: axis for axis, v in enumerate(error.variables)}
    for group in groups:
        members = tuple(joint for joint in group.joints if joint[0] in single)
        if len(members) < 2 or any(error.table.shape[single[j] + 1] != _SQUARES for j, _ in members):
            continue
        axes = [next(k for k, v in enumerate(error.variables) if v.joints == ((j, 1),)) for j, _ in members]
        best = error
        for variables, table in changed_variables(error.variables, axes, members, error.table):
            small, kept = _without_idle_variables(
                np.where(np.abs(table) < error.allowance.max() - error.snap, 0.0, table), variables
            )
            lost = float(np.abs(table).sum() - np.abs(small).sum())
            trial = replace(error, table=small, variables=kept, allowance=error.allowance + lost)
            if _is_product(kept, box) and _size(trial) < _size(best) and _is_same(trial, error, box):
                best = trial
        # Axes of later groups are looked up by joint: axes of this group may have been removed.
        error = best
    return _of_lowest_degree(error)


def _size(error: CoefficientError) -> tuple[int, int]:
    return len(error.variables), int(np.count_nonzero(error.table))


def _is_product(variables: Sequence[Variable], box: MotionBox) -> bool:
    """Whether the variables together take all values of the product of their ranges (2)."""
    known: set[int] = set()
    for variable in sorted(variables, key=lambda v: len(v.joints)):
        own = [j for j, _ in variable.joints if j not in known]
        if len(own) < len(variable.joints) and not any(_turns(j, box) for j in own):
            return False
        known.update(j for j, _ in variable.joints)
    return True


def _turns(joint: int, box: MotionBox) -> bool:
    return box.upper[joint] - box.lower[joint] >= 2.0 * math.pi


def _range(variable: Variable, box: MotionBox) -> Range:
    """Range of a sum of angles; a whole turn covers all values."""
    ends = [sorted((sign * box.lower[j], sign * box.upper[j])) for j, sign in variable.joints]
    lower, upper = sum(low for low, _ in ends), sum(high for _, high in ends)
    if variable.is_angle and upper - lower >= 2.0 * math.pi:
        return Range(variable, -math.pi, math.pi)
    return Range(variable, lower, upper)


def _is_same(trial: CoefficientError, error: CoefficientError, box: MotionBox) -> bool:
    """Whether two tables are the same function: a fitted error need not be of degree two in sums of angles."""
    q = box.samples(sorted({j for v in error.variables for j, _ in v.joints}), 64)
    for row in range(len(error.table)):
        ours, theirs = (_surface(e, row).values(q) for e in (trial, error))
        if float(np.abs(ours - theirs).max()) > trial.allowance[row] - trial.snap:
            return False
    return True


def _surface(error: CoefficientError, row: int) -> ErrorSurface:
    places = np.argwhere(error.table[row] != 0.0).tolist()
    terms = compile_terms([monomial_at(error.variables, place, HIGHEST_DEGREE) for place in places])
    return ErrorSurface(terms, np.array([error.table[(row, *place)] for place in places]))


def _without_idle_variables(table: Array, variables: tuple[Variable, ...]) -> tuple[Array, tuple[Variable, ...]]:
    """The table without joints on which none of its rows depends."""
    kept = list(variables)
    for axis in reversed(range(len(variables))):
        if not np.any(np.take(table, range(1, table.shape[axis + 1]), axis=axis + 1)):
            table = np.take(table, 0, axis=axis + 1)
            del kept[axis]
    return table, tuple(kept)


def _of_lowest_degree(error: CoefficientError) -> CoefficientError:
    """The table without basis functions above the error's degree in each variable, which makes boxes cheaper."""
    table = error.table
    for axis, variable in enumerate(error.variables, start=1):
        small = len(basis_powers(variable, 1))
        if not np.any(np.take(table, range(small, table.shape[axis]), axis=axis)):
            table = np.take(table, range(small), axis=axis)
    return replace(error, table=table)
