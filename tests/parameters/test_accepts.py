"""Robots that Lin's theorems do not hold for, and why."""

from __future__ import annotations

from dataclasses import replace

from torquec.parameters.accepts import accepts
from torquec.robot import classics
from torquec.robot.robot import BASE, Mimic


def test_a_serial_arm_is_accepted():
    assert accepts(classics.puma560()) is None


def test_reasons():
    robot = classics.puma560()
    first, second, *others = robot.bodies
    branched = replace(robot, bodies=(first, replace(second, parent=BASE), *others))
    follower = replace(second, joint=replace(second.joint, mimic=Mimic(first.joint.name)))
    assert accepts(branched) == "the robot branches"
    assert accepts(replace(robot, bodies=(first, follower, *others))) == "a joint follows another"
    assert accepts(classics.puma560(gravity=(0.0, 0.0, 0.0))) == "gravity is zero"
