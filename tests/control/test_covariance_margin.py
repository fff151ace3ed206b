"""Parameters that an identification leaves possible: quantiles, derivatives by parameters, and the worst of them."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.control.covariance_margin import chi_squared_quantile, covariance_margin, parameter_slopes
from torquec.control.poles import joint_poles
from torquec.control.robustness import make_loop
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize
from torquec.model.model import Model
from torquec.robot.classics import load_classic


@pytest.mark.parametrize(
    ("level", "degrees", "value"),
    [(0.95, 1, 3.841), (0.95, 2, 5.991), (0.95, 3, 7.815), (0.95, 10, 18.307), (0.95, 30, 43.773), (0.99, 5, 15.086)],
)
def test_quantiles_are_those_of_the_tables(level, degrees, value):
    assert chi_squared_quantile(level, degrees) == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize("name", ["planar2r", "scara", "puma560"])
def test_parameters_times_their_slopes_are_the_linear_model(name):
    robot = load_classic(name)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.n))
    values = tq.base_parameters(robot).values
    M, _, K = (np.tensordot(values, slope, axes=1) for slope in parameter_slopes(robot, q, qd, qdd))
    linear = linearize(robot, q, qd, qdd)
    assert pytest.approx(linear.M, abs=1e-9) == M
    assert pytest.approx(linear.K, abs=1e-9) == K
    _, C, _ = parameter_slopes(robot, q, qd, qdd)
    h = 1e-6
    arm = Model(robot)
    for joint in range(robot.n):
        step = h * np.eye(robot.n)[joint]
        slope = (arm.inverse_dynamics(q, qd + step, qdd) - arm.inverse_dynamics(q, qd - step, qdd)) / (2.0 * h)
        assert np.tensordot(values, C, axes=1)[:, joint] == pytest.approx(slope, abs=1e-5)


def test_no_drawn_parameters_are_worse():
    robot = load_classic("planar2r")
    rng = np.random.default_rng(2)
    state = tuple(rng.uniform(-0.5, 0.5, (3, 1, 2)))
    poles = joint_poles(robot.joint_names, -6 + 20j)
    values = tq.base_parameters(robot).values
    b = len(values)
    root = 0.02 * np.abs(values)[:, None] * rng.normal(size=(b, b))
    S = root @ root.T
    given = covariance_margin(robot, S, poles, state, period=0.005)
    assert given.is_stable
    assert given.points == 1
    linear = linearize(robot, *(part[0] for part in state))
    loop = make_loop(linear, poles, period=0.005, sampled=False)
    slopes = parameter_slopes(robot, *(part[0] for part in state))
    radius = np.sqrt(chi_squared_quantile(0.95, b))
    factor = np.linalg.cholesky(S + 1e-15 * np.eye(b))
    for _ in range(2000):
        x = rng.normal(size=b)
        errors = radius * factor @ (x / np.linalg.norm(x))
        wrong = [np.tensordot(errors, slope, axes=1) for slope in slopes]
        gains = loop.gains(linear.M + wrong[0], linear.C + wrong[1], linear.K + wrong[2])
        assert loop.excess(loop.F - loop.G @ gains) <= given.excess + 1e-9
    wide = covariance_margin(robot, (1.02 * given.scale) ** 2 * S, poles, state, period=0.005)
    assert not wide.is_stable


def test_misuse():
    robot = load_classic("planar2r")
    state = (np.zeros((1, 2)),) * 3
    poles = joint_poles(robot.joint_names, -6 + 20j)
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        covariance_margin(robot, np.eye(3), poles, state, level=95.0)
    with pytest.raises(ArgumentError, match="one row for each"):
        covariance_margin(robot, np.eye(17), poles, state)
