"""Friction: both directions, rest, motors behind gears, mimic joints."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot

from torquec.dynamics import friction_torque
from torquec.dynamics.friction_torque import friction_shafts, has_load_friction, rubbing_shafts
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Motor


def rubbing(robot, friction):
    """The robot with that friction on its first joint alone."""
    bodies = [replace(body, joint=replace(body.joint, friction=Friction())) for body in robot.bodies]
    bodies[0] = replace(bodies[0], joint=replace(bodies[0].joint, friction=friction))
    return replace(robot, bodies=tuple(bodies))


@pytest.mark.parametrize(("speed", "expected"), [(2.0, 2 * 3 + 5 + 0.1), (-2.0, -2 * 4 - 6 + 0.1), (0.0, 0.1)])
def test_by_direction(speed, expected):
    arm = rubbing(arms.pendulum(), Friction(3.0, 4.0, 5.0, 6.0, 0.1))
    assert friction_torque(arm, [speed]) == pytest.approx([expected], abs=1e-15)


def test_puma560_starting_forwards_and_at_rest():
    # Clover, Table V. At exactly zero speed dry friction is zero: a feedforward must not push an arm that stands still.
    forwards = friction_torque(classics.puma560(), [1e-300] * 6)
    assert forwards == pytest.approx([8.43, 12.71, 5.93, 0.85, 0.67, 0.3], abs=1e-12)
    assert friction_torque(classics.puma560(), [0.0] * 6) == [0.0] * 6


def test_motor_friction_is_geared_up():
    # A motor at -10 times the joint's speed: torque T' f(T qd).
    drives = Drives((Motor("m", friction=Friction.symmetric(0.01, 0.2)),), ((-10.0,),))
    arm = replace(arms.pendulum(), drives=drives)
    assert friction_torque(arm, [3.0]) == pytest.approx([10.0 * (0.01 * 30.0 + 0.2)], abs=1e-15)


def test_mimic_joint_rubs_through_its_multiplier():
    pair = arms.gripper(multiplier=-2.0)
    follower = replace(pair.bodies[1], joint=replace(pair.bodies[1].joint, friction=Friction(1.0, 3.0, 0.5, 0.25)))
    arm = replace(pair, bodies=(pair.bodies[0], follower))
    # At qd = 0.1 the follower moves at -0.2: it resists with -0.6 - 0.25, felt with -2.
    assert friction_torque(arm, [0.1]) == pytest.approx([2.0 * 0.85], abs=1e-15)


def test_plain_formula():
    holds("friction_follows_the_direction_of_motion", range(60))


def test_it_never_gives_power():
    for seed in range(30):
        robot = random_robot(seed)
        no_offset = [
            replace(body, joint=replace(body.joint, friction=replace(body.joint.friction, offset=0.0)))
            for body in robot.bodies
        ]
        motors = tuple(replace(m, friction=replace(m.friction, offset=0.0)) for m in robot.drives.motors)
        robot = replace(robot, bodies=tuple(no_offset), drives=replace(robot.drives, motors=motors))
        qd = np.random.default_rng(seed).uniform(-2.0, 2.0, robot.n)
        assert qd @ np.array(friction_torque(robot, list(qd))) >= 0.0


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
