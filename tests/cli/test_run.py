"""`torquec run` and `torquec demo`: the whole chain from a shell."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from torquec.cli import run as demo
from torquec.errors import RobotError
from torquec.project.chain import STEPS
from torquec.project.manifest import StepRecord, file_hash, manifest_of, read_manifest
from torquec.project.project_text import project_text
from torquec.project.read_project import parse_project
from torquec.project.run_project import run_project
from torquec.robot import classics
from torquec.simplification.time_plan import SHARES

PROJECT = """\
robot = "planar2r"
[generate]
targets = ["c"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(PROJECT)
    return path


def test_text_names_every_step_and_ends_with_where_to_look(torquec, file, tmp_path):
    first = torquec("run", file, "-o", tmp_path / "out", "--jobs", "1")
    assert first.status == 0, first.err
    for words in ("check", "not done: there is no [specification]", "generate", "selftest", "steps in"):
        assert words in first.out
    assert Path(first.out.splitlines()[-1]).exists()
    again = torquec("run", file, "-o", tmp_path / "out", "--json", "--jobs", "1").document
    assert again["done"] == ["check"]
    assert all(Path(name).exists() for name in again["files"])
    assert again["steps"]["generate"]["summary"].startswith("c: ")


def test_the_answer_of_the_report_stands_below_the_steps(torquec, file, tmp_path):
    motion = "[motion]\nto = [0.4, 0.3]\nduration = 1.0\n"
    file.write_text(f'{PROJECT}[design]\nevaluation = "measured"\nrate = 500\n{motion}')
    outcome = torquec("run", file, "-o", tmp_path / "out", "--jobs", "1")
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    at = lines.index("May this go on the robot? Not yet. Measure first what the bound assumes:")
    assert "  inertial parameters: they come from the robot file, not from a log" in lines[at:]
    again = torquec("run", file, "-o", tmp_path / "out", "--json", "--jobs", "1").document["first_screen"]
    assert [f"  {words}" for words in again["measure_first"]] == lines[at + 1 : at + 1 + len(again["measure_first"])]


def test_without_a_bound_the_verdict_says_why_and_there_is_no_table(torquec, file, tmp_path):
    motion = "[motion]\nto = [0.4, 0.3]\nduration = 1.0\n"
    file.write_text(f'{PROJECT}[design]\nevaluation = "reference"\nrate = 500\n{motion}')
    outcome = torquec("run", file, "-o", tmp_path / "out", "--jobs", "1")
    assert outcome.status == 0, outcome.err
    (step,) = (line for line in outcome.out.splitlines() if line.startswith("  verdict "))
    assert "no tracking error is bounded: " in step
    assert "under these conditions:" not in outcome.out


BOUNDED = """\
robot = "planar2r"
[design]
evaluation = "measured"
rate = 500
[motion]
to = [0.4, 0.3]
duration = 1.0
[uncertainty.every_joint]
friction_part = 0.2
[generate]
targets = ["c"]
"""


def test_a_bound_has_a_table_and_its_conditions_below_the_answer_and_one_sentence_in_json(torquec, tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text(BOUNDED)
    outcome = torquec("run", file, "-o", tmp_path / "out", "--jobs", "1")
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    (step,) = (line for line in lines if line.startswith("  verdict "))
    document = torquec("run", file, "-o", tmp_path / "out", "--json", "--jobs", "1").document
    sentence = document["steps"]["verdict"]["summary"]
    answer, head = (next(k for k, line in enumerate(lines) if line.startswith(words)) for words in ("May", "Tracking"))
    assert sentence.startswith(f"{lines[head].split()[2].rstrip(':')} for planar2r (sha256 ")
    assert f"the bound on the tracking error is {sentence.split()[0]}: see below" in step
    assert answer < head < lines.index("under these conditions:")
    shown = {line.split()[0]: line.split()[1:3] for line in lines[head + 2 : lines.index("under these conditions:")]}
    assert shown
    assert all(f"{joint} {' '.join(bound)}" in sentence for joint, bound in shown.items())


def test_limits_that_are_not_of_the_whole_run_and_the_last_duration_are_stated(file):
    text = project_text(classics.planar2r(), argument="planar2r", seconds=45.0)
    project = parse_project(text, file)
    first = demo.duration_text(project, None)
    assert first.startswith(
        "[simplify] limits search, proof and check to 45 s, [realtime] limits the bounds on the hold"
    )
    assert first.endswith("the other steps take their own time: seconds for two joints, minutes for seven")
    assert demo.duration_text(parse_project(PROJECT, file), None) == ""
    steps = (StepRecord("check", seconds=4.0), StepRecord("design", seconds=8.4), StepRecord("simplify", failed="late"))
    again = demo.duration_text(project, manifest_of("arm.toml", {}, 0, steps))
    assert again == "the steps took 12 s in the last run; unchanged ones are not repeated"


def test_mistakes_are_all_told_and_nothing_is_written(torquec, file, tmp_path):
    file.write_text('robot = "planar2r"\nseed = -1\n[generate]\ntarget = "c"\n')
    outcome = torquec("run", file, "-o", tmp_path / "out")
    assert outcome.status == 2
    assert "arm.toml:2" in outcome.err
    assert "arm.toml:4" in outcome.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.toml"]


def test_a_robot_in_place_of_a_project_leads_to_torquec_new(torquec, arm, tmp_path):
    table = tmp_path / "scara.toml"
    table.write_bytes((Path(classics.__file__).parent / "scara.toml").read_bytes())
    for robot in (arm, table, "puma560"):
        outcome = torquec("run", robot, "-o", tmp_path / "out")
        assert outcome.status == 2
        assert f"{robot}: this is a robot, not a project file" in outcome.err
        assert f"torquec new {robot}" in outcome.err
    assert "no such file" in torquec("run", tmp_path / "gone.urdf", "-o", tmp_path / "out").err


def test_the_folder_is_named_after_the_project(torquec, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = file.rename(tmp_path / "my arm.project.toml")
    project.write_text('robot = "planar2r"\n')
    assert torquec("run", project, "--jobs", "1").status == 0
    assert (tmp_path / "my_arm_run" / "report.html").exists()
    assert "torquec new puma560" in torquec("run", "puma560").err


def test_a_folder_of_somebody_else_is_refused(torquec, file, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    outcome = torquec("run", file, "-o", tmp_path / "out")
    assert outcome.status == 2
    assert "not empty" in outcome.err


def test_a_step_that_fails_is_told_and_ends_with_status_1(torquec, file, tmp_path, monkeypatch):
    def fails(*_, **__):
        raise RobotError("the moon is in the way", remedy="wait for the sun")

    steps = tuple(replace(step, run=fails) if step.name == "generate" else step for step in STEPS)
    monkeypatch.setattr("torquec.project.run_project.run_project", partial(run_project, steps=steps))
    outcome = torquec("run", file, "-o", tmp_path / "out", "--jobs", "1")
    assert outcome.status == 1
    assert "failed: the moon is in the way; wait for the sun" in outcome.out
    assert "the step generate failed" in outcome.err
    assert (tmp_path / "out" / "report.html").exists()
    again = torquec("run", file, "-o", tmp_path / "out", "--json", "--jobs", "1")
    assert (again.status, again.document["steps"]["generate"]["status"]) == (1, "failed")
    assert again.document["steps"]["selftest"]["status"] == "kept"


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_runs_at_once_into_one_folder(file, tmp_path, times):
    """One does it; the others are refused and say who, or come when it is done. The folder is whole."""
    words = [sys.executable, "-m", "torquec", "run", str(file), "-o", str(tmp_path / "out"), "--jobs", "1"]
    for _ in range(times):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        pipe = subprocess.PIPE
        runs = [subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) for _ in range(3)]
        errors = [run.communicate()[1] for run in runs]
        assert 0 in [run.returncode for run in runs]
        for run, error in zip(runs, errors, strict=True):
            assert run.returncode in (0, 2), error
            if run.returncode:
                named = re.search(r"another torquec is writing this folder: process (\d+) on ", error)
                assert int(named.group(1)) in {other.pid for other in runs} - {run.pid}
                assert "remedy: wait until it has ended" in error
        manifest = read_manifest(tmp_path / "out")
        hashes = {name: digest for step in manifest.steps for name, digest in step.files.items()}
        assert len(hashes) > 5
        assert {name: file_hash(tmp_path / "out" / name) for name in hashes} == hashes
        assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.toml", "out"]


@pytest.mark.slow
def test_it_ends_with_where_to_look(torquec, tmp_path):
    outcome = torquec("demo", "-o", tmp_path / "out")
    assert outcome.status == 0
    for part in ("published", "simplify", "proven", "torquec new"):
        assert part in outcome.out
    assert Path(outcome.out.splitlines()[-1]).exists()
    assert torquec("demo", "-o", tmp_path / "out", "--json").document["done"] == ["check"]


def test_a_wrong_torque_fails_the_check_before_the_work(torquec, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "_PUBLISHED", demo._PUBLISHED | {"tau": (0.0,) * 6})
    outcome = torquec("demo", "-o", tmp_path / "out")
    assert outcome.status == 1
    assert "differ from the published ones" in outcome.err
    assert not (tmp_path / "out").exists()


def test_its_project_limits_simplification_to_twenty_seconds(torquec, monkeypatch, tmp_path):
    seen = []

    def instead(project, output, **more):
        seen.append((project, output))
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run_with_progress", instead)
    with pytest.raises(KeyboardInterrupt):
        demo.demo(options=demo.DemoOptions(output=tmp_path / "out"))
    ((project, output),) = seen
    assert project.robot.name == "puma560"
    assert SHARES.model * project.simplify.seconds <= 20.0  # the rest is for the check
    assert output == tmp_path / "out"
