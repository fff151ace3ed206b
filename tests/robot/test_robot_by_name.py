"""Robots by name: classics, descriptions of an installed package (a stub here: the real one clones), misses."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import pytest

import torquec as tq
from torquec.robot import classics, robot_by_name
from torquec.robot.robot_by_name import described_robot, is_robot_name


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
    monkeypatch.setattr(robot_by_name.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(tq.MissingExtraError, match="'ur5e' is neither a file nor a classic") as caught:
        tq.load("ur5e")
    assert caught.value.remedy == "pip install 'torquec[robots]'"
    with pytest.raises(tq.ArgumentError) as caught:
        tq.load("puma561")
    assert caught.value.remedy.startswith("did you mean puma560? Files are .urdf")


def test_classics_stand_on_fixed_bases():
    with pytest.raises(tq.ArgumentError, match="for the classic 'puma560'"):
        tq.load("puma560", base="floating")
