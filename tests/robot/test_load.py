"""`load`: which reader gets which file, and what is said of files that none can read."""

from __future__ import annotations

import pytest
from tests.robot.arm import ARM

from torquec.errors import ArgumentError, RobotFileError
from torquec.robot.load import READERS, RobotFormat, drives_beside, load
from torquec.robot.urdf import read_urdf


def write(tmp_path, name, text=ARM):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["arm.urdf", "arm.URDF", "arm.xml"])
def test_urdf_is_read_under_either_suffix(tmp_path, name):
    path = write(tmp_path, name)
    assert load(path).joint_names == load(str(path)).joint_names == ("shoulder", "elbow")


def test_mjcf_is_known_by_its_root(tmp_path):
    pytest.importorskip("mujoco")
    body = '<body name="b"><joint name="j"/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body>'
    text = f'<mujoco model="p"><worldbody>{body}</worldbody></mujoco>'
    assert load(write(tmp_path, "p.xml", text)).joint_names == ("j",)


def test_a_dh_table_is_read(tmp_path):
    row = '[[joint]]\nname = "j"\ntype = "continuous"\nalpha = 0\na = 0\nd = 0\n'
    assert load(write(tmp_path, "p.toml", f'name = "p"\nconvention = "modified"\n{row}')).joint_names == ("j",)


def test_options_reach_the_robot(tmp_path):
    path = write(tmp_path, "arm.urdf")
    assert load(path).snap
    assert not load(path, snap=False).snap
    assert load(path, gravity=[0, 0, 0]).gravity == (0.0, 0.0, 0.0)
    with pytest.raises(RobotFileError, match="no name"):
        load(write(tmp_path, "nameless.urdf", ARM.replace(' name="arm"', "", 1)), strict=True)


@pytest.mark.parametrize("gravity", [9.81, (0, 0), (0, 0, "down"), (0, 0, float("nan")), "abc", (0, 0, 0, 0)])
def test_gravity_is_three_finite_numbers(tmp_path, gravity):
    with pytest.raises(ArgumentError, match="gravity is"):
        load(write(tmp_path, "arm.urdf"), gravity=gravity)


def test_files_that_are_not_robots_are_told_apart(tmp_path):
    with pytest.raises(RobotFileError, match="no such file"):
        load(tmp_path / "no.urdf")
    with pytest.raises(RobotFileError, match="no such file"):
        load(tmp_path / "no.obj")
    with pytest.raises(RobotFileError, match="directory"):
        load(tmp_path)
    with pytest.raises(RobotFileError, match=r"'\.obj' is not that of a robot file"):
        load(write(tmp_path, "arm.obj"))
    with pytest.raises(RobotFileError, match=r"arm.xml:1: the document is <sdf>"):
        load(write(tmp_path, "arm.xml", "<sdf/>"))
    with pytest.raises(RobotFileError, match="drives file"):
        load(write(tmp_path, "arm.drives.toml", ""))
    with pytest.raises(ArgumentError, match="not the name of a file"):
        load(None)


def test_xacro_is_expanded_and_has_its_side_file(tmp_path):
    path = write(tmp_path, "arm.urdf.xacro")
    write(tmp_path, "arm.drives.toml", "[joint.elbow]\nmotor = { reflected_inertia = 2 }\n")
    robot = load(path)
    assert robot.joint_names == ("shoulder", "elbow")
    assert robot.drives.motors[0].rotor_inertia == 2.0


def test_a_format_is_one_row(tmp_path, monkeypatch):
    monkeypatch.setitem(READERS, ".arm", RobotFormat("arm description", read_urdf))
    path = write(tmp_path, "arm.ARM")
    side = write(tmp_path, "arm.drives.toml", "[joint.elbow]\nmotor = { reflected_inertia = 2 }\n")
    assert load(path).drives.motors[0].rotor_inertia == 2.0
    assert drives_beside(path) == side
    with pytest.raises(RobotFileError, match=r"\.sdf \(SDF\) or \.arm \(arm description\)"):
        load(write(tmp_path, "arm.obj"))
    monkeypatch.setitem(READERS, ".arm", RobotFormat("arm description", read_urdf, has_side_file=False))
    assert not load(path).drives.motors
    assert drives_beside(path) is None
