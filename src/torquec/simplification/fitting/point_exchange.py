"""Chebyshev fits on points by exchange: the simplex method on the weights of m + 1 points (Stiefel, Remez).

(1)  A basis is m + 1 points with signs; weights x >= 0 with  sum_k s_k x_k A_k = 0,  sum_k x_k = 1  belong to it, and
     coefficients a with a level h:  s_k (b_k - A_k a) = h  at its points
(2)  the point with the largest error enters; the point that leaves is the one that keeps the weights positive. The
     level never falls, and is a lower bound of the best fit's error at every step
(3)  it begins with one point and m pseudo-points |a_i| <= 1000, which leave as points enter; if one stays, the points
     do not determine a_i
(4)  or it begins with the basis of a related fit: with the same columns on fewer points it is a basis as it is; with
     one column more, a point can be taken out of it; with one column less, a pseudo-point completes it

Units are such that the columns of A and b have a largest element of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.simplification.tuning import TUNING

_PSEUDO = -1  # the number that stands for no point


@dataclass(frozen=True)
class Support:
    """The basis of a fit: `points` (m + 1,) index the rows of A, with their signs and weights (1)."""

    points: Indices
    signs: Array
    weights: Array


@dataclass(frozen=True)
class Exchange:
    """Where the exchange ended: coefficients (m,), signed weights (N,), the level, and the basis if it is all points.

    `finished` is False where it ended early because the level rose above what was asked for.
    """

    coefficients: Array
    weights: Array
    level: float
    support: Support | None
    finished: bool


@dataclass
class _Basis:
    """Columns [s A_k; 1], their prices (s b_k), points and signs, and the right side of their weights."""

    matrix: Array
    worth: Array
    member: Indices
    signs: Array
    right: Array


def exchanged(A: Array, b: Array, *, start: Support | None = None, reject: float = np.inf) -> Exchange | None:
    """The best fit of b (N,) by the columns of A (N, m) on all points; None where the exchange does not end.

    `start` is the support of a related fit (4), a new column being the last of A. It ends early once more than `reject`
    is proven necessary.
    """
    n, m = A.shape
    refactor = max(TUNING.exchanges_per_inverse, m)
    exact = np.zeros(m + 1)
    exact[m] = 1.0
    column = np.ones(m + 1)
    try:
        basis = (_related(A, b, start) if start is not None else None) or _first(A, b)
        inverse = _inverse(basis.matrix)
        for step in range(100 + 50 * m):
            if step % refactor == refactor - 1:
                inverse = _inverse(basis.matrix)
            price = basis.worth @ inverse
            error = b - A @ price[:m]
            enter = int(np.abs(error).argmax())
            finished = abs(error[enter]) <= price[m] * (1.0 + 1e-10) + 1e-13
            if finished or price[m] > reject:
                return _ended(n, price, inverse @ exact, basis, finished=finished)
            s = 1.0 if error[enter] >= 0.0 else -1.0
            column[:m] = s * A[enter]
            d = inverse @ column
            leave = _leaving(inverse @ basis.right, d, basis.member)
            if leave is None:
                return None
            basis.matrix[:, leave] = column
            basis.worth[leave] = s * b[enter]
            basis.member[leave], basis.signs[leave] = enter, s
            row = inverse[leave] / d[leave]
            inverse -= d[:, None] * row
            inverse[leave] = row
    except np.linalg.LinAlgError:
        return None
    return None


def _inverse(matrix: Array) -> Array:
    inverse: Array = np.linalg.inv(matrix).astype(np.float64, copy=False)
    return inverse


def _leaving(x: Array, d: Array, member: Indices) -> int | None:
    """Which column leaves (2): among ties the largest pivot, pseudo-points first."""
    able = np.flatnonzero(d > TUNING.smallest_pivot)
    if not len(able):
        return None
    ratio = np.maximum(x[able], 0.0) / d[able]
    tied = able[ratio <= ratio.min() * (1.0 + 1e-9)]
    return int(tied[np.argmax(d[tied] + TUNING.pseudo_point_distance * (member[tied] == _PSEUDO))])


def _ended(n: int, price: Array, x: Array, basis: _Basis, *, finished: bool) -> Exchange:
    m = len(price) - 1
    real = basis.member != _PSEUDO
    weights = np.zeros(n)
    np.add.at(weights, basis.member[real], basis.signs[real] * x[real])
    support = Support(basis.member, basis.signs, np.maximum(x, 0.0)) if np.all(real) else None
    return Exchange(price[:m], weights, float(price[m]), support, finished)


def _first(A: Array, b: Array) -> _Basis:
    """The basis (3) of one point and pseudo-points."""
    point = int(np.argmax(np.abs(b)))
    sign = 1.0 if b[point] >= 0.0 else -1.0
    only = Support(np.array([point], dtype=np.intp), np.array([sign]), np.ones(1))
    return _completed(A, b, only, range(A.shape[1]))


def _related(A: Array, b: Array, start: Support) -> _Basis | None:
    """The basis (4) from the support of a related fit; None where it does not fit."""
    m = A.shape[1]
    surplus = len(start.points) - (m + 1)
    if surplus == 1:
        start = _without_one(A, b, start)
    elif surplus not in (0, -1):
        return None
    return _completed(A, b, start, (m - 1,) if surplus == -1 else ())


def _without_one(A: Array, b: Array, start: Support) -> Support:
    """A support reduced by one point: its weights are moved in the ascent direction until the first is zero."""
    rows = np.vstack([(start.signs[:, None] * A[start.points]).T, np.ones(len(start.points))])
    # One weight more than there are rows: the null space of the rows has one direction.
    direction = np.append(np.linalg.solve(rows[:, :-1], -rows[:, -1]), 1.0)
    direction /= np.abs(direction).max()
    if direction @ (start.signs * b[start.points]) > 0.0:
        direction = -direction
    falls = np.flatnonzero(direction > TUNING.smallest_pivot)
    steps = start.weights[falls] / direction[falls]
    first = int(falls[np.argmin(steps)])
    moved = start.weights - steps.min() * direction
    keep = np.arange(len(moved)) != first
    return Support(start.points[keep], start.signs[keep], np.maximum(moved[keep], 0.0))


def _completed(A: Array, b: Array, start: Support, pseudo: Sequence[int]) -> _Basis:
    """A basis of points, and of pseudo-points for the columns that the points do not hold in balance."""
    m, count = A.shape[1], len(start.points)
    matrix = np.zeros((m + 1, m + 1))
    matrix[m] = 1.0
    matrix[:m, :count] = (start.signs[:, None] * A[start.points]).T
    surplus = matrix[:m, :count] @ start.weights
    x = np.concatenate([start.weights, np.abs(surplus[list(pseudo)])])
    signs = np.concatenate([start.signs, np.where(surplus[list(pseudo)] > 0.0, -1.0, 1.0)])
    matrix[list(pseudo), np.arange(count, m + 1)] = signs[count:]
    worth = np.concatenate([start.signs * b[start.points], np.full(len(pseudo), -TUNING.pseudo_point_distance)])
    member = np.concatenate([start.points, np.full(len(pseudo), _PSEUDO)])
    # Strictly positive weights prevent cycling.
    nudged = x / x.sum() + TUNING.weight_perturbation * (1.0 + np.mod(0.618 * np.arange(1, m + 2), 1.0))
    return _Basis(matrix, worth, member, signs, matrix @ nudged)
