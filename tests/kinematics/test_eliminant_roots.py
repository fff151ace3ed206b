"""Roots of trigonometric polynomials whose roots are known: simple ones, pairs, clusters, and none."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.kinematics.eliminant_roots import GRID_ANGLES, circle_roots


def product(roots, complex_pairs=()):
    """A function with these real roots on the circle (an even number), and minima next to the real axis."""

    def value(angle):
        found = np.prod([np.sin(0.5 * (angle - root)) for root in roots], axis=0) if len(roots) else np.ones_like(angle)
        for at, apart in complex_pairs:
            found = found * (1.0 + apart - np.cos(angle - at))
        return found

    return value


def solved(*functions):
    on_grid = np.array([function(GRID_ANGLES) for function in functions])

    def value(row, angle):
        return np.array([functions[k](np.array([x]))[0] for k, x in zip(row, angle, strict=True)])

    return circle_roots(on_grid, value)


def test_sixteen_roots_are_found():
    roots = np.sort(np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 16))
    found = solved(product(roots))
    np.testing.assert_allclose(found.angle, roots, atol=1e-8)
    assert not found.doubtful[0]


@pytest.mark.parametrize("apart", [1e-2, 1e-3, 1e-4, 3e-5])
@pytest.mark.parametrize("many", [2, 4])
def test_roots_next_to_each_other_are_found_wherever_they_are(apart, many):
    for start in np.random.default_rng(1).uniform(0.0, 6.0, 20):
        roots = start + apart * np.arange(many)
        found = solved(product(roots))
        if not found.doubtful[0]:
            np.testing.assert_allclose(found.angle, roots, atol=0.01 * apart)
        else:
            assert apart < 1e-3


def test_a_double_root_is_doubtful_and_looked_at():
    found = solved(product([1.2345, 1.2345]))
    assert found.doubtful[0]
    assert np.abs(found.angle - 1.2345).min() < 1e-4


def test_functions_without_roots_have_none_and_are_not_mixed_up():
    found = solved(product([], [(2.0, 1e-4), (4.0, 0.3)]), product([0.5, 3.0]), product([], [(1.0, 1e-6)]))
    assert found.row.tolist() == [1, 1]
    np.testing.assert_allclose(found.angle, [0.5, 3.0], atol=1e-9)
    assert not found.doubtful.any()
