"""Positive definiteness of M(q) over a box: by Bernstein control matrices, or by its distance to the robot's exact M.

M may be unsymmetric, as that of a simplified program is; only its symmetric part S counts. S is a trigonometric
polynomial, given by its coefficient table:

(1)  degrees are those of the operations as they are written (:func:`torquec_check.rows.program_degrees`)
(2)  values on the grid of these degrees determine the coefficients (:mod:`torquec.closedform.tabulate`)

Bernstein control matrices show x' S(q) x > 0 over a box:

(3)  S (`mass_matrix_table`) is, on a box, a weighted mean of control matrices with positive weights
     (:mod:`torquec.proof.enclosure.bernstein`, (2))
(4)  positive definite matrices are a convex cone: where all control matrices are positive definite, S(q) is
(5)  control matrices at the corners of a box are attained: where one is not positive definite, neither is S there
(6)  where S is positive definite, so are those of all trailing blocks of M: elimination from the tips, without
     pivoting (:mod:`torquec.dynamics.joint_space_solve`), meets no zero pivot

A box that is not proven is halved along the joint in which its control matrices are most curved.

A small distance to the robot's exact mass matrix proves the same without subdivision:

(7)  M = robot's + E, with |E_ij| <= e_ij at all positions: the amplitudes of its waves
     (:mod:`torquec.proof.enclosure.bernstein`)
(8)  for any v > 0 a symmetric e is below diag(e v / v): both map v, which is positive, to the same vector
(9)  where the robot's own M exceeds that diagonal everywhere (`articulated_inertia_lower_bound`), M is positive
     definite, and so are all its trailing blocks: elimination from the tips meets no zero pivot

v is chosen so that all joints have equal energy. (7)-(9) take seconds for seven joints, where subdivision, (3)-(6),
takes minutes and more.

`least_inertia` searches a diagonal lower bound of a torque program's mass matrix, M_ij = dtau_i/dqdd_j. With d_i the
least M_ii found at random positions and l the least eigenvalue of M_ij/sqrt(d_i d_j) there, a fraction of l d is tried.
It becomes a witness only if :mod:`torquec_check.positive_mass` proves it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import coefficient_table, grid
from torquec.codegen.precision import Precision
from torquec.dynamics.mass_matrix import mass_matrix as own_mass_matrix
from torquec.errors import TimeLimitError
from torquec.expr import Function, evaluate, function_to_dict, trace
from torquec.foundation.arrays import Array
from torquec.foundation.budget import Budget
from torquec.foundation.one_thread import one_thread
from torquec.proof.enclosure.bernstein import Range, along, amplitudes_within, halves, numerator_matrix, root_ranges
from torquec.proof.inertia.articulated_inertia_lower_bound import articulated_inertia_lower_bound, exceeds_diagonal
from torquec.proof.torque.torque_tables import torque_rows
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases
from torquec.trajectory.motion_box import MotionBox
from torquec_check.document import RefusedError
from torquec_check.positive_mass import check_positive_mass
from torquec_check.program import program_of
from torquec_check.robot import Box
from torquec_check.rounding import PRECISIONS
from torquec_check.rows import program_degrees

_SAMPLES, _PART = 2000, 0.5
"""Number of random positions, and the claimed fraction of the least eigenvalue: a larger fraction takes more boxes."""

_MOST_VALUES = 5e7
"""Budget of control values, about ten seconds; a count instead of a time makes the result deterministic."""
_MOST_POINTS = 200_000  # points of a grid: six joints of degree two, and one of three, have 109,375

_ROUNDING = 1e-10
"""Allowance for rounding errors of an entry, relative to the largest sum of magnitudes of an entry's table: a thousand
times the accumulated rounding of grid values, tables and all later operations."""

_MOST_ENTRIES = 2_500_000_000  # budget of control-matrix entries: about half a minute for any number of joints
_STRICTLY = 1.0 + 1e-9  # factor on the diagonal of (8) that covers the rounding of its sums


@dataclass(frozen=True)
class MassMatrixTable:
    """Entries of the symmetric part, upper triangle by rows, on the product basis of variables: (entries, basis, ..).

    Variables are angles or displacements of the `joints`, with a degree each. `off`: error bound of every entry.
    """

    joints: tuple[int, ...]
    variables: tuple[Variable, ...]
    degrees: tuple[int, ...]
    entries: Array
    off: float


def polynomial_degrees(robot: Robot, mass_matrix: Function) -> tuple[int, ...] | None:
    """The degree (n,) of a program q -> M (n, n) in each joint (1); None where it is not polynomial."""
    turns = tuple(each.turns for each in robot.coordinates)
    try:
        return tuple(program_degrees(program_of(function_to_dict(mass_matrix)), turns))
    except RefusedError:
        return None


def mass_matrix_table(
    robot: Robot, mass_matrix: Function, degrees: Sequence[int], *, less: Function | None = None
) -> MassMatrixTable | None:
    """Coefficient table (2) of M, or of M minus `less`, for degrees of at most these (n,); None if it is too large."""
    joints = tuple(j for j, degree in enumerate(degrees) if degree)
    bases = position_bases(robot)
    variables = tuple(Variable(((j, 1),), bases[j]) for j in joints)
    own = tuple(degrees[j] for j in joints)
    sizes = [v.basis.size(degree) for v, degree in zip(variables, own, strict=True)]
    if math.prod(sizes) > _MOST_POINTS:
        return None
    upper = np.triu_indices(robot.n)
    positions = {"q": grid(variables, robot.n, own)}
    total = 0.0

    def entries(program: Function) -> Array:
        nonlocal total
        M = evaluate(program, positions)["M"]
        S = (0.5 * (M + M.transpose(0, 2, 1)))[:, *upper]
        table: Array = np.ascontiguousarray(np.moveaxis(coefficient_table(variables, S, own), -1, 0))
        total += float(np.abs(table).reshape(len(table), -1).sum(axis=1).max())
        return table

    found = entries(mass_matrix)
    if less is not None:
        found = found - entries(less)
    return MassMatrixTable(joints, variables, own, found, _ROUNDING * total)


def is_positive_everywhere(
    robot: Robot, mass_matrix: Function, lower: Sequence[float], upper: Sequence[float], *, most: int = _MOST_ENTRIES
) -> bool:
    """Whether M (n, n) of a program q -> M is proven positive definite (3)-(6); False too where M is not polynomial.

    `most`: budget of control-matrix entries.
    """
    degrees = polynomial_degrees(robot, mass_matrix)
    table = None if degrees is None else mass_matrix_table(robot, mass_matrix, degrees)
    if table is None:
        return False
    ranges = [Range(variable, lower[j], upper[j]) for variable, j in zip(table.variables, table.joints, strict=True)]
    left = most
    for numerators, largest_weight in _roots(table.entries, ranges, table.degrees):
        left = _shown(numerators, robot.n * table.off * largest_weight, robot.n, left)
        if left < 0:
            return False
    return True


def _roots(table: Array, ranges: Sequence[Range], degrees: Sequence[int]) -> Iterator[tuple[Array, float]]:
    """Numerators of every root box, and the largest weight that multiplies them."""
    for pieces in itertools.product(*root_ranges(ranges)):
        numerators, weight = table, 1.0
        for axis, (piece, degree) in enumerate(zip(pieces, degrees, strict=True), start=1):
            matrix, denominator = numerator_matrix(piece, degree)
            numerators = along(matrix, numerators, axis)
            weight *= float(denominator.max())
        yield numerators, weight


def _shown(root: Array, off: float, n: int, left: int) -> int:
    """Remaining budget after a root box was proven; negative where it was not."""
    waiting = [root]
    while waiting:
        box = waiting.pop()
        left -= box.size
        if left < 0 or not _is_positive(_corners(box), off, n):  # (5)
            return -1
        if _is_positive(box.reshape(len(box), -1), off, n):
            continue
        if box.ndim == 1:
            return -1
        axis = _most_bent(box, n)
        waiting += [_half(matrix, box, axis) for matrix in halves(box.shape[axis])]
    return left


def _half(matrix: Array, box: Array, axis: int) -> Array:
    """Control values of one half, contiguous in memory: later steps pass through them entry by entry."""
    before = math.prod(box.shape[:axis])
    half: Array = np.matmul(matrix, box.reshape(before, box.shape[axis], -1)).reshape(box.shape)
    return half


def _corners(box: Array) -> Array:
    for axis in range(1, box.ndim):
        box = np.take(box, (0, -1), axis=axis)
    return box.reshape(len(box), -1)


def _most_bent(box: Array, n: int) -> int:
    """The axis of largest curvature of the control values, relative to the diagonal entries of the matrix.

    Only every second value along the other axes is read: any choice is sound, and the result seldom changes.
    """
    rows, columns = np.triu_indices(n)
    coarse = box[:, *(slice(None, None, 2),) * (box.ndim - 1)].reshape(len(box), -1)
    diagonal = np.sqrt(np.abs(coarse[rows == columns]).max(axis=1) + 1e-300)
    size = diagonal[rows] * diagonal[columns]
    bends = []
    for axis in range(1, box.ndim):
        part = box[:, *(slice(None) if k == axis else slice(None, None, 2) for k in range(1, box.ndim))]
        bend = np.abs(np.diff(part, min(2, box.shape[axis] - 1), axis=axis)).reshape(len(box), -1).max(axis=1)
        bends.append(float((bend / size).max()))
    return 1 + int(np.argmax(bends))


def _is_positive(entries: Array, off: float, n: int) -> bool:
    """Whether all matrices (upper triangle, points) are positive definite with their diagonals reduced by `off`."""
    places = {pair: k for k, pair in enumerate(zip(*(index.tolist() for index in np.triu_indices(n)), strict=True))}
    a = {pair: entries[k] - off if pair[0] == pair[1] else entries[k] for pair, k in places.items()}
    for k in reversed(range(n)):  # from the tip: wrists are lightest, and fail first
        pivot = a[k, k]
        if not np.all(pivot > off):
            return False
        for j in range(k):
            factor = a[j, k] / pivot
            for i in range(j + 1):
                a[i, j] = a[i, j] - a[i, k] * factor
    return True


def is_near_enough(robot: Robot, mass_matrix: Function, lower: Sequence[float], upper: Sequence[float]) -> bool:
    """Whether (7)-(9) prove M (n, n) of a program q -> M positive definite for positions in `lower`, `upper` (n,)."""
    pivots = articulated_inertia_lower_bound(robot, [0.0] * robot.n)
    own = trace("mass_matrix", lambda q: {"M": own_mass_matrix(robot, q)}, {"q": (robot.n,)})
    both = [polynomial_degrees(robot, program) for program in (mass_matrix, own)] if pivots is not None else []
    if pivots is None or None in both:
        return False
    highest = [max(pair) for pair in zip(*(degrees for degrees in both if degrees is not None), strict=True)]
    error = mass_matrix_table(robot, mass_matrix, highest, less=own)
    if error is None:
        return False
    e = _largest(error, robot.n, [max(abs(low), abs(high)) for low, high in zip(lower, upper, strict=True)])
    v = 1.0 / np.sqrt(pivots)
    return exceeds_diagonal(robot, _STRICTLY * (e @ v) / v)


def _largest(error: MassMatrixTable, n: int, reach: Sequence[float]) -> Array:
    """(7), (n, n), with displacements of at most `reach` (n,)."""
    e = np.zeros((n, n))
    far = [reach[j] for j in error.joints]
    e[np.triu_indices(n)] = [amplitudes_within(entry, error.variables, far) + error.off for entry in error.entries]
    return np.maximum(e, e.T)


def least_inertia(
    robot: Robot, program: Function, motions: MotionBox, *, precision: Precision = Precision.DOUBLE, budget: Budget
) -> tuple[float, ...]:
    """m (n,) with M - diag(m) proven positive definite in the box; empty where it is not, or the budget is exceeded."""
    lower, upper = np.array(motions.lower), np.array(motions.upper)
    positions = lower + (upper - lower) * np.random.default_rng(1).uniform(size=(_SAMPLES, robot.n))
    M = torque_rows(program, positions)[:, :, : robot.n]
    M = 0.5 * (M + M.transpose(0, 2, 1))
    diagonal = np.diagonal(M, axis1=1, axis2=2).min(axis=0)
    if not np.all(diagonal > 0.0):
        return ()
    least = float(np.linalg.eigvalsh(M / np.sqrt(np.outer(diagonal, diagonal)))[:, 0].min())
    claimed = tuple(float(x) for x in _PART * least * diagonal)
    turns = tuple(each.turns for each in robot.coordinates)
    box = Box(motions.lower, motions.upper, motions.velocity, motions.acceleration)
    try:
        with one_thread():
            own = program_of(function_to_dict(program))
            kind = PRECISIONS[precision.value]
            check_positive_mass(own, turns, box, claimed, kind, lambda _: budget.check(), _MOST_VALUES)
    except (RefusedError, TimeLimitError):
        return ()
    return claimed
