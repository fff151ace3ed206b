"""`torquec ik`: what it finds is what `torquec eval` says of the frame there."""

from __future__ import annotations

import numpy as np
import pytest

POSE = ("--frame", "link6", "--position", "0.4,0.3,0.5", "--quaternion", "0,1,0,0")


def test_every_branch_brings_the_frame_there(torquec):
    document = torquec("ik", "puma560", *POSE, "--all", "--json").document
    assert set(document) == {"method", "family", "frame", "joints", "branches", "nearest"}
    assert (document["method"], document["family"]) == ("analytic", "spherical wrist")
    assert len(document["branches"]) == 8
    for branch in document["branches"]:
        q = ",".join(map(repr, branch["q"]))
        frame = torquec("eval", "puma560", "--q", q, "--frame", "link6", "--json").document["frames"]["link6"]
        np.testing.assert_allclose(frame["origin"], [0.4, 0.3, 0.5], atol=1e-12)
        np.testing.assert_allclose(frame["rotation"], np.diag([1.0, -1.0, -1.0]), atol=1e-12)
        assert (branch["qd"], branch["qdd"]) == (None, None)
    names = [branch["name"] for branch in document["branches"]]
    assert document["nearest"] in names


def test_the_nearest_one_alone_with_its_rates(torquec):
    every = torquec("ik", "puma560", *POSE, "--all", "--json").document["branches"]
    chosen = [branch for branch in every if branch["status"] == ["exact"]][-1]
    near = ",".join(str(np.degrees(value)) for value in chosen["q"])
    motion = ("--velocity", "0.1,0,0,0,0,90", "--acceleration", "0,0.1,0,0,0,0")
    document = torquec("ik", "puma560", *POSE, "--near", near, "--deg", *motion, "--json").document
    (branch,) = document["branches"]
    assert branch["name"] == document["nearest"] == chosen["name"]
    np.testing.assert_allclose(branch["q"], chosen["q"], atol=1e-12)
    state = ",".join(map(repr, branch["q"]))
    frame = torquec("eval", "puma560", "--q", state, "--frame", "link6", "--json").document["frames"]["link6"]
    j = np.array([*frame["influence"]["translation"]["first"], *frame["influence"]["rotation"]["first"]])
    np.testing.assert_allclose(j @ branch["qd"], [0.1, 0, 0, 0, 0, np.pi / 2], atol=1e-12)
    assert branch["manipulability"] == pytest.approx(abs(np.linalg.det(j)))


def test_the_text_says_what_is_missed(torquec):
    shown = torquec("ik", "puma560", "--frame", "link6", "--position", "2,0,0", "--all").out
    assert "shoulder left, elbow up, wrist no flip" in shown
    assert "out of reach, misses" in shown
    assert shown.count("<- nearest") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma560"], "ik needs --frame and --position"),
        (["puma560", "--frame", "hand", "--position", "0,0,0"], "has no frame 'hand'"),
        (["puma560", "--frame", "link6", "--position", "0,0"], "--position has 2 values"),
        (["puma560", *POSE[:4], "--quaternion", "0,0,0,0"], "is no rotation"),
        (["puma560", *POSE, "--near", "1,2"], "--near has 2 values"),
        (["puma560", *POSE, "--acceleration", "0,0,0,0,0,0"], "--acceleration needs --velocity"),
    ],
)
def test_misuse(torquec, words, message):
    refused = torquec("ik", *words)
    assert refused.status == 2
    assert message in refused.err
