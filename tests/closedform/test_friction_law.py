"""Friction written down is the friction of the dynamics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.closedform.reference import recursion
from tests.dynamics.random_robots import random_robot

from torquec.closedform.friction_law import friction_laws
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives, Friction, Motor


def torques(robot, qd):
    found = np.zeros(qd.shape)
    for law in friction_laws(robot):
        found[:, law.joint] = law.torque(list(qd.T))
    return found


def test_puma560_has_clovers_coefficients():
    law = friction_laws(load_classic("puma560"))[0]
    assert law.own == Friction(4.94, 3.45, 8.43, 8.26)
    assert law.coupled == ()


@pytest.mark.parametrize("seed", range(12))
def test_random_robots_with_coupled_motors(seed):
    robot = random_robot(seed, mimic=False)
    qd = np.random.default_rng(seed).uniform(-2, 2, (20, robot.n))
    np.testing.assert_allclose(torques(robot, qd), recursion(robot, "friction_torque", qd=qd), atol=1e-9)


@pytest.mark.parametrize("ratio", [50.0, -50.0])
def test_a_geared_motor_joins_the_law_of_its_joint(ratio):
    robot = load_classic("planar2r")
    motor = Motor("m", friction=Friction(1e-3, 2e-3, 0.1, 0.2, 0.05))
    robot = dataclasses.replace(robot, drives=Drives((motor,), ((0.0, ratio),)))
    qd = np.array([[1.0, 0.5], [1.0, -0.5], [-1.0, 2.0]])
    (law,) = friction_laws(robot)
    assert law.joint == 1
    assert not law.coupled
    np.testing.assert_allclose(torques(robot, qd), recursion(robot, "friction_torque", qd=qd), atol=1e-12)


def test_no_friction_no_law():
    assert friction_laws(load_classic("planar2r")) == []
