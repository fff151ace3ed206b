"""Mass moments: point masses, against the inertia's own transformation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics.mass_moments import MassMoments
from torquec.spatial import IDENTITY_ROTATION, Pose, rotation_z, rpy_rotation

POINT = MassMoments(2.0, 4.0, 6.0, 8.0, 12.0, 18.0, 2.0, 4.0, 6.0, 2.0)
"""2 kg at (1, 2, 3)."""


def inertias():
    return [body.inertia for seed in range(5) for body in random_robot(seed).bodies]


def same(found, expected):
    assert np.allclose(found.values, expected.values, rtol=0.0, atol=1e-14 * max(map(abs, expected.values)))


def test_point_mass_shifted():
    assert MassMoments(m=2.0).shifted((1.0, 2.0, 3.0)) == POINT


def test_point_mass_turned_by_a_quarter():
    assert POINT.turned_about_z(0.0, 1.0).first == (-4.0, 2.0, 6.0)
    same(POINT.turned_about_z(0.0, 1.0), MassMoments(m=2.0).shifted((-2.0, 1.0, 3.0)))


@pytest.mark.parametrize("inertia", inertias()[:12])
def test_of_inertia_is_half_the_trace_less_the_tensor(inertia):
    tensor = np.array(inertia.tensor)
    assert np.allclose(MassMoments.of(inertia).second, np.trace(tensor) / 2 * np.eye(3) - tensor, atol=1e-14)


@pytest.mark.parametrize("inertia", inertias()[:12])
def test_moving_moments_is_moving_the_inertia(inertia):
    rotation, origin = rpy_rotation(0.3, -1.1, 2.0), (0.4, -0.2, 0.7)
    moved = MassMoments.of(inertia).turned(rotation).shifted(origin)
    same(moved, MassMoments.of(inertia.transformed(Pose(rotation, origin))))


@pytest.mark.parametrize("inertia", inertias()[:12])
def test_turning_about_z_is_the_cheap_way_of_turning(inertia):
    c, s = math.cos(0.7), math.sin(0.7)
    moments = MassMoments.of(inertia)
    same(moments.turned_about_z(c, s), moments.turned(rotation_z(c, s)))
    same(moments.turned(IDENTITY_ROTATION), moments)


def test_two_bodies_add_up():
    assert (POINT + POINT).m == 4.0
    assert (POINT + POINT).second == tuple(tuple(2 * e for e in row) for row in POINT.second)
