"""The cone of solid bodies: nearest solids of known answers."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.estimators.pseudo_inertia import is_consistent, pseudo_inertia
from torquec.identification.estimators.solid_cone import nearest_solution, solid_rows

BALL = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


def nearest(parameters, positive=None):
    rows, floor = solid_rows(BALL, 0.0)
    return nearest_solution(np.eye(10), parameters, [(rows, -floor)], positive)


def test_rows_are_the_triangle_of_the_scaled_pseudo_inertia():
    rows, _ = solid_rows(BALL, 0.0)
    rng = np.random.default_rng(0)
    phi = rng.normal(size=10)
    scale = np.diag(1.0 / np.sqrt(np.diag(pseudo_inertia(BALL))))
    p = scale @ pseudo_inertia(phi) @ scale
    assert rows @ phi == pytest.approx(
        [p[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(4) for i in range(j + 1)]
    )


def test_a_solid_is_its_own_nearest():
    assert nearest(BALL) == pytest.approx(BALL, abs=1e-6)


def test_a_negative_mass_becomes_none():
    found = nearest(BALL - 2.0 * np.eye(10)[9])
    assert found[9] == pytest.approx(0.0, abs=1e-6)
    assert is_consistent(found, slack=1e-6)


def test_the_triangle_inequality_of_moments():
    """Moments 1, 1, 4 belong to no solid; the nearest ones that do are 5/3, 5/3, 10/3."""
    found = nearest(np.array([1.0, 0.0, 0.0, 1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 1.0]))
    assert found[[0, 3, 5]] == pytest.approx([5 / 3, 5 / 3, 10 / 3], abs=1e-5)


def test_cones_without_a_common_point():
    most = (-np.eye(10)[9:], np.array([-1.0]))  # the mass is -1 at most
    assert nearest(BALL, most) is None
