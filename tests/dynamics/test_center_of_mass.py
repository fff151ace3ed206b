"""Center of mass and its Jacobian: known answers, the sum over bodies, complex steps, robots without mass."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import along, on_batch

import torquec as tq
from torquec.dynamics import body_poses, center_of_mass, center_of_mass_jacobian
from torquec.errors import RobotError
from torquec.spatial import Inertia

SEEDS = range(12)


def test_pendulum():
    arm = arms.pendulum(2.0, 0.5)
    # Turned by q about +y the mass is at x = l cos q, z = -l sin q.
    assert center_of_mass(arm, [0.3]) == pytest.approx((0.5 * math.cos(0.3), 0.0, -0.5 * math.sin(0.3)), abs=1e-15)
    column = [row[0] for row in center_of_mass_jacobian(arm, [0.3])]
    assert column == pytest.approx((-0.5 * math.sin(0.3), 0.0, -0.5 * math.cos(0.3)), abs=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_mean_over_bodies(seed):
    robot = random_robot(seed)
    q = [float(value) for value in random_state(robot, seed).q[0]]
    masses = np.array([body.inertia.m for body in robot.bodies])
    centers = [
        np.array(pose.rotation) @ body.inertia.first_moment + body.inertia.m * np.array(pose.origin)
        for body, pose in zip(robot.bodies, body_poses(robot, q), strict=True)
    ]
    np.testing.assert_allclose(center_of_mass(robot, q), np.sum(centers, axis=0) / masses.sum(), atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_is_the_derivative(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed)
    moving = along(center_of_mass, robot, (state.q,), (state.qd,))
    found = on_batch(center_of_mass_jacobian, robot, state.q)
    np.testing.assert_allclose(np.einsum("nkj,nj->nk", found, state.qd), moving, atol=1e-12)


def test_a_model_has_both_natively():
    robot = random_robot(3)
    model, q = tq.compile(robot), random_state(robot, 3).q[0]
    np.testing.assert_allclose(model.center_of_mass(q), center_of_mass(robot, list(q)), atol=1e-14)
    np.testing.assert_allclose(model.center_of_mass_jacobian(q), center_of_mass_jacobian(robot, list(q)), atol=1e-14)


def test_without_mass_there_is_none():
    arm = arms.pendulum()
    hollow = replace(arm, bodies=(replace(arm.bodies[0], inertia=Inertia(xx=1.0, yy=1.0, zz=1.0)),))
    with pytest.raises(RobotError, match="has no mass"):
        center_of_mass(hollow, [0.0])
