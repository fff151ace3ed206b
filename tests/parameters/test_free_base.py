"""Base parameters of robots with free, ball and planar joints: exact ranks, the count behind a free joint, checks."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.dynamics.test_any_joint import any_robot
from tests.parameters.serial_arms import shared_model

from torquec.errors import CheckError
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.parameters.check_base_parameters import check_base_parameters
from torquec.robot import classics
from torquec.robot.floating_base import Base, with_base
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import IDENTITY, Inertia, Pose

OWN = {"free": 10, "ball": 9, "planar": 9, "prismatic": 4, "revolute": 7, "continuous": 7}


def tree(kinds, parents):
    inertia = Inertia.from_center_of_mass(1.0, (0.1, -0.2, 0.1), ((0.1, 0.01, 0), (0.01, 0.2, 0), (0, 0, 0.25)))
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    at = Pose(IDENTITY.rotation, (0.25, -0.5, 0.125))
    bodies = (
        Body(f"b{k}", parent, Joint(f"j{k}", JointType(kind), at, axes[k % 3]), inertia)
        for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True))
    )
    return Robot("tree", tuple(bodies))


@pytest.mark.parametrize("name", ["go1.xml", "anymal_c.xml", "cf2.xml"])
def test_a_legged_robot_has_ten_and_seven_for_each_turning_joint(name):
    robot = shared_model(name)
    base = base_parameters(robot)
    assert base.exact
    assert base.count == 10 + 7 * (robot.nv - 6)
    assert check_base_parameters(robot, base).rank == len(base)


def test_every_kind_of_joint_keeps_its_own_count():
    robot = tree(["free", "ball", "revolute", "planar", "prismatic", "continuous"], [-1, 0, 1, 0, 3, 4])
    base = base_parameters(robot)
    assert base.exact
    assert base.count == sum(OWN[body.joint.type.value] for body in robot.bodies)
    assert base.grouped[:1] == ("m_b1",)
    check_base_parameters(robot, base)


def test_a_free_arm_knows_more_than_a_fixed_one():
    arm = classics.puma560()
    assert base_parameters(with_base(arm, Base.FLOATING), motors=False).count == 10 + 7 * 6
    assert base_parameters(arm, motors=False).count == 36


def test_without_gravity_nothing_is_lost_where_the_base_is_free():
    robot = tree(["free", "revolute"], [-1, 0])
    assert base_parameters(dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0))).count == 17


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_pass_the_independent_check(seed):
    robot = any_robot(seed)
    base = base_parameters(robot, method=BasisMethod.ELIMINATION)
    assert check_base_parameters(robot, base).rank == len(base)


def test_a_base_with_one_parameter_too_few_is_refused():
    robot = tree(["free", "ball"], [-1, 0])
    record = base_parameters(robot).record
    short = dataclasses.replace(
        record, names=record.names[1:], projection=record.projection[1:], values=record.values[1:],
        expansion=tuple(tuple((k - 1, v) for k, v in row if k) for row in record.expansion),
    )  # fmt: skip
    with pytest.raises(CheckError, match="does not give the torques"):
        check_base_parameters(robot, short)
    assert np.isfinite(record.values).all()
