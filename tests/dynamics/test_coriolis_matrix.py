"""Coriolis matrix: Christoffel's, which three laws determine."""

from __future__ import annotations

import math

import numpy as np
from tests.dynamics.laws import holds

from torquec.dynamics import coriolis_matrix
from torquec.dynamics.coriolis_matrix import axis_rate, tensor_times
from torquec.dynamics.mass_moments import MassMoments
from torquec.robot import classics
from torquec.spatial import Inertia, matvec


def test_planar2r_of_the_textbook():
    w1, w2 = 0.7, -0.4
    h = -math.sin(-1.1) / 2
    found = coriolis_matrix(classics.planar2r(), [0.3, -1.1], [w1, w2])
    assert np.allclose(found, [[h * w2, h * (w1 + w2)], [-h * w1, 0.0]], atol=1e-15)


def test_axis_rate_is_the_cross_product_with_z():
    assert axis_rate((2.0, 3.0, 5.0)) == (3.0, -2.0, 0.0)


def test_tensor_times_is_that_of_the_inertia():
    inertia = Inertia(0.5, -0.1, 0.2, 0.7, 0.05, 0.4)
    v = (1.0, -2.0, 3.0)
    assert np.allclose(tensor_times(MassMoments.of(inertia), v), matvec(inertia.tensor, v), atol=1e-15)


def test_times_speed_is_the_velocity_torque():
    holds("coriolis_matrix_times_speed_is_the_velocity_torque")


def test_mass_matrix_rate_less_twice_coriolis_is_skew():
    holds("mass_matrix_rate_less_twice_coriolis_is_skew")


def test_christoffel():
    holds("coriolis_matrix_is_that_of_christoffel")
