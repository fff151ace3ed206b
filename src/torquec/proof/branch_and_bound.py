"""Proof by subdivision that a bound holds on a whole box, with a tree of boxes as its record.

A root box is one interval per variable. The polynomials' Bernstein numerators N on it and the common denominators W
(:mod:`torquec.proof.bernstein`) give control values N/W, and those an upper bound of the function that is to
be bounded. Where that is not below the target, the box is halved along the axis in which it bends most.

(1)  F(q) = functional of several polynomials p_e(q), convex in them:  F(mean) <= mean F, so max over control points
     bounds F
(2)  F(c p) = c F(p) for c > 0:  F(N/W) <= target where F(N) <= target W, so numerators are never divided
(3)  corners of a box are points of it, so the functional there is attained: above the target it is a counterexample

Numerators of large tables are kept in single precision, which halves the memory traffic that the time goes to. What
rounding may have changed is carried along, rigorously, u = 2^-24 or 2^-53:

(4)  halving takes means of at most 2 d + 1 numbers:  e <- e + HALVING_STEPS u max |N| per polynomial
(5)  the functional adds at most FUNCTIONAL_STEPS numbers whose magnitudes add up to |N|_1 at most:
     F(true N) <= F(N) + F(e) + FUNCTIONAL_STEPS u |N|_1

The tree is kept as one symbol per box in depth-first order: the axis of a split, or `LEAF`. Boxes wait on a stack, and
root boxes are made when it runs empty, so memory stays small however long the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from torquec.foundation.arrays import Array, Indices, RealArray
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.proof.bernstein import Range, basis_degree, halves, numerator_matrix, root_ranges, rounding_steps

LEAF = -1
HALVING_STEPS = 8
FUNCTIONAL_STEPS = 160
_SINGLE_FROM = 100_000
"""Tables of this many numbers, whose boxes do not fit in the fastest caches, are worked on in single precision."""

_BATCH_VALUES = 500_000
"""Numerators worked on at once: few enough for the processor's caches."""

_WORST_POINTS = 256
"""Control points that are looked at closely before all others of a large box."""

_FIRST_LOOK = 500
"""Boxes after which, and after twice as many, and so on, it is asked whether the functional is too loose at corners."""

_DEEPEST, _MOST_WAITING = 80, 300_000
"""Halvings of boxes, none of them shown, after which they are points; more of them would only fill the memory."""


class Functional(Protocol):
    """A convex, positively homogeneous function of the entries' values, at most the sum of their magnitudes."""

    def __call__(self, control: RealArray, target: Any) -> RealArray:
        """Upper values (points,) from (entries, points), above the target only where closer ones would be, too."""

    def exact(self, values: RealArray) -> RealArray:
        """Values (points,) that are attained, from the entries' values at points of the box."""


@dataclass(frozen=True)
class Proof:
    """Trees of all root boxes that show F <= `target`, and how many boxes they have."""

    target: float
    trees: tuple[tuple[int, ...], ...]
    boxes: int


@dataclass(frozen=True)
class Refutation:
    """A corner where F exceeds the target: the value there, which is attained."""

    value: float


@dataclass(frozen=True)
class Exhausted:
    """The budget of boxes was used up, or the functional is too loose, before the target was shown or refuted."""

    boxes: int


def prove(
    table: Array,
    ranges: Sequence[Range],
    functional: Functional,
    target: float,
    *,
    allowance: Array | None = None,
    most_boxes: int = 100_000,
    meter: Meter = silent,
) -> Proof | Refutation | Exhausted:
    """Try to show that the functional of the polynomials in `table` (entries, basis, ..) stays at or below the target.

    The length of each axis tells the degree in its variable.
    `allowance` (entries,) is what each polynomial may be off by besides rounding; `meter` is called with the part of
    the whole box that is shown.
    """
    off = np.zeros(len(table)) if allowance is None else allowance
    search = _Search(table, ranges, functional, target, off)
    with one_thread():
        while search.work_waits():
            found = search.step()
            meter(search.shown, 1.0)
            if found is not None:
                return Refutation(found)
            if len(search.splits) > most_boxes or search.is_too_deep() or search.is_hopeless:
                return Exhausted(len(search.splits))
    return Proof(target, search.trees(), len(search.splits))


@dataclass(frozen=True)
class _Box:
    """A box that has still to be shown: numerators (entries, ..), denominators by axis, errors (entries,) of (4).

    `part` is what it is of the whole box.
    """

    number: int
    part: float
    numerators: RealArray
    weights: tuple[Array, ...]
    errors: Array


