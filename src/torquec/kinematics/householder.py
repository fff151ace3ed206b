"""Householder reflections over any scalar: determinant, null vector and left null space of small matrices.

(1)  u_k makes column k triangular:  column - u (u . column),   |u|^2 = 2
(2)  det A = product of the diagonal, up to the constant sign of the reflections
(3)  inverse iteration with R'R = A'A: the unit vector x with the smallest |A x|

Without pivoting and without branches: one straight-line program serves all matrices of a size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torquec.expr.math import absolute, select, sqrt
from torquec.kinematics.angle import over
from torquec.kinematics.line_parts import inner, sum_of_terms
from torquec.spatial import Scalar

_LEAST_SQUARE = 1e-290  # keeps a zero column from dividing by zero
_LEAST_PIVOT = 1e-16  # of matrices of order 1: rounding
_ITERATIONS = 2  # of (3), from a root that is known to many digits


def determinant(matrix: Sequence[Sequence[Scalar]]) -> Scalar:
    """Determinant (2) of a square matrix, up to its sign."""
    found: Any = 1.0
    for k, column in enumerate(_triangular(matrix)[1]):
        found = found * column[k]
    return found


def null_vector(matrix: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """Null vector (3), of length 1, of a square matrix that is singular up to rounding."""
    R = _triangular(matrix)[1]
    n = len(R)
    pivots = [select(absolute(R[k][k]) - _LEAST_PIVOT, R[k][k], _LEAST_PIVOT) for k in range(n)]
    x: list[Scalar] = [1.0 + 0.1 * k for k in range(n)]
    for _ in range(_ITERATIONS):
        for k in range(n):  # R' y = x
            x[k] = over(x[k] - sum_of_terms(R[k][i] * x[i] for i in range(k)), pivots[k])
        for k in reversed(range(n)):  # R x = y
            x[k] = over(x[k] - sum_of_terms(R[i][k] * x[i] for i in range(k + 1, n)), pivots[k])
        size = over(1.0, sqrt(inner(x, x)))
        x = [value * size for value in x]
    return x


def left_null_rows(rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """m - n orthonormal rows, orthogonal to all columns of an m x n matrix."""
    m, n = len(rows), len(rows[0])
    vectors, _ = _triangular(rows)
    found = []
    for i in range(n, m):
        row: list[Scalar] = [0.0] * m
        row[i] = 1.0
        for k in reversed(range(n)):
            _reflect(vectors[k], row, k)
        found.append(row)
    return found


def _triangular(rows: Sequence[Sequence[Scalar]]) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """u of (1), each from its entry k on, and the columns of R."""
    left = [[row[k] for row in rows] for k in range(len(rows[0]))]
    vectors: list[list[Scalar]] = []
    for k, column in enumerate(left):
        tail = column[k:]
        length = sqrt(inner(tail, tail))
        signed = select(tail[0], length, -length)
        # Half of |u|^2 before it is scaled.
        half = length * length + length * absolute(tail[0])
        factor = over(1.0, sqrt(half + _LEAST_SQUARE))
        u = [(tail[0] + signed) * factor, *(value * factor for value in tail[1:])]
        vectors.append(u)
        column[k] = -signed
        for other in left[k + 1 :]:
            _reflect(u, other, k)
    return vectors, left


def _reflect(u: Sequence[Scalar], column: list[Scalar], k: int) -> None:
    """Apply the reflection (1) to a column, from entry k on."""
    along = inner(u, column[k:])
    for i, value in enumerate(u):
        column[k + i] = column[k + i] - value * along
