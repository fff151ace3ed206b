"""A linear system under inputs that are held between samples.

(1)  x(t + h) = Phi x + Psi u,    Phi = exp(A h),    Psi = integral of exp(A s) B ds, 0 .. h           Clover III (33)
(2)  both stand in the exponential of [[A, B], [0, 0]] h, which is scaled down by a power of two, summed as a series
     and squared up again
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from torquec.foundation.arrays import Array

_TERMS = 20
"""With a norm below one half, the rest of the series is far below rounding."""


def zero_order_hold(A: npt.ArrayLike, B: npt.ArrayLike, period: float) -> tuple[Array, Array]:
    """Phi (N, N) and Psi (N, m) of (1) for A (N, N), B (N, m) and the sampling interval [s].

    >>> Phi, Psi = zero_order_hold([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], 0.5)
    >>> Phi.tolist(), Psi.tolist()
    ([[1.0, 0.5], [0.0, 1.0]], [[0.125], [0.5]])
    """
    a, b = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    size, inputs = b.shape
    block = np.zeros((size + inputs, size + inputs))
    block[:size, :size], block[:size, size:] = a, b
    whole = matrix_exponential(block * period)
    return whole[:size, :size], whole[:size, size:]


def matrix_exponential(matrix: Array) -> Array:
    """exp of a square matrix (2)."""
    norm = float(np.abs(matrix).sum(axis=1).max(initial=0.0))
    halvings = max(0, math.ceil(math.log2(norm)) + 1) if norm > 0.0 else 0
    small = matrix / 2.0**halvings
    total = term = np.eye(len(matrix))
    for k in range(1, _TERMS):
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total
