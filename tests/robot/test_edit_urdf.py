"""The user's own URDF with other dynamics in it: everything else byte for byte, and the robot when read back."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from torquec.dynamics import total_torque
from torquec.robot.edit_urdf import edited_urdf, urdf_source
from torquec.robot.friction import Friction
from torquec.robot.load import load
from torquec.robot.lock_joints import lock_joints
from torquec.robot.payload import attach_payload
from torquec.robot.urdf import parse_urdf
from torquec.robot.write_urdf import write_urdf

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
needs_models = pytest.mark.skipif(not MODELS.is_dir(), reason="the shared models are absent")
FILES = ("panda.urdf", "wx250s_mimic.urdf", "baxter.urdf", "abb_irb6640_mimic_noinertia.urdf", "talos_reduced.urdf")

ARM = """\ufeff<?xml version="1.0"?>
<!-- of the Müller works -->
<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"><link name="base"><visual name='a > b'/></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0.1 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/>
    <dynamics damping="9" friction="9"/>
  </joint>
  <link name="arm"/>
  <joint name="grip" type="prismatic"><parent link="arm"/><child link="jaw"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" velocity="2" effort="3"/></joint>
  <link name="jaw">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="weld" type="fixed"><parent link="jaw"/><child link="tool"/><origin xyz="0.1 0 0"/></joint>
  <link name="tool">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <gazebo reference="arm"><material>Gazebo/Red &amp; Blue</material></gazebo>
</robot>
"""


def heavier(robot, factor=1.3):
    """Another robot: heavier bodies, other friction."""
    bodies = tuple(
        dataclasses.replace(
            body,
            inertia=type(body.inertia)(
                *(factor * value + (0.1 if k == 9 else 0.0) for k, value in enumerate(body.inertia.parameters))
            ),
            joint=dataclasses.replace(body.joint, friction=Friction.symmetric(0.5, 0.25)),
        )
        for body in robot.bodies
    )
    return dataclasses.replace(robot, bodies=bodies)


def other_words(text: str) -> str:
    """A document without what is about dynamics, and without blanks."""
    text = re.sub(r"<!-- Written by Torquec.*?-->|<inertial>.*?</inertial>|<dynamics[^>]*/>", "", text, flags=re.DOTALL)
    text = re.sub(r"<inertial\b[^>]*>.*?</inertial>|<dynamics[^>]*>\s*</dynamics>", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", "", re.sub(r"<link([^>]*[^>/])>\s*</link>", r"<link\1/>", text))


def torques(robot, q, qd, qdd):
    """Total torques (N, n)."""
    return np.array(total_torque(robot, q.T, qd.T, qdd.T)).T


def assert_same_torques(found, robot):
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 5, robot.n))
    own = torques(robot, q, qd, qdd)
    assert np.abs(torques(found, q, qd, qdd) - own).max() <= 1e-12 * np.abs(own).max()


@needs_models
@pytest.mark.parametrize("name", FILES)
def test_published_files_keep_everything_else(name, tmp_path):
    robot = load(MODELS / name, snap=False)
    document = urdf_source(robot)
    wanted = heavier(robot)
    path, *_ = write_urdf(wanted, tmp_path / "new.urdf", original=document, note="Said here.")
    text = path.read_text("utf-8")
    assert other_words(text) == other_words(document.decode("utf-8"))
    assert "Said here." in text[:300]
    assert_same_torques(load(path, snap=False), wanted)


def test_a_file_that_is_hard_to_edit():
    robot = parse_urdf(ARM.encode(), "arm.urdf")
    wanted = heavier(robot)
    text = edited_urdf(ARM.encode(), wanted).decode("utf-8")
    assert other_words(text) == other_words(ARM.removeprefix("\ufeff"))
    assert_same_torques(parse_urdf(text.encode(), "arm.urdf"), wanted)
    assert text.count("<inertial>") == 2
    assert text.index("<!-- Written by Torquec. -->") < text.index("Müller")
    again = edited_urdf(text.encode(), wanted, note="twice")
    assert again.decode("utf-8").count("Written by Torquec") == 1
    latin = ARM.removeprefix("\ufeff").replace('"1.0"?', '"1.0" encoding="iso-8859-1"?').encode("latin-1")
    assert "Müller".encode("latin-1") in edited_urdf(latin, wanted)


def test_locked_joints_are_fixed_and_payloads_are_links():
    robot = parse_urdf(ARM.encode(), "arm.urdf")
    locked = lock_joints(robot, {"grip": 0.25})
    wanted = heavier(attach_payload(locked, "tool", mass=3.0, center=(0.0, 0.1, 0.0), name="über"))
    text = edited_urdf(ARM.encode(), wanted).decode("utf-8")
    found = parse_urdf(text.encode(), "arm.urdf")
    assert found.joint_names == ("turn",)
    assert {frame.name for frame in found.frames} == {f.name for f in wanted.frames}
    assert_same_torques(found, wanted)
    assert '<box size="1 1 1"/>' in text


@needs_models
def test_another_robot_is_written_anew(tmp_path):
    robot = load(MODELS / "ur5.urdf")
    assert edited_urdf(ARM.encode(), robot) is None
    assert edited_urdf(b"<mujoco/>", robot) is None
    assert edited_urdf(ARM.encode("utf-16"), parse_urdf(ARM.encode(), "arm.urdf")) is None
    path, *_ = write_urdf(robot, tmp_path / "ur5.urdf", original=ARM.encode())
    assert_same_torques(load(path), robot)


def test_friction_of_other_readers_beside_the_true_one(tmp_path):
    robot = parse_urdf(ARM.encode(), "arm.urdf")
    true = Friction.of({"viscous": 1.0, "coulomb": 2.0, "offset": 0.5})
    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=true)) for body in robot.bodies
    )
    robot = dataclasses.replace(heavier(robot), bodies=bodies)
    words = {name: Friction.symmetric(0.75, 0.25) for name in robot.joint_names}
    path, side = write_urdf(robot, tmp_path / "arm.urdf", original=ARM.encode(), dynamics=words)
    assert {joint.friction for joint in parse_urdf(path.read_bytes(), "alone").joints} == {
        Friction.symmetric(0.75, 0.25)
    }
    assert {joint.friction for joint in load(path).joints} == {true}
    side.unlink()
    write_urdf(robot, path, dynamics=words)
    assert {joint.friction for joint in load(path).joints} == {true}


def test_a_xacro_file_is_expanded(tmp_path):
    xacro = tmp_path / "arm.urdf.xacro"
    xacro.write_text(ARM.replace('xyz="0 0 1" rpy', 'xyz="0 0 ${2 - 1}" rpy').removeprefix("\ufeff"), encoding="utf-8")
    robot = load(xacro, snap=False)
    wanted = heavier(robot)
    path, *_ = write_urdf(wanted, tmp_path / "out.urdf", original=urdf_source(robot))
    assert "Gazebo/Red &amp; Blue" in path.read_text("utf-8")
    assert "<box" in path.read_text("utf-8")
    assert_same_torques(load(path, snap=False), wanted)
    assert urdf_source(dataclasses.replace(robot, source="gone.urdf")) is None
