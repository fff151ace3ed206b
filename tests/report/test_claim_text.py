"""Claims on the terminal: every bound and every condition of the sentence, rounded alike."""

from __future__ import annotations

from torquec.report.claim_text import bound_table, claim_text, conditions_text
from torquec_check.claim import Bound, Claim, ClaimedRobot, JointRange, Standing

BOUNDS = (
    Bound("tracking_error", "turn", 0.01231, "rad"),
    Bound("tracking_error", "slide", 0.002, "m"),
    Bound("speed_error", "turn", 0.2001, "rad/s"),
    Bound("M[1,2]", "turn", 0.5, "N m"),
)
LONG = "a model whose torques are right to " + ", ".join(f"joint{k} 0.578756 N m" for k in range(12))
ROBOT = ClaimedRobot("arm", "c0ffee" * 8, ("gravity (0.0, 0.0, -9.81) m/s^2 in the base frame", "no payload"))
CLAIM = Claim(Standing.PROVEN, "tracking error", ROBOT, BOUNDS, (), (LONG, "", "starting on the reference"))


def test_every_bound_is_that_of_the_sentence_with_its_unit():
    rows = [line.split("  ") for line in bound_table(CLAIM.main_bounds).splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert cells == [
        ["joint", "tracking error", "speed error"],
        ["turn", "0.0124 rad", "0.201 rad/s"],
        ["slide", "0.002 m", "-"],
    ]
    assert "turn 0.0124 rad, slide 0.002 m, turn 0.201 rad/s" in CLAIM.sentence


def test_every_condition_of_the_sentence_has_its_line_and_long_ones_continue_indented():
    head, *lines = conditions_text(CLAIM).splitlines()
    assert head == "under these conditions:"
    assert lines[:3] == ["  arm (sha256 c0ffeec0ffee)", *(f"  {words}" for words in ROBOT.setting)]
    assert lines[-1] == "  starting on the reference"
    assert all(line.startswith("    ") for line in lines[4:-1])
    assert len(lines[4:-1]) >= 1
    assert max(map(len, lines)) <= 110
    assert not any(line.endswith((" N", "578756")) for line in lines)  # a number and its unit stay together
    stated = "; ".join(" ".join(line.split()) for line in "\n".join(lines).replace("\n    ", " ").splitlines())
    assert CLAIM.sentence.startswith(f"proven for {stated}")


def test_text_begins_with_what_is_claimed_and_shows_the_motions_of_a_box():
    box = (JointRange("turn", -1.0, 1.0, 2.0, 3.0, "rad"),)
    computed = Claim(Standing.COMPUTED, "torque error", ClaimedRobot("", "", ()), BOUNDS[:1], box, ("no friction",))
    lines = claim_text(computed).splitlines()
    assert lines[0] == "Torque error, computed to be at most"
    assert lines[-2:] == ["  no friction", f"  {box[0]}"]
