"""`torquec new`: a project file beside one's robot that can be run as it is."""

from __future__ import annotations

import pytest

from torquec.errors import RobotError
from torquec.project.read_project import read_project


def test_the_file_names_the_robot_as_seen_from_itself(torquec, arm, tmp_path):
    (tmp_path / "projects").mkdir()
    path = tmp_path / "projects" / "mine.toml"
    outcome = torquec("new", arm, "-o", path, "--payload", "lower:0.5", "--lock", "elbow=0.25", "--json")
    assert outcome.document["joints"] == ["shoulder"]
    assert 'robot = "../arm.urdf"' in path.read_text()
    project = read_project(path)
    assert project.robot.joint_names == ("shoulder",)
    assert project.robot.locked[0].position == 0.25


def test_it_stands_in_the_working_folder_unless_told_otherwise(torquec, arm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = torquec("new", "arm.urdf", "--no-snap")
    assert outcome.out.strip() == "next: torquec run arm.project.toml -o arm_run"
    assert outcome.err.strip().splitlines()[-1] == "wrote arm.project.toml"
    assert "snap = false" in (tmp_path / "arm.project.toml").read_text()
    assert torquec("new", "arm.urdf").status == 2  # it is there already
    assert torquec("new", "arm.urdf", "--force").status == 0


def test_logs_are_named_and_must_be_there(torquec, arm, tmp_path):
    outcome = torquec("new", arm, "-o", tmp_path / "mine.toml", "--log", tmp_path / "none.csv")
    assert outcome.status == 2
    assert "there is no file 'none.csv'" in outcome.err
    assert not (tmp_path / "mine.toml").exists()


NEARLY_RIGHT = ('xyz="0 0 1"/>', 'xyz="0 0 1" rpy="1.570796 0 0"/>')
"""Of the elbow, with seven digits: an angle that is taken as a right one."""


def test_python_warnings_are_told_once_and_without_lines_of_our_source(torquec, arm, tmp_path):
    arm.write_text(arm.read_text().replace(*NEARLY_RIGHT))
    outcome = torquec("new", arm, "-o", tmp_path / "mine.toml")
    assert outcome.status == 0
    (line,) = [line for line in outcome.err.splitlines() if "right angles" in line]
    assert line.startswith("torquec: warning: ")
    assert "snap = false in a project" in line
    assert ".py:" not in outcome.err


def unbounded(robot, motions):
    raise RobotError("it cannot be bounded")


@pytest.mark.parametrize("bound", [lambda robot, motions: (1.0,) * robot.n, unbounded])
def test_angles_stay_as_written_where_right_ones_would_use_up_the_errors(torquec, arm, tmp_path, monkeypatch, bound):
    arm.write_text(arm.read_text().replace(*NEARLY_RIGHT))
    assert torquec("new", arm, "-o", tmp_path / "right.toml").status == 0
    assert "snap" not in (tmp_path / "right.toml").read_text()
    monkeypatch.setattr("torquec.proof.torque.snap_bound.snap_bound", bound)
    outcome = torquec("new", arm, "-o", tmp_path / "mine.toml")
    assert "takes the angles of" in outcome.err
    assert not read_project(tmp_path / "mine.toml").robot.canonical.snaps


def test_a_file_without_speeds_is_told_and_the_project_says_what_was_assumed(torquec, arm, tmp_path):
    arm.write_text(arm.read_text().replace('velocity="1" effort="50"', 'velocity="0" effort="50"'))
    outcome = torquec("new", arm, "-o", tmp_path / "mine.toml")
    assert outcome.status == 0
    assert "arm.urdf:8: joint 'shoulder': velocity of <limit> is 0: taken as no limit" in outcome.err
    text = (tmp_path / "mine.toml").read_text()
    assert "velocity = 2.5  # rad/s, assumed: the robot's file has no limit" in text
    assert "velocity = 1.0  # rad/s\n" in text


def test_joints_that_move_no_inertia_are_locked_and_told(torquec, arm, tmp_path):
    """A point mass on its own axis, as in the file of a Lynxmotion AL5D: the exact model has no accelerations."""
    point = """<link name="tip"><inertial><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="wrist" type="revolute"><parent link="lower"/><child link="tip"/><origin xyz="0 0 1"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="1" effort="2"/></joint>
</robot>"""
    arm.write_text(arm.read_text().replace("</robot>", point))
    outcome = torquec("new", arm, "-o", tmp_path / "mine.toml")
    assert outcome.status == 0
    assert "there is no inertia at wrist, which the project locks" in outcome.err
    assert read_project(tmp_path / "mine.toml").robot.joint_names == ("shoulder", "elbow")


def test_missing_rotors_are_told_with_the_remedy(torquec, arm, tmp_path):
    arm.write_text(arm.read_text().replace('effort="20"', 'effort="200000"'))
    told = torquec("new", arm, "-o", tmp_path / "mine.toml").err
    assert "no rotor inertia is known" in told
    assert "alone: elbow (the 200000 N m of elbow would accelerate its" in told


def test_a_gripper_is_locked_where_it_makes_the_arm_too_large_to_prove(torquec, tmp_path):
    """An arm of seven joints with two fingers, which simplification, plan and report would all have given up on."""
    link = (
        '<link name="{0}"><inertial><origin xyz="0.02 0 0.1"/><mass value="{1}"/>'
        '<inertia ixx="{1}" iyy="{1}" izz="{1}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j_{0}" type="revolute"><parent link="{2}"/><child link="{0}"/><origin xyz="0 0 0.2"/>'
        '<axis xyz="{3}"/><limit lower="-2" upper="2" velocity="1" effort="50"/></joint>'
    )
    axes = ("0 0 1", "0 1 0")
    arm = [link.format(f"l{k}", 1.0, f"l{k - 1}" if k else "base", axes[k % 2]) for k in range(7)]
    fingers = [link.format(name, 0.05, "l6", "1 0 0") for name in ("left", "right")]
    path = tmp_path / "hand.urdf"
    path.write_text(f'<robot name="hand"><link name="base"/>{"".join(arm + fingers)}</robot>')
    outcome = torquec("new", path, "-o", tmp_path / "mine.toml")
    assert outcome.status == 0
    assert "the project locks j_left, j_right: proofs support about 7 positions" in outcome.err
    assert read_project(tmp_path / "mine.toml").robot.joint_names == tuple(f"j_l{k}" for k in range(7))
    path.write_text(f'<robot name="hand"><link name="base"/>{"".join(arm[:5] + fingers)}</robot>'.replace("l6", "l4"))
    assert "locks" not in torquec("new", path, "-o", tmp_path / "small.toml").err
