"""The text of `torquec simulate`, its conditions and passed limits in a report, and its pictures."""

from __future__ import annotations

import json

import pytest
from tests.report.result_folders import check_page, command, visible_text

from torquec.report.html_page import report_html
from torquec.report.report import folder_report, report_json
from torquec.report.result_document import result_text
from torquec.report.simulation import simulation_text

UNITS = {"slide": "m", "turn": "rad"}
RUN = {
    "controller": "computed-torque",
    "period": 0.001,
    "joints": ["slide", "turn"],
    "rmse": {"slide": 1.5e-4, "turn": 2.5e-3},
    "max_error": {"slide": 3.0e-4, "turn": 5.0e-3},
    "saturated": [],
    "steps": 2000,
    "steps_per_second": 1234567.0,
}
CONDITIONS = {
    "robot": "arm",
    "payload": [{"frame": "hand", "mass": 6.6, "center": [0.0, 0.0, 0.0]}],
    "motion": {"file": "", "from": [0.0], "to": [0.5], "duration": 1.5},
    "friction": "stick",
    "friction_stated": True,
    "effort": 1.0,
    "resolution": 0.001,
    "noise": 0.0,
    "delay": 2,
    "seed": 0,
}
OLD = {
    "experiment": "unknown load",
    "controller": "pd",
    "period": 0.001,
    "joints": ["wrist"],
    "plant": "exact",
    "units": {"wrist": "rad"},
    "rmse": {"wrist": 1.0},
    "max_error": {"wrist": 4.65},
    "saturated": [],
}
LEFT = {"joint": "wrist", "quantity": "position", "time": 0.25, "value": -4.274, "limit": -1.83}
FAST = {"joint": "wrist", "quantity": "speed", "time": 0.2, "value": -15.85, "limit": -4.54}
NEW = OLD | {"conditions": CONDITIONS, "passed_limits": [LEFT, FAST]}
VERDICT = {"claim": None, "statements": ["no tracking error is bounded: fast", "stable up to 0.58 kg", "likely"]}


def test_every_joint_with_its_unit():
    lines = simulation_text("arm", UNITS, RUN).splitlines()
    assert lines[0] == "computed-torque on arm, a sample every 0.001 s"
    rows = [line.split() for line in lines if line.startswith("  ")]
    assert rows == [
        ["joint", "rmse", "max", "error", "unit"],
        ["slide", "0.00015", "0.0003", "m"],
        ["turn", "0.0025", "0.005", "rad"],
    ]
    assert lines[-1] == "2000 steps, 1,234,567 per second"


def test_a_plant_that_is_a_model_is_named():
    text = simulation_text("arm", UNITS, {**RUN, "plant": "certified"})
    assert "what moves is the certified model itself" in text
    assert "what moves" not in simulation_text("arm", UNITS, {**RUN, "plant": "exact"})


def test_saturated_drives_say_when_and_what_to_do():
    text = simulation_text("arm", UNITS, {**RUN, "saturated": ["turn"], "first_saturation": {"turn": 0.25}})
    assert "turn needed more torque than its drive has, first at t = 0.25 s: make the motion slower" in text
    many = simulation_text("arm", UNITS, {**RUN, "saturated": ["turn"]})  # of many runs no one instant is the first
    assert "turn needed more torque than its drive has: make the motion slower" in many


def test_limits_that_were_passed():
    passed = {"joint": "slide", "quantity": "position", "time": 0.25, "value": 1.5, "limit": 1.25}
    text = simulation_text("arm", UNITS, {**RUN, "passed_limits": [passed]})
    assert "slide left its range at t = 0.25 s and came to 1.5 m; the limit is 1.25 m." in text
    text = simulation_text("arm", UNITS, {**RUN, "passed_limits": [passed | {"time": 0.0}]})
    assert "slide starts outside its range and came to 1.5 m; the limit is 1.25 m." in text


def test_many_runs_and_the_tool():
    tip = {"frame": "tool", "rmse": 1e-3, "max": 2.5e-3}
    text = simulation_text("arm", UNITS, {**RUN, "runs": 200, "diverged": 3, "tip": tip})
    assert "200 runs, 3 of them diverged; the errors are over the others." in text
    assert "tool: rmse 1 mm, max 2.5 mm" in text


def shown(folder, **documents):
    """The text of the page, and the sections of its twin."""
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(result_text(name, document))
    report = folder_report(folder)
    assert report.problems == ()
    page = report_html(report)
    check_page(page)
    twin = json.loads(report_json(report))
    return visible_text(page), {section["name"]: section["blocks"] for section in twin["sections"]}


def tones(blocks):
    """The notes of a section by tone."""
    found = {}
    for block in blocks:
        if block["block"] == "paragraph":
            words = "".join(part if isinstance(part, str) else part.get("text", "#") for part in block["parts"])
            found.setdefault(block["tone"], []).append(words)
    return found


