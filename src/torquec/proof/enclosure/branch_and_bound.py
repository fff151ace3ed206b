"""Branch and bound with Bernstein coefficients: proof that a bound holds on a whole box, with the tree as its record.

A root box is one interval per variable. The polynomials' Bernstein numerators N on it and the common denominators W
(:mod:`torquec.proof.enclosure.bernstein`) give control values N/W, and these give an upper bound of the function. Where
this bound is not below the target, the box is halved along the axis of largest curvature.

(1)  F(q) = functional of several polynomials p_e(q), convex in them:  F(mean) <= mean F, so max over control points
     bounds F
(2)  F(c p) = c F(p) for c > 0:  F(N/W) <= target where F(N) <= target W, so numerators are never divided
(3)  corners of a box are points of it, so the functional's values there are attained: one above the target refutes it

Rigorous bounds e of the numerators' rounding errors, in their precision u, are carried along
(:mod:`torquec.proof.enclosure.bernstein_boxes`). The functional adds its own rounding:

(4)  it sums at most FUNCTIONAL_STEPS numbers, whose magnitudes add up to at most |N|_1:
     F(true N) <= F(N) + F(e) + FUNCTIONAL_STEPS u |N|_1

The tree is kept as one symbol per box in depth-first order: the axis of a split, or `LEAF`. Boxes wait on a stack, and
root boxes are made when it runs empty, so memory stays small however long the proof. A long proof is done in parts
(`show_boxes`), each from some open boxes of the trees so far (:mod:`torquec.proof.enclosure.bernstein_boxes`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from torquec.foundation.arrays import Array, Indices, RealArray
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.proof.enclosure.bernstein import Range, root_ranges
from torquec.proof.enclosure.bernstein_boxes import LEAF, OPEN, BernsteinBoxes, Box, Place, Tree

FUNCTIONAL_STEPS = 160
_BATCH_VALUES = 500_000
"""Numerators worked on at once: few enough for the processor's caches."""

_WORST_POINTS = 256  # control points of a large box that are bounded tightly before all others

_FIRST_LOOK = 500
"""Number of boxes after which the functional is first tested for being too loose at corners; tests follow at each
doubling. A small budget has its first test at half of it, so that there is one."""

_DEEPEST, _MOST_WAITING = 80, 300_000
"""Halvings after which unproven boxes are regarded as points, and the limit of pending boxes, which bounds memory."""


class Functional(Protocol):
    """A convex, positively homogeneous function of the entries' values, at most the sum of their magnitudes."""

    def __call__(self, control: RealArray, target: Any) -> RealArray:
        """Upper bounds (points,) from values (entries, points); they are tightened only until they meet the target."""

    def exact(self, values: RealArray) -> RealArray:
        """Values (points,) that are attained, from the entries' values at points of the box."""


@dataclass(frozen=True)
class Proof:
    """Trees of all root boxes that prove F <= `target`, and their number of boxes."""

    target: float
    trees: tuple[Tree, ...]
    boxes: int


@dataclass(frozen=True)
class Refutation:
    """A corner where F exceeds the target: the value there, which is attained."""

    value: float


@dataclass(frozen=True)
class Exhausted:
    """The budget of boxes was used up, or the functional is too loose, before the target was proven or refuted."""

    boxes: int


@dataclass(frozen=True)
class ShownBoxes:
    """A tree for each requested box, with open boxes where the budget ended, and the total number of boxes."""

    trees: tuple[Tree, ...]
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
    """Try to prove that the functional of the polynomials in `table` (entries, basis, ..) is at most the target.

    The length of each axis determines the degree in its variable. `allowance` (entries,) bounds the error of each
    polynomial besides rounding; `meter` is called with the proven part of the whole box.
    """
    places = [Place(root) for root in range(root_count(ranges))]
    outcome = show_boxes(
        table, ranges, functional, target, places, allowance=allowance, most_boxes=most_boxes, meter=meter
    )
    if not isinstance(outcome, ShownBoxes):
        return outcome
    is_open = any(OPEN in tree for tree in outcome.trees)
    return Exhausted(outcome.boxes) if is_open else Proof(target, outcome.trees, outcome.boxes)


