"""`torquec compare`: the keys of its document, its pictures, what it refuses."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.robot import classics

MOTION = ("--to", "0.5,0.4", "--duration", "1", "--rounds", "1")


@pytest.fixture
def heavy(tmp_path):
    arm = classics.planar2r()
    path = tmp_path / "heavy.tq.json"
    tq.save(tq.compile(tq.attach_payload(arm, arm.frames[-1].name, mass=0.3)), path)
    return path


def test_the_document_has_the_agreed_keys(torquec, heavy):
    document = torquec("compare", "planar2r", heavy, *MOTION, "--random", "20", "--json").document
    assert set(document["torque"]["joint1"]) >= {"max", "mean", "std", "rms"}
    assert document["torque"]["joint1"]["max"] > 0.1
    for key in ("eigenvalues", "tracking", "operations", "ns"):
        assert set(document[key]) == {"a", "b"}
    assert len(document["eigenvalues"]["a"]) == 4
    assert document["tracking"]["a"]["rmse"]["joint1"] < document["tracking"]["b"]["rmse"]["joint1"]
    assert document["tracking"]["a"]["acceleration_rmse"]["joint1"] > 0.0
    assert document["operations"]["a"]["inverse_dynamics"]["mul"] > 0
    assert set(document["random"]) == {"joint1", "joint2"}


def test_a_model_beside_itself(torquec):
    document = torquec("compare", "planar2r", "planar2r", *MOTION, "--json").document
    assert document["torque"]["joint2"]["max"] == 0.0
    assert document["tracking"]["a"] == document["tracking"]["b"]


def test_text_and_pictures(torquec, heavy, tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "pictures"
    outcome = torquec("compare", "planar2r", heavy, *MOTION, "--log", "simulated", "--plot", folder)
    assert outcome.status == 0
    for words in ("bias", "Eigenvalues at t =", "acceleration rmse", "ns", "Along simulated"):
        assert words in outcome.out
    assert {path.name for path in folder.iterdir()} == {
        "torques.png", "torque_differences.png", "eigenvalues.png", "linear_response.png", "tracking_errors.png",
        "acceleration_errors.png", "measured_torques.png",
    }  # fmt: skip
    assert f"wrote {folder / 'torques.png'}" in outcome.err


def test_the_standard_motion_is_the_pumas(torquec):
    refused = torquec("compare", "planar2r", "planar2r")
    assert refused.status == 2
    assert "there is no motion" in refused.err


def test_other_joints_are_refused(torquec):
    refused = torquec("compare", "planar2r", "scara", *MOTION)
    assert refused.status == 2
    assert "joints of the first model" in refused.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--controllers", "pd,bang-bang"), "bang-bang"),
        (("planar2r", "--controllers", "pd"), "B is for two models"),
        (("--controllers", "pd", "--random", "3"), "--random is for two models"),
        ((), "nothing to compare with"),
        (("planar2r", "--resolution", "1e-3"), "--resolution is for --controllers"),
    ],
)
def test_laws_and_models_are_not_mixed(torquec, words, text):
    refused = torquec("compare", "planar2r", *words, "--to", "0.1,0.1")
    assert refused.status == 2
    assert text in refused.err
