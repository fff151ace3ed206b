"""Solving A x = y for a matrix that need not be symmetric, from the tips: A = U D L keeps the zeros between branches.

(1)  for k = n-1 .. 0:   u_ik = A_ik / A_kk,   A_ij -= u_ik A_kj   (i, j < k, only where neither factor is zero)
(2)  x = L^-1 D^-1 U^-1 y,   U unit upper triangle, L unit lower triangle with l_kj = A_kj / A_kk

The order is that of :mod:`torquec.dynamics.joint_space_solve`, which needs half the operations where A is symmetric. No
rows are exchanged: every trailing block of A must have an inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.joint_space_solve import is_zero
from torquec.spatial import Scalar


@dataclass(frozen=True)
class GeneralFactors:
    """U (entries above the diagonal, by column), 1/D, and D L (entries left of the diagonal, by row)."""

    upper: tuple[dict[int, Scalar], ...]
    inverse_diagonal: tuple[Scalar, ...]
    lower: tuple[dict[int, Scalar], ...]


def general_factorize(matrix: Sequence[Sequence[Scalar]]) -> GeneralFactors:
    """The factors of A (n, n) (1)."""
    n = len(matrix)
    a = [[matrix[i][j] for j in range(n)] for i in range(n)]
    upper: list[dict[int, Scalar]] = [{} for _ in range(n)]
    lower: list[dict[int, Scalar]] = [{} for _ in range(n)]
    inverse: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        inverse[k] = 1 / a[k][k]  # the integer, so that fractions stay exact
        lower[k] = {j: a[k][j] for j in range(k) if not is_zero(a[k][j])}
        for i in range(k):
            if is_zero(a[i][k]):
                continue
            u = a[i][k] * inverse[k]
            upper[k][i] = u
            for j, value in lower[k].items():
                a[i][j] = a[i][j] - u * value
    return GeneralFactors(tuple(upper), tuple(inverse), tuple(lower))


def general_solve(factors: GeneralFactors, y: Sequence[Scalar]) -> list[Scalar]:
    """x (n,) of A x = y (2)."""
    x = list(y)
    for k in reversed(range(len(x))):
        if is_zero(x[k]):
            continue
        for i, u in factors.upper[k].items():
            x[i] = x[i] - u * x[k]
    for k in range(len(x)):
        for j, value in factors.lower[k].items():
            if not is_zero(x[j]):
                x[k] = x[k] - value * x[j]
        x[k] = x[k] * factors.inverse_diagonal[k]
    return x
