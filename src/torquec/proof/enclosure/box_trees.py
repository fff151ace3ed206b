"""Trees of boxes that are not finished: which boxes are open, and trees in which these have been worked on.

A tree is one symbol per box in depth-first order, the lower half first: the axis of a split, `LEAF` for a box that is
shown, `OPEN` for one that has still to be. An open box is named by its root box and the halves that lead to it, so that
whoever goes on with it computes its numbers by the same steps, to the same bits, as who left it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LEAF, OPEN = -1, -2

Tree = tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """Where a box is: the number of its root box, and of every halving since the axis, and whether it is the upper
    half.
    """

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
    """The trees with a subtree, in the order of `open_places`, in place of each open box.

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
    """The places in at most so many parts, neighbours together, whose lengths differ by one at most.

    >>> [[place.root for place in part] for part in dealt([Place(k) for k in range(5)], 3)]
    [[0], [1, 2], [3, 4]]
    """
    count = min(most, len(places))
    edges = [len(places) * k // count for k in range(count + 1)] if count else [0]
    return [places[start:stop] for start, stop in itertools.pairwise(edges)]
