"""M in base parameters: that of the robot for its own values, and what the recursion multiplies accelerations with."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.dynamics import base_inverse_dynamics, base_mass_matrix, mass_matrix
from torquec.parameters.base_parameters import base_parameters
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("name", ["scara", "stanford", "puma560"])
def test_it_is_the_robots_for_its_own_values(name):
    robot = load_classic(name)
    base = base_parameters(robot)
    q = np.random.default_rng(1).uniform(-1.0, 1.0, robot.n).tolist()
    found = base_mass_matrix(robot, base.body_expansion.tolist(), q, list(base.values))
    np.testing.assert_allclose(found, mass_matrix(robot, q), atol=1e-12)


@pytest.mark.parametrize("name", ["scara", "puma560"])
def test_it_is_the_inertia_of_the_recursion_for_any_values(name):
    robot = load_classic(name)
    base = base_parameters(robot)
    rng = np.random.default_rng(2)
    beta, E = rng.uniform(-1.0, 1.0, len(base)).tolist(), base.body_expansion.tolist()
    q, still = rng.uniform(-1.0, 1.0, robot.n).tolist(), [0.0] * robot.n
    rest = np.array(base_inverse_dynamics(robot, E, q, still, still, beta))
    columns = [np.array(base_inverse_dynamics(robot, E, q, still, list(unit), beta)) - rest for unit in np.eye(robot.n)]
    np.testing.assert_allclose(base_mass_matrix(robot, E, q, beta), np.array(columns).T, atol=1e-12)
