"""The library of drives: every number has a source, published arms, the rule by torque limits, misses."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from importlib import resources
from pathlib import Path

import pytest

import torquec as tq
from torquec.robot import classics, drives_library
from torquec.robot.drives_library import fitting_drives, library_drives

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
ENTRIES = sorted(
    entry.name for entry in resources.files(drives_library).iterdir() if entry.name.endswith(".drives.toml")
)


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_kind_of_number_has_a_source(entry):
    document = tomllib.loads(resources.files(drives_library).joinpath(entry).read_text(encoding="utf-8"))
    kinds = {key for joint in document["joint"].values() for part in joint.values() for key in part}
    assert kinds == set(document["source"])
    assert all(len(text) > 20 for text in document["source"].values())


def test_the_rule_by_torque_limits(tmp_path):
    """(1), (2): 150 N m are 1 kg m^2, 3 N m and 1.5 N m s/rad; small limits have 0.1 kg m^2."""
    plain = classics.planar2r()
    limits = {"joint1": 150.0, "joint2": 6.0}
    robot = tq.load(_with_efforts(tmp_path, plain, limits))
    assert [entry.name for entry in fitting_drives(robot)] == ["assumed"]
    (tmp_path / "arm.drives.toml").write_text(library_drives(robot).text)
    driven = tq.load(tmp_path / "arm.urdf")
    inertia = driven.drives.reflected_inertia(2)
    assert [inertia[0][0], inertia[1][1]] == [1.0, 0.1]
    frictions = [(joint.friction.viscous_positive, joint.friction.coulomb_negative) for joint in driven.joints]
    assert frictions == [(1.5, 3.0), (0.06, 0.12)]
    assert any("assumed, without a published or measured source" in warning.text for warning in driven.warnings)
    with pytest.raises(tq.RobotFileError, match="assumed"):
        tq.load(tmp_path / "arm.urdf", strict=True)


@pytest.mark.skipif(not MODELS.exists(), reason="needs the shared robot models")
def test_published_arms_are_found_by_their_joints():
    robot = tq.load(MODELS / "panda.urdf")
    assert [entry.name for entry in fitting_drives(robot)] == ["panda", "assumed"]
    assert library_drives(robot).name == "panda"
    assert library_drives(robot, "assumed").name == "assumed"


def test_what_does_not_fit_is_refused(tmp_path):
    robot = tq.load(_with_efforts(tmp_path, classics.planar2r(), {"joint1": 10.0}))
    with pytest.raises(tq.ArgumentError, match="drives 'panda' do not fit this robot") as caught:
        library_drives(robot, "panda")
    assert caught.value.remedy == "choose one of assumed"
    bare = tq.load(_with_efforts(tmp_path, classics.planar2r(), {}))
    with pytest.raises(tq.ArgumentError, match="the library has no drives for this robot"):
        library_drives(bare)


def _with_efforts(folder, robot, efforts):
    """A URDF file of the robot with these torque limits and no others."""
    bodies = tuple(
        dataclasses.replace(
            body,
            joint=dataclasses.replace(
                body.joint,
                limits=dataclasses.replace(body.joint.limits, effort=efforts.get(body.joint.name, math.inf)),
            ),
        )
        for body in robot.bodies
    )
    path = folder / "arm.urdf"
    path.unlink(missing_ok=True)
    tq.write_urdf(dataclasses.replace(robot, bodies=bodies), path)
    return path
