"""Project files for robots: what is written can be read, for every classic and for robots without limits."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.project.project_numbers import example_motion, has_friction
from torquec.project.project_text import project_text
from torquec.project.read_project import parse_project
from torquec.robot.friction import Friction
from torquec.robot.robot import Limits


@pytest.mark.parametrize("name", tq.classics.names())
def test_every_classic_has_one(name, tmp_path):
    robot = tq.classics.load_classic(name)
    project = parse_project(project_text(robot, argument=name), tmp_path / "robot.toml")
    assert project.robot.content_hash == robot.content_hash
    assert project.simplify.seconds == 60.0
    assert len(project.specification.joints) == robot.n
    assert {experiment.name for experiment in project.experiments} == {"as designed", "unknown load"}


def test_payloads_locked_joints_and_gravity_stand_in_it(tmp_path):
    robot = tq.attach_payload(tq.classics.load_classic("scara", gravity=(0.0, 0.0, -1.6)), "tool", mass=1.5)
    held = tq.lock_joints(robot, {"quill": -0.05})
    text = project_text(held, argument="scara", gravity=True, logs=["simulated"])
    project = parse_project(text, tmp_path / "robot.toml")
    assert project.robot.joint_names == held.joint_names
    assert project.robot.mass == pytest.approx(held.mass)
    assert project.robot.gravity == (0.0, 0.0, -1.6)
    assert [str(log) for log in project.identify.logs] == ["simulated"]


def test_without_limits_numbers_follow_from_the_masses(tmp_path):
    robot = tq.classics.planar2r()
    bodies = [
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=Limits())) for body in robot.bodies
    ]
    text = project_text(dataclasses.replace(robot, bodies=tuple(bodies)), argument="planar2r", seconds=None)
    assert "limits no torques" in text
    errors = [joint.torque_error for joint in parse_project(text, tmp_path / "robot.toml").specification.joints]
    assert 0.01 < errors[1] < errors[0] < 1.0


def test_names_with_quotes_are_names(tmp_path):
    robot = tq.classics.planar2r()
    bodies = [
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, name=f'a "{k}" \\ü'))
        for k, body in enumerate(robot.bodies)
    ]
    odd = dataclasses.replace(robot, bodies=tuple(bodies))
    text = project_text(tq.lock_joints(odd, {'a "0" \\ü': 0.25}), argument="planar2r")
    assert "\\u00fc" in text


def test_errors_leave_every_joint_an_inertia(tmp_path):
    """One percent of a generous torque limit is often more than all that a wrist needs; see `_torque_errors`."""
    robot = tq.classics.scara()
    bodies = [
        dataclasses.replace(
            body, joint=dataclasses.replace(body.joint, limits=dataclasses.replace(body.joint.limits, effort=1e4))
        )
        for body in robot.bodies
    ]
    strong = dataclasses.replace(robot, bodies=tuple(bodies))
    text = project_text(strong, argument="scara")
    assert "or less where so much would move the little inertia of a joint too far: at " in text
    arm = tq.compile(strong)
    for q in np.random.default_rng(1).uniform(-1.0, 1.0, (50, robot.n)):
        for k, joint in enumerate(parse_project(text, tmp_path / "robot.toml").specification.joints):
            assert joint.torque_error < 0.2 * arm.mass_matrix(q)[k, k] * joint.acceleration


def test_the_limits_are_taken_where_a_controller_can_bear_them():
    assert "torque_error_part = 0.01" in project_text(tq.classics.puma560(), argument="puma560")


def test_comments_say_what_the_file_says_where_it_says_something_else():
    robot = tq.classics.scara()
    bodies = [
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=Limits(-1.0, 1.0, 7.5, 1e4)))
        for body in robot.bodies
    ]
    text = project_text(dataclasses.replace(robot, bodies=tuple(bodies)), argument="scara")
    assert "velocity = 2.5  # rad/s; the file's limit is 7.5" in text
    assert "N m, less than 1 % of the file's limit of 10000.0 N m: it moves little inertia" in text
    assert "# kg; against poles at -20 its weight moves quill by 1 mm at most: more needs faster poles" in text
    assert "friction_part = 0.3  # of every friction term" in text


def test_a_new_project_states_its_uncertainty_and_what_the_model_may_add():
    text = project_text(tq.classics.puma560(), argument="puma560")
    project = parse_project(text, Path("puma560.project.toml"))
    assert project.uncertainty is not None
    assert project.uncertainty.every_joint.friction_part == 0.3
    assert project.uncertainty.timing.delay == 1
    assert project.specification.tracks
    carried = project.uncertainty.payload
    (load,) = project.experiments[1].payload
    assert (load.frame, load.mass) == (carried.frame, carried.mass[1])
    assert carried.mass[1] > 0.05


def test_the_example_motion_leaves_drives_that_brake_themselves_their_torque():
    robot = tq.classics.planar2r()
    limits = dataclasses.replace(robot.joints[0].limits, effort=200.0)
    braked = [
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, limits=limits, friction=Friction(100.0, 100.0)))
        for b in robot.bodies
    ]
    free = [dataclasses.replace(b, joint=dataclasses.replace(b.joint, limits=limits)) for b in robot.bodies]
    slow, fast = (example_motion(dataclasses.replace(robot, bodies=tuple(part)))[2] for part in (braked, free))
    assert slow > fast
    assert not has_friction(robot)
    assert has_friction(dataclasses.replace(robot, bodies=tuple(braked)))
