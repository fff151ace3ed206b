"""Bounds of sums of trigonometric polynomials from values on a grid of positions and bounds of monomials.

The maximum of a sum of monomials for given coefficients, with variables shared between the monomials:

(1)  P(x, y) = sum over groups g of y_g sum_r f_r x^r,   |x| <= 1, |y| <= 1;   max over y:  sum_g |sum_r f_r x^r|
(2)  a repeated variable:  x_j^2 s = s/2 + s u/2 with |u| <= 1, so that s has the coefficient f_r/2 and |f_r|/2 is added
(3)  the rest is linear in each x_j, so that (1) is convex in each of them, and largest where all of them are +-1

Sums that share no variable are bounded separately, `part` by part. Compared with sum |f_r|, which has independent x for
every monomial, this lowers the error bounds of a seven-joint arm by a third, and by two fifths at its last joint.

Values on a grid of positions bound trigonometric polynomials everywhere:

(4)  angle, degree d:         values at N > 2 d steps of a turn;  sup |p| <= max |p| on the grid / cos(pi d/N)
(5)  displacement, degree d:  values at N > d Chebyshev points;   sup |p| <= max |p| on the grid / cos(pi d/(2 N))
     (Ehlich & Zeller 1964, from the inequality of Bernstein and Szegoe), for several variables the product of factors
(6)  functions sum_r m_r f_r(q), with monomials m_r of speeds and accelerations within +-1: each function is such a
     polynomial in q. Their maximum on the grid, times the factors, bounds all of them everywhere; it is bounded by
     `MonomialBound`, or by the looser sum_r |f_r| where that is small enough
(7)  amplitudes: |a cos + b sin| <= sqrt(a^2 + b^2), axis by axis, bounds a row without a grid. Rows with small
     amplitudes, and highest harmonics of a variable that are weak in all rows, are added as amplitudes
(8)  with the outer variables on the grid, amplitudes in the inner ones bound a whole block of the grid: blocks with a
     small enough bound are skipped, and blocks not evaluated within the time limit count with this coarser bound

The bound covers full turns of all angles, whatever the joint limits. Rows are evaluated in single precision;
`_ROUNDING` times the amplitudes is added for that.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from torquec.foundation.arrays import Array, RealArray
from torquec.foundation.budget import Budget
from torquec.robot.joints import PositionBasis

_MOST_SHARED = 9
"""Most variables whose signs are enumerated, 2^8 or 2^9 combinations; more variables are bounded one by one."""

_NO_LIMIT = Budget()

_ROUNDING = 1e-4
"""Relative to the sum of all amplitudes. With u = 2^-24, seven sums of at most seven products lose 49 u of the sums of
magnitudes. These are at most 11 times the amplitudes (a square root of two for each of seven variables). Sums over rows
lose at most 1000 u."""
_SMALL = 0.01  # part of all amplitudes that may be left to (7), for rows and again for variables
_GAIN, _LITTLE_GAIN = 0.1, 0.002  # least decrease of log(factor) per log(points): 20 or 140 points for degree two
_CHEAP = 100_000  # points that are accepted even for a small gain
_MOST_POINTS = 10_000_000  # of a grid: some seconds for a hundred rows
_BLOCK = 2_000_000  # values computed together: few enough for caches, enough to amortize the overhead of a block
_HELD = 40_000_000  # values held in memory: 160 MB


@dataclass(frozen=True)
class Monomial:
    """A product of shared variables, each as often as it is named, times y of its group (None: 1)."""

    shared: tuple[int, ...] = ()
    group: tuple[str, int] | None = None
    part: str = ""


Row = tuple[Monomial, Array]
"""A monomial and the coefficient table (basis, ..) of its factor."""


class MonomialBound:
    """The bound of a sum of given monomials as a function of their coefficients."""

    def __init__(self, monomials: Sequence[Monomial]) -> None:
        parts: dict[str, list[int]] = {}
        for k, monomial in enumerate(monomials):
            parts.setdefault(monomial.part, []).append(k)
        self._parts = [_Part(monomials, members) for members in parts.values()]

    def __call__(self, values: RealArray) -> RealArray:
        """Upper values (points,) from coefficients (monomials, points)."""
        total: RealArray = sum((part(values) for part in self._parts), np.zeros(values.shape[1], values.dtype))
        return total


class _Part:
    """(1)-(3) for the monomials that share variables."""

    def __init__(self, monomials: Sequence[Monomial], members: Sequence[int]) -> None:
        powers = {k: Counter(monomials[k].shared) for k in members}
        shared = sorted(set().union(*powers.values()))
        self._single = list(members) if len(shared) > _MOST_SHARED else []
        if self._single:
            self._forms: list[tuple[list[int], Array]] = []
            self._repeated: list[int] = []
            return
        self._repeated = [k for k in members if max(powers[k].values(), default=1) > 1]
        groups: dict[tuple[str, int] | None, list[int]] = {}
        for k in members:
            groups.setdefault(monomials[k].group, []).append(k)
        # Where a group is odd or even as a whole, opposite signs give the same magnitude.
        halved = bool(shared) and all(
            len({len(monomials[k].shared) % 2 for k in group}) == 1 for group in groups.values()
        )
        free = len(shared) - halved
        signs = np.array([(1.0,) * halved + rest for rest in itertools.product((1.0, -1.0), repeat=free)])
        self._forms = []
        for group in groups.values():
            columns = []
            for k in group:
                odd = [shared.index(j) for j, power in powers[k].items() if power % 2]
                columns.append(signs[:, odd].prod(axis=1) * (0.5 if k in self._repeated else 1.0))
            self._forms.append((group, np.stack(columns, axis=1)))

    def __call__(self, values: RealArray) -> RealArray:
        if self._single:
            single: RealArray = np.abs(values[self._single]).sum(axis=0)
            return single
        total: RealArray | None = None
        for group, signs in self._forms:
            form = signs.astype(values.dtype) @ values[group]
            np.abs(form, out=form)
            total = form if total is None else np.add(total, form, out=total)
        assert total is not None
        found: RealArray = total.max(axis=0) + 0.5 * np.abs(values[self._repeated]).sum(axis=0)
        return found


@dataclass(frozen=True)
class GridAxis:
    """A variable: an angle, or a displacement between `lower` and `upper`; functions are of `degree` in it.

    The basis is 1, cos, sin, cos 2, sin 2, .. of an angle, and Chebyshev's polynomials of a displacement.
    """

    degree: int
    basis: PositionBasis = PositionBasis.TRIGONOMETRIC
    lower: float = -1.0
    upper: float = 1.0

    @property
    def size(self) -> int:
        """Number of basis functions."""
        return self.basis.size(self.degree)

    def points(self, count: int) -> Array:
        """The positions of (4) or (5)."""
        if self.basis.is_periodic:
            return 2.0 * np.pi * np.arange(count) / count
        x = np.cos(np.pi * (np.arange(count) + 0.5) / count)
        return 0.5 * (self.lower + self.upper) + 0.5 * (self.upper - self.lower) * x

    def values(self, positions: Array) -> Array:
        """The basis functions at positions, (positions, size)."""
        if not self.basis.is_periodic:
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
        if not self.basis.is_periodic:
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
        """(4) or (5) for that many points; infinite for too few."""
        angle = math.pi * self.degree / (count if self.basis.is_periodic else 2 * count)
        return 1.0 / math.cos(angle) if angle < 0.5 * math.pi else math.inf


def along_axis(matrix: Array, table: Array, axis: int) -> Array:
    """A matrix applied along one axis."""
    return np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)


def amplitudes(table: RealArray, axes: Sequence[GridAxis]) -> RealArray:
    """(7) for tables (rows, basis, ..): (rows,)."""
    left = np.abs(table)
    for axis in reversed(axes):
        if axis.basis.is_periodic:
            left = left[..., 0] + np.hypot(left[..., 1::2], left[..., 2::2]).sum(axis=-1)
        else:
            left = left.sum(axis=-1)
    return left


def grid_bound(rows: Callable[[], Iterable[Row]], axes: Sequence[GridAxis], budget: Budget = _NO_LIMIT) -> float:
    """A bound of |sum_r m_r f_r(q)| over all q and all monomials m_r of variables within +-1, by (6)-(8).

    `rows` gives the weighted rows, and is called twice, so that negligible rows are never held together. When the time
    `budget` is used up, the result is the bound known by then.
    """
    sizes = np.array([float(amplitudes(table[None], axes)[0]) for _, table in rows()])
    whole = float(sizes.sum())
    if whole == 0.0 or budget.is_over:
        return (1.0 + _ROUNDING) * whole
    order = np.argsort(sizes)
    small = int(np.searchsorted(np.cumsum(sizes[order]), _SMALL * whole))
    kept = set(order[small:].tolist())
    chosen = [row for k, row in enumerate(rows()) if k in kept]
    table = np.stack([part for _, part in chosen])
    table, left, more = _without_weak_harmonics(table, list(axes), _SMALL * whole)
    largest = MonomialBound([monomial for monomial, _ in chosen])
    bound = _on_grid(table, left, largest, budget) if left else float(largest(table[:, None])[0])
    return min(bound + float(sizes[order[:small]].sum()) + more + _ROUNDING * whole, (1.0 + _ROUNDING) * whole)


def _without_weak_harmonics(table: Array, axes: list[GridAxis], allowed: float) -> tuple[Array, list[GridAxis], float]:
    """The tables without the highest harmonics of variables where these are weak, and the amplitude removed.

    A variable of degree zero is removed.
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


