"""Structured errors: a joint by hand, never better than random errors of the set, a scale that is exact."""

from __future__ import annotations

import numpy as np
import pytest
from tests.control.test_stability_interval import single

import torquec as tq
from torquec.control.poles import joint_poles
from torquec.control.robustness import make_loop
from torquec.control.structured_errors import (
    EntryBounds,
    ParameterCovariance,
    _gradient,
    chi_squared_quantile,
    covariance_margin,
    parameter_slopes,
    structured_margin,
)
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize
from torquec.model.model import Model
from torquec.papers.clover_comparisons import POINT
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
        assert np.tensordot(values, C, axes=1)[:, joint] == pytest.approx(slope, abs=1e-8)


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


ARM = tq.classics.puma560()
MODEL = linearize(ARM, *POINT)
LOOP = make_loop(MODEL, joint_poles(ARM.joint_names, -15 + 15j))
BOUNDS = EntryBounds(0.1 * np.abs(MODEL.M), 0.1 * np.abs(MODEL.C), 0.1 * np.abs(MODEL.K))


def test_one_joint_by_hand():
    # what is left of the stiffness is 50 - dK: the damped oscillation decays alike until dK = 32, and is unstable at 50
    loop = make_loop(single(), joint_poles(("a",), -3 + 4j))
    zero, ten = np.zeros((1, 1)), np.full((1, 1), 10.0)
    found = structured_margin(loop, EntryBounds(zero, zero, ten))
    assert found.excess == pytest.approx(-3.0)
    assert found.scale == pytest.approx(5.0, rel=1e-9)
    assert found.is_stable


@pytest.mark.parametrize("period", [None, 0.002])
def test_random_errors_of_the_set_are_never_worse(period):
    loop = make_loop(MODEL, joint_poles(ARM.joint_names, -15 + 15j), period=period)
    found = structured_margin(loop, BOUNDS)
    rng = np.random.default_rng(0)
    for _ in range(300):
        M, C, K = (
            own + bound * rng.choice([-1.0, 1.0], size=(6, 6))
            for own, bound in ((MODEL.M, BOUNDS.M), (MODEL.C, BOUNDS.C), (MODEL.K, BOUNDS.K))
        )
        assert loop.excess(loop.F - loop.G @ loop.gains(M, C, K)) < found.excess


def test_the_scale_is_where_errors_of_the_set_are_unstable():
    found = structured_margin(LOOP, BOUNDS)
    assert found.is_stable
    assert found.scale > 1.0

    def scaled(size):
        return structured_margin(LOOP, EntryBounds(*(size * b for b in (BOUNDS.M, BOUNDS.C, BOUNDS.K))))

    assert not scaled(1.02 * found.scale).is_stable
    assert scaled(0.97 * found.scale).is_stable


def test_a_covariance_in_one_parameter_is_a_line():
    # the parameter scales K: three standard deviations of 0.1 are alpha = 1 +- 0.3
    zero = np.zeros((1, 6, 6))
    errors = ParameterCovariance(np.array([[0.01]]), zero, zero, MODEL.K[None])
    found = structured_margin(LOOP, errors)
    ends = [LOOP.excess(LOOP.F - LOOP.G @ LOOP.gains(MODEL.M, MODEL.C, a * MODEL.K)) for a in (0.7, 1.3)]
    assert found.excess == pytest.approx(max(ends), rel=1e-6)


@pytest.mark.parametrize("period", [None, 0.01])
def test_gradients_are_slopes(period):
    loop = make_loop(MODEL, joint_poles(ARM.joint_names, [complex(-5 - k, 7 + 2 * k) for k in range(6)]), period=period)
    changes = np.array([-loop.G @ loop.gains(*unit) for unit in BOUNDS.directions(6)])
    weights = np.random.default_rng(0).normal(size=len(changes)) * 1e-2
    matrix = loop.matrix() + np.tensordot(weights, changes, axes=1)
    gradient = _gradient(loop, matrix, changes)

    def size(m):
        found = np.linalg.eigvals(m)
        return found.real.max() if period is None else np.abs(found).max()

    h = 1e-6
    for k in range(0, len(changes), 7):
        slope = (size(matrix + h * changes[k]) - size(matrix - h * changes[k])) / (2 * h)
        assert gradient[k] == pytest.approx(slope, rel=1e-4, abs=1e-6 * np.abs(gradient).max())


def test_no_errors_no_limit():
    zero = np.zeros((6, 6))
    found = structured_margin(LOOP, EntryBounds(zero, zero, zero))
    assert found.scale == np.inf
    assert found.excess == pytest.approx(-15.0, abs=1e-6)


def test_refusals():
    with pytest.raises(ArgumentError, match="bounds of shape"):
        structured_margin(LOOP, EntryBounds(np.zeros((5, 5)), np.zeros((5, 5)), np.zeros((5, 5))))
    with pytest.raises(ArgumentError, match="not negative"):
        structured_margin(LOOP, EntryBounds(-np.ones((6, 6)), np.zeros((6, 6)), np.zeros((6, 6))))
    one = np.zeros((1, 6, 6))
    with pytest.raises(ArgumentError, match="not positive semidefinite"):
        structured_margin(LOOP, ParameterCovariance(np.array([[-1.0]]), one, one, one))
    with pytest.raises(ArgumentError, match="give"):
        structured_margin(LOOP, ParameterCovariance(np.eye(2), one, one, one))
