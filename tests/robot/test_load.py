"""`load`: which reader gets which file, and what is said of files that none can read."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import pytest
from tests.robot.arm import ARM

import torquec as tq
from torquec.errors import ArgumentError, RobotFileError
from torquec.robot import classics
from torquec.robot.load import READERS, RobotFormat, described_robot, drives_beside, is_robot_name, load
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


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package like `robot_descriptions`: an arm as URDF, one as MJCF only, one that is not fetched, one empty."""
    folder = tmp_path / "robot_descriptions"
    folder.mkdir()
    arm = tmp_path / "arm.urdf"
    tq.write_urdf(classics.planar2r(), arm)
    modules = {
        "__init__": "",
        "arm_description": f"URDF_PATH = {str(arm)!r}",
        "legs_mj_description": "MJCF_PATH = 'legs.xml'",
        "lost_description": "raise OSError('no network')",
        "hollow_description": "PACKAGE_PATH = 'x'",
    }
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    yield arm
    for name in [name for name in sys.modules if name.split(".")[0] == "robot_descriptions"]:
        sys.modules.pop(name)


def test_a_classic_is_loaded_by_its_name():
    assert tq.load("puma560") == classics.puma560()
    assert tq.load("planar2r", gravity=(0, 0, 0)).gravity == (0.0, 0.0, 0.0)


def test_a_description_is_loaded_by_its_name(descriptions):
    assert tq.load("arm") == tq.load(descriptions)


def test_the_mujoco_description_serves_where_there_is_no_other(descriptions):
    assert described_robot("legs", "").name == described_robot("legs_mj_description", "").name == "legs.xml"


def test_a_file_of_that_name_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_robot_name("panda")
    (tmp_path / "panda").mkdir()
    assert not is_robot_name("panda")
    with pytest.raises(tq.RobotFileError, match="directory"):
        tq.load("panda")


@pytest.mark.parametrize(
    ("name", "found", "remedy"),
    [
        ("arms", "'arms' is neither a file nor the name of a robot", "did you mean arm?"),
        ("zzz", "'zzz' is neither", "one of planar2r"),
        ("lost", "could not be fetched: no network", "network"),
        ("hollow", "has no URDF, MJCF or xacro", "robot file"),
    ],
)
def test_misses_say_what_to_do(descriptions, name, found, remedy):
    with pytest.raises(tq.ArgumentError, match=found) as caught:
        tq.load(name)
    assert remedy in caught.value.remedy


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(tq.MissingExtraError, match="'ur5e' is neither a file nor a classic") as caught:
        tq.load("ur5e")
    assert caught.value.remedy == "pip install 'torquec[robots]'"
    with pytest.raises(tq.ArgumentError) as caught:
        tq.load("puma561")
    assert caught.value.remedy.startswith("did you mean puma560? Files are .urdf")


def test_classics_stand_on_fixed_bases():
    with pytest.raises(tq.ArgumentError, match="for the classic 'puma560'"):
        tq.load("puma560", base="floating")
