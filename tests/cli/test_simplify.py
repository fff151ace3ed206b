"""`torquec simplify`: files, JSON keys, resuming after a kill, refusals with nothing written."""

from __future__ import annotations

import json
import math
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.patience import HANGS
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.realtime.check_file import check_file
from torquec.simplification import pipeline
from torquec.simplification.time_plan import time_plan

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"
PLANAR = str(SPECIFICATIONS / "planar2r.toml")


def run(*arguments: str):
    return CliRunner().invoke(app, ["simplify", *arguments])


def folders(where: Path) -> set[str]:
    return {path.name for path in where.iterdir()}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simplify") / "out"
    result = run("planar2r", "--spec", PLANAR, "-o", str(folder), "--json")
    assert result.exit_code == 0, result.output
    return folder, json.loads(result.stdout)


def test_json_keys_and_files(made):
    folder, document = made
    assert {"operations", "terms", "bounds", "certified", "certificate", "seconds", "files"} <= set(document)
    assert document["certified"] is True
    assert set(document["bounds"]) == {"joint1", "joint2"}
    assert document["bounds"]["joint1"]["unit"] == "N m"
    assert 0.0 < document["bounds"]["joint1"]["found"] <= document["bounds"]["joint1"]["torque"] <= 2.0
    for what in ("operations", "terms"):
        before, after = document[what]["before"], document[what]["after"]
        assert sum(after.values()) < sum(before.values())
    assert document["terms"]["before"] == {"M": 7, "B": 1, "D": 2, "g": 3, "total": 13}
    seconds = document["seconds"]
    assert {"searching for fewer parameters", "pruning", "proving the torque errors"} <= set(seconds)
    assert "proving the torque errors again" in seconds
    assert math.isclose(seconds.pop("total"), sum(seconds.values()), abs_tol=0.01)
    assert {Path(name) for name in document["files"]} == set(folder.iterdir())
    assert folders(folder.parent) == {"out"}


def test_the_model_and_the_certificate_load(made):
    folder, document = made
    model = tq.load_model(folder / "planar2r.tq.json")
    certificate = tq.load_certificate(document["certificate"])
    tq.check_certificate(tq.classics.planar2r(), certificate)
    exact = tq.compile(tq.classics.planar2r())
    q, qd, qdd = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 500, 2)) * [[[3.0]], [[1.0]], [[2.0]]]
    error = np.abs(model.inverse_dynamics(q, qd, qdd) - exact.inverse_dynamics(q, qd, qdd)).max(axis=0)
    assert np.all(error <= [document["bounds"][name]["torque"] for name in ("joint1", "joint2")])


def test_equations_tell_what_was_dropped(made):
    folder, document = made
    assert "M22 = 0.333333" in (folder / "equations_before.txt").read_text()
    counts = ", ".join(f"{name} {k}" for name, k in document["terms"]["after"].items() if name != "total")
    assert f"Terms: {counts}." in (folder / "equations_after.txt").read_text()
    changes = (folder / "equations_changes.txt").read_text()
    fewer = document["terms"]["before"]["total"] - document["terms"]["after"]["total"]
    assert changes.count("    dropped  ") >= fewer > 0


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_c_code_passes_its_own_test(made, tmp_path):
    folder, _ = made
    program = tmp_path / "selftest"
    sources = [str(folder / name) for name in ("planar2r_simplified.c", "selftest.c")]
    subprocess.run(["cc", "-std=c99", "-o", str(program), *sources, "-lm"], check=True)
    subprocess.run([str(program)], check=True)


@pytest.mark.usefixtures("short_search")
def test_the_screen_shows_what_was_dropped(tmp_path):
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), "--no-check", "--minutes", "60")
    assert result.exit_code == 0
    for words in ("operations: ", "terms: ", "dropped terms", "error at most", "time: ", "not checked again"):
        assert words in result.stdout


def test_minutes_limit_search_and_check_and_what_is_left_is_proven(tmp_path):
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), "--minutes", "0.0001", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["certified"] is False  # no time was left to check the proof with independent code, and it is said
    assert "run torquec check later" in result.stderr
    assert check_file(tmp_path / "out").ok
    assert all(bound["torque"] <= 2.0 for bound in document["bounds"].values())
    refused = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "new"), "--minutes", "1", "--trade-off")
    assert refused.exit_code == 2
    assert "leave out one of the two" in refused.stderr


@pytest.mark.parametrize("option", ["--check", "--no-check"])
def test_minutes_keep_time_for_the_check_where_there_is_one(tmp_path, monkeypatch, option):
    """The plan of a search knows until when the check has to be done; without a check it has no such time."""
    plans = []

    def planned(problem):
        plans.append(problem.checked_by)
        return replace(time_plan(problem), searching=0.0)  # what it finds does not matter here

    monkeypatch.setattr(pipeline, "time_plan", planned)
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), "--minutes", "60", "--json", option)
    assert result.exit_code == 0, result.output
    (checked_by,) = plans
    assert checked_by.is_timed is (option == "--check")
    if checked_by.is_timed:
        assert checked_by.seconds == pytest.approx(3600.0)
    assert json.loads(result.stdout)["certified"] is (option == "--check")
    assert check_file(tmp_path / "out").ok