def _on_grid(table: Array, axes: Sequence[GridAxis], largest: MonomialBound, budget: Budget) -> float:
    """The largest sum on the grid, or an upper bound of it when the time is over, times the factors."""
    # Variables with large amplitudes are the outer ones: amplitude bounds in the others are then tightest.
    order = sorted(range(len(axes)), key=lambda k: -_variation(table, axes, k))
    axes = [axes[k] for k in order]
    counts = _grid_counts(axes)
    inner = len(axes) - 1
    while inner > 0 and math.prod(counts[inner - 1 :]) * len(table) <= _BLOCK:
        inner -= 1
    points = [axis.values(axis.points(count)).astype(np.float32) for axis, count in zip(axes, counts, strict=True)]
    blocks = _Blocks(np.transpose(table, (0, *(k + 1 for k in order))).astype(np.float32), points, inner)
    # (8), then block by block, those first that may be large.
    limits = np.array([float(amplitudes(blocks.table(k), axes[inner:]).sum()) for k in range(blocks.count)])
    found = 0.0
    for k in np.argsort(-limits):
        if limits[k] <= found:
            break
        if budget.is_over:
            found = float(limits[k])
            break
        values = blocks.values(int(k))
        loose = np.flatnonzero(np.abs(values).sum(axis=0) > found)
        if len(loose):
            found = max(found, float(largest(values[:, loose]).max()))
    return found * math.prod(axis.factor(count) for axis, count in zip(axes, counts, strict=True))


