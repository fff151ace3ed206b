"""Sections of what compare, excite, haptic and verify-package leave: their numbers are those of the documents."""

from __future__ import annotations

import copy
import json

import pytest
from tests.report.result_folders import HAPTIC, VERIFIED, changed, check_page, made_folder, result_folder

from torquec.report.blocks import Paragraph, Tone
from torquec.report.html_page import report_html
from torquec.report.report import folder_report, report_json
from torquec.report.result_document import result_text


@pytest.fixture(scope="module")
def sections():
    twin = json.loads(report_json(folder_report(made_folder())))
    return {section["name"]: section["blocks"] for section in twin["sections"]}


def table(blocks, caption):
    """The rows of the table whose caption begins so."""
    return next(block["rows"] for block in blocks if block.get("caption", "").startswith(caption))


def shown(tmp_path, command, document):
    """Section blocks and page of a folder with one document."""
    (tmp_path / "one.json").write_text(result_text(command, document))
    report = folder_report(tmp_path)
    assert report.problems == ()
    page = report_html(report)
    check_page(page)
    (section,) = json.loads(report_json(report))["sections"]
    return section["blocks"], page


def test_a_comparison_shows_the_differences_of_its_document(sections):
    kept = json.loads((made_folder() / "compared" / "comparison.json").read_text())
    rows = table(sections["comparison"], "Torques along the motion")
    assert [row[0] for row in rows] == kept["joints"]
    assert [row[1]["value"] for row in rows] == [kept["torque"][joint]["max"] for joint in kept["joints"]]
    assert {cell["obtained"] for row in rows for cell in row[1:]} == {"computed"}
    costs = table(sections["comparison"], "Operations")
    assert {row[3]["obtained"] for row in costs} == {"measured"}
    assert {row[1]["obtained"] for row in costs} == {"computed"}
    galleries = [block["caption"] for block in sections["comparison"] if block["block"] == "gallery"]
    assert galleries == ["Torques along the motion", "Tracking errors"]


def test_a_loop_that_was_refused_is_told(tmp_path):
    kept = json.loads((made_folder() / "compared" / "comparison.json").read_text())
    kept["tracking"]["b"] = {"refused": "it has no mass matrix"}
    kept["log"] = {"file": "run.csv", "joints": kept["joints"], "a": {"torque_rms": dict.fromkeys(kept["joints"], 0.5)}}
    kept["log"]["b"] = {}
    blocks, page = shown(tmp_path, "compare", kept)
    assert "it has no mass matrix" in page
    assert [row[2] for row in table(blocks, "Along run.csv")] == [None, None]


def test_limits_of_an_exciting_motion_are_bounds_only_where_they_are_kept(sections, tmp_path):
    kept = json.loads((made_folder() / "excite.json").read_text())
    rows = table(sections["excitation"], "All limits")
    assert {row[0]: row[1]["value"] / 100.0 for row in rows} == pytest.approx(kept["limits"])
    assert {row[1]["from"] for row in rows} == {"bounds over every instant of the motion's formula"}
    blocks, page = shown(tmp_path, "excite", kept | {"limits_kept": False})
    assert {row[1]["from"] for row in table(blocks, "All limits")} == {"the motion's samples"}
    assert "do not run this motion" in page


def test_logs_that_were_judged(tmp_path):
    row = {"name": "p", "value": 1.0, "std": 0.1, "relative_std": 0.1, "independence": 0.5, "contribution": 0.3}
    row |= {"uncertainty": None, "rating": "not excited"}
    judged = {"logs": ["a.csv"], "samples": 500, "cutoff": 12.0, "condition": 30.0, "unit_condition": 9.0}
    blocks, page = shown(tmp_path, "excite", judged | {"parameters": [row, row | {"rating": "good", "name": "g"}]})
    rows = table(blocks, "Accuracy of every parameter")
    assert rows[0][2]["value"] == pytest.approx(10.0)
    assert rows[0][5] is None
    assert rows[0][6] == "not excited"
    assert "not excited at all" in page


def test_a_felt_mass_stands_beside_the_papers(sections, tmp_path):
    unbiased, ours, paper = table(sections["haptics"], "Felt")
    assert [row[1]["value"] for row in (unbiased, ours, paper)] == [5.01, 5.1, 5.2]
    assert [cell["value"] for cell in unbiased[2:4]] == [4.99, 5.03]
    assert [ours[1]["obtained"], paper[1]["obtained"]] == ["computed", "measured"]
    assert paper[4]["value"] == pytest.approx(4.0)
    assert any("biased here" in str(block) for block in sections["haptics"])
    wall = {"two_sided": False, "impact": 0.3, "object_after_60_ms": 0.02, "tip_after_60_ms": 0.01, "depth": 0.004}
    wall |= {"frequency": 25.0, "damping_ratio": 1.0, "turning": 0.0}
    hit = copy.deepcopy(HAPTIC) | {"experiment": "wall", "felt": None, "wall": wall, "curves": None, "status": {}}
    _, page = shown(tmp_path, "haptic", hit)
    assert "never pulls" in page
    assert "some passive hand" not in page


def test_a_platform_that_differs_is_not_called_equal(sections, tmp_path):
    rows = table(sections["verification"], "The same states")
    assert [row[1] for row in rows] == ["agrees", "agrees", "missing"]
    assert rows[0][4]["text"] == "bit for bit"
    wrong = copy.deepcopy(VERIFIED)
    wrong["ok"] = False
    wrong["platforms"][0] |= {"status": "differs", "different_numbers": 5, "difference": 1e-3, "worst": "M"}
    blocks, page = shown(tmp_path, "verify-package", wrong)
    assert "5 of 640 differ, most in M" in table(blocks, "The same states")[0][4]["text"]
    assert "differs from Python" in page


def test_steps_that_failed_stand_in_the_verdict_and_on_top(tmp_path):
    """With their reasons: who reads only the verdict must not think that the run was sound."""
    said = {"claim": None, "statements": ["no tracking error is bounded"]}
    (tmp_path / "verdict.json").write_text(result_text("verdict", said))
    step = {"name": "check", "skipped": "", "seconds": 0.5}
    steps = [step, step | {"name": "simulate", "failed": "it is singular; weld it"}]
    manifest = {"format": "torquec run 1", "written_by": "torquec 0", "project": "p.toml", "steps": steps}
    (tmp_path / "run.json").write_text(json.dumps(manifest | {"inputs": {}, "versions": {}}))
    report = folder_report(tmp_path)
    notes = [block for block in report.sections[0].blocks if isinstance(block, Paragraph) and block.tone is Tone.BAD]
    assert ["".join(map(str, note.parts)) for note in notes] == ["The step 'simulate' failed: it is singular; weld it."]
    tops = {fact.label: "".join(map(str, fact.parts)) for fact in report.highlights}
    assert tops["a step that failed"] == "simulate: How it was made says why"


@pytest.mark.parametrize(
    "change", [{"references": 3}, {"references": {"joint1": {}}}, {"references": {}, "end": "late"}, {"start_error": 1}]
)
def test_a_guarantee_that_torquec_did_not_write_is_a_problem_with_a_name(tmp_path, change):
    folder = result_folder(tmp_path / "results")
    path = folder / "controller" / "design.json"
    guarantee = json.loads(path.read_text())["guarantee"]
    assert guarantee["valid"]
    changed(path, guarantee=guarantee | change)
    problems = folder_report(folder).problems
    assert any("controller/design.json" in problem and "guarantee" in problem for problem in problems)
