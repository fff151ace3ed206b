"""Motions of the command line: where they come from, what is held still, what is refused."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.model.kinds import model_of

import torquec as tq
from torquec.cli.motions import MotionOptions, asked_motion, hold_missing, read_motion
from torquec.errors import ArgumentError, TorquecError
from torquec.model.model_parameters import ModelKind
from torquec.robot import classics
from torquec.trajectory import minimum_jerk, write_trajectory

PERIOD = 0.01


def asked(model, **options):
    return asked_motion(model, MotionOptions(**options), PERIOD, degrees=options.pop("degrees", False))


def test_a_motion_to_a_goal_begins_and_ends_at_rest_there():
    arm = tq.as_model(classics.planar2r())
    options = MotionOptions(start="10,20", to="30,-40", duration=1.5)
    model, motion = asked_motion(arm, options, PERIOD, degrees=True)
    assert model is arm
    ends = motion.at(np.array([0.0, 1.5]))
    assert ends.q == pytest.approx(np.radians([[10.0, 20.0], [30.0, -40.0]]))
    assert ends.qd == pytest.approx(np.zeros((2, 2)), abs=1e-9)
    assert motion.t[-1] == pytest.approx(1.5)


def test_a_motion_begins_at_zero_or_where_the_limits_let_it_be():
    robot = classics.planar2r()
    joint = robot.bodies[1].joint
    limits = dataclasses.replace(joint.limits, lower=-2.5, upper=-0.5)
    body = dataclasses.replace(robot.bodies[1], joint=dataclasses.replace(joint, limits=limits))
    _, motion = asked(tq.as_model(dataclasses.replace(robot, bodies=(robot.bodies[0], body))), to="0.1,-1")
    assert motion.q[0] == pytest.approx([0.0, -1.5])
    with pytest.raises(ArgumentError, match="upper position limit"):
        asked(tq.as_model(dataclasses.replace(robot, bodies=(robot.bodies[0], body))), start="0,0", to="0.1,-1")


def test_the_standard_motion_is_for_the_puma_alone():
    puma = tq.as_model(classics.puma560())
    _, motion = asked(puma)
    assert motion.joints == classics.puma560().joint_names
    assert read_motion(puma, "standard", PERIOD)[1].q == pytest.approx(motion.q)
    with pytest.raises(ArgumentError, match="there is no motion"):
        asked(tq.as_model(classics.planar2r()))
    with pytest.raises(ArgumentError, match="the PUMA 560's, not for 'planar2r'"):
        asked(tq.as_model(classics.planar2r()), trajectory="standard")


def test_two_motions_are_refused():
    with pytest.raises(ArgumentError, match="both --to and --trajectory"):
        asked(tq.as_model(classics.planar2r()), trajectory="a.csv", to="0,0")


def test_limits_are_kept_unless_they_are_not_asked_for(tmp_path):
    robot = classics.planar2r()
    joints = [dataclasses.replace(body.joint.limits, velocity=0.1) for body in robot.bodies]
    bodies = [
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limits))
        for body, limits in zip(robot.bodies, joints, strict=True)
    ]
    slow = tq.as_model(dataclasses.replace(robot, bodies=tuple(bodies)))
    path = write_trajectory(minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0, joints=robot.joint_names), tmp_path / "m.csv")
    for options in ({"to": "1,1", "duration": 1.0}, {"trajectory": str(path)}):
        with pytest.raises(TorquecError, match="joint1"):
            asked(slow, **options)
        assert asked(slow, limits=False, **options)[1].q[-1] == pytest.approx([1.0, 1.0])


def test_joints_that_a_file_lacks_are_held_still(tmp_path, capsys):
    arm = tq.as_model(classics.planar2r())
    path = write_trajectory(minimum_jerk([0.0], [1.0], 1.0, joints=("joint2",)), tmp_path / "one.csv")
    model, motion = read_motion(arm, str(path), PERIOD)
    assert model.robot.joint_names == motion.joints == ("joint2",)
    assert "has no values for some joints, which are held still: joint1 at 0" in capsys.readouterr().err
    at = {"joint1": 0.5}
    held = hold_missing(arm, ["joint2"], "the log", at=at)
    turned, upright = (tq.compile(m.robot).gravity_torque([0.2]) for m in (held, model))
    whole = tq.compile(arm.robot)
    assert turned == pytest.approx([whole.gravity_torque([0.5, 0.2])[1]])
    assert upright == pytest.approx([whole.gravity_torque([0.0, 0.2])[1]])
    assert not math.isclose(turned[0], upright[0])


@pytest.mark.parametrize("moved", [[], ["joint1", "joint2"], ["joint1", "nonsense"]])
def test_other_sets_of_names_change_nothing(moved):
    arm = tq.as_model(classics.planar2r())
    assert hold_missing(arm, moved, "the log") is arm


def test_the_joints_of_a_program_cannot_be_held():
    model = model_of("scara", ModelKind.CERTIFIED_TORQUE)
    with pytest.raises(ArgumentError, match="cannot be held"):
        hold_missing(model, model.robot.joint_names[:1], "the trajectory")
