"""`torquec haptic-region`: the region of an arm's axis, in text, JSON and a picture."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.passive_hand import PassiveHands
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance

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
        (["--grip", "5"], "--grip has 1 values"),
        (["--rate", "0"], "--rate is 0.0"),
        (["--mass", "-1"], "the rendered mass is -1.0"),
        (["--rendering", "impedance", "--mass", "2"], "springs and dampers only"),
        (["--poles", "5,1"], "are unstable"),
        (["--force-cutoff", "1e9"], "aliases without a filter"),
        (["--model-error", "2"], "leaves no mass"),
        (["--velocity-cutoff", "400"], "half the sampling rate"),
    ],
)
def test_misuse(torquec, words, message):
    found = torquec("haptic-region", *AXIS, *words)
    assert found.status == 2
    assert message in found.err
