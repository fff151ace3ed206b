"""Boxes of branch and bound: their trees, Bernstein coefficients, and subdivision.

A tree is one symbol per box in depth-first order, the lower half first: the axis of a split, `LEAF` for a proven box,
`OPEN` for a pending one. An open box is named by its root box and the halves that lead to it: resuming it takes the
same steps and gives bit-identical numbers.

A root box is one interval per variable (`root_ranges`); all others result from repeated halving. Numerators of large
tables are kept in single precision, which halves the memory traffic that dominates the time of a proof. Rigorous bounds
e of the rounding error are carried along, with u = 2^-24 (single) or 2^-53 (double):

(1)  root box:  e = allowance of the polynomial times the denominators, plus the rounding errors of computing N and of
     storing it in its precision
(2)  halving takes means of at most 2 d + 1 numbers:  e <- e + HALVING_STEPS u max |N| per polynomial
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, RealArray
from torquec.proof.enclosure.bernstein import Range, basis_degree, halves, numerator_matrix, root_ranges, rounding_steps

LEAF, OPEN = -1, -2

Tree = tuple[int, ...]

HALVING_STEPS = 8
_SINGLE_FROM = 100_000
"""Tables of at least this many numbers are processed in single precision: their boxes exceed the fastest caches."""

_NARROW = 8  # products along axes with fewer contiguous numbers are slow in any layout: the axis is widened
_NO_NUMBER = -1  # number of a box that has not entered a search


@dataclass(frozen=True)
class Place:
    """Path of a box: the number of its root box, then for every halving the axis and whether it is the upper half."""

    root: int
    halves: tuple[tuple[int, bool], ...] = ()


def open_places(trees: Iterable[Tree]) -> list[Place]:
    """The open boxes of the trees of all root boxes, in their order.

    >>> open_places([(LEAF,), (0, LEAF, 1, OPEN, LEAF), (OPEN,)])
    [Place(root=1, halves=((0, True), (1, False))), Place(root=2, halves=())]
    """
    found = []
    for root, tree in enumerate(trees):
        waiting = [Place(root)]
        for symbol in tree:
            place = waiting.pop()
            if symbol == OPEN:
                found.append(place)
            elif symbol != LEAF:
                waiting += [Place(root, (*place.halves, (symbol, upper))) for upper in (True, False)]
    return found


def with_subtrees(trees: Iterable[Tree], subtrees: Iterable[Tree]) -> tuple[Tree, ...]:
    """The trees with every open box replaced by its subtree; `subtrees` are in the order of `open_places`.

    >>> with_subtrees([(0, LEAF, OPEN), (OPEN,)], [(1, LEAF, OPEN), (LEAF,)])
    ((0, -1, 1, -1, -2), (-1,))
    """
    coming = iter(subtrees)
    return tuple(tuple(_with_subtrees(tree, coming)) for tree in trees)


def _with_subtrees(tree: Tree, coming: Iterator[Tree]) -> Iterator[int]:
    for symbol in tree:
        if symbol == OPEN:
            yield from next(coming)
        else:
            yield symbol


def dealt(places: Sequence[Place], most: int) -> list[Sequence[Place]]:
    """Chunks of places: at most `most`, neighbours together, lengths differing by at most one.

    >>> [[place.root for place in part] for part in dealt([Place(k) for k in range(5)], 3)]
    [[0], [1, 2], [3, 4]]
    """
    count = min(most, len(places))
    edges = [len(places) * k // count for k in range(count + 1)] if count else [0]
    return [places[start:stop] for start, stop in itertools.pairwise(edges)]


@dataclass(frozen=True)
class Box:
    """A pending box: numerators (entries, ..), denominators by axis, errors (entries,) of (1), (2).

    `part` is its fraction of the volume of the whole box.
    """

    number: int
    part: float
    numerators: RealArray
    weights: tuple[Array, ...]
    errors: Array


class BernsteinBoxes:
    """Factory of boxes for polynomials in a table (entries, basis, ..), with an allowance (entries,) for errors."""

    def __init__(self, table: Array, ranges: Sequence[Range], allowance: Array) -> None:
        self._table, self._allowance = table, allowance
        self._precision = np.float32 if table.size >= _SINGLE_FROM else np.float64
        self.unit = 0.5 * float(np.finfo(self._precision).eps)
        degrees = [basis_degree(r.variable, size) for r, size in zip(ranges, table.shape[1:], strict=True)]
        self._pieces = [
            [numerator_matrix(interval, degree) for interval in part]
            for part, degree in zip(root_ranges(ranges), degrees, strict=True)
        ]
        self._magnitudes = np.abs(table).reshape(len(table), -1).sum(axis=1)
        self.part = 1.0 / math.prod(len(intervals) for intervals in self._pieces)

    def at(self, places: Sequence[Place]) -> Iterator[Box]:
        """The boxes at the places, which are ordered by root box; results that boxes share are computed once."""
        pieces = self._pieces
        below = [math.prod(len(intervals) for intervals in pieces[axis:]) for axis in range(len(pieces) + 1)]
        asked: dict[int, list[Place]] = {}
        for place in places:
            asked.setdefault(place.root, []).append(place)

        def further(numerators: RealArray, weights: tuple[Array, ...], growth: float, first: int) -> Iterator[Box]:
            """The requested boxes with one interval in each of the first variables; root boxes count from `first`."""
            axis = len(weights)
            if axis == len(pieces):
                root = self._root(numerators, weights, growth)
                for place in asked[first]:
                    yield self._within(root, place)
                return
            for k, (matrix, weight) in enumerate(pieces[axis]):
                start = first + k * below[axis + 1]
                if any(number in asked for number in range(start, start + below[axis + 1])):
                    growing = growth * float(np.abs(matrix).sum(axis=1).max())
                    yield from further(_along(matrix, numerators, axis + 1), (*weights, weight), growing, start)

        yield from further(self._table, (), 1.0, 0)

    def _root(self, numerators: RealArray, weights: tuple[Array, ...], growth: float) -> Box:
        """A root box (1); `growth` is the factor by which the matrices may have amplified rounding errors."""
        largest = np.abs(numerators).reshape(len(self._table), -1).max(axis=1)
        rounding = rounding_steps(len(weights)) * growth * self._magnitudes
        # The allowance is of values, numerators are values times denominators.
        scale = math.prod(float(w.max()) for w in weights)
        errors = self._allowance * scale + rounding + 2.0 * self.unit * largest
        return Box(_NO_NUMBER, self.part, numerators.astype(self._precision), weights, errors)

    def _within(self, root: Box, place: Place) -> Box:
        box = root
        for axis, upper in place.halves:
            box = self.halved(box, axis)[upper]
        return box

    def halved(self, box: Box, axis: int) -> tuple[Box, Box]:
        """Both halves of a box (2), the lower one first, not yet numbered."""
        largest = np.abs(box.numerators).reshape(len(box.errors), -1).max(axis=1)
        errors = box.errors + HALVING_STEPS * self.unit * largest
        lower, upper = (
            Box(
                _NO_NUMBER,
                0.5 * box.part,
                _along(half.astype(self._precision), box.numerators, axis + 1),
                (*box.weights[:axis], half @ box.weights[axis], *box.weights[axis + 1 :]),
                errors,
            )
            for half in halves(box.numerators.shape[axis + 1])
        )
        return lower, upper


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
