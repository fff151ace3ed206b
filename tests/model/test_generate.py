"""`generate`: files for a target, from a model or a robot."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import torquec as tq
from torquec.errors import ArgumentError, MissingExtraError, RobotError
from torquec.robot.lock_joints import lock_joints
from torquec_check.claim import rounded_down, rounded_up

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"


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


# --- what code says of its model and robot --------------------------------------------------------------------------


def words_of(folder):
    """Every text of a folder by name, without the marks of comments and line breaks."""
    found = {}
    for path in folder.rglob("*"):
        known = path.suffix in (".h", ".py", ".js", ".ts", ".txt", ".rs")
        if known and path.name not in ("CMakeLists.txt", "recorded.rs"):
            lines = (line.strip().lstrip("/*!").strip() for line in path.read_text().splitlines())
            found[path.suffix] = " ".join(" ".join(lines).split())
    return found


TARGETS = {"c": [".h"], "rust": [".rs"], "object": [".h"], "numpy": [".py"], "casadi": [".txt"], "wasm": [".js", ".ts"]}


@pytest.fixture(scope="module")
def small():
    return tq.simplify(tq.classics.planar2r(), SPECIFICATIONS / "planar2r.toml")


@pytest.mark.parametrize("target", TARGETS)
def test_code_of_a_certified_model_states_its_errors_and_box(small, tmp_path, target):
    if target == "casadi":
        pytest.importorskip("casadi")
    package = tq.generate(small, tmp_path / "out", target=target, quantities=["inverse_dynamics"])
    assert all(path.name.startswith("planar2r_simplified") for path in package.files if "inverse" in path.name)
    texts, box = words_of(tmp_path / "out"), small.record.motions
    for suffix in TARGETS[target]:
        assert "SIMPLIFIED: this is not the exact dynamics of planar2r" in texts[suffix]
        assert small.record.content_hash in texts[suffix]
        for k, (name, proof) in enumerate(small.record.joints.items()):
            assert f"torque error of {name}: at most {rounded_up(proof.bound, 6)} N m" in texts[suffix]
            limits = f"{rounded_up(box.lower[k], 6)} to {rounded_down(box.upper[k], 6)} rad"
            assert f"{name}: position {limits}" in texts[suffix]
    for suffix in {".h", ".py", ".txt", ".ts"} & set(texts):  # of the function, too
        assert "Of a simplified model" in texts[suffix]


@pytest.mark.parametrize("target", TARGETS)
def test_code_of_an_abbreviated_model_is_not_certified(tmp_path, target):
    if target == "casadi":
        pytest.importorskip("casadi")
    model = tq.abbreviated_model(tq.classics.planar2r())
    tq.generate(model, tmp_path / "out", target=target, quantities=["inverse_dynamics"])
    for suffix in TARGETS[target]:
        assert "SIMPLIFIED, NOT CERTIFIED" in words_of(tmp_path / "out")[suffix]


@pytest.mark.parametrize("target", TARGETS)
def test_code_states_payload_and_locked_joints(tmp_path, target):
    if target == "casadi":
        pytest.importorskip("casadi")
    plain = tq.classics.planar3r()
    arm = lock_joints(tq.attach_payload(plain, "link3", mass=2.5), {"joint2": 0.25})
    for robot, folder in ((arm, "changed"), (plain, "plain")):
        tq.generate(replace(robot, gravity=(0.0, 0.0, -1.62)), tmp_path / folder, target=target,
                    quantities=["gravity_torque"])  # fmt: skip
    for suffix in TARGETS[target]:
        stated = words_of(tmp_path / "changed")[suffix]
        assert "Payload, part of this model: 2.5 kg at (0.0, 0.0, 0.0) m of frame 'link3'" in stated
        assert "Locked joints [rad; m for prismatic joints]: 'joint2' at 0.25." in stated
        assert "gravity (0.0, 0.0, -1.62) m/s^2" in stated
        other = words_of(tmp_path / "plain")[suffix]
        assert not any(word in other for word in ("Payload", "Locked", "SIMPLIFIED"))


@pytest.mark.parametrize(("name", "extra"), [("to_jax", "jax"), ("to_torch", "torch")])
def test_without_its_library_the_extra_is_named(monkeypatch, name, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(MissingExtraError, match=rf"torquec\[{extra}\]"):
        getattr(tq, name)(tq.classics.planar2r(), "mass_matrix")


@pytest.mark.parametrize("name", ["to_jax", "to_torch"])
def test_an_unknown_quantity_is_refused_first(name):
    with pytest.raises(ArgumentError, match="no_such"):
        getattr(tq, name)(tq.classics.planar2r(), "no_such")
