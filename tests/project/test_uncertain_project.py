"""`[uncertainty]` of a project: read, refused with its line, and in the verdict of a run."""

from __future__ import annotations

import json

import pytest

from torquec.errors import ArgumentError
from torquec.project.loop_steps import beyond_guarantee
from torquec.project.read_project import parse_project
from torquec.project.run_project import run_project

TEXT = """\
robot = "planar2r"
[design]
poles = "-40"
rate = 1000
[motion]
to = [0.3, -0.2]
duration = 1.0
[uncertainty.every_joint]
friction_part = 0.3
friction_residual = 0.05
[uncertainty.timing]
delay = 1
"""


def test_the_verdict_is_for_the_stated_sets(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text(TEXT, encoding="utf-8")
    project = parse_project(TEXT, file)
    assert project.uncertainty is not None
    assert project.uncertainty.timing.delay == 1
    run_project(project, tmp_path / "out")
    verdict = json.loads((tmp_path / "out" / "verdict" / "verdict.json").read_text(encoding="utf-8"))
    assert "a friction residual of 0.05 N m" in verdict["statements"][0]
    assert "1 sampling interval(s) late" in verdict["statements"][0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("friction_part = 0.3", "friction_part = 3", "arm.toml:9: 'friction_part' is 3.0"),
        ("delay = 1", "dely = 1", "unknown key 'uncertainty.timing.dely'"),
        ("friction_residual = 0.05", "friction_residual = 'log'", "results of an identification.*add .identify"),
        ("[motion]\nto = [0.3, -0.2]\nduration = 1.0\n", "", "along a motion"),
    ],
)
def test_wrong_sets_are_refused_with_their_place(tmp_path, old, new, message):
    assert old in TEXT
    with pytest.raises(ArgumentError, match=f"(?s){message}"):
        parse_project(TEXT.replace(old, new), tmp_path / "arm.toml")


TRACKED = (
    TEXT
    + """\
[simplify]
seconds = 3600
[specification.every_joint]
velocity = 2.0
acceleration = 4.0
"""
)


@pytest.mark.usefixtures("short_search")
@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("tracking_error_part = 0.3", ""),
        ("tracking_error = 1e-4\ntorque_error = 0.01", "tracking errors are not kept: joint 'joint"),
        ("tracking_error = 1e-4", "the run continues with the exact model: joint 'joint"),
    ],
)
def test_a_tracking_error_ends_in_a_model_with_its_guarantee(tmp_path, wanted, said):
    text = TRACKED + wanted + "\n"
    file = tmp_path / "arm.toml"
    file.write_text(text, encoding="utf-8")
    run_project(parse_project(text, file), tmp_path / "out")
    results = tmp_path / "out"
    budget = json.loads((results / "simplify" / "simplification.json").read_text(encoding="utf-8"))["tracking"]
    guarantee = json.loads((results / "design" / "design.json").read_text(encoding="utf-8"))["guarantee"]
    assert guarantee["valid"]
    summary = next(s for s in json.loads((results / "run.json").read_text("utf-8"))["steps"] if s["name"] == "simplify")
    assert said in summary["summary"]
    if said:
        assert "suffices: poles" in summary["summary"]
        assert budget["shortfall"]["costs"]["joint1"]["friction"] > 0.0
    else:
        for joint, bound in budget["guarantee"]["bounds"].items():  # computed; delivered is what the checker proves
            assert guarantee["bounds"][joint]["value"] == pytest.approx(bound["value"], rel=0.25)
        assert all(guarantee["bounds"][joint]["value"] <= most for joint, most in budget["wanted"].items())


def test_tracking_errors_need_a_loop(tmp_path):
    text = (
        'robot = "planar2r"\n[specification.every_joint]\nacceleration = 4.0\nvelocity = 2.0\ntracking_error = 0.01\n'
    )
    with pytest.raises(ArgumentError, match="those of a loop along a motion"):
        parse_project(text, tmp_path / "arm.toml")


def test_friction_explains_nothing_where_the_guarantee_covers_it(tmp_path):
    guarantee = {"valid": True, "bounds": {"joint1": {"value": 0.001, "unit": "rad"}}}
    given = {"friction_stated": True, "payload": [], "resolution": 0.0, "noise": 0.0, "delay": 1}
    simulated = {"max_error": {"joint1": 0.002}, "conditions": given}
    covered = parse_project(TEXT, tmp_path / "arm.toml").uncertainty
    assert beyond_guarantee(guarantee, simulated)["reasons"]
    assert "CONTRADICTS" in beyond_guarantee(guarantee, simulated, uncertainty=covered)["text"]
