"""Proofs: what holds is shown, what does not is refuted by an attained value, and the tree covers its box."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.proof.tables import table_of

from torquec.closedform.polynomial import Variable, single
from torquec.proof.enclosure.bernstein import Range
from torquec.proof.enclosure.bernstein_boxes import LEAF
from torquec.proof.enclosure.branch_and_bound import Exhausted, Proof, Refutation, _Search, prove

X, Y = Variable(((0, 1),)), Variable(((1, 1),))
RANGES = [Range(X, -3.0, 3.0), Range(Y, -1.0, 2.5)]
P = single(X, 1, 0) * single(Y, 0, 1) * 2.0 + single(X, 0, 2) * 0.7 + single(Y, 1, 1) * 0.4


class Magnitude:
    """|p| of a single polynomial."""

    def __call__(self, control, target):
        del target
        return np.abs(control[0])

    def exact(self, values):
        return np.abs(values[0])


@cache
def _largest() -> float:
    x, y = np.meshgrid(np.linspace(-3.0, 3.0, 1501), np.linspace(-1.0, 2.5, 1501))
    return float(np.abs(P(np.stack([x.ravel(), y.ravel()], axis=1))).max())


def test_a_bound_just_above_the_maximum_is_proven_and_one_below_refuted():
    table, top = table_of([P], [X, Y], 2), _largest()
    outcome = prove(table, RANGES, Magnitude(), 1.001 * top)
    assert isinstance(outcome, Proof)
    refuted = prove(table, RANGES, Magnitude(), 0.99 * top)
    assert isinstance(refuted, Refutation)
    assert 0.99 * top < refuted.value <= 1.0001 * top


def test_an_allowance_counts():
    table, top = table_of([P], [X, Y], 2), _largest()
    few = 2000  # boxes, far more than the bound takes without the allowance
    assert isinstance(prove(table, RANGES, Magnitude(), 1.05 * top, most_boxes=few), Proof)
    off = np.array([0.1 * top])
    outcome = prove(table, RANGES, Magnitude(), 1.05 * top, allowance=off, most_boxes=few)
    assert isinstance(outcome, Exhausted | Refutation)


def test_trees_are_complete():
    outcome = prove(table_of([P], [X, Y], 2), RANGES, Magnitude(), 1.01 * _largest())
    assert isinstance(outcome, Proof)
    assert len(outcome.trees) == 3 * 2
    for tree in outcome.trees:
        leaves = sum(symbol == LEAF for symbol in tree)
        assert leaves == len(tree) - leaves + 1


def test_the_budget_is_kept():
    outcome = prove(table_of([P], [X, Y], 2), RANGES, Magnitude(), 1.0001 * _largest(), most_boxes=20)
    assert isinstance(outcome, Exhausted)


@pytest.mark.parametrize("seed", range(6))
def test_never_below_the_truth(seed):
    rng = np.random.default_rng(seed)
    p = P + single(X, 1, 1) * single(Y, 1, 0) * float(rng.normal()) + single(Y, 0, 2) * float(rng.normal())
    x = rng.uniform((-3.0, -1.0), (3.0, 2.5), (50_000, 2))
    top = float(np.abs(p(x)).max())
    assert not isinstance(prove(table_of([p], [X, Y], 2), RANGES, Magnitude(), 0.98 * top), Proof)


class Overestimate:
    """A tenth more than what is attained."""

    def __call__(self, control, target):
        del target
        return np.abs(control).sum(axis=0)

    def exact(self, values):
        return np.abs(values[0])


def test_what_no_subdivision_can_show_is_given_up_before_the_memory_is_full():
    top = _largest()
    # Many rows make boxes large, and batches small.
    table = table_of([P, P * 0.1, *[P * 0.0] * 400], [X, Y], 2)
    outcome = prove(table, RANGES, Overestimate(), 1.05 * top, most_boxes=10_000_000)
    assert isinstance(outcome, Exhausted)
    assert outcome.boxes < 50_000


class Apart:
    """|p| + |q| for what is |p + q|: too loose where they cancel."""

    def __call__(self, control, target):
        del target
        return np.abs(control).sum(axis=0)

    def exact(self, values):
        return np.abs(values.sum(axis=0))


def test_a_functional_that_is_too_loose_at_a_point_is_noticed():
    """Of |p - p/2| nothing between a half and three halves of |p| can be shown by it, nor refuted."""
    table = table_of([P, P * -0.5], [X, Y], 2)
    outcome = prove(table, RANGES, Apart(), _largest(), most_boxes=10**7)
    assert isinstance(outcome, Exhausted)
    assert outcome.boxes < 10_000


def test_what_can_be_shown_is_not_given_up(monkeypatch):
    """However early and often it is asked whether the functional is too loose at corners."""
    monkeypatch.setattr("torquec.proof.enclosure.branch_and_bound._FIRST_LOOK", 1)
    outcome = prove(table_of([P], [X, Y], 2), RANGES, Magnitude(), 1.001 * _largest())
    assert isinstance(outcome, Proof)
    assert outcome.boxes == sum(len(tree) for tree in outcome.trees)


class Together:
    """|p + q|, which lowers |p| + |q|."""

    def __call__(self, control, target):
        del target
        return np.abs(control.sum(axis=0))

    exact = None


@pytest.mark.parametrize("batch", [1, 3])
def test_upper_values_are_lowered_where_they_are_too_large(monkeypatch, batch):
    """All of them where that shows the box; where one stays too large the box is open, whatever the others are."""
    monkeypatch.setattr("torquec.proof.enclosure.branch_and_bound._WORST_POINTS", 4)
    table = table_of([P, P * -0.5], [X, Y], 2)
    search = _Search(table, RANGES, Together(), 1.0, np.zeros(2), [])
    rng = np.random.default_rng(3)
    values = rng.normal(size=(batch, 2, 100))
    upper = np.abs(values).sum(axis=1)
    closely = np.abs(values.sum(axis=1))
    for limits in (np.full(upper.shape, 20.0), upper - rng.uniform(-0.5, 0.5, upper.shape), closely + 1e-9):
        found = upper.copy()
        if batch == 1:
            search._tighten(values[0], limits[0], found[0])
        else:
            search._tighten_boxes(values, limits, found)
        shown = (np.where(upper > limits, closely, upper) <= limits).all(axis=1)
        np.testing.assert_array_equal((found <= limits).all(axis=1), shown)
        assert np.all((found == upper) | (found == closely))
        assert np.all(found[upper <= limits] == upper[upper <= limits])


def test_an_allowance_is_of_values_and_counts_in_full():
    """A constant of one with an allowance of a quarter is shown from 1.25 on; in wide boxes, where denominators differ,
    from somewhat more.
    """
    table = table_of([single(X, 0, 0), single(X, 0, 0) * 0.0], [X, Y], 2)
    narrow = [Range(X, 2.0, 2.01), Range(Y, -1.0, -0.99)]
    for ranges, target, holds in ((narrow, 1.2501, True), (narrow, 1.2499, False), (RANGES, 1.2499, False)):
        outcome = prove(table, ranges, Apart(), target, allowance=np.array([0.2, 0.05]), most_boxes=200)
        assert isinstance(outcome, Proof) is holds
