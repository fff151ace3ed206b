"""Streaming QR of regressor rows: one R factor (triangle) per joint, constant memory, exact merging.

(1)  [A_j tau_j] = Q_j R_j for the rows of joint j;  |A_j x - tau_j| = |R_j (x, -1)| for every x
(2)  the R factor of two sets of rows is that of their two R factors stacked: factors of many workers merge exactly
(3)  with one triangle per joint, the weights of the joints can be chosen later, in the fit

Columns that are zero in a joint's rows are left out: wrist torques do not depend on the shoulder's inertias.
`TriangleSum` adds many samples in cache-sized chunks, at the speed of matrix products:

(4)  R'R + X'X = R' S R,   S = 1 + W'W,   W = X R^-1;   the new triangle is chol(S) R
(5)  blocks are added to S with R fixed, until the diagonal of S is uneven: then chol(S) is multiplied into R
(6)  rows in directions new to R have a large W, and (4) would lose digits: they are factored with R by Householder QR

Because W is about as well conditioned as a piece of an orthogonal matrix, (4) is as accurate as Householder QR,
unlike the normal equations X'X; and matrix products run several times faster than Householder reflections.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices, Mask

_NEW = 1e5  # diagonal of W'W above which a direction is new to R: (4) would lose five of sixteen digits
_UNEVEN = 1e4  # largest over smallest diagonal entry of S: above it, S is folded into R before digits are lost
_SINGULAR = 1e-13  # |R_kk| over the norm of column k: below it R is not inverted, and rows are added by Householder QR


class TriangleSum:
    """R (k, k) with R'R = X'X of all rows X that were added; not thread-safe."""

    def __init__(self, width: int) -> None:
        self._r = np.zeros((width, width))
        self._inverse: Array | None = None
        self._s = np.eye(width)
        self._w = np.empty((0, width))
        self._product = np.empty((width, width))

    def add(self, rows: Array) -> None:
        """Add rows (m, k).

        >>> total = TriangleSum(1)
        >>> total.add(np.array([[3.0]]))
        >>> total.add(np.array([[4.0]]))
        >>> abs(float(total.triangle()[0, 0]))
        5.0
        """
        if self._inverse is not None:
            if len(self._w) < len(rows):
                self._w = np.empty(rows.shape)
            w = self._w[: len(rows)]
            np.matmul(rows, self._inverse, out=w)
            np.matmul(w.T, w, out=self._product)
            # The comparison is false for values that are not finite, too.
            if self._product.diagonal().max(initial=0.0) < _NEW:
                self._s += self._product
                diagonal = self._s.diagonal()
                if diagonal.max(initial=1.0) > _UNEVEN * diagonal.min(initial=1.0):
                    self._fold()
                return
        self._fold()
        self._replace(np.asarray(np.linalg.qr(np.concatenate([self._r, rows]), mode="r"), dtype=np.float64))

    def triangle(self) -> Array:
        """R (k, k) of everything so far."""
        self._fold()
        return self._r

    def _fold(self) -> None:
        """(5)."""
        if self._inverse is None:
            return
        self._replace(np.linalg.cholesky(self._s).T @ self._r)
        self._s = np.eye(len(self._r))

    def _replace(self, r: Array) -> None:
        self._r = np.zeros_like(self._r)
        self._r[: len(r)] = np.triu(r)
        norms = np.linalg.norm(self._r, axis=0)
        safe = np.isfinite(norms).all() and bool(np.all(np.abs(self._r.diagonal()) > _SINGULAR * norms))
        # Scale columns to unit norm first: column lengths are not part of the conditioning.
        self._inverse = np.linalg.inv(self._r / norms) / norms[:, None] if safe else None


_CHUNK = 1024  # rows of one QR: stays in the cache


@dataclass(frozen=True, eq=False)
class JointFactors:
    """R_j of (1), (n, k + 1, k + 1), the last column that of tau, from `count` samples.

    `rows` (n,) is the number of used rows of each joint, None where all samples are used.
    """

    triangles: Array
    count: int
    rows: Array | None = None

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.triangles)

    @property
    def size(self) -> int:
        """Number k of parameters."""
        return int(self.triangles.shape[2]) - 1

    @property
    def row_counts(self) -> Array:
        """Rows of each joint (n,)."""
        return np.full(self.n, float(self.count)) if self.rows is None else self.rows

    def of_columns(self, kept: Sequence[int] | Indices) -> JointFactors:
        """The factors of some of the parameters, by index."""
        return JointFactors(self.triangles[:, :, [*kept, self.size]], self.count, self.rows)

    def merged(self, *others: JointFactors) -> JointFactors:
        """The factors of all rows together (2)."""
        every = (self, *others)
        stacked = np.concatenate([factors.triangles for factors in every], axis=1)
        triangles = np.stack([_triangle(rows, self.size + 1) for rows in stacked])
        rows = None if all(one.rows is None for one in every) else np.sum([one.row_counts for one in every], axis=0)
        return JointFactors(triangles, sum(factors.count for factors in every), rows)

    def weighted(self, weights: Array) -> Array:
        """One triangle (k + 1, k + 1) for all joints, joint j's rows times weights[j] (3)."""
        rows = (self.triangles * np.asarray(weights)[:, None, None]).reshape(-1, self.size + 1)
        return _triangle(rows, self.size + 1)

    def squares(self, x: Array) -> Array:
        """Sums of squared residuals (n,) at x (k,)."""
        residual = self.triangles @ np.append(x, -1.0)
        sums: Array = (residual**2).sum(axis=1)
        return sums

    @property
    def torque_squares(self) -> Array:
        """Sums of squared torques (n,)."""
        sums: Array = (self.triangles[:, :, -1] ** 2).sum(axis=1)
        return sums

    def relative_error(self, x: Array) -> float:
        """|tau - A x| / |tau| over all joints and samples."""
        return float(np.sqrt(self.squares(x).sum() / self.torque_squares.sum()))