class _Search:
    """Boxes that still have to be shown, worked off in batches, last ones first."""

    def __init__(
        self,
        table: Array,
        ranges: Sequence[Range],
        functional: Functional,
        target: float,
        allowance: Array,
    ) -> None:
        self._precision = np.float32 if table.size >= _SINGLE_FROM else np.float64
        self._unit = 0.5 * float(np.finfo(self._precision).eps)
        self.functional, self.target = functional, target
        self.table, self.allowance = table, allowance
        self.splits: list[int] = []  # by box: the axis of its split, or LEAF
        self.children: list[tuple[int, int]] = []
        self.roots: list[int] = []
        self.shown = 0.0  # the part of the whole box that is done
        self.is_hopeless = False  # the functional exceeds the target at a point: no halving will help
        self._next_look = _FIRST_LOOK
        self._waiting: list[_Box] = []
        degrees = [basis_degree(r.variable, size) for r, size in zip(ranges, table.shape[1:], strict=True)]
        pieces = [
            [numerator_matrix(interval, degree) for interval in part]
            for part, degree in zip(root_ranges(ranges), degrees, strict=True)
        ]
        self._coming = self._root_boxes(table, pieces)
        self._batch = max(1, _BATCH_VALUES // table.size)

    def _root_boxes(self, table: Array, pieces: Sequence[Sequence[tuple[Array, Array]]]) -> Iterator[_Box]:
        """Root boxes in order of the product of the intervals; what they share is computed once."""
        magnitudes = np.abs(table).reshape(len(table), -1).sum(axis=1)
        part = 1.0 / math.prod(len(intervals) for intervals in pieces)

        def further(numerators: RealArray, weights: tuple[Array, ...], growth: float) -> Iterator[_Box]:
            axis = len(weights)
            if axis == len(pieces):
                largest = np.abs(numerators).reshape(len(table), -1).max(axis=1)
                rounding = rounding_steps(axis) * growth * magnitudes
                # The allowance is of values, numerators are values times denominators.
                scale = math.prod(float(w.max()) for w in weights)
                errors = self.allowance * scale + rounding + 2.0 * self._unit * largest
                self.roots.append(self._number())
                yield _Box(self.roots[-1], part, numerators.astype(self._precision), weights, errors)
                return
            for matrix, weight in pieces[axis]:
                growing = growth * float(np.abs(matrix).sum(axis=1).max())
                yield from further(_along(matrix, numerators, axis + 1), (*weights, weight), growing)

        yield from further(table, (), 1.0)

    def is_too_deep(self) -> bool:
        """Whether boxes are halved again and again and none is shown.

        The functional's upper values then exceed the target at a point, however small the box around it.
        """
        return len(self._waiting) > min(_DEEPEST * self._batch, _MOST_WAITING)

    def work_waits(self) -> bool:
        """Whether boxes wait; takes the next root boxes onto the stack when there are too few."""
        while len(self._waiting) < self._batch:
            box = next(self._coming, None)
            if box is None:
                break
            self._waiting.append(box)
        return bool(self._waiting)

    def step(self) -> float | None:
        """Work off one batch; the value at a corner that refutes the target, if there is one."""
        batch = self._waiting[-self._batch :]
        del self._waiting[-self._batch :]
        entries, shape = len(self.table), batch[0].numerators.shape[1:]
        points = math.prod(shape)
        values = np.stack([box.numerators for box in batch]) if len(batch) > 1 else batch[0].numerators[None]
        values = values.reshape(len(batch), entries, points)
        weights = np.stack([_product(box.weights) for box in batch])  # (boxes, points)
        errors = np.stack([box.errors for box in batch])
        total = np.abs(values).sum(axis=1)  # |N|_1
        slack = self.functional(errors.T, np.inf)
        # (5); its last part covers the rounding of this line, too.
        goal = self.target * weights
        limits = goal - slack[:, None] - FUNCTIONAL_STEPS * self._unit * (total + goal)
        upper = total.astype(np.float64)
        if len(batch) == 1:
            self._tighten(values[0], limits[0], upper[0])
        else:
            self._tighten_boxes(values, limits, upper)
        open_boxes = np.flatnonzero((upper > limits).any(axis=1))
        self.shown += sum(box.part for box in batch) - sum(batch[b].part for b in open_boxes)
        if not len(open_boxes):
            return None
        corners = _corners(shape)
        at_corners = np.concatenate([values[b][:, corners] / weights[b, corners] for b in open_boxes], axis=1)
        attained = float(self.functional.exact(at_corners).max()) * (1.0 - 1e-5)
        if attained > self.target:
            return attained
        if len(self.splits) > self._next_look:
            self._next_look *= 2
            self.is_hopeless = bool((self.functional(at_corners, self.target) * (1.0 - 1e-5) > self.target).any())
        for b in open_boxes:
            # Not by `upper`, which is tight at some points and loose at their neighbours. In large boxes by the sums of
            # magnitudes, which are there already.
            field = total[b] if self._batch == 1 else self.functional(values[b], -np.inf)
            self._split(batch[b], _bend((field / weights[b]).reshape(shape)))
        return None

    def _tighten(self, values: RealArray, limits: Array, upper: Array) -> None:
        """Lower the upper values (points,) of one box where they exceed the limits, the worst points first.

        It ends where one of them still exceeds its limit: the box has to be halved then, whatever the others are.
        """
        loose = np.flatnonzero(upper > limits)
        worst_first = loose[np.argsort(limits[loose] - upper[loose])]
        start, count = 0, _WORST_POINTS
        while start < len(worst_first):
            points = worst_first[start : start + count]
            upper[points] = self.functional(np.take(values, points, axis=1), limits[points])
            if np.any(upper[points] > limits[points]):
                return
            start, count = start + count, 8 * _WORST_POINTS

    def _tighten_boxes(self, values: RealArray, limits: Array, upper: Array) -> None:
        """Lower the upper values (boxes, points): at each box's worst point first, at the others where that helps."""
        worst = np.argmax(upper - limits, axis=1)
        boxes = np.flatnonzero(upper[np.arange(len(upper)), worst] > limits[np.arange(len(upper)), worst])
        if not len(boxes):
            return
        points = worst[boxes]
        upper[boxes, points] = self.functional(values[boxes, :, points].T, limits[boxes, points])
        boxes = boxes[upper[boxes, points] <= limits[boxes, points]]
        of, points = np.nonzero(upper[boxes] > limits[boxes])
        if len(of):
            boxes = boxes[of]
            upper[boxes, points] = self.functional(values[boxes, :, points].T, limits[boxes, points])

    def _split(self, box: _Box, axis: int) -> None:
        """Halve a box (4), the lower half first."""
        self.splits[box.number] = axis
        pair = (self._number(), self._number())
        self.children[box.number] = pair
        largest = np.abs(box.numerators).reshape(len(box.errors), -1).max(axis=1)
        errors = box.errors + HALVING_STEPS * self._unit * largest
        for child, half in zip(pair, halves(box.numerators.shape[axis + 1]), strict=True):
            weights = (*box.weights[:axis], half @ box.weights[axis], *box.weights[axis + 1 :])
            numerators = _along(half.astype(self._precision), box.numerators, axis + 1)
            self._waiting.append(_Box(child, 0.5 * box.part, numerators, weights, errors))

    def trees(self) -> tuple[tuple[int, ...], ...]:
        """The tree of each root, boxes in depth-first order, the lower half first."""
        found = []
        for root in self.roots:
            tree: list[int] = []
            stack = [root]
            while stack:
                number = stack.pop()
                tree.append(self.splits[number])
                if self.splits[number] != LEAF:
                    stack.extend(reversed(self.children[number]))
            found.append(tuple(tree))
        return tuple(found)

    def _number(self) -> int:
        self.splits.append(LEAF)
        self.children.append((LEAF, LEAF))
        return len(self.splits) - 1


_NARROW = 8
"""Products along axes with fewer numbers behind them are slow, however they are arranged: the axis is widened."""


def _along(matrix: RealArray, table: RealArray, axis: int) -> RealArray:
    """A matrix applied along one axis of a table, in its precision and without moving axes."""
    before, size, after = math.prod(table.shape[:axis]), table.shape[axis], math.prod(table.shape[axis + 1 :])
    shape = (*table.shape[:axis], len(matrix), *table.shape[axis + 1 :])
    if after >= _NARROW:
        return (matrix @ table.reshape(before, size, after)).reshape(shape)
    if after == 1 and axis > 1:
        ahead = table.shape[axis - 1]
        wide = np.kron(np.eye(ahead, dtype=matrix.dtype), matrix)
        return (table.reshape(before // ahead, ahead * size) @ wide.T).reshape(shape)
    wide = np.kron(matrix, np.eye(after, dtype=matrix.dtype))
    return (table.reshape(before, size * after) @ wide.T).reshape(shape)


def _product(weights: Sequence[Array]) -> Array:
    """Denominators at all control points, (points,)."""
    product = np.ones(1)
    for weight in weights:
        product = np.multiply.outer(product, weight).reshape(-1)
    return product


def _corners(shape: tuple[int, ...]) -> Indices:
    """Indices of the corners among the control points."""
    ends = [np.array([0, size - 1] if size > 1 else [0]) for size in shape]
    if not ends:
        return np.zeros(1, dtype=np.intp)
    return np.ravel_multi_index(np.meshgrid(*ends, indexing="ij"), shape).reshape(-1)


def _bend(field: Array) -> int:
    """The axis along which the field's second differences (first ones, where there are but two values) are largest."""
    best, chosen = -1.0, 0
    for axis in range(field.ndim):
        bend = float(np.abs(np.diff(field, n=2 if field.shape[axis] > 2 else 1, axis=axis)).max(initial=0.0))
        if bend > best:
            best, chosen = bend, axis
    return chosen
