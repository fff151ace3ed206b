"""Logs of a robot's own model: torques along a motion, noise by its share, misuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.errors import ArgumentError
from torquec.identification import check_log
from torquec.identification.excitation.simulated_log import simulated_log
from torquec.model.model import compile
from torquec.trajectory import minimum_jerk
from torquec.trajectory.log import Severity


def motion():
    return minimum_jerk([0.0, 0.0], [1.0, -1.0], 2.0, joints=simulated_arm.arm().joint_names, period=0.01)


def test_torques_of_the_model_along_a_motion():
    robot, path = simulated_arm.arm(), motion()
    log = simulated_log(robot, path, noise=0.0)
    assert log.tau == pytest.approx(np.asarray(compile(robot).total_torque(path.q, path.qd, path.qdd)))
    assert (log.joints, log.source) == (robot.joint_names, "simulated")


def test_noise_is_a_share_of_each_joints_torque():
    robot = simulated_arm.arm()
    clean, noisy = (simulated_log(robot, motion(), noise=noise) for noise in (0.0, 0.1))
    share = (noisy.tau - clean.tau).std(axis=0) / np.sqrt((clean.tau**2).mean(axis=0))
    assert share == pytest.approx([0.1, 0.1], rel=0.15)


def test_without_a_motion_the_robot_is_excited():
    log = simulated_log(simulated_arm.arm())
    assert len(log) > 500
    assert not [f for f in check_log(simulated_arm.arm(), log) if f.severity is Severity.ERROR]


@pytest.mark.parametrize("noise", [-1.0, float("inf"), float("nan")])
def test_noise_that_cannot_be(noise):
    with pytest.raises(ArgumentError, match=f"noise of {noise}"):
        simulated_log(simulated_arm.arm(), motion(), noise=noise)
