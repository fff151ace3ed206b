"""Boxes of a proof that is checked again: whether they cover the ranges, and what error each of them allows.

(1)  A tree must cut its root box completely; root boxes must cover the ranges.
(2)  On a leaf, values at equidistant points of t = tan((q - c)/2) times (1 + t^2)^d determine the Bernstein control
     values; with the denominators' they enclose every harmonic sum, and so the torque error:
       sum_j |dM_j| a_j + max over signs of the speeds |...| + |dg|
     Where that is too much: of every square d x^2 with a factor that lowers the sum, d (2 t |x| - t^2) is less lowering
     for every t in [0, 1]; in |x| the sum is then convex, and largest at speeds of -1, 0 and 1 times the limits. A t
     that does well is found in a few steps towards the speeds at which the sum is largest
(3)  Rounding: with e_v the error of one entry of variable v's matrix (its angles are rounded as well), g_v its
     largest entry and c the harmonics, control values are off by at most
       sum |c| prod g_v sum (e_v/g_v + 16 size eps),   which a leaf allows as well.

Nothing here is shared with the search (:mod:`torquec.proof.enclosure.branch_and_bound`).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from torquec.errors import CheckError
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, silent
from torquec.proof.checker.allowances import CONTROL_VALUE, added_up, basis_rounding

REMEDY = "make the certificate again with torquec simplify"

_NEGLIGIBLE = 1e-13
"""Rows smaller than this part of all rows together count with the sum of their magnitudes."""

_LONGEST_INTERVAL = 0.95 * math.pi
"""Of a root interval: tan((q - c)/2) must stay finite on it."""

HIGHEST_DEGREE = 3
"""In one variable of a proof: equations of motion have two, fits of coefficients up to three."""

_MOST_SPEEDS = 8
"""Up to which all combinations of speeds -1, 0 and 1 are gone through (2)."""

_MOST_SIGNS = 14
"""Up to which all signs of speeds that are multiplied are gone through; beyond, magnitudes are added up."""

_STEPS = 6
"""Choices of t in (2)."""

_CHUNK_VALUES = 2_000_000
"""Control values held at once: sixteen megabytes."""

_TOGETHER = 8
"""Boxes that are worked off together."""


Part: TypeAlias = tuple[float, float]
"""A part of a root interval, as a part of [0, 1]."""

Cell: TypeAlias = tuple[tuple[float, float], Part]
"""A root interval of a variable, and the part of it that a box has."""

Box: TypeAlias = tuple[Cell, ...]
"""A leaf of a proof: the cell of every variable."""


def root_pieces(lower: float, upper: float, slides: bool) -> list[tuple[float, float]]:
    """The root intervals of a range: one for a displacement, equal parts of at most 0.9 pi for an angle."""
    if slides:
        return [(lower, upper)]
    if upper - lower >= 2.0 * math.pi:
        lower, upper = -math.pi, math.pi
    count = max(1, math.ceil((upper - lower) / (0.9 * math.pi) - 1e-12))
    edges = [lower + (upper - lower) * k / count for k in range(count)] + [upper]
    pieces = list(itertools.pairwise(edges))
    if any(high - low > _LONGEST_INTERVAL for low, high in pieces):
        raise CheckError("a root interval is too wide", remedy=REMEDY)
    return pieces


def tree_leaves(tree: Sequence[int], axes: int, name: str) -> list[tuple[Part, ...]]:
    """Leaf boxes of a tree; the tree must be used up exactly (1)."""
    leaves = []
    stack: list[tuple[Part, ...]] = [((0.0, 1.0),) * axes]
    for symbol in tree:
        if not stack:
            raise CheckError(f"{name}: a tree goes on after its last box", remedy=REMEDY)
        box = stack.pop()
        if symbol == -1:
            leaves.append(box)
            continue
        if not 0 <= symbol < axes:
            raise CheckError(f"{name}: a tree splits axis {symbol}", remedy=REMEDY)
        low, high = box[symbol]
        middle = 0.5 * (low + high)
        stack.append((*box[:symbol], (middle, high), *box[symbol + 1 :]))
        stack.append((*box[:symbol], (low, middle), *box[symbol + 1 :]))
    if stack:
        raise CheckError(f"{name}: a tree leaves {len(stack)} boxes open", remedy=REMEDY)
    return leaves


def leaf_boxes(pieces: Sequence[Sequence[tuple[float, float]]], trees: Sequence[Sequence[int]], name: str) -> list[Box]:
    """The leaves of a proof: one tree for each root box, in the order of the product of the pieces (1)."""
    count = math.prod(map(len, pieces))  # known before they are made: there may be more than there is memory
    if count != len(trees):
        raise CheckError(f"{name}: {len(trees)} trees for {count} root boxes", remedy=REMEDY)
    return [
        tuple(zip(root, leaf, strict=True))
        for root, tree in zip(itertools.product(*pieces), trees, strict=True)
        for leaf in tree_leaves(tree, len(pieces), name)
    ]


def basis_values(x: Array, slides: bool, degree: int) -> Array:
    """1, cos x, sin x, cos 2x, sin 2x, .. or powers of a displacement: (N, functions)."""
    if slides:
        return np.vander(x, degree + 1, increasing=True)
    waves = [wave(k * x) for k in range(1, degree + 1) for wave in (np.cos, np.sin)]
    return np.stack([np.ones_like(x), *waves], axis=1)


@dataclass(frozen=True)
class _Interval:
    """A variable on a part of its root interval: control values of its basis functions, and their rounding (3)."""

    control: Array
    largest: float
    rounding: float


@dataclass(frozen=True)
class _Last:
    """A table (rows, last variable, points) whose other variables are control values of the intervals `before`, and the
    last variable's `intervals`: a box for each.
    """

    table: Array
    before: Sequence[_Interval]
    intervals: Sequence[_Interval]


@functools.lru_cache(maxsize=20_000)
def _interval(piece: tuple[float, float], part: Part, slides: bool, degree: int) -> _Interval:
    """(2), for one variable: control values (size, functions) of the basis functions, denominators divided out."""
    size = degree + 1 if slides else 2 * degree + 1
    u = part[0] + (part[1] - part[0]) * np.linspace(0.0, 1.0, size)
    if slides:
        x, weight = piece[0] + (piece[1] - piece[0]) * u, np.ones(size)
    else:
        t = math.tan(0.25 * (piece[1] - piece[0])) * (2.0 * u - 1.0)
        x = 0.5 * (piece[0] + piece[1]) + 2.0 * np.arctan(t)
        weight = (1.0 + t * t) ** degree
    to_bernstein = _interpolation(size)
    values = basis_values(x, slides, degree) * weight[:, None]
    denominator = to_bernstein @ weight
    if np.min(denominator) <= 0.0:
        raise CheckError("a denominator is not positive", remedy=REMEDY)
    control = (to_bernstein @ values) / denominator[:, None]
    steps = basis_rounding(size, degree, 0.0 if slides else float(np.abs(x).max()))
    rounding = steps * float((np.abs(to_bernstein) @ np.abs(values) / denominator[:, None]).max())
    return _Interval(control, float(np.abs(control).max()), rounding)


@functools.cache
def _interpolation(size: int) -> Array:
    """Bernstein coefficients from values at equidistant points, solved in fractions."""
    top = size - 1
    rows = [
        [Fraction(math.comb(top, k)) * Fraction(i, top) ** k * Fraction(top - i, top) ** (top - k) for k in range(size)]
        for i in range(size)
    ]
    inverse = [[Fraction(int(i == k)) for k in range(size)] for i in range(size)]
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column])
        for matrix in (rows, inverse):
            matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        factor = rows[column][column]
        rows[column] = [value / factor for value in rows[column]]
        inverse[column] = [value / factor for value in inverse[column]]
        for i in range(size):
            if i != column and (factor := rows[i][column]):
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
                inverse[i] = [a - factor * b for a, b in zip(inverse[i], inverse[column], strict=True)]
    return np.array([[float(value) for value in row] for row in inverse])


class LeafChecker:
    """Boxes of a joint's proof (2): those that share intervals share the products along them."""

    def __init__(
        self, n: int, name: str, bound: float, rows: Array, sliding: Sequence[bool], degrees: Sequence[int]
    ) -> None:
        self.n, self.name, self.bound = n, name, bound
        self.sliding, self.degrees = sliding, degrees
        sizes = np.abs(rows).reshape(len(rows), -1).sum(axis=1)
        self.sum = float(sizes.sum())
        # Rows that are nothing but rounding need no control values.
        small = sizes <= _NEGLIGIBLE * self.sum
        self.rows, self.kept = rows[~small], np.flatnonzero(~small)
        self.negligible = float(sizes[small].sum())
        self.added_up = added_up(len(rows))
        pairs = [(j, k) for j in range(n) for k in range(j, n)]
        self._diagonal = [self._place(n + i) for i, (j, k) in enumerate(pairs) if j == k]
        mixed = [(i, j, k) for i, (j, k) in enumerate(pairs) if j < k and self._place(n + i) < len(self.kept)]
        self._mixed = [self._place(n + i) for i, _, _ in mixed]
        self._signs = _signs_of_products([(j, k) for _, j, k in mixed])
        # Of each pair of opposite speeds one, and rest, which is in the middle.
        self._all_speeds = n <= _MOST_SPEEDS
        choices = np.indices((3,) * n).reshape(n, -1) - 1.0 if self._all_speeds else np.zeros((n, 1))
        speeds = choices[:, : choices.shape[1] // 2 + 1]
        self._forms = np.stack([speeds[j] * speeds[k] for j, k in pairs], axis=1)
        self._sizes = np.abs(speeds.T)
        self._pairs = [self._place(n + i) for i in range(len(pairs))]

    def check(self, boxes: Sequence[Box], *, meter: Meter = silent) -> None:
        """Every one of the boxes."""
        if not len(self.rows) or not boxes[0]:  # nothing at all, or a constant
            value = self.rows.reshape(len(self.rows), 1)
            self._check_closely(value, np.array([self.bound - self._noise([]) - self.added_up * np.abs(value).sum()]))
            return
        # The variable that was cut most goes last: boxes that differ in it alone are worked off together.
        axes = sorted(range(len(boxes[0])), key=lambda axis: len({box[axis] for box in boxes}))
        table = np.transpose(self.rows, [0, *(axis + 1 for axis in axes)])
        done = 0
        for last in self._products(table.reshape(*table.shape[:2], -1), axes, boxes, []):
            for start in range(0, len(last.intervals), _TOGETHER):
                self._check_along(replace(last, intervals=last.intervals[start : start + _TOGETHER]))
            done += len(last.intervals)
            meter(done, len(boxes))

    def _products(
        self, table: Array, axes: Sequence[int], boxes: Sequence[Box], before: Sequence[_Interval]
    ) -> Iterator[_Last]:
        """Boxes in groups that differ in the last variable alone; the table is (rows, first variable, all others)."""
        axis, *rest = axes
        groups: dict[Cell, list[Box]] = {}
        for box in boxes:
            groups.setdefault(box[axis], []).append(box)
        found = {cell: _interval(*cell, self.sliding[axis], self.degrees[axis]) for cell in groups}
        if not rest:
            yield _Last(table, before, [found[box[axis]] for box in boxes])
            return
        size = self.rows.shape[rest[0] + 1]
        for cell, members in groups.items():
            # The contracted variable goes to the end, so that the next one is second again.
            inner = table.transpose(0, 2, 1) @ found[cell].control.T
            yield from self._products(inner.reshape(len(table), size, -1), rest, members, [*before, found[cell]])

    def _check_along(self, last: _Last) -> None:
        """Boxes that differ in the last variable alone allow no error above the bound."""
        noise = np.array([self._noise([*last.before, interval]) for interval in last.intervals])
        control = np.concatenate([interval.control for interval in last.intervals])
        box_of = np.repeat(np.arange(len(noise)), [len(interval.control) for interval in last.intervals])
        # Row by row, which stays within the caches: the values of all rows together do not.
        rough = np.zeros((len(control), last.table.shape[2]))
        values = np.empty_like(rough)
        for row in last.table:
            np.matmul(control, row, out=values)
            rough += np.abs(values, out=values)
        most = np.maximum.reduceat(rough.max(axis=1), np.flatnonzero(np.diff(box_of, prepend=-1)))
        allowed = (self.bound - self.added_up * most - noise)[box_of]
        # Written so that a NaN is looked at more closely, and refused there.
        places, points = np.nonzero(~(rough <= allowed[:, None]))
        step = max(1, _CHUNK_VALUES // last.table[:, :, 0].size)
        for start in range(0, len(places), step):
            place, point = places[start : start + step], points[start : start + step]
            closely = np.einsum("rbp,pb->rp", last.table[:, :, point], control[place])
            self._check_closely(closely, allowed[place])

    def _noise(self, intervals: Sequence[_Interval]) -> float:
        """(3), and the rows that were left out."""
        product = math.prod(max(interval.largest, 1.0) for interval in intervals)
        parts = sum(i.rounding / max(i.largest, 1.0) + CONTROL_VALUE * len(i.control) for i in intervals)
        return product * (self.sum * parts + self.negligible)

    def _check_closely(self, control: Array, allowed: Array) -> None:
        """Control values (rows, points) allow no error above what is `allowed` at each of them (points,)."""
        worst = self._largest(control)
        if self._all_speeds:
            above = np.flatnonzero(~(worst <= allowed))
            step = max(1, _CHUNK_VALUES // len(self._forms))
            for part in (above[start : start + step] for start in range(0, len(above), step)):
                worst[part] = np.minimum(worst[part], self._largest_closely(control[:, part], allowed[part]))
        if not np.all(worst <= allowed):
            found = float((worst - allowed).max()) + self.bound
            raise CheckError(
                f"{self.name}: a box of the proof allows an error of {found:.6g}, more than {self.bound:.6g}",
                remedy=REMEDY,
            )

    def _largest(self, control: Array) -> Array:
        """The largest torque error at control values (rows, points), over signs of all speeds and accelerations."""
        table, inertia, gravity = self._parts(control)
        diagonal = table[self._diagonal]
        mixed = table[self._mixed]
        most = np.abs(mixed).sum(axis=0, keepdims=True)
        sums = np.concatenate([most, -most]) if self._signs is None else self._signs @ mixed
        rise = np.maximum(diagonal, 0.0).sum(axis=0) + sums.max(axis=0) + gravity
        fall = np.minimum(diagonal, 0.0).sum(axis=0) + sums.min(axis=0) + gravity
        result: Array = inertia + np.maximum(np.maximum(rise, -fall), np.abs(gravity))
        return result

    def _largest_closely(self, control: Array, allowed: Array) -> Array:
        """The same with tangents of squares that lower the sum (2), as closely as is needed for what is allowed."""
        table, inertia, gravity = self._parts(control)
        rows, room = table[self._pairs], allowed - inertia
        result: Array = inertia + np.maximum(
            self._rise(rows, -np.minimum(table[self._diagonal], 0.0), room - gravity) + gravity,
            self._rise(-rows, np.maximum(table[self._diagonal], 0.0), room + gravity) - gravity,
        )
        return result

    def _rise(self, rows: Array, lowering: Array, enough: Array) -> Array:
        """How far speeds can raise a sum of their products (pairs, points) at most; `lowering` (n, points) are -d.

        Points where that is not more than `enough` (points,) are not looked at more closely.
        """
        sums = self._forms @ rows
        least = np.full(rows.shape[1], np.inf)
        t = np.full(lowering.shape, 0.5)
        left = np.arange(rows.shape[1])
        for step in range(_STEPS):
            at, down = t[:, left], lowering[:, left]
            # On speeds of -1, 0 and 1 squares are magnitudes: d x^2 - d (2 t |x| - t^2) = d (1 - 2 t) |x| + d t^2.
            raised = sums[:, left] + self._sizes @ (down * (1.0 - 2.0 * at))
            highest = np.argmax(raised, axis=0)
            found = raised[highest, np.arange(len(left))] + np.sum(down * at**2, axis=0)
            least[left] = np.minimum(least[left], found)
            t[:, left] = at + (self._sizes[highest].T - at) / (step + 2.0)
            left = left[~(least[left] <= enough[left])]
            if not len(left):
                break
        return least

    def _parts(self, control: Array) -> tuple[Array, Array, Array]:
        """All rows, those that were left out as the last one, what accelerations add at most, and gravity."""
        table = np.concatenate([control, np.zeros((1, control.shape[1]))])
        inertia = sum((np.abs(table[self._place(j)]) for j in range(self.n)), np.zeros(control.shape[1]))
        return table, inertia, table[self._place(self.n + self.n * (self.n + 1) // 2)]

    def _place(self, row: int) -> int:
        """Where a row of the whole table is among those that were kept; the last place stands for zero."""
        k = int(np.searchsorted(self.kept, row))
        return k if k < len(self.kept) and self.kept[k] == row else len(self.kept)


def _signs_of_products(pairs: Sequence[tuple[int, int]]) -> Array | None:
    """Signs (choices, pairs) of products of two speeds for all signs of the speeds; none where these are too many."""
    speeds = sorted({j for pair in pairs for j in pair})
    if len(speeds) > _MOST_SIGNS:
        return None
    # The first speed is positive: that all are turned around changes no product.
    choices = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=max(len(speeds) - 1, 0))])
    places = [(speeds.index(j), speeds.index(k)) for j, k in pairs]
    columns = [choices[:, j] * choices[:, k] for j, k in places]
    return np.stack(columns, axis=1) if columns else np.zeros((1, 0))
