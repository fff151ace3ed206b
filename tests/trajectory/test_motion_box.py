from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.errors import ArgumentError, RobotError
from torquec.robot.robot import Limits, Mimic
from torquec.trajectory.motion_box import MotionBox, joint_box, sampled_motions


def test_limits_of_the_stanford_arm():
    box = joint_box(tq.classics.stanford())
    assert (box.lower[2], box.upper[2]) == (0.15, 0.9)
    assert box.upper[4] == pytest.approx(math.radians(110))
    assert box.lower[0] == -math.pi


def test_given_ranges_take_the_place_of_limits():
    box = joint_box(tq.classics.stanford(), {"joint3": (0.2, 0.3)})
    assert (box.lower[2], box.upper[2]) == (0.2, 0.3)


def with_joint(robot, index, **changes):
    bodies = list(robot.bodies)
    bodies[index] = replace(bodies[index], joint=replace(bodies[index].joint, **changes))
    return replace(robot, bodies=tuple(bodies))


def test_a_joint_without_limits_turns_once_and_a_follower_moves_with_its_leader():
    robot = with_joint(tq.classics.planar3r(), 0, limits=Limits())
    robot = with_joint(robot, 1, limits=Limits(-0.5, 1.0))
    robot = with_joint(robot, 2, mimic=Mimic("joint2", -2.0, 0.25))
    box = joint_box(robot)
    assert (box.lower, box.upper) == ((-math.pi, -0.5), (math.pi, 1.0))
    whole = replace(box, velocity=(1.0, 3.0), acceleration=(2.0, 5.0)).of_bodies(robot)
    assert (whole.lower[2], whole.upper[2]) == (-1.75, 1.25)
    assert whole.velocity == (1.0, 3.0, 6.0)
    assert whole.acceleration == (2.0, 5.0, 10.0)
    assert box.of_bodies(robot).velocity == ()
    rng = np.random.default_rng(1)
    for q in rng.uniform(box.lower, box.upper, (20, 2)):  # every follower's position lies in the image
        assert whole.lower[2] <= -2.0 * q[1] + 0.25 <= whole.upper[2]


def test_samples_are_inside_reach_every_face_and_go_on():
    box = MotionBox((-1.0, 0.0, 2.0), (1.0, 4.0, 3.0))
    q = box.samples([0, 2], 2000)
    assert np.all(q >= box.lower)
    assert np.all(q <= box.upper)
    assert np.all(q[:, 1] == 2.0)
    for joint in (0, 2):
        assert np.mean(q[:, joint] == box.lower[joint]) > 0.1
        assert np.mean(q[:, joint] == box.upper[joint]) > 0.1
    assert np.array_equal(box.samples([0, 2], 5, start=3), q[3:8])


def test_motions_are_inside_and_at_the_limits_of_speeds_and_accelerations():
    box = MotionBox((-1.0, 0.0), (1.0, 4.0), (2.0, 3.0), (5.0, 6.0))
    states = sampled_motions(box, 300)
    assert states.shape == (300, 3, 2)
    assert np.all((states[:, 0] >= box.lower) & (states[:, 0] <= box.upper))
    assert np.all(np.abs(states[:, 2]) == box.acceleration)
    assert np.mean(np.all(np.abs(states[:, 1]) == box.velocity, axis=1)) > 0.6
    assert box.positions == MotionBox(box.lower, box.upper)


def test_misuse():
    with pytest.raises(ArgumentError, match=r"range of coordinate 1 is \[2.0, 1.0\]"):
        MotionBox((2.0,), (1.0,))
    with pytest.raises(ArgumentError, match="2 speeds for 1 positions"):
        MotionBox((0.0,), (1.0,), (1.0, 1.0), (1.0,))
    with pytest.raises(ArgumentError, match="largest accelerations are"):
        MotionBox((0.0,), (1.0,), (1.0,), (-1.0,))
    with pytest.raises(ArgumentError, match="no independent joint 'elbow'"):
        joint_box(tq.classics.stanford(), {"elbow": (0.0, 1.0)})
    with pytest.raises(RobotError, match="prismatic joint 'joint3' of robot 'stanford' has no limits"):
        joint_box(with_joint(tq.classics.stanford(), 2, limits=Limits()))
