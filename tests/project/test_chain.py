"""The whole chain on a small arm: every step leaves its files, what is claimed holds, only what changed runs again."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

import torquec as tq
from torquec.cli.generate import GenerateTarget
from torquec.control.tracking_claim import guarantee_sentence
from torquec.errors import TimeLimitError
from torquec.model.simplified import simplified_and_checked
from torquec.project.chain import STEPS
from torquec.project.loop_steps import verdict_statements
from torquec.project.project_text import project_text
from torquec.project.read_project import parse_project
from torquec.project.run_project import run_project
from torquec.simplification.pipeline import STOPPED_BY_TIME

PROJECT = """\
robot = "planar2r"
[specification.every_joint]
velocity = 0.5
acceleration = 15.0
torque_error = 0.5
[simplify]
seconds = 3600
[design]
poles = "-20"
rate = 500
[motion]
to = [0.4, -0.3]
duration = 3.0
[[experiment]]
name = "unknown load"
payload = { frame = "link2", mass = 0.1 }
[generate]
targets = ["c"]
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory, short_search):
    """A finished run: its project file, its folder, and what it said."""
    folder = tmp_path_factory.mktemp("chain")
    file = folder / "arm.toml"
    file.write_text(PROJECT)
    result = run_project(parse_project(PROJECT, file), folder / "out")
    return file, folder / "out", result


def document(folder, name):
    return json.loads((folder / name).read_text())


def test_every_step_is_done_or_says_why_not(finished):
    _, folder, result = finished
    skipped = {record.name: record.skipped for record in result.manifest.steps if record.skipped}
    assert set(skipped) == {"identify", "realtime"}
    assert set(result.done) == {step.name for step in STEPS} - set(skipped)
    assert all(record.summary for record in result.manifest.steps if not record.skipped)
    files = ("check/robot.json", "design/controller.json", "simulate/unknown_load/run.csv", "generate/c/selftest.c")
    for name in files:
        assert (folder / name).exists(), name


def test_documents_are_those_of_the_commands(finished):
    _, folder, _ = finished
    names = {"check/robot.json": "info", "simplify/simplification.json": "simplify", "design/design.json": "design"}
    names |= {"simulate/unknown_load/simulation.json": "simulate", "selftest/selftest.json": "selftest"}
    for name, command in names.items():
        found = document(folder, name)
        assert (found["format"], found["command"]) == ("torquec result 1", command)
    assert document(folder, "selftest/selftest.json")["ok"] is True
    listed = document(folder, "design/design.json")["files"]
    assert listed
    assert all((folder / "design" / name).exists() for name in listed)


def test_what_is_left_is_proven_and_can_be_checked_again(finished):
    _, folder, _ = finished
    assert tq.check_file(folder / "simplify").ok
    verdict = document(folder, "verdict/verdict.json")
    assert verdict["claim"]["standing"] == "proven"  # its witness is replayed by `torquec check`
    assert verdict["proven"] is True
    assert tq.check_file(folder / "design" / "tracking_witness.json").ok
    bounds = document(folder, "design/design.json")["guarantee"]["bounds"]
    assert 1e-4 < bounds["joint1"]["value"] < 5e-3  # 0.5 N m over 2 kg m^2 and the poles' 400/s^2, and a margin
    simulated = document(folder, "simulate/unknown_load/simulation.json")
    assert simulated["passed_limits"] == []
    assert simulated["conditions"]["payload"] == [{"frame": "link2", "mass": 0.1, "center": [0.0, 0.0, 0.0]}]
    assert simulated["conditions"]["motion"]["duration"] == pytest.approx(3.0)
    errors = simulated["max_error"]
    header = " ".join((folder / "design" / "planar2r_controller.h").read_text().replace("\n *", " ").split())
    sentence = verdict["statements"][0]
    assert f"{sentence[:1].upper()}{sentence[1:]}." in header
    assert sentence == guarantee_sentence(document(folder, "design/design.json")["guarantee"])
    assert bounds["joint1"]["value"] < errors["joint1"] < 0.1  # nothing is promised of a load that is unknown


