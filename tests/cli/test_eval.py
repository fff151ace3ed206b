"""`torquec eval` on an arm whose torques fit in the head: two links of 1 kg, 1 m apart, centres at half length."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from tests.patience import HANGS

KEYS = {"format", "command", "joints", "tau", "friction", "total", "M", "gravity", "velocity_torque", "robot_as_used"}
GRAVITY = 9.81


def test_at_rest_upright_nothing_is_needed(torquec, arm):
    document = torquec("eval", arm, "--json").document
    assert set(document) == KEYS
    assert document["joints"] == ["shoulder", "elbow"]
    assert document["tau"] == pytest.approx([0.0, 0.0], abs=1e-12)
    # dry friction is zero at zero speed: nothing pushes an arm that stands still
    assert document["friction"] == pytest.approx([0.0, 0.0])
    assert document["total"] == pytest.approx([0.0, 0.0])


def test_stretched_out_it_carries_its_weight(torquec, arm):
    document = torquec("eval", arm, "--json", "--deg", "--q", "90,0").document
    expected = [-GRAVITY * (0.5 + 1.5), -GRAVITY * 0.5]
    assert document["gravity"] == pytest.approx(expected)
    assert document["tau"] == pytest.approx(expected)
    assert document["M"][1][1] == pytest.approx(0.1 + 0.25)
    assert document["M"][0][1] == document["M"][1][0]


def test_a_list_may_begin_with_a_minus(torquec, arm):
    down = torquec("eval", arm, "--json", "--q", f"-{math.pi / 2},0").document
    assert down["gravity"] == pytest.approx([GRAVITY * 2.0, GRAVITY * 0.5])


def test_torques_give_back_the_accelerations(torquec, arm):
    state = ["--q", "0.3,-0.4", "--qd", "-1,2"]
    tau = torquec("eval", arm, "--json", *state, "--qdd", "0.7,-0.6").document["tau"]
    document = torquec("eval", arm, "--json", *state, "--tau", ",".join(map(repr, tau))).document
    assert set(document) == KEYS | {"qdd"}
    assert document["qdd"] == pytest.approx([0.7, -0.6])


def test_total_is_the_sum(torquec, arm):
    document = torquec("eval", arm, "--json", "--q", "1,2", "--qd", "3,-4", "--qdd", "5,6").document
    assert document["friction"] == pytest.approx([0.0, -8.5])
    assert document["total"] == pytest.approx(
        [a + b for a, b in zip(document["tau"], document["friction"], strict=True)]
    )


def test_gravity_can_be_given(torquec, arm):
    document = torquec("eval", arm, "--json", "--q", "1,1", "--gravity", "0,0,0").document
    assert document["gravity"] == [0.0, 0.0]


def test_text_has_every_joint_and_the_matrix(torquec, arm):
    shown = torquec("eval", arm, "--q", "1,1", "--tau", "0,0").out
    assert "Mass matrix" in shown
    assert shown.count("elbow") == 3
    assert "qdd of --tau" in shown


def test_a_robot_without_inertias_says_which_links(torquec, arm):
    text = arm.read_text()
    start, end = text.index('<link name="lower">'), text.index("</link>", text.index('<link name="lower">'))
    arm.write_text(text[:start] + '<link name="lower">' + text[end:])
    outcome = torquec("eval", arm, "--json")
    assert outcome.status == 2
    assert "lower" in outcome.err
    assert outcome.out == ""


def test_as_a_process(arm):
    command = [sys.executable, "-m", "torquec", "eval", str(arm), "--q", "-0.5,0.5", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=True)
    assert set(json.loads(result.stdout)) == KEYS
