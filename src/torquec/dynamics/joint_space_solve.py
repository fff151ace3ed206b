"""Sparse joint-space factorization and solve, tips to base, zeros between branches kept: M = L' D L, A = U D L.

Symmetric M (Featherstone 2008, 6.5):

(1)  for k = n-1 .. 0:   a = H_ki / H_kk,   H_ij -= a H_kj   (i, j < k, only where H_ki is not zero)
(2)  x = L^-1 D^-1 L'^-1 y

Many right-hand sides on a branched tree: L^-1 =: W has the zeros of L, so two branches couple only through their common
ancestors, such as the six rates of a floating base:

(5)  W_kj = -(L_kj + sum over i of L_ki W_ij),   x_k = y'_k + sum of W_ki y'_i where y' = D^-1 L'^-1 y is not zero
(6)  M^-1_ij = sum over common ancestors k of W_ik W_jk / D_k

General A, at twice the operations and without pivoting: every trailing block of A must be nonsingular.

(3)  for k = n-1 .. 0:   u_ik = A_ik / A_kk,   A_ij -= u_ik A_kj   (i, j < k, only where neither factor is zero)
(4)  x = L^-1 D^-1 U^-1 y,   U unit upper triangle, L unit lower triangle with l_kj = A_kj / A_kk
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.graph import is_zero
from torquec.spatial import Scalar


@dataclass(frozen=True)
class Factors:
    """L (unit lower triangle, entries below the diagonal that are not zero) and 1/D."""

    lower: tuple[dict[int, Scalar], ...]
    inverse_diagonal: tuple[Scalar, ...]


def factorize(matrix: Sequence[Sequence[Scalar]]) -> Factors:
    """Factors L and 1/D of a symmetric M = L' D L (1)."""
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
    """Solution x of M x = y (2)."""
    x = _from_tips(factors, y)
    for k in range(len(x)):
        for i, a in factors.lower[k].items():
            if not is_zero(x[i]):
                x[k] = x[k] - a * x[i]
    return x


def _from_tips(factors: Factors, y: Sequence[Scalar]) -> list[Scalar]:
    """D^-1 L'^-1 y."""
    x = list(y)
    for k in reversed(range(len(x))):
        if is_zero(x[k]):
            continue
        for i, a in factors.lower[k].items():
            x[i] = x[i] - a * x[k]
    return [value * inverse for value, inverse in zip(x, factors.inverse_diagonal, strict=True)]


@dataclass(frozen=True)
class BranchedInverse:
    """M^-1 by W = L^-1 (5): cheaper than `solve` for many right-hand sides where branches share a base."""

    factors: Factors
    rows: tuple[dict[int, Scalar], ...]

    @staticmethod
    def of(factors: Factors) -> BranchedInverse:
        """W of (5), its entries below the diagonal."""
        rows: list[dict[int, Scalar]] = []
        for lower in factors.lower:
            row: dict[int, Scalar] = {}
            for j in sorted(set(lower).union(*(rows[i] for i in lower))):
                total = lower.get(j, 0)
                for i, a in lower.items():
                    if j in rows[i]:
                        total = total + a * rows[i][j]
                row[j] = -total
            rows.append(row)
        return BranchedInverse(factors, tuple(rows))

    def solve(self, y: Sequence[Scalar]) -> list[Scalar]:
        """Solution x of M x = y (5)."""
        start = _from_tips(self.factors, y)
        x = list(start)
        for k, row in enumerate(self.rows):
            for i, a in row.items():
                if not is_zero(start[i]):
                    x[k] = x[k] + a * start[i]
        return x

    def matrix(self) -> list[list[Scalar]]:
        """The inverse M^-1, (n, n), by (6)."""
        n = len(self.rows)
        whole: list[dict[int, Scalar]] = [{**row, k: 1} for k, row in enumerate(self.rows)]
        scaled = [{k: a * self.factors.inverse_diagonal[k] for k, a in row.items()} for row in whole]
        found: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                total: Scalar = 0
                for k in sorted(whole[j].keys() & scaled[i].keys()):
                    total = total + scaled[i][k] * whole[j][k]
                found[i][j] = found[j][i] = total
        return found


@dataclass(frozen=True)
class GeneralFactors:
    """U (entries above the diagonal, by column), 1/D, and D L (entries left of the diagonal, by row)."""

    upper: tuple[dict[int, Scalar], ...]
    inverse_diagonal: tuple[Scalar, ...]
    lower: tuple[dict[int, Scalar], ...]


def general_factorize(matrix: Sequence[Sequence[Scalar]]) -> GeneralFactors:
    """The factors of A (n, n) (3)."""
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
    """Solution x (n,) of A x = y (4)."""
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
