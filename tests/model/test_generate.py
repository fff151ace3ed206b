"""`generate`: files for a target, from a model or a robot."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.errors import ArgumentError, RobotError


def test_c_package_of_a_robot(tmp_path):
    package = tq.generate(tq.classics.planar2r(), tmp_path / "out")
    assert all(path.parent == tmp_path / "out" and path.exists() for path in package.files)
    assert {path.name for path in package.files} >= {"planar2r.c", "planar2r.h"}
    assert package.functions["inverse_dynamics"].mul > 0
    header = " ".join((tmp_path / "out" / "planar2r.h").read_text().split()).replace("( ", "(")
    assert (
        "planar2r_inverse_dynamics(const double q[2], const double qd[2], const double qdd[2], double tau[2])" in header
    )


def test_chosen_quantities_and_prefix(tmp_path):
    quantities = ["mass_matrix", "frame_pose:link2", "mass_matrix"]
    package = tq.generate(tq.compile(tq.classics.planar2r()), tmp_path, quantities=quantities, prefix="arm")
    assert list(package.functions) == ["mass_matrix", "frame_pose:link2"]
    header = (tmp_path / "arm.h").read_text()
    assert "arm_mass_matrix" in header
    assert "arm_frame_pose_link2" in header
    assert "inverse_dynamics" not in header


def test_targets_may_be_strings(tmp_path):
    package = tq.generate(tq.classics.planar2r(), tmp_path, target="numpy", quantities=["gravity_torque"])
    assert [path.suffix for path in package.files] == [".py"]
    assert tq.Target("c") is tq.Target.C


def test_a_saved_model_gives_the_same_files(tmp_path):
    arm = tq.compile(tq.classics.scara())
    tq.save(arm, tmp_path / "arm.json")
    first = tq.generate(arm, tmp_path / "a").files
    second = tq.generate(tq.load_model(tmp_path / "arm.json"), tmp_path / "b").files
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "cobol"}, "no target 'cobol'"),
        ({"precision": "half"}, "there is no precision 'half'"),
        ({"target": "numpy", "precision": "single"}, "NumPy is not written in single precision"),
        ({"quantities": ["colour"]}, "there is no quantity 'colour'"),
        ({"quantities": []}, "no function"),
    ],
)
def test_misuse_writes_nothing(tmp_path, options, message):
    with pytest.raises(ArgumentError, match=message):
        tq.generate(tq.classics.planar2r(), tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "numpy", "precision": "single"}, "NumPy is not written in single precision"),
        ({"target": "c", "triple": "thumbv7em-none-eabihf"}, "C99 is not written for a processor"),
        ({"target": "object", "triple": "pdp11-unknown-none"}, "pdp11"),
        ({"directory": "file/folder"}, "is a file"),
    ],
)
def test_what_cannot_be_written_is_refused_before_tracing(tmp_path, monkeypatch, options, message):
    (tmp_path / "file").write_text("mine")
    monkeypatch.setattr(tq.Model, "function", lambda *_: pytest.fail("traced"))
    directory = tmp_path / options.pop("directory", "out")
    with pytest.raises(ArgumentError, match=message):
        tq.generate(tq.compile(tq.classics.planar2r()), directory, **options)


def test_only_models_and_robots(tmp_path):
    with pytest.raises(ArgumentError, match="generate takes a Model or a Robot, not str"):
        tq.generate("arm.urdf", tmp_path)


def test_a_robot_without_inertias_is_refused(tmp_path):
    from torquec.robot import Body, Joint, JointType, Robot
    from torquec.spatial import Inertia

    skeleton = Robot("skeleton", (Body("bone", -1, Joint("hinge", JointType.REVOLUTE), Inertia(), ("bone",)),))
    with pytest.raises(RobotError, match="bone"):
        tq.generate(skeleton, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
