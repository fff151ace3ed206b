"""The first screen: its answer follows from claim and failures, its figures from the guarantee."""

from __future__ import annotations

import json

import pytest
from tests.report.result_folders import changed, made_folder, result_folder

from torquec.report.blocks import Tone
from torquec.report.decision import decision
from torquec.report.found_documents import find_documents
from torquec.report.html_page import report_html
from torquec.report.report import folder_report
from torquec.report.result_document import result_text

SENTENCE = (
    "proven for the robot without friction, with exact sensors, no delay: the tracking error is at most q1 0.1 rad"
)
BOUNDS = {
    "q1": {"value": 0.1, "unit": "rad", "torque": 30.0, "torque_margin": 70.0},
    "q2": {"value": 0.2, "unit": "rad", "torque": 9.0, "torque_margin": 1.0},
    "slide": {"value": 0.003, "unit": "m", "torque": 1.0, "torque_margin": None},
}
DESIGN = {"period": 0.001, "operations": {"mul": 60, "add": 40}, "guarantee": {"valid": True, "bounds": BOUNDS}}


def folder(path, *, bounded=True, failed="", sentence=SENTENCE, **documents):
    """A folder with a verdict and a design, and other documents by their command."""
    path.mkdir()
    (path / "verdict.json").write_text(
        result_text("verdict", {"claim": {} if bounded else None, "statements": [sentence]})
    )
    (path / "design.json").write_text(result_text("design", DESIGN))
    step = {"name": "simulate", "skipped": "", "seconds": 0.5, "failed": failed}
    (path / "run.json").write_text(json.dumps({"format": "torquec run 1", "steps": [step]}))
    for name, values in documents.items():
        (path / f"{name}.json").write_text(result_text(name, values))
    return find_documents(path)


def test_conditions_of_a_claim_are_a_list_and_one_condition_is_a_sentence(tmp_path):
    sentence = (
        "proven for friction known to 30 %; no payload; encoders of 1e-05 rad: the tracking error is at most 1 rad"
    )
    folder(tmp_path / "many", sentence=sentence)
    page = report_html(folder_report(tmp_path / "many"))
    assert "<ul><li>friction known to 30 %</li><li>no payload</li><li>encoders of 1e-05 rad</li></ul>" in page
    folder(tmp_path / "one")
    words = "the robot without friction, with exact sensors, no delay."
    assert f'<p><span class="statement">{words}</span>' in report_html(folder_report(tmp_path / "one"))


def test_a_bound_under_stated_uncertainty_is_a_yes(tmp_path):
    sentence = "proven for friction known to 30 % and a payload of up to 1 kg: the tracking error is at most q1 0.1 rad"
    found = decision(folder(tmp_path / "r", sentence=sentence))
    assert (found.tone, found.answer) == (Tone.GOOD, "Yes, where its conditions hold")


def test_a_computed_bound_states_why_it_is_not_proven(tmp_path):
    place = tmp_path / "r"
    folder(place, sentence=SENTENCE.replace("proven", "computed", 1))
    guarantee = DESIGN["guarantee"] | {"witness": {"reason": "jitter has no witness: leave it out"}}
    (place / "design.json").write_text(result_text("design", DESIGN | {"guarantee": guarantee}))
    found = decision(find_documents(place))
    (why,) = ["".join(map(str, fact.parts)) for fact in found.facts if fact.label == "proof"]
    assert why == "computed, not proven: jitter has no witness: leave it out."


