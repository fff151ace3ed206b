"""Simulated runs: their number, rate, rests, resolution and noise."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.torque.torque_model import torque_model
from torquec.model.model import compile
from torquec.papers.inward_basis import inward_basis
from torquec.papers.simulated_runs import MeasurementNoise, gravity_coefficients, simulated_elimination, simulated_runs
from torquec.robot import classics

EXACT = MeasurementNoise(torque=0.0, resolution=0.0)


def test_ten_runs_every_28_ms_from_rest_to_rest():
    runs = simulated_runs(classics.puma260(), noise=EXACT)
    assert len(runs) == 10
    for run in runs:
        assert np.diff(run.t) == pytest.approx(0.028)
        assert run.qd is None
        assert np.abs(np.diff(run.q, axis=0)).max() / 0.028 < 4.05
        assert np.abs(run.q[1] - run.q[0]).max() < 1e-3  # begins at rest


def test_torques_are_those_of_the_robot():
    robot = classics.planar2r()
    run = simulated_runs(robot, count=1, period=0.001, noise=EXACT)[0]
    speed = np.gradient(run.q, 0.001, axis=0)
    tau = compile(robot).total_torque(run.q, speed, np.gradient(speed, 0.001, axis=0))
    assert run.tau[5:-5] == pytest.approx(np.asarray(tau)[5:-5], abs=0.02 * np.abs(run.tau).max())


def test_encoders_round_and_torques_are_noisy():
    robot = classics.planar2r()
    clean = simulated_runs(robot, noise=EXACT)
    noisy = simulated_runs(robot, noise=MeasurementNoise(0.05, 1e-3))
    steps = np.concatenate([run.q for run in noisy]) / 1e-3
    assert steps == pytest.approx(np.round(steps), abs=1e-6)
    spread = np.concatenate([a.tau - b.tau for a, b in zip(noisy, clean, strict=True)]).std(axis=0)
    peak = np.max([np.abs(run.tau).max(axis=0) for run in clean], axis=0)
    assert spread == pytest.approx(0.05 * peak, rel=0.1)


def test_equal_seeds_give_equal_runs():
    one, other = (simulated_runs(classics.planar2r(), seed=3) for _ in range(2))
    assert all(np.array_equal(a.tau, b.tau) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("wrong", [{"count": 0}, {"period": 0.0}, {"speed": -1.0}, {"noise": MeasurementNoise(-1.0)}])
def test_numbers_must_be_positive(wrong):
    with pytest.raises(ArgumentError, match="positive"):
        simulated_runs(classics.planar2r(), **wrong)


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
