"""Renaud's formulation agrees with composite bodies and with the recursion, on every kind of joint and tree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics import gravity_torque, mass_matrix
from torquec.papers.renaud_formulation import renaud_gravity_torque, renaud_mass_matrix
from torquec.robot.classics import load_classic


def test_a_planar_arm_by_hand():
    """Two links: H_12 = I2 + m2 lc2^2 + m2 l1 lc2 cos q2 with what the file says of them (any textbook)."""
    robot = load_classic("planar2r")
    straight, folded = (renaud_mass_matrix(robot, [0.3, angle]) for angle in (0.0, np.pi))
    right = renaud_mass_matrix(robot, [0.3, 0.5 * np.pi])
    assert right[0][1] == pytest.approx(right[1][1])
    assert straight[0][1] + folded[0][1] == pytest.approx(2.0 * right[1][1])
    assert straight[1][1] == pytest.approx(right[1][1])


@pytest.mark.parametrize("name", ["puma560", "puma260", "stanford", "scara", "planar3r"])
def test_classics(name):
    robot = load_classic(name)
    check(robot, np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_with_mixed_joints_and_mimics(seed):
    check(random_robot(seed), np.random.default_rng(seed))


def check(robot, rng):
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, robot.n).tolist()
        M = np.array(mass_matrix(robot, q), dtype=float)
        np.testing.assert_allclose(np.array(renaud_mass_matrix(robot, q), dtype=float), M, atol=1e-10 * np.abs(M).max())
        g = np.array(gravity_torque(robot, q), dtype=float)
        found = np.array(renaud_gravity_torque(robot, q), dtype=float)
        np.testing.assert_allclose(found, g, atol=1e-10 * max(1.0, np.abs(g).max()))
