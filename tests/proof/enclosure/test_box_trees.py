"""Unfinished trees: every open box is named once, in order, and what takes its place makes the tree that was meant."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.proof.enclosure.box_trees import LEAF, OPEN, Place, dealt, open_places, with_subtrees


def grown(rng, depth=0):
    """A random tree as nested pairs (axis, lower, upper)."""
    if depth > 4 or rng.random() < 0.3:
        return LEAF
    return int(rng.integers(3)), grown(rng, depth + 1), grown(rng, depth + 1)


def symbols(tree):
    return (LEAF,) if tree == LEAF else (tree[0], *symbols(tree[1]), *symbols(tree[2]))


def cut(rng, tree, place, cuts):
    """The symbols of a tree that is open at random boxes, which go to `cuts` with the subtree at each."""
    if rng.random() < 0.2:
        cuts.append((place, symbols(tree)))
        return (OPEN,)
    if tree == LEAF:
        return (LEAF,)
    below = [Place(place.root, (*place.halves, (tree[0], upper))) for upper in (False, True)]
    return (tree[0], *cut(rng, tree[1], below[0], cuts), *cut(rng, tree[2], below[1], cuts))


@pytest.mark.parametrize("seed", range(5))
def test_open_boxes_are_named_and_filled_in_order(seed):
    rng = np.random.default_rng(seed)
    whole = [grown(rng) for _ in range(8)]
    cuts = []
    unfinished = [cut(rng, tree, Place(root), cuts) for root, tree in enumerate(whole)]
    assert open_places(unfinished) == [place for place, _ in cuts]
    assert with_subtrees(unfinished, [subtree for _, subtree in cuts]) == tuple(map(symbols, whole))


@pytest.mark.parametrize(("count", "most", "parts"), [(0, 3, 0), (2, 3, 2), (3, 3, 3), (100, 32, 32)])
def test_parts_are_even_and_all_there(count, most, parts):
    places = [Place(root) for root in range(count)]
    found = dealt(places, most)
    assert [place for part in found for place in part] == places
    assert len(found) == parts
    assert not found or max(map(len, found)) - min(map(len, found)) <= 1
