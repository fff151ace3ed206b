"""Unfinished trees: every open box is named once, in order, and what takes its place makes the tree that was meant."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.proof.tables import table_of

from torquec.closedform.polynomial import Variable, single
from torquec.proof.enclosure.bernstein import Range
from torquec.proof.enclosure.bernstein_boxes import LEAF, OPEN, BernsteinBoxes, Place, dealt, open_places, with_subtrees


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


X, Y = Variable(((0, 1),)), Variable(((1, 1),))
RANGES = [Range(X, -3.0, 3.0), Range(Y, -1.0, 2.5)]
P = single(X, 1, 0) * single(Y, 0, 1) * 2.0 + single(X, 0, 2) * 0.7 + single(Y, 1, 1) * 0.4


@pytest.fixture(params=[0, 10**9], ids=["single", "double"])
def boxes(request, monkeypatch):
    monkeypatch.setattr("torquec.proof.enclosure.bernstein_boxes._SINGLE_FROM", request.param)
    return BernsteinBoxes(table_of([P, P * 0.1], [X, Y], 2), RANGES, np.array([0.01, 0.02]))


def same(one, other):
    np.testing.assert_array_equal(one.numerators, other.numerators)
    np.testing.assert_array_equal(one.errors, other.errors)
    for a, b in zip(one.weights, other.weights, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.part == other.part


def test_root_boxes_that_are_asked_for_are_those_of_all(boxes):
    every = list(boxes.at([Place(root) for root in range(6)]))
    assert sum(box.part for box in every) == pytest.approx(1.0)
    for some in itertools.chain.from_iterable(itertools.combinations(range(6), size) for size in (1, 2, 4)):
        found = list(boxes.at([Place(root) for root in some]))
        for box, root in zip(found, some, strict=True):
            same(box, every[root])


def test_a_place_is_what_halving_leads_to(boxes):
    root = list(boxes.at([Place(root) for root in range(6)]))[4]
    box = boxes.halved(boxes.halved(boxes.halved(root, 1)[1], 0)[0], 1)[1]
    places = [Place(4), Place(4, ((1, True), (0, False), (1, True))), Place(5)]
    first, found, _ = boxes.at(places)
    same(first, root)
    same(found, box)
    assert np.all(found.errors > root.errors * (found.weights[0].max() / root.weights[0].max()) * 0.5)


def test_halves_meet_in_the_middle(boxes):
    """The last control value of the lower half is the first of the upper one, and their ends are the box's."""
    (root,) = boxes.at([Place(0)])
    lower, upper = boxes.halved(root, 0)
    np.testing.assert_allclose(lower.numerators[:, -1], upper.numerators[:, 0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(lower.numerators[:, 0], root.numerators[:, 0], rtol=1e-6)
    np.testing.assert_allclose(upper.numerators[:, -1], root.numerators[:, -1], rtol=1e-6)
