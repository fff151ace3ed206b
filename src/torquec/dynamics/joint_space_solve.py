"""Solving M x = y for a joint-space mass matrix, from the tips: M = L' D L keeps the zeros between branches.

(1)  for k = n-1 .. 0:   a = H_ki / H_kk,   H_ij -= a H_kj   (i, j < k, only where H_ki is not zero)   Featherstone
     (2008), 6.5
(2)  x = L^-1 D^-1 L'^-1 y
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.spatial import Scalar


@dataclass(frozen=True)
class Factors:
    """L (unit lower triangle, entries below the diagonal that are not zero) and 1/D."""

    lower: tuple[dict[int, Scalar], ...]
    inverse_diagonal: tuple[Scalar, ...]


def factorize(matrix: Sequence[Sequence[Scalar]]) -> Factors:
    """L and 1/D of M = L' D L (1)."""
    n = len(matrix)
    h = [[matrix[i][j] for j in range(n)] for i in range(n)]
    lower: list[dict[int, Scalar]] = [{} for _ in range(n)]
    inverse: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        inverse[k] = 1 / h[k][k]  # the integer, so that fractions stay exact
        filled = [i for i in range(k) if not is_zero(h[k][i])]
        for i in filled:
            a = h[k][i] * inverse[k]
            lower[k][i] = a
            for j in filled:
                if j <= i:
                    h[i][j] = h[i][j] - a * h[k][j]
    return Factors(tuple(lower), tuple(inverse))


def solve(factors: Factors, y: Sequence[Scalar]) -> list[Scalar]:
    """x of M x = y (2)."""
    n = len(y)
    x = list(y)
    for k in reversed(range(n)):
        if is_zero(x[k]):
            continue
        for i, a in factors.lower[k].items():
            x[i] = x[i] - a * x[k]
    x = [value * inverse for value, inverse in zip(x, factors.inverse_diagonal, strict=True)]
    for k in range(n):
        for i, a in factors.lower[k].items():
            if not is_zero(x[i]):
                x[k] = x[k] - a * x[i]
    return x


def is_zero(value: Scalar) -> bool:
    """True for the number zero, False for every other scalar, a traced or batched one too."""
    if isinstance(value, (float, int)):
        return value == 0.0
    return getattr(value, "op", None) == "const" and value.value == 0.0
