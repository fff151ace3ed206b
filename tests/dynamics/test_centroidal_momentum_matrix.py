"""Centroidal momentum matrix: momentum summed over bodies, complex steps, Newton and Euler, planted bugs.

Pinocchio's matrices on trees with joints of every kind are compared in `test_any_joint.py`.
"""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import along, on_batch
from tests.dynamics.test_any_joint import any_robot, close, state

import torquec as tq
from torquec import dynamics
from torquec.dynamics import centroidal_momentum_matrix, centroidal_momentum_matrix_derivative
from torquec.expr import count_operations, trace
from torquec.robot.joints import JointType

SEEDS = range(12)


def floating_robot(seed):
    """A random tree whose only root is a floating base."""
    robot = any_robot(seed, bodies=5)
    root, *rest = robot.bodies
    root = replace(root, joint=replace(root.joint, type=JointType.FREE))
    return replace(robot, bodies=(root, *(replace(body, parent=max(body.parent, 0)) for body in rest)))


def momentum_over_bodies(robot, q, qd):
    """Linear momentum, then angular momentum about the center of mass: sums over bodies, by complex step."""
    moved = [complex(x, 1e-100 * speed) for x, speed in zip(q, qd, strict=True)]
    center = np.array(dynamics.center_of_mass(robot, list(q)))
    linear, angular = np.zeros(3), np.zeros(3)
    for body, pose in zip(robot.bodies, dynamics.body_poses(robot, moved), strict=True):
        turned, origin = np.array(pose.rotation), np.array(pose.origin)
        rotation = turned.real
        spin = turned.imag @ rotation.T / 1e-100
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        local = np.array(body.inertia.center_of_mass)
        velocity = origin.imag / 1e-100 + np.cross(w, rotation @ local)
        own = body.inertia.m * velocity
        linear += own
        angular += rotation @ np.array(body.inertia.central_tensor) @ rotation.T @ w
        angular += np.cross(origin.real + rotation @ local - center, own)
    return np.concatenate([linear, angular])


def violation(seed):
    """Largest deviation from the momentum of the bodies and from the complex step of A, on a fixed-base robot."""
    robot = random_robot(seed)
    at = random_state(robot, seed)
    q, qd = at.q[0], at.qd[0]
    off = np.array(centroidal_momentum_matrix(robot, list(q))) @ qd - momentum_over_bodies(robot, q, qd)
    rate = along(centroidal_momentum_matrix, robot, (at.q,), (at.qd,))
    found = on_batch(centroidal_momentum_matrix_derivative, robot, at.q, at.qd)
    return max(np.abs(off).max(), np.abs(found - rate).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_momentum_of_the_bodies_and_its_rate_a_complex_step(seed):
    assert violation(seed) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_changes_by_the_outer_forces(seed):
    """Newton and Euler: a free robot's momentum changes by its weight and by what acts on its base."""
    robot = floating_robot(seed)
    q, v, a, _ = state(robot, seed)
    rate = np.array(centroidal_momentum_matrix(robot, q)) @ a
    rate += np.array(centroidal_momentum_matrix_derivative(robot, q, v)) @ v
    tau = np.array(dynamics.inverse_dynamics(robot, q, v, a))[:6]
    pose = dynamics.body_poses(robot, q)[0]
    force, moment = np.array(pose.rotation) @ tau[:3], np.array(pose.rotation) @ tau[3:]
    arm = np.array(pose.origin) - dynamics.center_of_mass(robot, q)
    weight = sum(body.inertia.m for body in robot.bodies) * np.array(robot.gravity)
    close(rate, np.concatenate([force + weight, moment + np.cross(arm, force)]))


@pytest.mark.parametrize("name", ["_moving_arm", "_drifts"])
def test_planted_bugs_are_seen(name, monkeypatch):
    module = importlib.import_module("torquec.dynamics.centroidal_momentum_matrix")
    right = getattr(module, name)

    def wrong(*given):
        found = right(*given)
        return [(0.0, 0.0, 0.0) for _ in found] if isinstance(found, list) else (0.0, 0.0, 0.0)

    monkeypatch.setattr(module, name, wrong)
    assert max(violation(seed) for seed in SEEDS) > 1e-3


def test_a_translation_of_a_floating_base_has_no_angular_momentum():
    robot = floating_robot(0)
    q = [float(value) for value in state(robot, 0)[0]]
    matrix = np.array(centroidal_momentum_matrix(robot, q))
    mass = sum(body.inertia.m for body in robot.bodies)
    assert not matrix[3:, :3].any()
    np.testing.assert_allclose(matrix[:3, :3] @ matrix[:3, :3].T, mass**2 * np.eye(3), rtol=1e-12, atol=1e-9)


def test_native_code_and_a_bound_on_its_operations():
    robot = any_robot(1)
    q, v, *_ = state(robot, 1)
    model = tq.compile(robot)
    close(model.centroidal_momentum_matrix(q), centroidal_momentum_matrix(robot, q))
    close(model.centroidal_momentum_matrix_derivative(q, v), centroidal_momentum_matrix_derivative(robot, q, v))
    traced = trace("A", lambda q: {"A": centroidal_momentum_matrix(robot, q)}, {"q": (robot.nq,)})
    assert count_operations(traced).mul < 120 * len(robot.bodies)
