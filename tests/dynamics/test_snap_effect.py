"""The reported effect of snapping is what the two robots differ by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.snap_effect import snap_effect
from torquec.robot.classics import load_classic
from torquec.robot.robot import Robot
from torquec.spatial import Pose, rpy_rotation


def _printed(robot: Robot, roll: float) -> Robot:
    """The robot with its second joint's roll as a file would print it."""
    body = robot.bodies[1]
    joint = replace(body.joint, placement=Pose(rpy_rotation(roll, 0.0, 0.0), body.joint.placement.origin))
    return replace(robot, bodies=(robot.bodies[0], replace(body, joint=joint), *robot.bodies[2:]))


def test_exact_angles_have_no_effect():
    effect = snap_effect(load_classic("puma560"))
    assert effect.torque == 0.0
    assert effect.position == 0.0


def test_effect_is_the_difference_of_the_torques():
    robot = _printed(load_classic("puma560"), -1.5708)
    effect = snap_effect(robot)
    assert effect.torque is not None
    assert 1e-8 < effect.torque < 1e-4
    assert 1e-7 < effect.position < 1e-5
    q, qd, qdd = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 6, 64))[:, :, 0]
    snapped = np.array(inverse_dynamics(robot, list(q), list(qd), list(qdd)))
    written = np.array(inverse_dynamics(replace(robot, snap=False), list(q), list(qd), list(qdd)))
    assert 0.0 < np.abs(snapped - written).max() <= effect.torque * 1e3


def test_a_robot_without_inertias_has_positions_only():
    robot = _printed(load_classic("puma560"), -1.5708)
    bare = tuple(replace(b, inertia=type(b.inertia)(), lacking_inertia=(b.name,)) for b in robot.bodies)
    effect = snap_effect(replace(robot, bodies=bare))
    assert effect.torque is None
    assert effect.position > 0.0
