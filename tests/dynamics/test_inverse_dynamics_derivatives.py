"""Derivatives of inverse dynamics: the pendulum by hand, every robot by complex steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds
from tests.dynamics.test_closed_loops import error, mechanism, some_slow, state

from torquec import dynamics
from torquec.dynamics import coriolis_matrix, inverse_dynamics_derivatives
from torquec.robot import classics


def test_pendulum():
    found = inverse_dynamics_derivatives(arms.pendulum(2.0, 0.5), [0.6], [3.0], [2.0])
    assert found.dtau_dq[0][0] == pytest.approx(9.81 * math.sin(0.6), abs=1e-14)
    assert found.dtau_dqd[0][0] == 0.0


def test_polar_coordinates():
    r, rd, w, wd, mass = 0.8, -0.3, 1.7, 0.9, 3.0
    found = inverse_dynamics_derivatives(arms.slider_on_turntable(mass), [0.4, r], [w, rd], [wd, 0.5])
    assert np.allclose(found.dtau_dq, [[0.0, 2 * mass * r * wd + 2 * mass * rd * w], [0.0, -mass * w * w]], atol=1e-14)
    assert np.allclose(found.dtau_dqd, [[2 * mass * r * rd, 2 * mass * r * w], [-2 * mass * r * w, 0.0]], atol=1e-14)


def test_by_speed_it_is_twice_the_coriolis_matrix():
    arm, q, qd = classics.puma560(), [0.1, -0.7, 0.4, 1.0, 0.3, -0.2], [1.0, -2.0, 0.5, 0.3, 2.0, -1.0]
    found = inverse_dynamics_derivatives(arm, q, qd, [0.5] * 6).dtau_dqd
    assert np.allclose(found, 2.0 * np.array(coriolis_matrix(arm, q, qd)), atol=1e-14)


def test_complex_steps():
    holds("derivatives_of_inverse_dynamics_are_complex_steps", range(40))


@pytest.mark.parametrize("name", some_slow(["four_bar", "slider_crank", "five_bar", "delta", "cam"], ["delta"]))
def test_derivatives_are_those_of_complex_steps(name):
    robot = mechanism(name)
    q, qd, qdd = state(robot, 2)
    tau = np.array(dynamics.inverse_dynamics(robot, q, qd, qdd))
    found = dynamics.inverse_dynamics_derivatives(robot, q, qd, qdd)
    forward = dynamics.forward_dynamics_derivatives(robot, q, qd, tau)
    step = 1e-30

    def columns(function):
        units = 1j * step * np.eye(robot.n)
        return np.array([np.imag(np.array(function(unit), dtype=complex)) / step for unit in units]).T

    by_q = columns(lambda unit: dynamics.inverse_dynamics(robot, list(q + unit), list(qd + 0j), list(qdd + 0j)))
    by_qd = columns(lambda unit: dynamics.inverse_dynamics(robot, list(q + 0j), list(qd + unit), list(qdd + 0j)))
    assert error(found.dtau_dq, by_q) < 1e-11
    assert error(found.dtau_dqd, by_qd) < 1e-11
    assert error(np.array(forward.dqdd_dq), -np.array(forward.dqdd_dtau) @ by_q) < 1e-10
    assert error(np.array(forward.dqdd_dtau) @ dynamics.mass_matrix(robot, q), np.eye(robot.n)) < 1e-10