def test_assumed_drives_are_to_be_measured_first(tmp_path):
    place = tmp_path / "r"
    sentence = "proven for friction known to 30 % and a payload of up to 1 kg: the tracking error is at most q1 0.1 rad"
    assumed = ["viscous, coulomb of the drives: assumed (arm.drives.toml)"]
    folder(place, sentence=sentence)
    (place / "verdict.json").write_text(
        result_text("verdict", {"claim": {}, "statements": [sentence], "assumed": assumed})
    )
    found = decision(find_documents(place))
    assert (found.tone, found.answer[:7]) == (Tone.WARNING, "Not yet")
    assert f"drives, on whose numbers the result rests: {assumed[0]}" in found.measure_first
    missing = ["friction of every joint: the files state none", "rotor inertias: none is known"]
    for words, shown in ((sentence, missing), (SENTENCE, missing[1:])):
        values = {"claim": {}, "statements": [words], "assumed": [], "missing": missing}
        (place / "verdict.json").write_text(result_text("verdict", values))
        found = decision(find_documents(place))
        assert found.answer[:7] == "Not yet"
        assert [text for text in found.measure_first if text in missing] == shown
    (place / "verdict.json").unlink()  # the design names assumed ones, too
    (place / "design.json").write_text(result_text("design", DESIGN | {"assumed": assumed}))
    assert any(assumed[0] in words for words in decision(find_documents(place)).measure_first)


def test_a_bound_of_an_ideal_robot_is_no_yes_yet(tmp_path):
    found = decision(folder(tmp_path / "r"))
    assert (found.tone, found.answer[:7]) == (Tone.WARNING, "Not yet")
    assert found.failed == ()
    facts = {}
    for fact in found.facts:
        facts.setdefault(fact.label, []).append("".join(map(str, fact.parts)))
    assert facts["tracking error at most"] == ["200 mrad (q2)", "3 mm (slide)"]
    assert facts["torque margin at least"] == ["10 % (q2)"]
    assert facts["execution time of the law"] == ["not measured: 100 operations every 1 ms"]
    assert facts["conditions"] == ["the robot without friction, with exact sensors, no delay."]
    measured = " ".join(found.measure_first)
    for word in ("inertial parameters", "friction", "encoder", "delay", "execution time"):
        assert word in measured
    assert "payload" not in measured  # the sentence says nothing of it


@pytest.mark.parametrize(
    ("documents", "tone", "words"),
    [
        ({"failed": "it diverged"}, Tone.BAD, "it diverged"),
        ({"selftest": {"ok": False}}, Tone.BAD, "self-test"),
        ({"check": {"ok": False}}, Tone.BAD, "refused"),
        ({"bounded": False}, Tone.WARNING, ""),
    ],
)
def test_what_failed_and_what_is_not_bounded_change_the_answer(tmp_path, documents, tone, words):
    found = decision(folder(tmp_path / "r", **documents))
    assert found.tone is tone
    assert not found.answer.startswith("Yes")
    assert words in " ".join("".join(map(str, block.parts)) for block in found.failed)


def test_an_error_beyond_the_claimed_one_without_a_disturbance_is_no_yes(tmp_path):
    beyond = {"joint": "q1", "error": 0.3, "bound": 0.1, "reasons": ["friction"], "disturbed": False, "text": ""}
    run = {"controller": "pd", "joints": ["q1"], "units": {"q1": "rad"}, "max_error": {"q1": 0.3}}
    found = decision(folder(tmp_path / "r", simulate=run | {"beyond_guarantee": beyond, "passed_limits": []}))
    assert (found.tone, found.answer[:7]) == (Tone.WARNING, "Not yet")
    assert "errs by 300 mrad, the guaranteed bound is 100 mrad" in "".join(map(str, found.failed[0].parts))


def test_measured_times_and_identified_parameters_are_not_asked_for(tmp_path):
    ran = {"faults": [], "missed": 0, "compute": {"max": 4e-5}}
    place = tmp_path / "r"
    folder(place, identify={})
    (place / "ran.json").write_text(result_text("realtime run", ran))
    found = decision(find_documents(place))
    shown = {fact.label: "".join(map(str, fact.parts)) for fact in found.facts}
    assert shown["execution time of the law at most"] == "40 \N{GREEK SMALL LETTER MU}s"
    assert not any("inertial" in words or "execution" in words for words in found.measure_first)


def test_broken_documents_leave_facts_out_and_results_of_one_command_have_no_first_screen(tmp_path):
    place = result_folder(tmp_path / "results")
    changed(place / "controller" / "design.json", guarantee=7, operations=3)
    assert decision(find_documents(place)) is not None
    for file in (place / "verdict.json", *(place / "controller").iterdir()):
        file.unlink()
    assert decision(find_documents(place)) is None
    assert decision(find_documents(made_folder())).picture is not None
