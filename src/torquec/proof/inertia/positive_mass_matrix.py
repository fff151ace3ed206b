"""Whether x' M(q) x > 0 for all x and all positions of a box: shown by Bernstein control matrices, or not shown.

M may be unsymmetric, as that of a simplified program is; only its symmetric part S counts.

(1)  S is a trigonometric polynomial with a table (`mass_matrix_table`), and on a box a weighted mean
     of control matrices with positive weights (:mod:`torquec.proof.enclosure.bernstein`, (2))
(2)  positive definite matrices are a convex cone: where all control matrices are positive definite, S(q) is
(3)  control matrices at the corners of a box are attained: where one is not positive definite, neither is S there
(4)  where S is positive definite, so are those of all trailing blocks of M: elimination from the tips, no rows
     exchanged (:mod:`torquec.dynamics.general_solve`), meets no zero

A box that is not shown is halved along the joint in which its control matrices bend most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.bernstein import Range, along, halves, numerator_matrix, root_ranges
from torquec.proof.inertia.mass_matrix_table import mass_matrix_table, polynomial_degrees
from torquec.robot.robot import Robot

_MOST_ENTRIES = 2_500_000_000
"""Entries of control matrices that are looked at before giving up: about half a minute, whatever the joints."""


def is_positive_everywhere(
    robot: Robot, mass_matrix: Function, lower: Sequence[float], upper: Sequence[float], *, most: int = _MOST_ENTRIES
) -> bool:
    """(1)-(4) for a program q -> M (n, n); False where it is not so, is not shown, or M is no such polynomial.

    `most`: how many entries of control matrices may be looked at.
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
    """Numerators of every root box, and the largest weight that they are multiplied with."""
    for pieces in itertools.product(*root_ranges(ranges)):
        numerators, weight = table, 1.0
        for axis, (piece, degree) in enumerate(zip(pieces, degrees, strict=True), start=1):
            matrix, denominator = numerator_matrix(piece, degree)
            numerators = along(matrix, numerators, axis)
            weight *= float(denominator.max())
        yield numerators, weight


def _shown(root: Array, off: float, n: int, left: int) -> int:
    """What is left of the budget after all of a root box was shown; negative where it was not."""
    waiting = [root]
    while waiting:
        box = waiting.pop()
        left -= box.size
        if left < 0 or not _is_positive(_corners(box), off, n):  # (3)
            return -1
        if _is_positive(box.reshape(len(box), -1), off, n):
            continue
        if box.ndim == 1:
            return -1
        axis = _most_bent(box, n)
        waiting += [_half(matrix, box, axis) for matrix in halves(box.shape[axis])]
    return left


def _half(matrix: Array, box: Array, axis: int) -> Array:
    """The control values of a half, contiguous: what follows goes through them entry by entry."""
    before = math.prod(box.shape[:axis])
    half: Array = np.matmul(matrix, box.reshape(before, box.shape[axis], -1)).reshape(box.shape)
    return half


def _corners(box: Array) -> Array:
    for axis in range(1, box.ndim):
        box = np.take(box, (0, -1), axis=axis)
    return box.reshape(len(box), -1)


def _most_bent(box: Array, n: int) -> int:
    """The axis along which control values, in parts of the diagonals that they stand beside, bend most.

    Of the other axes every second value is looked at: any choice is sound, and this one is seldom another.
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
    """Whether all matrices (upper triangle, points) are positive definite with `off` taken off their diagonals."""
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
