"""Chebyshev fits on points by exchange: the simplex method on the weights of m + 1 points (Stiefel, Remez).

(1)  A basis is m + 1 points with signs; weights x >= 0 with  sum_k s_k x_k A_k = 0,  sum_k x_k = 1  belong to it, and
     coefficients a with a level h:  s_k (b_k - A_k a) = h  at its points
(2)  the point with the largest error enters; the point that leaves is the one that keeps the weights positive
(3)  it begins with one point and m pseudo-points |a_i| <= 1000, which leave as points enter; one that stays says that
     the points do not determine a_i

Units are such that the columns of A and b have a largest element of one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from torquec.reduction.compiled_terms import Floats

_FAR = 1e3
_NUDGE = 1e-10
_REFACTOR = 40
_PIVOT = 1e-9


def exchanged(A: Floats, b: Floats) -> tuple[Floats, Floats] | None:
    """Coefficients (m,) and signed weights (N,) of the best fit of b (N,) by A (N, m); None if it does not end."""
    n, m = A.shape
    first = int(np.argmax(np.abs(b)))
    sign = 1.0 if b[first] >= 0.0 else -1.0
    # Basis columns [s A_k; 1] and what they are worth, s b_k; pseudo-points are worth -_FAR.
    basis = np.zeros((m + 1, m + 1))
    basis[m] = 1.0
    basis[:m, m] = sign * A[first]
    basis[np.arange(m), np.arange(m)] = np.where(basis[:m, m] > 0.0, -1.0, 1.0)
    worth = np.full(m + 1, -_FAR)
    worth[m] = sign * b[first]
    member = np.full(m + 1, -1)
    member[m] = first
    # Weights that are all a little positive cannot make it go in circles.
    exact = np.zeros(m + 1)
    exact[m] = 1.0
    right = exact.copy()
    right[:m] = np.diag(basis)[:m] * _NUDGE * (1.0 + np.mod(0.618 * np.arange(1, m + 1), 1.0))
    inverse = np.linalg.inv(basis)
    column = np.ones(m + 1)
    for step in range(60 + 12 * m):
        if step % _REFACTOR == _REFACTOR - 1:
            try:
                inverse = np.linalg.inv(basis)
            except np.linalg.LinAlgError:
                return None
        x = inverse @ right
        price = worth @ inverse
        error = b - A @ price[:m]
        enter = int(np.argmax(np.abs(error)))
        if abs(error[enter]) <= price[m] * (1.0 + 1e-12) + 1e-14:
            return price[:m], _signed_weights(n, m, member, basis, A, inverse @ exact)
        s = 1.0 if error[enter] >= 0.0 else -1.0
        column[:m] = s * A[enter]
        d = inverse @ column
        able = np.flatnonzero(d > _PIVOT)
        if not len(able):
            return None
        ratio = np.maximum(x[able], 0.0) / d[able]
        least = ratio.min()
        # Among ties the largest pivot leaves, pseudo-points first.
        tied = able[ratio <= least * (1.0 + 1e-9)]
        leave = int(tied[np.argmax(d[tied] + _FAR * (member[tied] < 0))])
        basis[:, leave] = column
        worth[leave] = s * b[enter]
        member[leave] = enter
        row = inverse[leave] / d[leave]
        inverse -= np.outer(d, row)
        inverse[leave] = row
    return None


def _signed_weights(n: int, m: int, member: npt.NDArray[np.intp], basis: Floats, A: Floats, x: Floats) -> Floats:
    """The weights of (1) with their signs, for all points."""
    weights = np.zeros(n)
    for k in range(m + 1):
        if member[k] >= 0:
            row = A[member[k]]
            at = int(np.argmax(np.abs(row)))
            weights[member[k]] += x[k] if basis[at, k] * row[at] >= 0.0 else -x[k]
    return weights
