"""Proof by subdivision that a bound holds on a whole box, with a tree of boxes as its record.

A root box is one interval per variable; its control values (:mod:`torquec.reduction.proof.bernstein`) give an upper
bound of the function that is to be bounded. Where that is not below the target, the box is halved along the axis in
which the control values bend most.

(1)  F(q) = functional of several polynomials p_e(q), convex in them:  F(mean) <= mean F, so max over control points
     bounds F
(2)  corners of a box are points of it, so the functional there is attained: above the target it is a counterexample

The tree is kept as one symbol per box in depth-first order: the axis of a split, or `LEAF`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from torquec.reduction.proof.bernstein import (
    Array,
    Range,
    along,
    halves,
    numerator_matrix,
    root_ranges,
    rounding_allowance,
)

LEAF = -1
_BATCH_VALUES = 4_000_000
"""Control values held at once."""


class Functional(Protocol):
    """A convex function of the entries' values."""

    def __call__(self, control: Array, target: float) -> Array:
        """Upper values (points,) from (entries, points), tight where looser ones would exceed the target."""

    def exact(self, values: Array) -> Array:
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
    """The budget of boxes was used up before the target was shown or refuted."""

    boxes: int


def prove(
    table: Array,
    ranges: Sequence[Range],
    degree: int,
    functional: Functional,
    target: float,
    *,
    allowance: Array | None = None,
    most_boxes: int = 100_000,
) -> Proof | Refutation | Exhausted:
    """Try to show that the functional of the polynomials in `table` (entries, basis, ..) stays at or below the target.

    `allowance` (entries,) is what each polynomial may be off by besides rounding.
    """
    roots = list(itertools.product(*root_ranges(ranges)))
    matrices = {interval: numerator_matrix(interval, degree) for root in roots for interval in root}
    search = _Search(table, functional, target, np.zeros(len(table)) if allowance is None else allowance)
    for root in roots:
        search.add_root([matrices[interval] for interval in root])
    while search.waiting:
        found = search.step()
        if found is not None:
            return Refutation(found)
        if len(search.splits) > most_boxes:
            return Exhausted(len(search.splits))
    return Proof(target, search.trees(), len(search.splits))


class _Search:
    """Boxes that still have to be shown, worked off in batches, last ones first."""

    def __init__(self, table: Array, functional: Functional, target: float, allowance: Array) -> None:
        self.table, self.functional, self.target, self.allowance = table, functional, target, allowance
        self.splits: list[int] = []  # by box: the axis of its split, or LEAF
        self.children: list[tuple[int, int]] = []
        self.roots: list[int] = []
        self.waiting: list[tuple[int, Array, list[Array], float]] = []
        self._batch = max(1, _BATCH_VALUES // table.size)

    def add_root(self, intervals: Sequence[tuple[Array, Array]]) -> None:
        """A root box, from the matrices and denominators of its intervals."""
        numerators = self.table
        for axis, (matrix, _) in enumerate(intervals):
            numerators = along(matrix, numerators, axis + 1)
        off = self.allowance + rounding_allowance(self.table, [matrix for matrix, _ in intervals])
        slack = float(self.functional(off[:, None], np.inf)[0])
        self.roots.append(self._number())
        self.waiting.append((self.roots[-1], numerators, [weight for _, weight in intervals], slack))

    def step(self) -> float | None:
        """Work off one batch; the value at a corner that refutes the target, if there is one."""
        batch = [self.waiting.pop() for _ in range(min(self._batch, len(self.waiting)))]
        values = np.stack([box[1] for box in batch])
        control = values
        axes = values.ndim - 2
        for axis in range(axes):
            weight = np.stack([box[2][axis] for box in batch])
            shape = [len(batch), 1, *([1] * axes)]
            shape[axis + 2] = weight.shape[1]
            control = control / weight.reshape(shape)
        entries = len(self.table)
        flat = np.moveaxis(control, 1, 0).reshape(entries, -1)
        slack = np.array([box[3] for box in batch])
        upper = self.functional(flat, self.target - float(slack.max())).reshape(len(batch), -1) + slack[:, None]
        open_boxes = np.flatnonzero(upper.max(axis=1) > self.target)
        if not len(open_boxes):
            return None
        corners = _corners(control[open_boxes])
        attained = float(self.functional.exact(corners).max())
        if attained > self.target:
            return attained
        for b in open_boxes:
            axis = _bend(upper[b].reshape(values.shape[2:]))
            number, numerators, weights, off = batch[b]
            self.splits[number] = axis
            pair = (self._number(), self._number())
            self.children[number] = pair
            for child, half in zip(pair, halves(values.shape[axis + 2]), strict=True):
                narrowed = list(weights)
                narrowed[axis] = half @ weights[axis]
                self.waiting.append((child, along(half, numerators, axis + 1), narrowed, off))
        return None

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


def _corners(control: Array) -> Array:
    """Values at the corners of boxes (boxes, entries, ..): (entries, corners of all boxes)."""
    ends = [(0, size - 1) if size > 1 else (0,) for size in control.shape[2:]]
    picked = control[np.ix_(range(control.shape[0]), range(control.shape[1]), *ends)]
    return np.moveaxis(picked, 1, 0).reshape(control.shape[1], -1)


def _bend(field: Array) -> int:
    """The axis along which the field's second differences (first ones, where there are but two values) are largest."""
    best, chosen = -1.0, 0
    for axis in range(field.ndim):
        bend = float(np.abs(np.diff(field, n=2 if field.shape[axis] > 2 else 1, axis=axis)).max(initial=0.0))
        if bend > best:
            best, chosen = bend, axis
    return chosen
