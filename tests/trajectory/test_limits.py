"""Limits: the worst excess of every joint, also between samples, with joint, time and remedy."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import torquec as tq
from torquec.errors import ArgumentError
from torquec.robot.robot import JointType, Limits
from torquec.trajectory import LimitKind, fourier_motion, limit_violations, minimum_jerk
from torquec.trajectory.limits import text_of_degrees

ARM = tq.classics.puma560()


def test_a_motion_within_limits_passes():
    tq.check_limits(ARM, minimum_jerk(np.zeros(6), np.full(6, 0.5), 2.0, joints=ARM.joint_names), efforts=True)


def test_the_message_names_joint_time_and_remedy():
    motion = minimum_jerk(np.zeros(6), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 2.0)
    message = r"joint 'joint2' passes its upper position limit: 1 rad at t = 2 s, allowed 0.750"
    with pytest.raises(ArgumentError, match=message) as caught:
        tq.check_limits(ARM, motion)
    assert caught.value.remedy == "move its start or shorten its path"


def test_speeds_and_torques():
    found = {(v.joint, v.kind): v for v in limit_violations(ARM, fast_swing(), efforts=True)}
    speed = found["joint1", LimitKind.VELOCITY]
    assert speed.value == pytest.approx(1.875 * 2.0 / 0.5)
    assert speed.time == pytest.approx(0.25, abs=1e-6)
    assert ("joint1", LimitKind.EFFORT) in found
    with pytest.raises(ArgumentError) as caught:
        tq.check_limits(ARM, fast_swing(), efforts=True)
    assert "make the motion slower" in caught.value.remedy


def fast_swing():
    return minimum_jerk(np.zeros(6), [2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5)


def test_an_extreme_between_samples_is_found():
    # q1 = -a/w cos(w t) has its extreme at t = 0.5; samples at 0, 0.4, 0.8, .. miss it
    amplitude = 3.0 * 2.0 * math.pi
    sines = [[amplitude]] + [[0.0]] * 5
    motion = fourier_motion(np.zeros(6), [[0.0]] * 6, sines, base_period=1.0, period=0.4)
    assert np.abs(motion.q[1:2, 0]).max() < 2.8
    upper = [v for v in limit_violations(ARM, motion) if v.kind is LimitKind.UPPER]
    assert upper[0].value == pytest.approx(3.0, abs=1e-9)
    assert upper[0].time == pytest.approx(0.5, abs=1e-6)


def test_a_continuous_joint_has_no_position_limits():
    body = ARM.bodies[1]
    free = dataclasses.replace(body, joint=dataclasses.replace(body.joint, type=JointType.CONTINUOUS))
    robot = dataclasses.replace(ARM, bodies=(ARM.bodies[0], free, *ARM.bodies[2:]))
    assert not limit_violations(robot, minimum_jerk(np.zeros(6), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 2.0))


def test_other_joints_are_refused():
    with pytest.raises(ArgumentError, match="the trajectory moves a"):
        tq.check_limits(ARM, minimum_jerk([0.0], [1.0], 1.0, joints=["a"]))


def test_a_motion_in_degrees_is_told_what_it_is():
    motion = minimum_jerk(np.zeros(6), np.full(6, 20.0), 60.0, joints=ARM.joint_names)
    with pytest.raises(ArgumentError, match="passes its upper position limit") as caught:
        tq.check_limits(ARM, motion)
    assert "radians are meant, and 20 degrees are 0.34907" in caught.value.remedy
    little = minimum_jerk(np.zeros(6), np.full(6, 8.0), 60.0, joints=ARM.joint_names)
    assert "8 degrees are" in text_of_degrees(ARM, little, "")  # beyond a turn, and beyond a limit
    assert not text_of_degrees(ARM, minimum_jerk(np.zeros(6), np.full(6, 1.5), 5.0, joints=ARM.joint_names), "")


def test_a_joint_that_may_not_move_names_the_file():
    still = dataclasses.replace(ARM.bodies[0].joint, limits=Limits(-1.0, 1.0, velocity=0.0))
    robot = dataclasses.replace(ARM, bodies=(dataclasses.replace(ARM.bodies[0], joint=still), *ARM.bodies[1:]))
    with pytest.raises(ArgumentError) as caught:
        tq.check_limits(robot, minimum_jerk(np.zeros(6), np.full(6, 0.5), 5.0, joints=ARM.joint_names))
    assert f"{robot.source} has limits of zero for {still.name}" in caught.value.remedy
