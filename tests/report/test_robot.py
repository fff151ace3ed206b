"""Reports state payloads, locked joints and gravity of the robot that a result is about, each robot once."""

from __future__ import annotations

from dataclasses import replace

import pytest

import torquec as tq
from torquec.report.blocks import Facts
from torquec.report.report import folder_report
from torquec.report.result_document import result_text
from torquec.robot.lock_joints import lock_joints

DIVERGED = {
    "experiment": "a",
    "controller": "ct",
    "period": 0.002,
    "joints": ["a"],
    "plant": "exact",
    "units": {"a": "rad"},
    "diverged": "at 0.1 s",
}
FACTS = ["payload, known to the model", "locked joint", "gravity in the base frame"]


@pytest.fixture
def changed():
    arm = replace(tq.classics.puma560(), gravity=(0.0, 0.0, -1.62))
    return lock_joints(tq.attach_payload(arm, "link6", mass=2.5), {"joint4": 0.25})


def facts_of(section):
    found = [fact for block in section.blocks if isinstance(block, Facts) for fact in block.facts]
    return [fact.label for fact in found if fact.label in FACTS]


def test_a_result_alone_states_its_robot(tmp_path, changed):
    (tmp_path / "a.json").write_text(result_text("simulate", DIVERGED, changed))
    (tmp_path / "b.json").write_text(result_text("simulate", DIVERGED, changed))
    (section,) = folder_report(tmp_path).sections
    assert section.name == "tracking"
    assert facts_of(section) == FACTS  # once, though two results are about it


def test_a_robot_as_in_its_file_is_not_mentioned(tmp_path):
    (tmp_path / "a.json").write_text(result_text("simulate", DIVERGED, tq.classics.puma560()))
    (section,) = folder_report(tmp_path).sections
    assert section.name == "tracking"
    assert facts_of(section) == []


def test_a_saved_model_states_its_robot_in_the_robots_facts(tmp_path, changed):
    tq.save(tq.compile(changed), tmp_path / "arm.tq.json", quantities=["inverse_dynamics"])
    (tmp_path / "a.json").write_text(result_text("simulate", DIVERGED, changed))
    sections = {section.name: section for section in folder_report(tmp_path).sections}
    assert set(facts_of(sections["robot"])) == set(FACTS)
    assert facts_of(sections["tracking"]) == []


def test_a_robot_that_is_no_object_is_named(tmp_path):
    text = result_text("simulate", DIVERGED | {"robot_as_used": "puma560"})
    (tmp_path / "a.json").write_text(text)
    assert "robot_as_used is no object" in folder_report(tmp_path).problems[0]