def test_a_changed_part_does_its_steps_again_and_no_others(finished):
    file, folder, _ = finished
    file.write_text(PROJECT.replace("mass = 0.1", "mass = 0.2"))
    again = run_project(parse_project(file.read_text(), file), folder)
    assert set(again.done) == {"check", "simulate", "report"}
    assert run_project(parse_project(file.read_text(), file), folder).done == ("check",)


NAMED = {step.name: step for step in STEPS}


def short_run(folder, changed, *names):
    """A run of some steps of the project with a changed text."""
    file = folder / "arm.toml"
    file.write_text(changed)
    return run_project(parse_project(changed, file), folder / "out", steps=[NAMED[name] for name in names])


def test_without_a_simpler_model_in_time_the_run_goes_on_with_the_exact_one(tmp_path):
    result = short_run(tmp_path, PROJECT.replace("seconds = 3600", "seconds = 0.001"), "check", "simplify", "report")
    record = result.manifest.step("simplify")
    # Amplitudes may prove a model at once, but nothing is used that was not proven again in time.
    allowed = "in the 0.001 s that [simplify] allows"
    assert record.fallback in (
        f"nothing simpler than the exact model was found and proven {allowed}",
        f"a simpler model was found, but its proof could not be checked again {allowed}: run torquec check later",
    )
    assert record.said.endswith(f"the run continues with the exact model: {record.fallback}")
    page = json.loads((tmp_path / "out" / "report.json").read_text())
    assert f"Everything else on this page is about the exact model: {record.fallback}." in json.dumps(page)
    assert page["problems"] == []


@pytest.mark.usefixtures("short_search")
def test_a_model_whose_check_took_too_long_is_there_and_not_used(tmp_path, monkeypatch):
    def late(robot, certificate, *, work):
        raise TimeLimitError("the time limit is reached")

    monkeypatch.setattr("torquec.simplification.prove.check_certificate", late)
    result = short_run(tmp_path, PROJECT, "check", "simplify", "generate", "report")
    record = result.manifest.step("simplify")
    assert "its proof could not be checked again in the 3600 s that [simplify] allows" in record.fallback
    assert document(tmp_path / "out", "simplify/simplification.json")["certified"] is False
    assert tq.check_file(tmp_path / "out" / "simplify").ok
    assert "simplified" not in (tmp_path / "out" / "generate" / "c" / "planar2r.h").read_text()
    page = json.loads((tmp_path / "out" / "report.json").read_text())
    assert page["problems"] == []
    assert "not yet proven again" in json.dumps(page)


@pytest.mark.usefixtures("short_search")
def test_a_search_that_the_time_limit_ended_is_stated(tmp_path, monkeypatch):
    def stopped(*arguments, work, **options):
        work.notes[STOPPED_BY_TIME] = ("planar2r",)
        return simplified_and_checked(*arguments, work=work, **options)

    monkeypatch.setattr("torquec.project.model_steps.simplified_and_checked", stopped)
    result = short_run(tmp_path, PROJECT, "check", "simplify", "report")
    assert "proven (the time limit of 3600 s ended the search)" in result.manifest.step("simplify").summary
    assert document(tmp_path / "out", "simplify/simplification.json")["stopped_by_time"] is True
    page = json.loads((tmp_path / "out" / "report.json").read_text())
    assert "the time limit ended the search: with more time the model may become smaller" in json.dumps(page)


def test_the_two_rate_header_states_what_the_plan_of_the_run_proves(tmp_path):
    planned = PROJECT.replace('"c"]', '"rt-c"]') + '[realtime]\norder = "zeroth"\nperiod = 0.02\n'
    short_run(tmp_path, planned, "check", "realtime", "generate")
    total = document(tmp_path / "out", "realtime/plan.json")["total"]["joint1"]
    header = (tmp_path / "out" / "generate" / "rt-c" / "planar2r_rt.h").read_text()
    assert "With zeroth order, background period 20 ms, coefficients at most 20 ms old" in header
    stated = float(re.search(r"torque error of joint1: at most (\S+) N m", header)[1])
    assert total <= stated < total * (1.0 + 1.1e-5)