def _variation(table: Array, axes: Sequence[GridAxis], k: int) -> float:
    """The amplitude of all rows' parts that change with a variable."""
    rest = np.take(table, range(1, axes[k].size), axis=k + 1)
    return float(sum(amplitudes(part, [*axes[:k], *axes[k + 1 :]]).sum() for part in np.moveaxis(rest, k + 1, 0)))


def _grid_counts(axes: Sequence[GridAxis]) -> list[int]:
    """Points along every axis, chosen greedily: one more where that lowers the factors most per added point."""
    counts = [3 * axis.degree for axis in axes]
    while True:
        gains = [
            math.log(axis.factor(n) / axis.factor(n + 1)) / math.log((n + 1) / n)
            for axis, n in zip(axes, counts, strict=True)
        ]
        k = int(np.argmax(gains))
        more = math.prod(counts) // counts[k] * (counts[k] + 1)
        if more > _MOST_POINTS or gains[k] < (_LITTLE_GAIN if more <= _CHEAP else _GAIN):
            return counts
        counts[k] += 1


class _Blocks:
    """Row values on the grid, block by block: a block has all points of the variables from `inner` on."""

    def __init__(self, table: RealArray, points: Sequence[RealArray], inner: int) -> None:
        self.count = math.prod(len(part) for part in points[:inner])
        self._counts = [len(part) for part in points[:inner]]
        # Values along outer variables, as many as fit into memory: (.., second, first, rows, basis, ..).
        self._known = 0
        while self._known < inner and table.size // points[self._known].shape[1] * self._counts[self._known] <= _HELD:
            table = np.tensordot(points[self._known], table, axes=(1, self._known + 1))
            self._known += 1
        self._tables, self._rest = table, points[self._known : inner]
        self._first = points[inner]
        self._others = reduce(np.kron, points[inner + 1 :], np.ones((1, 1), dtype=np.float32)).T

    def table(self, block: int) -> RealArray:
        """The table (rows, basis, ..) of the inner variables in a block."""
        at = np.unravel_index(block, self._counts) if self._counts else ()
        table: RealArray = self._tables[tuple(reversed(at[: self._known]))]
        for matrix, k in zip(self._rest, at[self._known :], strict=True):
            table = np.matmul(matrix[k], table.reshape(*table.shape[:2], -1)).reshape(len(table), *table.shape[2:])
        return table

    def values(self, block: int) -> RealArray:
        """Values (rows, points) in a block."""
        table, size = self.table(block), self._first.shape[1]
        part = table.reshape(len(table) * size, -1) @ self._others
        found: RealArray = np.matmul(self._first, part.reshape(len(table), size, -1)).reshape(len(table), -1)
        return found
