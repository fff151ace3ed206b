"""Coordinates of the state: one for each element of qd, with the joint's name, units and limits."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

import torquec as tq
from torquec.errors import ArgumentError, RobotError, TorquecError
from torquec.robot import classics
from torquec.robot.joints import JointType, PositionBasis
from torquec.robot.state_coordinate import StateCoordinate, position_bases, start_posture


def test_stanford_arm_has_one_slide():
    robot = classics.stanford()
    assert [each.name for each in robot.coordinates] == list(robot.joint_names)
    assert [each.position_unit for each in robot.coordinates] == ["rad", "rad", "m", "rad", "rad", "rad"]
    assert [each.speed_unit for each in robot.coordinates][2] == "m/s"
    assert [each.effort_unit for each in robot.coordinates] == ["N m", "N m", "N", "N m", "N m", "N m"]
    assert [each.limits for each in robot.coordinates] == [joint.limits for joint in robot.joints]


@pytest.mark.parametrize("seed", range(8))
def test_one_for_each_degree_of_freedom(seed):
    robot = random_robot(seed)
    assert len(robot.coordinates) == robot.nv == robot.n
    assert robot.nq == sum(joint.kind.nq for joint in robot.joints) == robot.n
    assert [each.turns for each in robot.coordinates] == [not joint.type.is_prismatic for joint in robot.joints]
    assert [basis.is_periodic for basis in position_bases(robot)] == [each.turns for each in robot.coordinates]


def test_several_coordinates_of_one_joint_have_their_own_names():
    joint = classics.stanford().joints[2]
    first = replace(joint.kind.coordinate, suffix="x")
    assert StateCoordinate(joint, first).name == f"{joint.name}_x"


def test_a_position_that_is_no_single_number_is_refused():
    robot = classics.planar2r()
    second = robot.bodies[1]
    ball = replace(robot, bodies=(robot.bodies[0], replace(second, joint=replace(second.joint, type=JointType.BALL))))
    for refused in (position_bases, start_posture):
        with pytest.raises(RobotError, match=r"position of joint 'joint2' \(ball\) is not a single number"):
            refused(ball)
    assert position_bases(classics.scara())[2] is PositionBasis.POLYNOMIAL


MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"


def with_first(robot, lower, upper, **changes):
    """The robot with other limits of its first joint."""
    joint = robot.bodies[0].joint
    limits = dataclasses.replace(joint.limits, lower=lower, upper=upper)
    body = dataclasses.replace(robot.bodies[0], joint=dataclasses.replace(joint, limits=limits, **changes))
    return dataclasses.replace(robot, bodies=(body, *robot.bodies[1:]))


@pytest.mark.parametrize(
    ("lower", "upper", "place"),
    [
        (-1.0, 2.0, 0.0),
        (1.0, 2.0, 1.5),  # zero is no place of this joint
        (0.0, 2.0, 1.0),  # zero is its limit
        (-0.1, 2.0, 0.95),  # zero is next to it
        (-math.inf, math.inf, 0.0),
        (0.5, math.inf, 0.5),
        (-math.inf, -0.5, -0.5),
    ],
)
def test_a_joint_starts_at_zero_or_between_its_limits(lower, upper, place):
    np.testing.assert_allclose(start_posture(with_first(classics.planar2r(), lower, upper)), [place, 0.0])


def test_a_joint_that_turns_around_has_no_limits():
    robot = with_first(classics.planar2r(), 1.0, 2.0, type=JointType.CONTINUOUS)
    assert start_posture(robot) == [0.0, 0.0]


def test_a_posture_that_is_given():
    robot = classics.planar2r()
    assert start_posture(robot, [0.25, -1.0]) == [0.25, -1.0]
    for wrong, message in (
        ([0.0], "1 positions for robot 'planar2r', which has 2 joints"),
        ([0.0, math.nan], "not finite"),
    ):
        with pytest.raises(ArgumentError, match=f"{message}.*\n.*give finite positions of joint1, joint2"):
            start_posture(robot, wrong)


@pytest.mark.skipif(not MODELS.is_dir(), reason="there are no collected robots")
def test_collected_robots_start_within_their_limits():
    outside = 0
    for path in sorted(MODELS.glob("*.*")):
        try:
            robot = tq.load(path, base="fixed")
        except TorquecError:
            continue  # files that are wrong, or are no robots
        limits = [joint.limits for joint in robot.joints]
        outside += any(not limit.lower <= 0.0 <= limit.upper for limit in limits)
        for limit, place in zip(limits, start_posture(robot), strict=True):
            assert limit.lower <= place <= limit.upper, path.name
    assert outside >= 5  # of them cannot be at zero