@pytest.mark.parametrize("target", [target.value for target in GenerateTarget])
def test_a_project_writes_every_target_that_the_command_offers(tmp_path, target):
    short_run(tmp_path, PROJECT.replace('"c"]', f'"{target}"]'), "check", "generate")
    assert document(tmp_path / "out", "generate/generate.json")["targets"] == [target]
    assert any((tmp_path / "out" / "generate" / target).iterdir())
    if target == "ros2":
        assert "planar2r_torquec" in (tmp_path / "out" / "generate" / "ros2" / "package.xml").read_text()


def test_single_precision_is_for_every_target_that_has_it(tmp_path):
    single = PROJECT.replace('"c"]', '"numpy", "object", "rt-c"]\nprecision = "single"')
    short_run(tmp_path, single, "check", "generate")
    written = tmp_path / "out" / "generate"
    for header in ("object/planar2r.h", "rt-c/planar2r_rt.h"):
        assert "const float q[2]" in (written / header).read_text()
    assert (written / "numpy" / "planar2r.py").exists()


@pytest.mark.slow
def test_where_its_mass_matrix_may_be_singular_the_exact_model_is_controlled(tmp_path):
    loose = PROJECT.replace("torque_error = 0.5", "torque_error = 5.0").replace("= 15.0", "= 5.0")
    result = short_run(tmp_path, loose, "check", "simplify", "design", "report")
    assert not result.manifest.failed
    assert "M could not be proven nonsingular" in result.manifest.step("simplify").fallback
    assert tq.check_file(tmp_path / "out" / "simplify").ok  # it is there, proven, for whoever wants its torques
    exact = tq.compile(tq.classics.planar2r()).operation_count("inverse_dynamics")
    assert document(tmp_path / "out", "design/design.json")["operations"]["mul"] >= exact.mul


@pytest.mark.slow
def test_a_project_with_everything(tmp_path):
    """Log, specification, controller, experiments in numbers, two rates, every target that this machine can write."""
    robot = tq.classics.planar2r()
    text = project_text(robot, argument="planar2r", logs=["simulated"], seconds=5.0)
    text = text.replace('name = "as designed"', 'name = "as designed"\nruns = 20').replace('"rt-c"', '"rt-c", "numpy"')
    file = tmp_path / "arm.toml"
    file.write_text(text.replace("# validate", 'method = "ordinary"\ncutoff = 10\n# validate'))
    result = run_project(parse_project(file.read_text(), file), tmp_path / "out")
    assert set(result.done) == {step.name for step in STEPS}, [record.said for record in result.manifest.steps]
    assert (tmp_path / "out" / "identify" / "report.html").exists()
    assert json.loads((tmp_path / "out" / "simulate" / "as_designed" / "simulation.json").read_text())["runs"] == 20
    plan = json.loads((tmp_path / "out" / "realtime" / "plan.json").read_text())
    assert plan["command"] == "plan"


def test_every_step_declares_earlier_ones_only():
    seen: set[str] = set()
    for step in STEPS:
        assert set(step.needs) <= seen
        seen.add(step.name)
    assert replace(STEPS[0], kept=True).kept


def test_a_verdict_names_limits_that_are_near_to_one():
    found = {"guarantee": {"valid": True, "bounds": {}}, "payload": {}, "covariance": {}}
    *_, (near, _) = verdict_statements(found | {"robustness": {"beta": [-1.1, 1.0117], "gamma": [0.001, 50.0]}})
    assert near == "the loop is unstable once the model has 1.2 % more damping than the robot"


def test_a_verdict_says_what_is_proven_and_what_is_likely():
    found = {
        "guarantee": {"valid": False, "reason": "the box is too small"},
        "payload": {"lower": None, "upper": 2.5, "unit": "kg", "frame": "hand"},
        "covariance": {"level": 0.95, "stable": False, "scale": 0.5},
    }
    said = verdict_statements(found)
    (proven, likely), origins = zip(*said, strict=True)  # a payload that linear models bear is no verdict
    assert origins == ("tube", "covariance")
    assert proven == "no tracking error is bounded: the box is too small"
    assert "not all of them" in likely
