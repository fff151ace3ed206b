"""Static torques over the joint limits: what is proven holds in every configuration, what is exceeded is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import torquec as tq
from torquec.proof.torque.static_torque_bound import static_torques
from torquec.robot.classics import load_classic
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Spring
from torquec.trajectory.motion_box import joint_box


def tables(robot):
    return static_torques(robot, attach_payload(robot, hand_frame(robot), mass=1.0, name="one"), joint_box(robot))


def largest(robot, mass, count=60_000):
    q = joint_box(robot).samples(range(robot.n), count)
    model = tq.compile(attach_payload(robot, hand_frame(robot), mass=mass, name="load"))
    return np.abs(model.gravity_torque(q) + model.spring_torque(q)).max(axis=0)


@pytest.mark.parametrize("name", ["planar2r", "puma560", "stanford"])
def test_limits_above_the_largest_torque_are_proven_and_smaller_ones_refused(name):
    robot = load_classic(name)
    found, mass = tables(robot), 1.7
    worst = largest(robot, mass)
    for joint, torque in enumerate(worst):
        if torque > 1e-3:
            assert found.is_within(joint, mass, 1.05 * torque) is True
            assert found.is_within(joint, mass, 0.98 * torque) is False
        else:
            assert found.is_within(joint, mass, 1e-3) is True


def test_springs_are_counted_where_the_joint_is():
    robot = load_classic("planar2r")
    first = robot.bodies[0]
    limits = dataclasses.replace(first.joint.limits, lower=-1.0, upper=2.0)
    joint = dataclasses.replace(first.joint, limits=limits, spring=Spring(30.0, 0.5))
    robot = dataclasses.replace(robot, bodies=(dataclasses.replace(first, joint=joint), *robot.bodies[1:]))
    found, worst = tables(robot), largest(robot, 1.0)
    assert found.is_within(0, 1.0, 1.12 * worst[0]) is True
    assert found.is_within(0, 1.0, 0.95 * worst[0]) is not True


def test_a_spring_without_limits_has_no_bound():
    robot = load_classic("planar2r")
    first = robot.bodies[0]
    limits = dataclasses.replace(first.joint.limits, lower=-np.inf, upper=np.inf)
    joint = dataclasses.replace(first.joint, limits=limits, spring=Spring(30.0, 0.5))
    robot = dataclasses.replace(robot, bodies=(dataclasses.replace(first, joint=joint), *robot.bodies[1:]))
    assert "has no limits" in tables(robot)
