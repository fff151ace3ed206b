"""Shafts: who they are, how fast they turn and what they carry."""

from __future__ import annotations

import dataclasses

from tests.dynamics import arms

from torquec.dynamics.shafts import friction_shafts, has_load_friction, rubbing_shafts
from torquec.robot import classics
from torquec.robot.robot import Drives, Friction, Motor


def test_shafts_are_joints_followers_and_motors_with_friction():
    motor = Motor("m", friction=Friction.of({"load": 0.1}))
    robot = dataclasses.replace(classics.planar2r(), drives=Drives((motor, Motor("smooth")), ((2.0, -1.0), (1.0, 0.0))))
    *_, last = friction_shafts(robot)
    assert (last.name, last.row, last.is_joint) == ("m", (2.0, -1.0), False)
    assert last.speed([1.0, 3.0]) == -1.0
    assert last.load([-5.0, 4.0]) == 14.0
    assert has_load_friction(robot)
    assert [shaft.name for shaft in rubbing_shafts(robot)] == ["m"]


def test_a_joint_that_follows_is_a_shaft_of_its_leader():
    pair = arms.gripper(multiplier=-2.0)
    follower = dataclasses.replace(pair.bodies[1].joint, friction=Friction.symmetric(1.0))
    robot = dataclasses.replace(pair, bodies=(pair.bodies[0], dataclasses.replace(pair.bodies[1], joint=follower)))
    assert [(shaft.row, shaft.speed([0.1])) for shaft in friction_shafts(robot)] == [((1.0,), 0.1), ((-2.0,), -0.2)]
    assert not has_load_friction(robot)