def show_boxes(
    table: Array,
    ranges: Sequence[Range],
    functional: Functional,
    target: float,
    places: Sequence[Place],
    *,
    allowance: Array | None = None,
    most_boxes: int,
    meter: Meter = silent,
) -> ShownBoxes | Refutation | Exhausted:
    """Try to prove the bound of `prove` on some boxes only, in the order of their root boxes; stop after `most_boxes`.

    The result is `Exhausted` only where more boxes would not help.
    """
    off = np.zeros(len(table)) if allowance is None else allowance
    search = _Search(table, ranges, functional, target, off, places)
    search.next_look = min(_FIRST_LOOK, most_boxes // 2)
    with one_thread():
        while search.work_waits():
            found = search.step()
            meter(search.shown, search.whole)
            if found is not None:
                return Refutation(found)
            if search.is_too_deep() or search.is_hopeless:
                return Exhausted(len(search.splits))
            if len(search.splits) > most_boxes:
                break
    return ShownBoxes(search.trees(), len(search.splits))


def root_count(ranges: Sequence[Range]) -> int:
    """How many root boxes there are over the ranges."""
    return math.prod(len(pieces) for pieces in root_ranges(ranges))


class _Search:
    """Depth-first search over pending boxes, in batches."""

    def __init__(
        self,
        table: Array,
        ranges: Sequence[Range],
        functional: Functional,
        target: float,
        allowance: Array,
        places: Sequence[Place],
    ) -> None:
        self.functional, self.target = functional, target
        self.table = table
        self.splits: list[int] = []  # by box: the axis of its split, or LEAF
        self.children: list[tuple[int, int]] = []
        self.begun: list[int] = []  # numbers of the boxes at the places, as far as they have been made
        self.shown = 0.0  # the proven part of the whole box
        self.is_hopeless = False  # the functional exceeds the target at a point: no halving will help
        self.next_look = _FIRST_LOOK
        self._waiting: list[Box] = []
        self._boxes = BernsteinBoxes(table, ranges, allowance)
        self._unit = self._boxes.unit
        self._places = places
        self.whole = self._boxes.part * sum(0.5 ** len(place.halves) for place in places)
        self._coming = self._boxes.at(places)
        self._batch = max(1, _BATCH_VALUES // table.size)

    def is_too_deep(self) -> bool:
        """Whether boxes are halved repeatedly and none is proven.

        The functional's upper bounds then exceed the target at a point, however small the box around it.
        """
        return len(self._waiting) > min(_DEEPEST * self._batch, _MOST_WAITING)

    def work_waits(self) -> bool:
        """Whether boxes are pending; pushes the next root boxes onto the stack when there are too few."""
        while len(self._waiting) < self._batch:
            box = next(self._coming, None)
            if box is None:
                break
            self.begun.append(self._number())
            self._waiting.append(replace(box, number=self.begun[-1]))
        return bool(self._waiting)

    def step(self) -> float | None:
        """Process one batch; returns the value at a corner that refutes the target, if there is one."""
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
        # (4); its last part covers the rounding of this line, too.
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
        if len(self.splits) > self.next_look:
            self.next_look = 2 * len(self.splits)
            self.is_hopeless = bool((self.functional(at_corners, self.target) * (1.0 - 1e-5) > self.target).any())
        for b in open_boxes:
            # `upper` cannot select the axis: it is tight at some points and loose at their neighbours. Large boxes are
            # split by the sums of magnitudes, which are already computed.
            field = total[b] if self._batch == 1 else self.functional(values[b], -np.inf)
            self._split(batch[b], _bend((field / weights[b]).reshape(shape)))
        return None

    def _tighten(self, values: RealArray, limits: Array, upper: Array) -> None:
        """Lower the upper values (points,) of one box where they exceed the limits, the worst points first.

        Stops at the first point that still exceeds its limit: the box must then be halved in any case.
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

    def _split(self, box: Box, axis: int) -> None:
        """Push both halves of a box onto the stack, the upper one on top."""
        self.splits[box.number] = axis
        pair = (self._number(), self._number())
        self.children[box.number] = pair
        for number, half in zip(pair, self._boxes.halved(box, axis), strict=True):
            self._waiting.append(replace(half, number=number))

    def trees(self) -> tuple[Tree, ...]:
        """The tree of the box at each place, boxes in depth-first order, the lower half first."""
        for box in self._waiting:
            self.splits[box.number] = OPEN
        found = []
        for first in self.begun:
            tree: list[int] = []
            stack = [first]
            while stack:
                number = stack.pop()
                tree.append(self.splits[number])
                if self.splits[number] >= 0:
                    stack.extend(reversed(self.children[number]))
            found.append(tuple(tree))
        return (*found, *[(OPEN,)] * (len(self._places) - len(found)))

    def _number(self) -> int:
        self.splits.append(LEAF)
        self.children.append((LEAF, LEAF))
        return len(self.splits) - 1


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
    """The axis along which the field's second differences (first differences of only two values) are largest."""
    best, chosen = -1.0, 0
    for axis in range(field.ndim):
        bend = float(np.abs(np.diff(field, n=2 if field.shape[axis] > 2 else 1, axis=axis)).max(initial=0.0))
        if bend > best:
            best, chosen = bend, axis
    return chosen
