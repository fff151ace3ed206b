"""The functional of torque errors: never below what some motion attains, and close to it."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.proof.torque.torque_functional import TorqueFunctional


def coefficients(n, rng, points=30):
    """Rows (inertia, pairs of speeds, gravity) whose squares of speeds have both signs and weigh much."""
    functional = TorqueFunctional(n)
    rows = rng.normal(size=(n + len(functional.pairs) + 1, points))
    rows[:n] *= 0.2
    rows[[n + i for i, (j, k) in enumerate(functional.pairs) if j == k]] *= 3.0
    return functional, rows


def attained(functional, rows, rng):
    """The largest |error| over many speeds, those of rest, of corners and of middles of faces among them."""
    n = functional.n
    speeds = rng.uniform(-1.0, 1.0, size=(30_000, n))
    on_faces = np.where(rng.random(speeds.shape) < 0.7, np.sign(speeds), speeds)
    speeds = np.concatenate([speeds, on_faces, np.sign(speeds[:2000]), np.round(speeds[:5000]), np.zeros((1, n))])
    forms = np.stack([speeds[:, j] * speeds[:, k] for j, k in functional.pairs], axis=1)
    return np.abs(rows[:n]).sum(axis=0) + np.abs(forms @ rows[n:-1] + rows[-1]).max(axis=0)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 9])
def test_upper_values_are_never_below_what_is_attained(n):
    rng = np.random.default_rng(n)
    functional, rows = coefficients(n, rng)
    most = attained(functional, rows, rng)
    for target in (np.inf, -np.inf, 1.2 * most, 1.0001 * functional.exact(rows)):
        assert np.all(functional(rows, target) >= most * (1.0 - 1e-12))
    assert np.all(functional.exact(rows) <= most * (1.0 + 1e-12))


@pytest.mark.parametrize("n", [3, 5, 6])
def test_squares_of_both_signs_are_bounded_closely(n):
    rng = np.random.default_rng(10 + n)
    functional, rows = coefficients(n, rng)
    most = attained(functional, rows, rng)
    by_signs = functional(rows, -np.inf) <= 1.05 * most
    assert np.mean(by_signs) < 0.7
    assert np.mean(functional(rows, 1.05 * most) <= 1.05 * most) > 0.95


def test_one_square_against_another_is_known():
    # x^2 - y^2 + 4 x y is 4 at the corners, and nowhere more. By signs alone it is 5; by tangents at 1/2 it is 4.25,
    # and at the fourth choice 4.015625: as close as is asked for.
    functional = TorqueFunctional(2)
    rows = np.array([[0.0], [0.0], [1.0], [4.0], [-1.0], [0.0]])
    assert functional(rows, -np.inf) == pytest.approx(5.0)
    assert functional(rows, 4.5) == pytest.approx(4.25)
    assert functional(rows, 4.02) == pytest.approx(4.015625)
    assert functional(rows, 4.01) > 4.01
    assert functional.exact(rows) == pytest.approx(4.0)


@pytest.mark.parametrize("n", [2, 4, 6])
def test_signs_of_speeds_and_gravity_count_alike(n):
    # The error's magnitude does not change with all signs: whatever is shown of the one is shown of the other.
    rng = np.random.default_rng(20 + n)
    functional, rows = coefficients(n, rng, points=400)
    target = 1.03 * functional.exact(rows)
    shown = functional(rows, target) <= target
    assert 0.1 < np.mean(shown) < 1.0
    assert np.array_equal(shown, functional(-rows, target) <= target)


def test_rest_counts():
    functional = TorqueFunctional(1)
    assert functional(np.array([[0.0], [-1.0], [2.0]]), 1.0) == pytest.approx(2.0)
