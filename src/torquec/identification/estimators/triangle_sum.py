"""The triangle of any number of rows, added block by block at the speed of matrix products.

(1)  R'R + X'X = R' S R,   S = 1 + W'W,   W = X R^-1;   the new triangle is chol(S) R
(2)  S keeps growing while R stays, block after block, until its diagonal is uneven: then chol(S) goes into R
(3)  rows that R knows nothing of have a large W, which (1) would round: they are factored beside R by Householder's QR

Because W is about as well conditioned as a piece of an orthogonal matrix, (1) loses nothing against Householder's
method, unlike the normal equations X'X; and products of matrices run several times faster than his reflections.
"""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Array

_NEW = 1e5
"""A diagonal of W'W beyond this is new to R: squared in (1), it would cost five of the sixteen digits."""
_UNEVEN = 1e4  # beyond it the sum of squares loses digits: it is folded into the triangle
_SINGULAR = 1e-13  # of a column: Cholesky has lost all digits, QR takes over


class TriangleSum:
    """R (k, k) with R'R = X'X of all rows X that were added; not for several threads at once."""

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
        """(2)."""
        if self._inverse is None:
            return
        self._replace(np.linalg.cholesky(self._s).T @ self._r)
        self._s = np.eye(len(self._r))

    def _replace(self, r: Array) -> None:
        self._r = np.zeros_like(self._r)
        self._r[: len(r)] = np.triu(r)
        norms = np.linalg.norm(self._r, axis=0)
        safe = np.isfinite(norms).all() and bool(np.all(np.abs(self._r.diagonal()) > _SINGULAR * norms))
        # Columns of unit norm first: their lengths are no part of the conditioning.
        self._inverse = np.linalg.inv(self._r / norms) / norms[:, None] if safe else None
