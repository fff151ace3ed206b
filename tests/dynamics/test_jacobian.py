"""Jacobian and its time derivative: a pendulum's tip, laws, frames that do not move, unknown frames."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot

from torquec.dynamics import jacobian, jacobian_derivative
from torquec.errors import ArgumentError


def test_tip_of_a_pendulum():
    # Turning about +y moves a point on +x down.
    assert np.allclose(jacobian(arms.pendulum(length=0.5), "tip", [0.0]), [[0], [0], [-0.5], [0], [1], [0]], atol=1e-15)


def test_tip_of_a_pendulum_is_accelerated_towards_the_hinge():
    found = jacobian_derivative(arms.pendulum(length=0.5), "tip", [0.0], [2.0])
    # Jdot qd = -l w^2 x
    assert np.allclose(np.array(found) @ [2.0], [-0.5 * 4.0, 0, 0, 0, 0, 0], atol=1e-15)


def test_mimic_joint_moves_its_frame():
    assert np.allclose(jacobian(arms.gripper(multiplier=-1.0), "jaw", [0.3]), [[0], [-1], [0], [0], [0], [0]])


def test_derivative_of_the_pose():
    holds("jacobian_is_the_derivative_of_the_pose")


def test_rate_of_the_jacobian():
    holds("jacobian_derivative_is_the_rate_of_the_jacobian")


def test_frame_on_the_base_does_not_move():
    robot = random_robot(5)
    assert not np.any(jacobian(robot, "on_base", [0.1] * robot.n))
    assert not np.any(jacobian_derivative(robot, "on_base", [0.1] * robot.n, [1.0] * robot.n))


@pytest.mark.parametrize(
    "call", [lambda r: jacobian(r, "toe", [0.0]), lambda r: jacobian_derivative(r, "toe", [0.0], [0.0])]
)
def test_unknown_frame(call):
    with pytest.raises(ArgumentError, match="robot 'pendulum' has no frame 'toe'") as caught:
        call(arms.pendulum())
    assert "its frames are tip" in caught.value.remedy
