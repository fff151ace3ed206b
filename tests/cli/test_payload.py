"""`torquec payload`: the answer, its three limits, and what it refuses."""

from __future__ import annotations

import pytest


def test_the_answer_is_the_smallest_limit(torquec):
    document = torquec("payload", "puma560", "--workspace", "--json").document
    assert document["where"] == "workspace"
    assert document["standing"] == "proven over the workspace"
    masses = {name: limit["kg"] for name, limit in document["limits"].items() if limit["kg"] is not None}
    assert document["answer"]["kg"] == min(masses.values()) == masses[document["answer"]["by"]]
    assert document["answer"]["by"] == "torque"
    assert document["limits"]["torque"]["joint"] == "joint2"


def test_along_a_motion(torquec):
    words = ("payload", "planar2r", "--to", "0.5,-0.4", "--duration", "1", "--rate", "500", "--centre", "0.02,0,0")
    shown = torquec(*words).out
    assert shown.startswith("planar2r: at most ")
    assert "along the motion: by " in shown
    assert "(samples of the motion)" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--motion", "standard", "--workspace"), "both a motion and --workspace"),
        (("--centre", "1,2"), "three numbers"),
        (("--effort", "2"), "share of the limits"),
        (("--frame", "nowhere"), "nowhere"),
        (("--within", "-1"), "largest error"),
        (("--evaluation", "nowhere"), "evaluation"),
        (("--rate", "0"), "rate"),
    ],
)
def test_misuse(torquec, words, message):
    found = torquec("payload", "puma560", *words)
    assert found.status == 2
    assert message in found.err
