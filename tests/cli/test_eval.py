"""`torquec eval` on an arm whose torques fit in the head: two links of 1 kg, 1 m apart, centres at half length."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from tests.patience import HANGS

from torquec.cli.eval import state_text

KEYS = {"format", "command", "joints", "tau", "friction", "total", "M", "gravity", "velocity_torque", "robot_as_used"}
GRAVITY = 9.81
STATE = {"q": [0.1, 0.2], "qd": [0.3, 0.4], "qdd": [0.5, 0.6]}
DOCUMENT = {
    "joints": ["j1", "j2"],
    "tau": [1.0, 2.0],
    "gravity": [3.0, 4.0],
    "velocity_torque": [5.0, 6.0],
    "friction": [7.0, 8.0],
    "total": [9.0, 10.0],
    "M": [[11.0, 12.0], [12.0, 13.0]],
}


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


def test_numbers_stand_in_the_columns_of_their_titles():
    rows = [line.split() for line in state_text("arm", STATE, DOCUMENT).splitlines()]
    titles = ["joint", "q", "qd", "qdd", "tau", "gravity", "velocity", "friction", "total"]
    assert titles in rows
    assert ["j2", "0.2", "0.4", "0.6", "2", "4", "6", "8", "10"] in rows
    assert rows[-3:] == [["j1", "j2"], ["j1", "11", "12"], ["j2", "12", "13"]]


def test_accelerations_of_given_torques_are_one_more_column():
    rows = [line.split() for line in state_text("arm", STATE, {**DOCUMENT, "qdd": [0.7, 0.8]}).splitlines()]
    assert ["j1", "0.1", "0.3", "0.5", "1", "3", "5", "7", "9", "0.7"] in rows


def test_what_is_proven_with_its_bounds():
    claims = {
        "tau": {"standing": "proven", "bounds": [[0.05, 0.012]], "text": "at every state of the box"},
        "total": {"standing": "measured", "bounds": [], "text": "sampled"},
    }
    text = state_text("arm", STATE, {**DOCUMENT, "proven": claims})
    assert "  tau: proven [0.05, 0.012] (at every state of the box)" in text
    assert "  total: measured (sampled)" in text


def test_second_order_coefficients_that_are_zero_are_left_out():
    zero, some = [0.0, 0.0, 0.0], [0.0, -0.4, 0.0]
    moving = {"first": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "second": [[zero, some], [some, zero]]}
    still = {"first": [[0.0, 0.0]] * 3, "second": [[zero, zero], [zero, zero]]}
    frame = {
        "origin": [0.5, 0.0, 0.25],
        "rotation": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        "influence": {"translation": moving, "rotation": still},
    }
    text = state_text("arm", STATE, {**DOCUMENT, "frames": {"tool": frame}})
    assert "Frame 'tool': origin (0.5, 0, 0.25) m" in text
    assert [line.split() for line in text.splitlines() if line.startswith("  j1, j2")] == [
        ["j1,", "j2", "0", "-0.4", "0"]
    ]
    assert "j1, j1" not in text
    assert "Velocity of the origin: second-order" in text
    assert "Angular velocity: first-order" in text
    assert "Angular velocity: second-order" not in text
