"""Bounds of sums of trigonometric polynomials from their values on a grid of positions.

(1)  angle, degree d:         values at N > 2 d steps of a turn;  sup |p| <= max |p| on the grid / cos(pi d/N)
(2)  displacement, degree d:  values at N > d Chebyshev points;   sup |p| <= max |p| on the grid / cos(pi d/(2 N))
     (Ehlich & Zeller 1964, from the inequality of Bernstein and Szegoe), for several variables the product of factors
(3)  a set of functions sum_r x_r f_r(q), |x_r| <= w_r: each of them is such a polynomial, so that the largest
     sum_r w_r |f_r| on the grid, times the factors, bounds all of them everywhere
(4)  amplitudes: |a cos + b sin| <= sqrt(a^2 + b^2), axis by axis, bounds a row without a grid. Rows that are small by
     that, and the highest harmonics of variables where they are weak in all rows, are added as amplitudes

The bound is over whole turns of the angles, whatever their limits. Rows are evaluated in doubles; `_ROUNDING` of the
amplitudes is added for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.foundation.arrays import Array

_ROUNDING = 1e-9  # of all amplitudes: a million times what sums of a thousand products in doubles lose
_SMALL = 0.03  # part of all amplitudes that may be left to (4), for rows and again for variables
_NO_GAIN = 0.002  # of the factors' logarithm: twice as many points would lower the bound by a thousandth
_MOST_POINTS = 300_000  # of a grid: more lower a bound by a few parts in a hundred
_MOST_VALUES = 40_000_000  # of all rows on the grid: a second or two for each bound


@dataclass(frozen=True)
class GridAxis:
    """A variable: an angle, or a displacement between `lower` and `upper`; functions are of `degree` in it.

    The basis is 1, cos, sin, cos 2, sin 2, .. of an angle, and Chebyshev's polynomials of a displacement.
    """

    degree: int
    prismatic: bool = False
    lower: float = -1.0
    upper: float = 1.0

    @property
    def size(self) -> int:
        """Number of basis functions."""
        return self.degree + 1 if self.prismatic else 2 * self.degree + 1

    def points(self, count: int) -> Array:
        """The positions of (1) or (2)."""
        if not self.prismatic:
            return 2.0 * np.pi * np.arange(count) / count
        x = np.cos(np.pi * (np.arange(count) + 0.5) / count)
        return 0.5 * (self.lower + self.upper) + 0.5 * (self.upper - self.lower) * x

    def values(self, positions: Array) -> Array:
        """The basis functions at positions, (positions, size)."""
        if self.prismatic:
            span = self.upper - self.lower
            x = (2.0 * positions - self.lower - self.upper) / (span if span > 0.0 else 1.0)
            return np.asarray(np.polynomial.chebyshev.chebvander(x, self.degree), dtype=np.float64)
        columns = [np.ones_like(positions)]
        for k in range(1, self.degree + 1):
            columns += [np.cos(k * positions), np.sin(k * positions)]
        return np.stack(columns, axis=1)

    def slope(self) -> Array:
        """The matrix that takes coefficients to those of the derivative, (size, size)."""
        matrix = np.zeros((self.size, self.size))
        if self.prismatic:
            span = self.upper - self.lower
            for k in range(1, self.size):
                derived = np.polynomial.chebyshev.chebder(np.eye(self.size)[k])
                matrix[: len(derived), k] = derived * (2.0 / span if span > 0.0 else 0.0)
            return matrix
        for k in range(1, self.degree + 1):
            cosine, sine = 2 * k - 1, 2 * k
            matrix[sine, cosine], matrix[cosine, sine] = -k, k
        return matrix

    def factor(self, count: int) -> float:
        """(1) or (2) for that many points; infinite for too few."""
        angle = math.pi * self.degree / (2 * count if self.prismatic else count)
        return 1.0 / math.cos(angle) if angle < 0.5 * math.pi else math.inf


def along_axis(matrix: Array, table: Array, axis: int) -> Array:
    """A matrix applied along one axis."""
    return np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)


def amplitudes(table: Array, axes: Sequence[GridAxis]) -> Array:
    """(4) for tables (rows, basis, ..): (rows,)."""
    left = np.abs(table)
    for axis in reversed(axes):
        if axis.prismatic:
            left = left.sum(axis=-1)
        else:
            left = left[..., 0] + np.hypot(left[..., 1::2], left[..., 2::2]).sum(axis=-1)
    return left


def grid_bound(rows: Callable[[], Iterable[Array]], axes: Sequence[GridAxis]) -> float:
    """A bound of sum_r |f_r(q)| over all q, (3) and (4); `rows` gives the weighted tables (basis, ..) of the f_r.

    Rows are gone through twice, so that those which hardly count are never held together.
    """
    sizes = np.array([float(amplitudes(row[None], axes)[0]) for row in rows()])
    whole = float(sizes.sum())
    if whole == 0.0:
        return 0.0
    order = np.argsort(sizes)
    small = int(np.searchsorted(np.cumsum(sizes[order]), _SMALL * whole))
    kept = set(order[small:].tolist())
    table = np.stack([row for k, row in enumerate(rows()) if k in kept])
    table, left, more = _without_weak_harmonics(table, list(axes), _SMALL * whole)
    bound = _on_grid(table, left) if left else float(np.abs(table).sum())
    return bound + float(sizes[order[:small]].sum()) + more + _ROUNDING * whole


def _without_weak_harmonics(table: Array, axes: list[GridAxis], allowed: float) -> tuple[Array, list[GridAxis], float]:
    """The tables without the highest harmonics of variables where these are weak, and the amplitude of what went.

    A variable of degree zero is gone.
    """
    given = 0.0
    while axes:
        highest = [_highest(table, axes, k) for k in range(len(axes))]
        weakest = int(np.argmin(highest))
        if given + highest[weakest] > allowed:
            break
        given += highest[weakest]
        axis = replace(axes[weakest], degree=axes[weakest].degree - 1)
        if axis.degree:
            table, axes[weakest] = np.take(table, range(axis.size), axis=weakest + 1), axis
        else:
            table = np.take(table, 0, axis=weakest + 1)
            del axes[weakest]
    return table, axes, given


def _highest(table: Array, axes: Sequence[GridAxis], k: int) -> float:
    """The amplitude of all rows' highest harmonics in a variable."""
    below = replace(axes[k], degree=axes[k].degree - 1).size
    part = np.take(table, range(below, axes[k].size), axis=k + 1)
    size = np.hypot(part.take(0, axis=k + 1), part.take(-1, axis=k + 1) if part.shape[k + 1] > 1 else 0.0)
    return float(amplitudes(size, [axis for i, axis in enumerate(axes) if i != k]).sum())


def _on_grid(table: Array, axes: Sequence[GridAxis]) -> float:
    """The largest sum on the grid, times the factors."""
    rows, most = len(table), min(_MOST_POINTS, max(1, _MOST_VALUES // len(table)))
    counts = [3 * axis.degree for axis in axes]
    while True:  # one more step where that lowers the factors most, per point that it costs
        gains = [
            math.log(axis.factor(n) / axis.factor(n + 1)) / math.log((n + 1) / n)
            for axis, n in zip(axes, counts, strict=True)
        ]
        k = int(np.argmax(gains))
        if gains[k] < _NO_GAIN or math.prod(counts) // counts[k] * (counts[k] + 1) > most:
            break
        counts[k] += 1
    factor = math.prod(axis.factor(count) for axis, count in zip(axes, counts, strict=True))
    first = axes[0].values(axes[0].points(counts[0]))
    largest = 0.0
    for row in first:
        part = np.tensordot(table, row, axes=(1, 0))
        for k, (axis, count) in enumerate(zip(axes[1:], counts[1:], strict=True)):
            part = along_axis(axis.values(axis.points(count)), part, k + 1)
        largest = max(largest, float(np.abs(part).reshape(rows, -1).sum(axis=0).max()))
    return largest * factor
