"""Fits over many rows: the level is that of the linear program over all of them; radius and early ends."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.simplification.fitting.chebyshev_program import point_fit
from torquec.simplification.fitting.exchange_fit import exchange_fit


def rows(seed):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(3000, 8))
    return columns, columns @ rng.normal(size=8) + rng.uniform(-1.0, 1.0, 3000)


@pytest.mark.parametrize("seed", range(3))
def test_the_level_is_that_of_all_rows(seed):
    columns, target = rows(seed)
    x, level = exchange_fit(columns, target)
    assert level == np.abs(columns @ x - target).max()
    best = point_fit(columns, target).level  # another algorithm
    assert best <= level * (1.0 + 1e-9)
    assert level <= best * (1.0 + 2e-3)


def test_a_line_through_three_points():
    """The best line through (0, 0), (1, 0), (2, 1): x/2 - 1/4."""
    columns = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    x, level = exchange_fit(columns, np.array([0.0, 0.0, 1.0]))
    assert x == pytest.approx([0.5, -0.25])
    assert level == pytest.approx(0.25)


def test_unknowns_stay_within_the_radius():
    columns, target = rows(1)
    x, level = exchange_fit(columns, target, within=0.1)
    assert np.abs(x).max() <= 0.1 + 1e-9
    assert level >= exchange_fit(columns, target)[1]


def test_it_ends_where_the_level_is_known_to_be_enough_or_out_of_reach():
    columns, target = rows(2)
    best = exchange_fit(columns, target)[1]
    assert exchange_fit(columns, target, enough=2.0 * best)[1] <= 2.0 * best
    assert exchange_fit(columns, target, enough=0.5 * best)[1] > 0.5 * best