@pytest.mark.slow
def test_trade_off(tmp_path):
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), "--trade-off", "--json", "--no-check")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [point["factor"] for point in document["trade_off"]["points"]] == [0.0, 0.25, 0.5, 1.0, 2.0, 4.0]
    within = [point for point in document["trade_off"]["points"] if point["factor"] > 0.0 and point["level"] <= 1.0]
    (stated,) = (point for point in within if point["factor"] == 1.0)
    written = document["operations"]["after"]
    assert written in [{"mul": point["mul"], "add": point["add"]} for point in within]
    assert sum(written.values()) <= stated["mul"] + stated["add"]
    assert {"trade_off.csv", "trade_off.json", "simplification.json", "report.html"} <= folders(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "trade_off.json").read_text())["points"] == document["trade_off"]["points"]
    assert "Operations for smaller errors" in (tmp_path / "out" / "report.html").read_text()


# --- interruptions --------------------------------------------------------------------------------------------------


STOPPED = """
import os, signal, sys
from torquec.cli.app import main
from torquec.foundation.result_cache import ResultCache

signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run (nohup)
number = getattr(signal, sys.argv.pop(1))
keep = ResultCache.keep

def keep_and_stop(self, key, value):
    keep(self, key, value)
    os.kill(os.getpid(), number)

ResultCache.keep = keep_and_stop
main()
"""
"""The command, which gets a signal at the moment when its first result is kept: however fast or slow it is."""


def run_command(folder: Path, *before: str, robot: str = "scara") -> subprocess.CompletedProcess[str]:
    specification = str(SPECIFICATIONS / f"{robot}.toml")
    arguments = ["simplify", robot, "--spec", specification, "-o", str(folder), "--jobs", "1", "--json"]
    command = [sys.executable, *(before or ("-m", "torquec")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)


def stopped_run(folder: Path, how: signal.Signals, robot: str = "scara") -> subprocess.CompletedProcess[str]:
    """A run that was stopped after its first step was finished."""
    return run_command(folder, "-c", STOPPED, how.name, robot=robot)


def test_a_killed_run_leaves_no_output_and_is_resumed(tmp_path):
    assert stopped_run(tmp_path / "out", signal.SIGKILL, "planar2r").returncode == -signal.SIGKILL
    assert {name for name in folders(tmp_path) if not name.endswith(".lock")} == {"out.partial"}
    again = run_command(tmp_path / "out", robot="planar2r")
    assert again.returncode == 0, again.stderr
    assert "moments" not in again.stderr  # the search was finished before
    assert folders(tmp_path) == {"out"}
    assert json.loads(again.stdout)["certified"] is True


@pytest.mark.slow
def test_a_resumed_run_gives_what_an_undisturbed_one_gives(tmp_path):
    stopped_run(tmp_path / "out", signal.SIGKILL)
    resumed, whole = run_command(tmp_path / "out"), run_command(tmp_path / "whole")
    assert "moments" in whole.stderr
    assert f"in {tmp_path / 'whole.partial' / 'best.tq.json'}" in whole.stderr  # proven before the search is over
    mine, theirs = json.loads(resumed.stdout), json.loads(whole.stdout)
    for key in ("operations", "terms", "bounds"):
        assert mine[key] == theirs[key]
    for name in folders(tmp_path / "whole"):  # commands in them name their folder
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert text.replace(str(tmp_path / "out"), str(tmp_path / "whole")) == (tmp_path / "whole" / name).read_text(
            "utf-8"
        )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_ctrl_c_says_how_to_go_on(tmp_path):
    stopped = stopped_run(tmp_path / "out", signal.SIGINT, "planar2r")
    assert stopped.returncode == 130, stopped.stderr
    assert "give the same command again to resume" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert folders(tmp_path) == {"out.partial"}


# --- refusals -------------------------------------------------------------------------------------------------------


def test_a_missing_specification_writes_nothing(tmp_path):
    result = run("planar2r", "--spec", str(tmp_path / "none.toml"), "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert folders(tmp_path) == set()


@pytest.mark.usefixtures("short_search")
def test_a_folder_with_files_is_kept_unless_forced(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "planar2r_simplified.c").write_text("mine")
    (tmp_path / "out" / "notes.txt").write_text("mine too")
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert "--force" in result.output
    assert (tmp_path / "out" / "planar2r_simplified.c").read_text() == "mine"
    words = ("--force", "--no-check", "--minutes", "60")
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), *words)
    assert result.exit_code == 0
    assert (tmp_path / "out" / "planar2r_simplified.c").read_text() != "mine"
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine too"
    assert folders(tmp_path) == {"out"}


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("mine")
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), "--force")
    assert result.exit_code == 2
    assert "name a folder" in result.output


@pytest.mark.usefixtures("short_search")
def test_what_cannot_be_proven_leaves_nothing(tmp_path, monkeypatch):
    from torquec.errors import CheckError
    from torquec.simplification import prove

    def refuse(*_arguments, **_options):
        raise CheckError("no", remedy="none")

    monkeypatch.setattr(prove, "check_certificate", refuse)
    result = run("planar2r", "--spec", PLANAR, "-o", str(tmp_path / "out"), "--minutes", "60")
    assert result.exit_code == 1
    assert folders(tmp_path) == set()
