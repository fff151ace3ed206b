"""Coordinates of the state: one for each element of qd, with the joint's name, units and limits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.dynamics.random_robots import random_robot

from torquec.errors import RobotError
from torquec.robot import classics
from torquec.robot.joints import PositionBasis
from torquec.robot.state_coordinate import StateCoordinate, position_bases


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
    first, second = robot.coordinates
    robot.__dict__["coordinates"] = (first, replace(second, of_joint=replace(second.of_joint, basis=None)))
    with pytest.raises(RobotError, match="position of joint 'joint2'"):
        position_bases(robot)
    assert position_bases(classics.scara())[2] is PositionBasis.POLYNOMIAL
