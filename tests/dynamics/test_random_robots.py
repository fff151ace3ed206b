"""The random robots are what everything else is tested on: they hold every kind of thing, the same each time."""

from __future__ import annotations

import math

import numpy as np
from tests.dynamics.random_robots import random_robot

from torquec.robot.robot import BASE, JointType

ROBOTS = [random_robot(seed) for seed in range(200)]
BODIES = [body for robot in ROBOTS for body in robot.bodies]


def sines():
    """Of the angles between a joint's axis and its carrier's, with the offset."""
    for robot in ROBOTS:
        for body in robot.bodies:
            if body.parent != BASE:
                axis = np.array(body.joint.placement.rotation) @ body.joint.axis
                yield np.linalg.norm(np.cross(axis, robot.bodies[body.parent].joint.axis)), body.joint.placement.origin


def test_the_same_for_the_same_seed():
    assert random_robot(17) == random_robot(17) != random_robot(18)


def test_sizes_and_joints():
    assert {len(robot.bodies) for robot in ROBOTS} == set(range(1, 11))
    assert {body.joint.type for body in BODIES} == {JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC}
    assert any(sum(body.parent == BASE for body in robot.bodies) > 2 for robot in ROBOTS)
    assert sum(body.joint.mimic is not None for body in BODIES) > 50


def test_geometry():
    found = list(sines())
    assert sum(sine == 0.0 for sine, _ in found) > 50
    assert sum(1e-7 < sine < 1e-3 for sine, _ in found) > 50
    assert sum(1e-3 < sine < 1e-1 for sine, _ in found) > 30
    assert sum(sine == 1.0 for sine, _ in found) > 50
    assert sum(not any(origin) for _, origin in found) > 50


def test_drives_springs_friction_and_gravity():
    driven = [robot for robot in ROBOTS if robot.drives.motors]
    assert any(np.count_nonzero(robot.drives.transmission) > robot.n for robot in driven)
    assert 50 < len(driven) < 150
    assert any(body.joint.spring for body in BODIES)
    assert any(body.joint.friction.viscous_positive != body.joint.friction.viscous_negative for body in BODIES)
    assert 50 < sum(robot.gravity == (0.0, 0.0, -9.81) for robot in ROBOTS) < 150


def test_bodies_are_physical():
    """Second moments are positive: the pseudo-inertia of a real body is."""
    for body in BODIES:
        tensor = np.array(body.inertia.central_tensor)
        assert np.linalg.eigvalsh(np.trace(tensor) / 2 * np.eye(3) - tensor).min() > 0.0
        assert body.inertia.m > 0.0


def test_light_robots_have_bodies_without_mass():
    bodies = [body for seed in range(20) for body in random_robot(seed, light=True).bodies]
    assert any(not any(body.inertia.parameters) for body in bodies)
    points = [body for body in bodies if body.inertia.m > 0.0 and np.abs(body.inertia.central_tensor).max() < 1e-12]
    assert points
    assert all(math.isfinite(value) for body in points for value in body.inertia.parameters)
