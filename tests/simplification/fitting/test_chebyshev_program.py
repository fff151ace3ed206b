from __future__ import annotations

import sys

import numpy as np
import pytest

from torquec.errors import MissingExtraError
from torquec.simplification.fitting.chebyshev_program import exchange_fit, point_fit, rough_fit, sparse_fit


def test_a_line_through_a_parabola():
    x = np.linspace(0.0, 1.0, 101)
    fit = point_fit(np.stack([np.ones_like(x), x], axis=1), x**2)
    assert fit.level == pytest.approx(0.125, abs=1e-12)
    assert fit.lower_bound == pytest.approx(0.125, abs=1e-12)
    assert fit.coefficients == pytest.approx([-0.125, 1.0])


def test_without_columns_the_level_is_the_largest_value():
    fit = point_fit(np.zeros((3, 0)), np.array([1.0, -4.0, 2.0]))
    assert (fit.level, fit.lower_bound) == (4.0, 4.0)


def test_the_lower_bound_holds_for_any_coefficients():
    rng = np.random.default_rng(3)
    A, b = rng.standard_normal((60, 5)), rng.standard_normal(60)
    fit = point_fit(A, b)
    for _ in range(200):
        a = fit.coefficients + rng.standard_normal(5) * 10.0 ** rng.uniform(-6, 1)
        assert np.abs(b - A @ a).max() >= fit.lower_bound
    assert fit.lower_bound <= fit.level <= fit.lower_bound * (1.0 + 1e-9)


def test_more_unknowns_than_points_fit_exactly():
    rng = np.random.default_rng(4)
    assert point_fit(rng.standard_normal((6, 9)), rng.standard_normal(6)).level < 1e-8


def test_sparse_fit_finds_the_few_terms_and_knows_when_there_are_none():
    rng = np.random.default_rng(5)
    A = rng.standard_normal((80, 10))
    b = 2.0 * A[:, 3] - A[:, 7] + 1e-3 * rng.uniform(-1.0, 1.0, 80)
    found = sparse_fit(A, b, 2e-3, np.ones(10))
    assert set(np.flatnonzero(np.abs(found) > 1e-2)) == {3, 7}
    assert np.abs(b - A @ found).max() <= 2e-3 * (1.0 + 1e-6)
    assert sparse_fit(A[:, :1], b, 1e-3, np.ones(1)) is None


def test_scipy_is_named_when_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match="minimax fitting needs the package 'scipy'") as caught:
        sparse_fit(np.ones((2, 1)), np.ones(2), 0.1, np.ones(1))
    assert "torquec[optimize]" in str(caught.value)


def test_a_rough_fit_is_reached_and_near_the_best():
    rng = np.random.default_rng(6)
    A, b = rng.standard_normal((200, 10)), rng.standard_normal(200)
    best = point_fit(A, b).level
    assert best <= rough_fit(A, b)[1] <= 1.3 * best


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
