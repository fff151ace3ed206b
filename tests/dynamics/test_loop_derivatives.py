"""Derivatives of robots with closed loops against complex steps through the Newton steps."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.test_closed_loops import error, mechanism, some_slow, state

from torquec import dynamics


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
