"""Bounds of solutions of linear systems that are only enclosed."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.proof.enclosure.solution_bound import solution_bound


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_no_system_of_the_enclosure_has_a_larger_solution(n):
    rng = np.random.default_rng(n)
    count = 50
    A = rng.normal(size=(count, n, n))
    middle = A @ np.swapaxes(A, 1, 2) + np.eye(n)
    radius = 0.02 * rng.random((count, n, n)) / n
    right, spread = rng.normal(size=(count, n)), rng.random((count, n))
    bound = solution_bound(middle - radius, middle + radius, right - spread, right + spread)
    assert np.isfinite(bound).all()
    largest = np.zeros((count, n))
    for k in range(300):
        corner = rng.choice([-1.0, 1.0], size=(2, count, n, n)) if k % 2 else rng.uniform(-1.0, 1.0, (2, count, n, n))
        M, d = middle + radius * corner[0], right + spread * corner[1][:, 0]
        largest = np.maximum(largest, np.abs(np.linalg.solve(M, d[..., None])[..., 0]))
    assert np.all(largest <= bound)
    assert np.all(largest.max(axis=1) >= 0.4 * bound.max(axis=1))


def test_points_give_the_inverse_itself():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(20, 5, 5))
    M, b = A @ np.swapaxes(A, 1, 2) + 0.1 * np.eye(5), rng.random((20, 5))
    expected = (np.abs(np.linalg.inv(M)) @ b[..., None])[..., 0]
    bound = solution_bound(M, M, -b, b)
    assert np.all(bound >= expected * (1.0 - 1e-13))
    assert np.all(bound <= expected * (1.0 + 1e-9))


def test_a_singular_matrix_in_the_enclosure_is_never_solved():
    low, high = np.array([[[1.0, 0.9], [0.9, 1.0]]]), np.array([[[1.1, 1.1], [1.1, 1.1]]])
    d = np.ones((1, 2))
    assert np.all(np.isinf(solution_bound(low, high, -d, d)))
    flat = np.ones((1, 2, 2))
    assert np.all(np.isinf(solution_bound(flat, flat, -d, d)))
    both = solution_bound(
        np.concatenate([flat, np.eye(2)[None]]),
        np.concatenate([flat, np.eye(2)[None]]),
        -np.ones((2, 2)),
        np.ones((2, 2)),
    )
    assert np.isinf(both[0]).all()
    assert both[1] == pytest.approx(1.0, rel=1e-9)


def test_ends_that_are_not_finite_give_no_bound():
    one = np.eye(2)[None]
    d = np.ones((1, 2))
    assert np.all(np.isinf(solution_bound(one, np.where(one > 0, np.inf, one), -d, d)))
    assert np.all(np.isinf(solution_bound(one, one, -d, d * np.nan)))
