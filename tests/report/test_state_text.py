"""What `eval` shows of a state: every column of every joint, what is proven, frames with their coefficients."""

from __future__ import annotations

from torquec.report.state_text import state_text

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
