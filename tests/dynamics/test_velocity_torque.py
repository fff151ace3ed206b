"""Velocity torque: the textbook arm and Lagrange's equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import velocity_torque
from torquec.robot import classics


def test_planar2r_of_the_textbook():
    q, (w1, w2) = [0.3, -1.1], (0.7, -0.4)
    h = -math.sin(q[1]) / 2
    assert velocity_torque(classics.planar2r(), q, [w1, w2]) == pytest.approx(
        [h * (2 * w1 * w2 + w2 * w2), -h * w1 * w1], abs=1e-14
    )


def test_lagrange():
    holds("velocity_torque_follows_from_the_mass_matrix")


@pytest.mark.parametrize("seed", range(5))
def test_homogeneous_of_degree_two(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    q, qd = list(state.q[0]), list(state.qd[0])
    once = np.array(velocity_torque(robot, q, qd))
    assert np.allclose(velocity_torque(robot, q, [-3.0 * w for w in qd]), 9.0 * once, rtol=1e-12, atol=1e-12)


def test_at_rest_there_is_none():
    robot = random_robot(7)
    assert np.all(np.array(velocity_torque(robot, [0.4] * robot.n, [0.0] * robot.n)) == 0.0)
