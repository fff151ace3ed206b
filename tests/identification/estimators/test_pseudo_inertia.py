"""Pseudo-inertia: which parameters are those of a body, and a distance that no frame or unit changes."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.estimators.pseudo_inertia import (
    from_pseudo_inertia,
    is_consistent,
    metric,
    nearest_solution,
    pseudo_inertia,
    solid_rows,
    thickened,
)
from torquec.spatial import Inertia, Pose, axis_angle_rotation

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


def points(seed):
    """The parameters of some point masses."""
    rng = np.random.default_rng(seed)
    total = Inertia()
    for _ in range(6):
        x = tuple(rng.normal(size=3))
        total = total + Inertia.from_center_of_mass(float(rng.uniform(0.1, 1.0)), x, ((0.0,) * 3,) * 3)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_point_masses_are_consistent_and_the_map_has_an_inverse(seed):
    values = np.array(points(seed).parameters, dtype=float)
    assert is_consistent(values)
    assert np.allclose(from_pseudo_inertia(pseudo_inertia(values)), values)


def test_a_broken_triangle_inequality_is_not():
    # Positive definite tensor, but Ixx > Iyy + Izz: no mass distribution has that.
    assert not is_consistent(np.array([3.0, 0, 0, 1.0, 0, 1.0, 0, 0, 0, 1.0]))
    assert not is_consistent(np.array([1.0, 0, 0, 1.0, 0, 1.0, 0, 0, 0, -1.0]))


def test_the_distance_is_the_same_in_every_frame():
    a, b = points(1), points(2)
    pose = Pose(axis_angle_rotation((0.0, 0.6, 0.8), np.cos(1.0), np.sin(1.0)), (0.3, -0.2, 0.5))

    def distance(prior, other):
        p, q = (np.array(i.parameters, dtype=float) for i in (prior, other))
        return (q - p) @ metric(p) @ (q - p)

    assert distance(a, b) == pytest.approx(distance(a.transformed(pose), b.transformed(pose)), rel=1e-9)


@pytest.mark.parametrize("values", [[0.0] * 9 + [1.0], [3.0, 0, 0, 1.0, 0, 1.0, 0, 0, 0, 1.0], [0.0] * 10])
def test_a_thin_prior_is_thickened(values):
    assert np.linalg.eigvalsh(pseudo_inertia(thickened(np.array(values)))).min() > 0.0


def test_a_solid_prior_is_left_alone():
    values = np.array(points(3).parameters, dtype=float)
    assert np.allclose(thickened(values), values, rtol=1e-9, atol=1e-12)