def test_limits_that_were_passed_are_red_here_and_in_the_verdict(tmp_path):
    _, sections = shown(tmp_path, simulate=NEW, verdict=VERDICT)
    left = "wrist left its range at t = 0.25 s and came to -4.274 rad; the limit is -1.83 rad."
    fast = "wrist was faster than its limit at t = 0.2 s and reached -15.85 rad/s; the limit is 4.54 rad/s."
    assert tones(sections["tracking"])["bad"] == [left, fast]
    assert tones(sections["tracking"])["good"] == ["No drive reached its torque limit."]
    assert tones(sections["verdict"])["bad"] == [f"In 'unknown load' {left}", f"In 'unknown load' {fast}"]


def test_what_was_simulated_is_told(tmp_path):
    text, sections = shown(tmp_path, simulate=NEW, verdict=VERDICT)
    facts = next(block["facts"] for block in sections["tracking"] if block["block"] == "facts")
    told = {fact["label"]: fact["parts"] for fact in facts}
    assert told["what moves"] == ["arm, its exact model"]
    mass, frame = [part for part in told["load that the controller's model does not include"] if part]
    assert (mass["value"], mass["unit"], mass["obtained"], frame) == (6.6, "kg", "assumed", " at the frame hand")
    assert [part["value"] for part in told["motion"] if not isinstance(part, str)] == [0.0, 0.5, 1.5]
    assert told["friction"] == ["joints stick at rest"]
    assert [part["value"] for part in told["positions are measured"] if not isinstance(part, str)] == [1.0, 2]
    assert "'unknown load' carries 6.6 kg" in text


def test_a_robot_without_friction_and_a_motion_of_a_file(tmp_path):
    motion = CONDITIONS["motion"] | {"file": "motion.csv"}
    given = CONDITIONS | {"friction_stated": False, "payload": [], "motion": motion, "resolution": 0.0, "delay": 0}
    _, sections = shown(tmp_path, simulate=NEW | {"conditions": given}, verdict=VERDICT)
    facts = next(block["facts"] for block in sections["tracking"] if block["block"] == "facts")
    told = {fact["label"]: fact["parts"] for fact in facts}
    assert told["friction"] == ["none: the robot's file states none"]
    assert told["load that the controller's model does not include"] == ["none"]
    assert told["motion"][0] == "motion.csv, "
    assert told["positions are measured"] == ["exactly"]


def test_an_older_document_does_not_claim_that_limits_were_kept(tmp_path):
    text, sections = shown(tmp_path, simulate=OLD, verdict=VERDICT)
    assert "Whether the joints kept their ranges and speed limits is not in this document." in text
    assert "bad" not in tones(sections["verdict"])
    kept = NEW | {"passed_limits": []}
    text, sections = shown(tmp_path, simulate=kept, verdict=VERDICT)
    assert "bad" not in tones(sections["tracking"])
    assert "is not in this document" not in text


def test_many_runs_tell_how_many_left_all_bounds_and_that_speeds_are_not_known(tmp_path):
    many = NEW | {"runs": 20, "diverged": 3, "passed_limits": [LEFT]}
    text, sections = shown(tmp_path, simulate=many, verdict=VERDICT)
    assert "Speeds of many runs are not kept" in text
    assert tones(sections["verdict"])["bad"][0] == "In 'unknown load' # of # runs diverged."
    assert len(tones(sections["verdict"])["bad"]) == 2


@pytest.mark.parametrize("origins", [None, ["tube", "linear models", "covariance"]])
def test_each_statement_of_the_verdict_says_what_it_rests_on(tmp_path, origins):
    document = VERDICT if origins is None else VERDICT | {"origins": origins}
    _, sections = shown(tmp_path, verdict=document)
    first, items = sections["verdict"]
    assert first["parts"][0]["from"] == "the attempt to prove a tube around the reference"
    rests = [line["from"] for line in items["lines"]]
    assert rests[0] == "linear models along the motion; no proof"
    assert ("covariance" in rests[1]) == (origins is not None)


LAWS = (
    "compare",
    "puma560",
    "--duration",
    "1",
    "--to",
    "0.2,0.2,0.2,0.2,0.2,0.2",
    "--controllers",
    "pd,computed-torque",
)


def test_text_picture_and_page(tmp_path):
    shown = command(*LAWS, "--poles=-3", "--plot", tmp_path, "-o", tmp_path / "page")
    assert "pd: gains from inertias at the start and the poles: position " in shown
    assert "pd: stuck: " in shown
    assert "add an integral (pid)" in shown
    assert "computed-torque: " not in shown
    assert "stands for 0.1 s with an error above 1 mrad" in shown
    assert "computed-torque" in (tmp_path / "tracking_errors.svg").read_text()
    document = json.loads((tmp_path / "page" / "comparison.json").read_text())
    assert set(document["curves"]["error"]["joint1"]) == {"t", "pd", "computed-torque"}
    page = (tmp_path / "page" / "report.html").read_text()
    for text in ("Control laws side by side", "stuck: ", "Tracking errors of all laws"):
        assert text in page


def test_a_coarse_encoder_chatters():
    found = json.loads(command(*LAWS, "--resolution", "1e-3", "--json"))
    assert found["poles_given"] is False
    assert found["controllers"]["pd"]["gains"]["position"][0] > 500.0
    law = found["controllers"]["computed-torque"]
    assert min(law["chatter"].values()) > 50.0
    assert law["findings"][0].startswith("chatter: joint1 (")
