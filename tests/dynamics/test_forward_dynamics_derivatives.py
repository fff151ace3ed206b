"""Derivatives of forward dynamics: the pendulum by hand, every robot by complex steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds

from torquec.dynamics import forward_dynamics_derivatives
from torquec.errors import RobotError
from torquec.robot import classics


def test_pendulum():
    found = forward_dynamics_derivatives(arms.pendulum(2.0, 0.5), [0.6], [3.0], [1.0])
    assert found.dqdd_dq[0][0] == pytest.approx(-9.81 / 0.5 * math.sin(0.6), abs=1e-13)
    assert found.dqdd_dqd[0][0] == 0.0
    assert found.dqdd_dtau[0][0] == pytest.approx(2.0, abs=1e-15)


def test_inverse_of_the_textbook_matrix():
    c2 = math.cos(-1.1)
    mass = np.array([[5 / 3 + c2, 1 / 3 + c2 / 2], [1 / 3 + c2 / 2, 1 / 3]])
    found = np.array(forward_dynamics_derivatives(classics.planar2r(), [0.3, -1.1], [0.7, -0.4], [1.0, 2.0]).dqdd_dtau)
    assert np.allclose(found @ mass, np.eye(2), atol=1e-14)
    assert np.array_equal(found, found.T)


def test_complex_steps():
    holds("derivatives_of_forward_dynamics_are_complex_steps", range(20))


def test_singular_robots_are_refused():
    with pytest.raises(RobotError, match="singular"):
        forward_dynamics_derivatives(arms.pendulum(inertia=arms.point_mass(2.0, y=0.3)), [0.0], [0.0], [0.0])
