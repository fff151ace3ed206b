"""Locked joints: the remaining robot has the torques of the whole one with that joint at rest."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import frame_pose, inverse_dynamics
from torquec.errors import ArgumentError
from torquec.robot.lock_joints import lock_joints


@pytest.mark.parametrize("seed", range(12))
def test_torques_are_those_of_the_whole_robot_with_the_joint_at_rest(seed):
    robot = random_robot(seed, bodies=5, motors=False)
    if robot.n < 2:
        pytest.skip("one joint only")
    name, at = robot.joint_names[seed % robot.n], 0.3 * seed - 1.0
    k = robot.joint_index(name)
    state = random_state(robot, seed, size=1)
    q, qd, qdd = state.q[0].copy(), state.qd[0].copy(), state.qdd[0].copy()
    q[k], qd[k], qdd[k] = at, 0.0, 0.0
    whole = np.array(inverse_dynamics(robot, list(q), list(qd), list(qdd)), dtype=float)
    small = lock_joints(robot, {name: at})
    moving = [i for i in range(robot.n) if i != k]
    found = np.array(inverse_dynamics(small, list(q[moving]), list(qd[moving]), list(qdd[moving])), dtype=float)
    assert np.allclose(found, whole[moving], rtol=1e-9, atol=1e-9)
    for frame in robot.frames:
        there, here = frame_pose(robot, frame.name, list(q)), frame_pose(small, frame.name, list(q[moving]))
        assert np.allclose(np.array(there.origin, float), np.array(here.origin, float), atol=1e-12)


def test_misuse_says_what_is_wrong():
    robot = random_robot(3, bodies=3, mimic=False)
    with pytest.raises(ArgumentError, match="nobody"):
        lock_joints(robot, {"nobody": 0.0})
    with pytest.raises(ArgumentError, match="finite"):
        lock_joints(robot, {robot.joint_names[0]: float("nan")})
    with pytest.raises(ArgumentError, match="all joints"):
        lock_joints(robot, dict.fromkeys(robot.joint_names, 0.0))
