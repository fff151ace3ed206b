"""The simulated experiment: its samples, its seeds, and the gravity coefficients of the PUMA 260."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.torque.torque_model import torque_model
from torquec.model.model import compile
from torquec.papers.izaguirre.inward_basis import inward_basis
from torquec.papers.izaguirre.simulated_elimination import gravity_coefficients, simulated_elimination
from torquec.papers.izaguirre.simulated_runs import MeasurementNoise
from torquec.robot import classics


def test_every_run_is_fitted_and_without_noise_the_parameters_come_back():
    model = torque_model(classics.planar2r(), friction="symmetric")
    basis = inward_basis(model)
    found = simulated_elimination(model, basis, noise=MeasurementNoise(0.0, 0.0))
    assert found.before.values.shape == (10, len(basis.names))
    assert found.error_before < 0.05  # what central differences at 28 ms leave


def test_seeds_draw_other_runs():
    model = torque_model(classics.planar2r(), friction="symmetric")
    basis = inward_basis(model)
    one, same, other = (simulated_elimination(model, basis, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.x, same.x)
    assert not np.array_equal(one.x, other.x)


def test_gravity_coefficients_determine_the_shoulder_torque():
    robot = classics.puma260()
    c12, c13, c15 = gravity_coefficients(robot)
    assert (c12, c13, c15) == pytest.approx((5.517936, -1.768652, -0.137438), abs=1e-6)
    for q in np.random.default_rng(0).uniform(-2.0, 2.0, (5, 6)):
        (c2, c4, c5), s5 = np.cos(q[[1, 3, 4]]), np.sin(q[4])
        s23, c23 = np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
        expected = c12 * c2 + c13 * s23 + c15 * (s23 * c5 + c23 * c4 * s5)
        assert compile(robot).gravity_torque(q)[1] == pytest.approx(expected, abs=1e-9)
