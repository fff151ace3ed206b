"""Whether x' M(q) x > 0 for all x and all positions of a box: shown by Bernstein control matrices, or not shown.

M may be unsymmetric, as that of a simplified program is; only its symmetric part S counts.

(1)  M is a trigonometric polynomial of known degrees (:mod:`torquec.proof.checker.modular_degree`), so its values on a
     grid determine its table, and on a box S(q) is a weighted mean of control matrices with positive weights
     (:mod:`torquec.proof.bernstein`, (2))
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

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import coefficient_table, grid
from torquec.errors import CheckError
from torquec.expr import Function, evaluate, trace
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.proof.bernstein import Range, along, halves, numerator_matrix, root_ranges
from torquec.proof.checker.modular_degree import exact_degrees
from torquec.proof.checker.program_form import check_program
from torquec.robot.robot import Robot

_MOST_ENTRIES = 2_500_000_000
"""Entries of control matrices that are looked at before giving up: about half a minute, whatever the joints."""

_MOST_POINTS = 200_000
"""Control matrices of one box: six joints of degree two, and one of three, have 109,375."""

_ROUNDING = 1e-10
"""Taken off every diagonal, as a part of the largest sum of magnitudes of an entry's table: a thousand times what the
rounding of grid values, tables, control values and halvings adds up to."""


def is_positive_everywhere(
    robot: Robot, mass_matrix: Function, lower: Sequence[float], upper: Sequence[float], *, most: int = _MOST_ENTRIES
) -> bool:
    """(1)-(4) for a program q -> M (n, n); False where it is not so, is not shown, or M is no such polynomial.

    `most`: how many entries of control matrices may be looked at.
    """
    sliding = tuple(joint.type.is_prismatic for joint in robot.joints)
    torque = _torque(robot.n, mass_matrix)
    try:
        check_program(robot, torque)
        degrees = exact_degrees(torque, sliding, seed=robot.content_hash)
    except CheckError:
        return False
    joints = [j for j, degree in enumerate(degrees) if degree]
    variables = [Variable(((j, 1),), sliding[j]) for j in joints]
    sizes = [degrees[j] + 1 if sliding[j] else 2 * degrees[j] + 1 for j in joints]
    if math.prod(sizes) > _MOST_POINTS:
        return False
    table, off = _table(mass_matrix, variables, [degrees[j] for j in joints], robot.n)
    ranges = [Range(variable, lower[j], upper[j]) for variable, j in zip(variables, joints, strict=True)]
    left = most
    for numerators, largest_weight in _roots(table, ranges, [degrees[j] for j in joints]):
        left = _shown(numerators, off * largest_weight, robot.n, left)
        if left < 0:
            return False
    return True


def _torque(n: int, mass_matrix: Function) -> Function:
    def algorithm(q: Array, qd: Array, qdd: Array) -> dict[str, list[object]]:  # noqa: ARG001 - a torque's inputs
        M = replay(mass_matrix, {"q": q})["M"]
        return {"tau": [sum(m * a for m, a in zip(row, qdd, strict=True)) for row in M]}

    return trace("torque", algorithm, dict.fromkeys(("q", "qd", "qdd"), (n,)))


def _table(mass_matrix: Function, variables: Sequence[Variable], degrees: Sequence[int], n: int) -> tuple[Array, float]:
    """The entries of S, upper triangle by rows, on the product basis (1); and what every diagonal may be off by."""
    M = evaluate(mass_matrix, {"q": grid(variables, n, degrees)})["M"]
    S = 0.5 * (M + M.transpose(0, 2, 1))
    upper = S[:, *np.triu_indices(n)]
    table = np.moveaxis(coefficient_table(variables, upper, degrees), -1, 0)
    largest = float(np.abs(table).reshape(len(table), -1).sum(axis=1).max())
    return np.ascontiguousarray(table), _ROUNDING * n * largest


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
