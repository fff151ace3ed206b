"""Sums of angles: those of parallel joints are found, whole turns alone are summed, the price falls."""

from __future__ import annotations

import numpy as np
import pytest

from torquec_check.boxes import in_sums
from torquec_check.sums import _FEW, TURN, _price, whole, wider

TURNS = [(-3.2, 3.2)] * 4


def _vectors(*rows):
    """Each vector and its opposite."""
    found = np.array(rows)
    return np.concatenate([found, -found])


def test_the_wrist_of_a_ur5_depends_on_one_sum_of_parallel_joints():
    vectors = _vectors([1, 1, 1, 0], [2, 2, 2, 1], [0, 0, 0, 1])
    steps = whole(vectors, np.ones(6), TURNS)
    found, _ = in_sums(vectors, TURNS, np.ones(6), lambda *_: steps)
    assert np.count_nonzero(found.any(axis=0)) == 2
    assert sorted(np.abs(found).max(axis=0).tolist()) == [0, 0, 1, 1]


@pytest.mark.parametrize("sense", [1, -1])
def test_the_sum_or_the_difference_is_found(sense):
    vectors = _vectors([1, sense], [2, 2 * sense])
    ((i, j, s),) = whole(vectors, np.ones(4), TURNS[:2])
    assert {i, j} == {0, 1}
    assert s == sense
    assert not in_sums(vectors, TURNS[:2], np.ones(4), whole)[0][:, i].any()


def test_angles_that_are_not_summed_stay_as_they_are():
    assert whole(_vectors([1, 0], [0, 1]), np.ones(4), TURNS[:2]) == []
    assert whole(_vectors([1, 0], [-1, 0]), np.ones(4), TURNS[:2]) == []
    assert whole(_vectors([1]), np.ones(2), TURNS[:1]) == []


@pytest.mark.parametrize("narrow", [0, 1])
def test_a_narrow_range_is_summed_where_sums_may_have_more_values_alone(narrow):
    vectors, ranges = _vectors([1, 1], [2, 2]), list(TURNS[:2])
    ranges[narrow] = (-0.49 * TURN, 0.49 * TURN)
    assert whole(vectors, np.ones(4), ranges) == []
    assert len(wider(vectors, np.ones(4), ranges)) == 1


@pytest.mark.parametrize("count", [4, 7])
def test_sums_never_give_a_box_more_control_values_than_it_has_without_them_or_than_a_few(count):
    """One large wave along all joints, and small ones. Boxes of seven joints had 2.7 million, not 5^7."""
    vectors = np.vstack([np.full((1, count), 2), np.random.default_rng(0).integers(-2, 3, (60, count))])
    sizes, ranges = np.array([1.0, *60 * [2e-4]]), [(-3.2, 3.2)] * count
    found, _ = in_sums(vectors, ranges, sizes, whole)
    assert 5**4 < np.prod(2 * np.abs(found).max(axis=0) + 1) <= max(_FEW, 5**count)


def test_a_price_has_the_nodes_and_the_halvings():
    order, parts = np.array([2, -2, 0]), np.array([0.25, 0.25, 0.5])
    assert _price(order, 1.0, parts) == pytest.approx(5.0 * (1.0 + np.sqrt(2.0)))
    assert _price(order, 0.5, parts) == pytest.approx(5.0 * (1.0 + 0.5 * np.sqrt(2.0)))
    assert _price(0 * order, 1.0, parts) == 1.0


def test_a_sum_of_narrow_ranges_has_the_price_of_a_whole_turn():
    """Fewer halvings of q0 are bought with those of q0 + q1 over a turn: too many where both ranges are narrow."""
    vectors = _vectors([1, 1], [1, 0])
    assert wider(vectors, np.ones(4), TURNS[:2]) == [(0, 1, 1)]
    assert wider(vectors, np.ones(4), [(3.0, 3.1)] * 2) == []
