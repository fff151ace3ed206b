"""Bounds of the solutions of linear systems whose entries are only known to lie between ends: a verified inverse.

For every matrix M and right side d of the enclosures M x = d, and with any matrix R (the inverse of the middle):

(1)  x = R d + (1 - R M) x,  so that  |x| <= c + D |x|,   c >= |R d|,   D >= |1 - R M|
(2)  a vector y > 0 with  c + D y <= y  and  D y < y  proves that every M is regular (the spectral radius of D is below
     one) and that |x| <= y, since |x| - y <= D (|x| - y) <= D^2 (|x| - y) <= ...
(3)  products of n numbers are off by at most  2 (n + 2) eps  of the product of magnitudes, which c and D hold too

Rump, Verification methods: rigorous results using floating-point arithmetic, Acta Numerica (2010), sections 10.1, 10.5.
"""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Array, Mask

_EPSILON = float(np.finfo(np.float64).eps)
_LEAST = 1e-150
"""Keeps y positive where nothing acts, and is far above what underflows."""

_ROUNDS = 6  # of a contraction by more than half; what is left is covered by the inflation
_INFLATION = 1.01
"""How much larger than its last iterate y is tried: the iteration comes from below."""


def solution_bound(lower: Array, upper: Array, right_lower: Array, right_upper: Array) -> Array:
    """Bounds (N, n) of |x| for M between `lower` and `upper` (N, n, n), d between `right_lower`, `right_upper` (N, n).

    Infinite where no proof was found: the enclosures are too wide, or hold a singular matrix.

    >>> one = np.eye(1)[None]
    >>> solution_bound(2.0 * one, 4.0 * one, -one[0], one[0]).round(6).tolist()  # x = d/M with |d| <= 1, 2 <= M <= 4
    [[0.50159]]
    >>> solution_bound(-1.0 * one, 4.0 * one, -one[0], one[0]).tolist()
    [[inf]]
    """
    n = lower.shape[-1]
    found = np.full(right_lower.shape, np.inf)
    middle, radius = _centred(lower, upper)
    right, spread = _centred(right_lower, right_upper)
    finite = np.isfinite(middle) & np.isfinite(radius) & np.isfinite(right + spread)[..., None]
    usable: Mask = np.all(finite, axis=(1, 2))
    middle = np.where(usable[:, None, None], middle, np.eye(n))
    right, spread = np.where(usable[:, None], right, 0.0), np.where(usable[:, None], spread, 0.0)
    with np.errstate(all="ignore"):
        R, regular = approximate_inverses(middle)
        usable &= regular
        D = defect(R, middle) + (1.0 + rounding(n)) * (np.abs(R) @ radius)
        c = magnitudes(R, right[..., None], spread[..., None])[..., 0]
    found[usable] = verified_bound(D, c)[usable]
    return found


def rounding(n: int) -> float:
    """(3): what a product of n numbers may be off by, as a part of the product of magnitudes."""
    return 2.0 * (n + 2) * _EPSILON


def defect(R: Array, M: Array) -> Array:
    """At least |1 - R M|, (N, n, n)."""
    n = M.shape[-1]
    found: Array = np.abs(np.eye(n) - R @ M) + rounding(n) * (np.abs(R) @ np.abs(M) + np.eye(n))
    return found


def magnitudes(R: Array, middle: Array, radius: Array) -> Array:
    """At least |R A| for all A with these middles and radii, (N, n, m)."""
    step = rounding(R.shape[-1])
    size = np.abs(R)
    found: Array = np.abs(R @ middle) + (1.0 + step) * (size @ radius) + step * (size @ np.abs(middle))
    return found


def verified_bound(D: Array, c: Array, *, rounds: int = _ROUNDS) -> Array:
    """(2): bounds (N, n) of |x| from D (N, n, n) and c (N, n), y by so many rounds; infinite where no y was found."""
    step = rounding(c.shape[-1])
    with np.errstate(all="ignore"):
        c = (1.0 + step) * c + _LEAST
        y = c
        for _ in range(rounds):
            y = c + _product(D, y)
        y = _INFLATION * y
        # Once more from above: where y bounds |x|, so does c + D y, which is smaller.
        better = (c + _product(D, y)) * (1.0 + step)
        proven = np.all(better <= y, axis=1) & np.all(_product(D, y) * (1.0 + step) < y, axis=1)
    return np.where(proven[:, None], better, np.inf)


def _centred(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Middles and radii whose intervals hold the enclosures."""
    with np.errstate(invalid="ignore"):  # of infinite ends, which give no bound
        middle = 0.5 * (lower + upper)
        radius = np.maximum(upper - middle, middle - lower) * (1.0 + 2.0 * _EPSILON) + _LEAST
    return middle, radius


def approximate_inverses(matrices: Array) -> tuple[Array, Mask]:
    """Approximate inverses, and where there are any."""
    try:
        inverse = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(matrices)
    regular: Mask = np.all(np.isfinite(inverse), axis=(1, 2))
    return np.where(regular[:, None, None], inverse, 0.0), regular


def _product(matrices: Array, vectors: Array) -> Array:
    product: Array = (matrices @ vectors[..., None])[..., 0]
    return product
