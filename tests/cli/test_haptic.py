"""`torquec haptic` and `torquec haptic-region`: experiments and passivity regions from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.passive_hand import PassiveHands
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance

pytest.importorskip("scipy")


def test_a_mass_felt_through_a_scara_with_files(torquec, tmp_path):
    """One run: JSON, table and picture; the mass is felt within 2 %, and what a Scara cannot render is said."""
    pytest.importorskip("matplotlib")
    folder = tmp_path / "felt"
    found = torquec("haptic", "scara", "--experiment", "mass-5", "-o", folder, "--json").document
    assert found["felt"]["mean"] == pytest.approx(5.0, rel=0.02)
    assert found["felt"]["deviation"] <= found["felt"]["paper"]["deviation"]
    low, high = found["felt"]["unbiased"]["interval"]
    assert found["felt"]["unbiased"]["value"] == pytest.approx(5.0, rel=0.005)
    assert low <= 5.0 <= high
    assert [study["filter"] for study in found["filters"]] == ["force", "velocity"]
    assert found["unrendered"] == ["turning about x", "turning about y"]
    assert found["passivity_controller"] == "off"
    assert [standing["axis"] for standing in found["region"]] == ["moving along x", "moving along y"]
    assert all(standing["inside"] == (standing["margin"] > 0.0) for standing in found["region"])
    names = ["mass-5.csv", "mass-5.json", "mass-5.png", "report.html", "report.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert "felt through scara" in (folder / "report.html").read_text(encoding="utf-8")
    kept = json.loads((folder / "mass-5.json").read_text(encoding="utf-8"))
    assert kept["felt"] == found["felt"]
    assert (folder / "mass-5.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma560", "--experiment", "mass-5", "--impact", "0.1"], "has no wall"),
        (["puma560", "--experiment", "mass-5", "--one-sided"], "has no wall"),
        (["puma560", "--offset", "0.1,0"], "--offset has 2 values"),
        (["puma560", "--mass", "100", "--weight"], "force sensor's range"),
        (["puma560", "--wall-damping", "2"], "has no wall"),
        (["puma560", "--rate", "0"], "--rate 0"),
        (["puma560", "--poles", "-12,-13"], "one pole for all joints"),
        (["puma560", "--frame", "claw"], "claw"),
        (["puma560", "--effort", "2"], "effort"),
        (["puma560", "--pace", "0"], "pace"),
        (["planar2r", "--experiment", "mass-5"], "planar2r"),
    ],
)
def test_misuse(torquec, words, message):
    refused = torquec("haptic", *words)
    assert refused.status == 2
    assert message in refused.err


AXIS = ("puma560", "--frame", "link6", "--q", "0,0.7,-2.4,0.3,1.2,0")


def test_an_object_inside_with_a_picture(torquec, tmp_path):
    picture = tmp_path / "region.png"
    document = torquec("haptic-region", *AXIS, "--mass", 5, "--damping", 20, "--plot", picture, "--json").document
    assert document["inside"]
    assert document["destabilizing"] is None
    assert document["intervals"]["damping"]["lower"] < 20.0
    assert document["intervals"]["mass"]["upper"] is None
    assert document["units"]["damping"] == "N s/m"
    assert [study["filter"] for study in document["filters"]] == ["force", "velocity"]
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_outside_it_names_a_hand_that_destabilizes(torquec):
    words = ("haptic-region", *AXIS, "--damping", 0, "--force-cutoff", 50)
    document = torquec(*words, "--json").document
    hand = document["destabilizing"]
    port, grip = HapticPort(**document["port"]), Grip(**document["grip"])
    loop = PortLoop(port, force_cutoff=50.0, grip=grip)
    given = PassiveHands(
        np.array([hand["mass"]]), np.array([hand["damping"]]), np.array([hand["F"]]), np.array([hand["G"]])
    )
    radius = coupled_loop(loop, RenderedImpedance(**document["rendered"]), given).radius()[0]
    assert radius - 1.0 == pytest.approx(hand["growth"], rel=1e-6)
    assert hand["growth"] > 0.0
    shown = torquec(*words, "--check")
    assert shown.status == 1
    assert "OUTSIDE" in shown.out
    assert "destabilized by" in shown.out


def test_about_an_axis_and_by_impedance(torquec):
    shown = torquec("haptic-region", *AXIS, "--about", "--rate", 1000).out
    assert "about 0, 0, 1, admittance at 1000 Hz" in shown
    assert "kg m^2" in shown
    document = torquec(
        "haptic-region", *AXIS, "--rendering", "impedance", "--stiffness", 500, "--grip", "none", "--json"
    ).document
    port = document["port"]
    assert document["intervals"]["stiffness"]["upper"] == pytest.approx(2.0 * port["damping"] / 0.002, rel=0.01)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--direction", "0,0"], "--direction has 2 values"),
        (["--direction", "0,0,0"], "the direction"),
        (["--grip", "5"], "--grip has 1 value"),
        (["--rate", "0"], "--rate is 0.0"),
        (["--mass", "-1"], "the rendered mass is -1.0"),
        (["--rendering", "impedance", "--mass", "2"], "springs and dampers only"),
        (["--poles", "5,1"], "are unstable"),
        (["--force-cutoff", "1e9"], "aliases without a filter"),
        (["--model-error", "2"], "leaves no mass"),
        (["--velocity-cutoff", "400"], "half the sampling rate"),
    ],
)
def test_misuse_of_the_region(torquec, words, message):
    found = torquec("haptic-region", *AXIS, *words)
    assert found.status == 2
    assert message in found.err
