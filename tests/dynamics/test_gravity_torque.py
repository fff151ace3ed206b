"""Gravity torque: known arms, the gradient of the potential, no gravity."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms, oracles
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot

from torquec.dynamics import gravity_torque
from torquec.robot import classics
from torquec.robot.robot import Drives


def test_planar2r_of_the_textbook():
    q1, q2 = 0.3, -1.1
    c1, c12 = math.cos(q1), math.cos(q1 + q2)
    expected = [9.81 * (1.5 * c1 + 0.5 * c12), 9.81 * 0.5 * c12]
    assert gravity_torque(classics.planar2r(), [q1, q2]) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("posture", oracles.PUMA260_POSTURES)
def test_puma260_of_izaguirre_and_paul(posture):
    assert gravity_torque(classics.puma260(), posture.q) == pytest.approx(posture.gravity_torque, abs=1e-9)


@pytest.mark.parametrize("posture", oracles.STANFORD_POSTURES)
def test_stanford_of_chang_and_lee(posture):
    arm = replace(classics.stanford(), drives=Drives())
    assert gravity_torque(arm, posture.q) == pytest.approx(posture.gravity_torque, abs=1e-9)


def test_hanging_pendulum_needs_nothing():
    assert gravity_torque(arms.pendulum(), [math.pi / 2]) == [0.0]


def test_gradient_of_the_potential():
    holds("gravity_and_spring_torques_are_the_gradient_of_the_potential")


def test_without_gravity_there_is_no_torque():
    robot = replace(random_robot(3), gravity=(0.0, 0.0, 0.0))
    assert np.all(np.array(gravity_torque(robot, [0.3] * robot.n)) == 0.0)
