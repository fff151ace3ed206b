"""Positivity of a smooth function of two variables on a whole rectangle, from few samples of it.

The rectangle is given as cells. On each of them

(1)  the function is interpolated at Chebyshev points; the last two coefficients of the Chebyshev series are the
     estimate of the interpolation error,
(2)  no polynomial is below the least of its Bernstein coefficients,
(3)  a cell where (2) minus (1) is not positive is halved in the variable with the larger curvature.

Values between the samples are thus covered too, up to the error of the estimate (1), which reaches rounding accuracy
after a few halvings. An undecided cell counts as not positive.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Mask

_ROUNDS = 40  # of (3): twenty halvings of either variable
_MOST_CELLS = 100  # limit of undecided cells: with more, the function is zero along a line, or within rounding


@dataclass(frozen=True, eq=False)
class Cells:
    """C rectangles: x0 < x1, y0 <= y1, each (C,)."""

    x0: Array
    x1: Array
    y0: Array
    y1: Array

    def __len__(self) -> int:
        return len(self.x0)

    def points(self, nx: int, ny: int) -> tuple[Array, Array]:
        """x and y (C, nx, ny) of the Chebyshev points (1), which lie inside the cell; y is constant where y0 = y1."""
        x = self.x0[:, None] + (self.x1 - self.x0)[:, None] * chebyshev_points(nx)
        y = self.y0[:, None] + (self.y1 - self.y0)[:, None] * chebyshev_points(ny)
        shape = (len(self), nx, ny)
        return np.broadcast_to(x[:, :, None], shape), np.broadcast_to(y[:, None, :], shape)

    def some(self, which: Mask) -> Cells:
        """The cells of a mask (C,)."""
        return Cells(self.x0[which], self.x1[which], self.y0[which], self.y1[which])

    def halved(self, across_x: Mask) -> Cells:
        """Both halves of every cell (3), halved in x where the mask (C,) is set and in y elsewhere."""
        x, y = 0.5 * (self.x0 + self.x1), 0.5 * (self.y0 + self.y1)
        return Cells(
            np.concatenate([self.x0, np.where(across_x, x, self.x0)]),
            np.concatenate([np.where(across_x, x, self.x1), self.x1]),
            np.concatenate([self.y0, np.where(across_x, self.y0, y)]),
            np.concatenate([np.where(across_x, self.y1, y), self.y1]),
        )


def is_positive(function: Callable[[Array, Array], Array], cells: Cells, values: Array) -> bool:
    """Whether function(x, y) > 0 on all cells; `values` (C, nx, ny) are those at the cells' points.

    The function takes and gives arrays (N,). One value along y means that it does not depend on y.

    >>> one = Cells(np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1))
    >>> def parabola(lowest):
    ...     return lambda x, y: (x - 0.3) ** 2 + lowest
    >>> [is_positive(f, one, f(*one.points(9, 1))) for f in (parabola(1e-9), parabola(-1e-9))]
    [True, False]
    """
    _, nx, ny = values.shape
    for _ in range(_ROUNDS):
        if not (values > 0.0).all():
            return False
        bound = np.einsum("ia,cab,jb->cij", _to_bernstein(nx), values, _to_bernstein(ny))
        off_x, off_y = _rest(values, 1), _rest(values, 2)
        undecided = bound.min(axis=(1, 2)) <= off_x + off_y
        if not undecided.any():
            return True
        across_x = (_bend(bound, 1) + off_x >= _bend(bound, 2) + off_y)[undecided]
        cells = cells.some(undecided).halved(across_x)
        if len(cells) > _MOST_CELLS:
            return False
        x, y = cells.points(nx, ny)
        values = function(x.ravel(), y.ravel()).reshape(x.shape)
    return False


@functools.cache
def chebyshev_points(count: int) -> Array:
    """The zeros of the Chebyshev polynomial of degree `count`, on [0, 1] and ascending.

    >>> chebyshev_points(1).round(12).tolist()
    [0.5]
    """
    return 0.5 - 0.5 * np.cos(math.pi * (np.arange(count) + 0.5) / count)


@functools.cache
def _to_bernstein(count: int) -> Array:
    """Bernstein coefficients (2) from the values at the Chebyshev points."""
    t, n = chebyshev_points(count)[:, None], count - 1
    k = np.arange(count)
    basis = np.array([math.comb(n, i) for i in k], dtype=np.float64) * t**k * (1.0 - t) ** (n - k)
    return np.linalg.inv(basis).astype(np.float64)


def _rest(values: Array, axis: int) -> Array:
    """The error estimate (1) along one of the variables, (C,)."""
    count = values.shape[axis]
    if count == 1:
        return np.zeros(len(values))
    angles = math.pi * (np.arange(count) + 0.5) / count
    last = 2.0 / count * np.cos(np.outer([count - 2, count - 1], angles))
    coefficients = np.moveaxis(np.tensordot(last, values, axes=(1, axis)), 0, axis)
    found: Array = np.abs(coefficients).sum(axis=axis).reshape(len(values), -1).max(axis=1)
    return found


def _bend(bound: Array, axis: int) -> Array:
    """Curvature along one of the variables: deviation of the Bernstein coefficients from a straight line, (C,)."""
    if bound.shape[axis] < 3:
        return np.full(len(bound), -1.0)
    bent = np.abs(np.diff(bound, 2, axis=axis)).reshape(len(bound), -1).max(axis=1)
    found: Array = bent * (bound.shape[axis] - 1) ** 2
    return found
