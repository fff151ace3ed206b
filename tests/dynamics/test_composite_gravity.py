"""Gravity from composite bodies is the gravity of the recursion."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import gravity_torque
from torquec.dynamics.composite_gravity import composite_gravity
from torquec.dynamics.mechanism import mechanism, place


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_the_recursion(seed):
    robot = random_robot(seed)
    q = random_state(robot, seed).q[0]
    m = mechanism(robot)
    np.testing.assert_allclose(
        np.array(composite_gravity(m, place(m, list(q))), float),
        np.array(gravity_torque(robot, list(q)), float),
        atol=1e-10,
    )