def joint_factors(a: Array, tau: Array, counted: Mask | None = None) -> JointFactors:
    """The factors of A (N, n, k) and tau (N, n), of the rows that are `counted` (N, n), all unless given.

    Raises `ArgumentError` for values that are not finite.

    >>> f = joint_factors(np.array([[[3.0]], [[4.0]]]), np.array([[6.0], [8.0]]))
    >>> f.relative_error(np.array([2.0])) < 1e-15
    True
    """
    if a.ndim != 3 or tau.shape != a.shape[:2]:
        raise ArgumentError(f"A {a.shape} and tau {tau.shape} do not belong together", remedy="give (N, n, k), (N, n)")
    width = a.shape[2] + 1
    triangles = np.zeros((a.shape[1], width, width))
    for j in range(a.shape[1]):
        kept = slice(None) if counted is None else counted[:, j]
        own = a[kept, j]
        present = np.append(own.any(axis=0), True)
        small = _own_triangle(own, tau[kept, j], present[:-1])
        if not np.isfinite(small).all():
            raise ArgumentError("a regressor or torque is not finite", remedy="run torquec check-log")
        triangles[j][: len(small), present] = small
    return JointFactors(triangles, len(a), None if counted is None else counted.sum(axis=0).astype(np.float64))


def stream_factors(chunks: Iterable[tuple[Array, Array]], *, threads: int = 1) -> JointFactors:
    """The factors of chunks (A, tau), as many at a time as there are threads; raises `ArgumentError` without chunks.

    Give a generator: chunks are dropped once they are factored.
    """
    iterator = iter(chunks)
    total: JointFactors | None = None
    with ThreadPoolExecutor(max_workers=threads) as pool:
        while group := list(islice(iterator, threads)):
            parts = list(pool.map(lambda chunk: joint_factors(*chunk), group))
            total = parts[0].merged(*parts[1:]) if total is None else total.merged(*parts)
    if total is None:
        raise ArgumentError("there are no samples to fit", remedy="give at least one log")
    return total


def _own_triangle(a: Array, tau: Array, present: Mask) -> Array:
    """R of one joint's rows (N, k) and torques (N,), of the columns that are present."""
    total = TriangleSum(int(present.sum()) + 1)
    for start in range(0, len(a), _CHUNK):
        part = slice(start, start + _CHUNK)
        total.add(np.column_stack([a[part][:, present], tau[part]]))
    return total.triangle()


def _triangle(rows: Array, width: int) -> Array:
    """R (width, width) of rows (m, width), filled up with zeros."""
    small = np.linalg.qr(rows, mode="r")
    full = np.zeros((width, width))
    full[: len(small)] = small
    return full
