"""`torquec realtime plan`, `table` and `run`."""

from __future__ import annotations

import csv
import io
import re
import shlex

import pytest
from tests.codegen.c.compiler import needs_compiler
from tests.parameters.serial_arms import SHARED, shared_model

import torquec as tq
from torquec.cli.realtime import live_report
from torquec.papers import cycle_table
from torquec.realtime.runtime.run_result import RunStatus


def test_plan(torquec, tmp_path):
    words = ("realtime", "plan", "planar2r", "--spec", "examples/specifications/planar2r.toml")
    document = torquec(*words, "--period", "0.01", "--json").document
    assert set(document) >= {"period", "zeroth", "first", "total", "found", "recommended_period"}
    for joint, bound in document["zeroth"].items():
        assert document["found"]["zeroth"][joint] <= bound
    shown = torquec(*words, "--plot", tmp_path / "hold.png")
    assert "longest background period, zeroth order" in shown.out
    assert "accelerations may jump" in shown.out
    assert (tmp_path / "hold.png").stat().st_size > 10_000


def test_the_example_of_the_help_runs_as_printed(torquec):
    shown = torquec("realtime", "plan", "--help")
    example = re.search(r"Example:\s+(torquec .*(?:\n .*)*)", shown.out)
    assert torquec(*shlex.split(example[1].replace("\n", " "))[1:]).status == 0


def test_the_header_of_a_package_states_it(torquec, tmp_path):
    words = ("generate", "planar2r", "--target", "rt-c", "-o", tmp_path / "out")
    spec = ("--spec", "examples/specifications/planar2r.toml", "--period", "0.01")
    assert torquec(*words, *spec).status == 0
    assert "torque error of joint1: at most" in (tmp_path / "out" / "planar2r_rt.h").read_text()
    assert "--period needs --spec" in torquec(*words, "--period", "0.01").err


def test_bad_input(torquec, tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text("[every_joint]\nvelocity = 1\nacceleration = 2\njerk = -3\ntorque_error = 1\n")
    refused = torquec("realtime", "plan", "planar2r", "--spec", spec)
    assert refused.status == 2
    assert "'jerk' is -3" in refused.err


def test_the_table(torquec, monkeypatch):
    monkeypatch.setattr(cycle_table, "_instructions", lambda *_: ({}, ("gcc or valgrind",)))
    shown = torquec("realtime", "table", "scara")
    assert shown.status == 0
    assert "MISSING, so that instructions are not counted: gcc or valgrind" in shown.out
    assert "inverse dynamics" in shown.out


@pytest.mark.slow
def test_the_document_with_instructions(torquec):
    document = torquec("realtime", "table", "scara", "--json").document
    row = next(row for row in document["rows"] if row["task"] == "inverse dynamics")
    assert row["printed_seconds"] == 0.244e-3
    if not document["without"]:
        assert 50 < row["fewest_instructions"] <= row["instructions"] < 2000


pytestmark = needs_compiler

WORDS = ("realtime", "run", "planar2r", "--clock", "virtual", "--to", "0.1,-0.1", "--duration", "0.5")


def test_the_example_of_help_for_a_run_works_as_printed(torquec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = torquec("realtime", "run", "--help")
    example = re.search(r"Example:\s+(torquec .*(?:\n .*)*)", shown.out)
    done = torquec(*shlex.split(example[1].replace("\n", " "))[1:])
    assert done.status in (0, 1)  # a machine that pauses for a tenth of a second is stopped, and that is said
    assert done.status == 0 or "overrun" in done.err
    assert (tmp_path / "run.pftrace").stat().st_size > 10_000


def test_json_log_and_trace(torquec, tmp_path):
    done = torquec(*WORDS, "--json", "--trace", tmp_path / "a.pftrace", "--log", tmp_path / "a.csv")
    assert done.status == 0
    document = done.document
    assert document["end"] == "ended"
    assert document["rate"] == pytest.approx(1000.0)
    assert set(document) >= {"faults", "missed", "latency", "compute", "limits", "notes", "page_faults", "max_error"}
    assert document["limits"]["torque"] == {"joint1": 50.0, "joint2": 20.0}
    assert document["limits"]["power"] is None
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert len(rows) == 1 + document["cycles"]
    again = torquec(*WORDS, "--trace", tmp_path / "a.pftrace")
    assert again.status == 2
    assert "--force" in again.err


def test_the_law_of_a_file(torquec, tmp_path):
    path = tmp_path / "law" / "controller.json"
    assert (
        torquec(
            "design", "planar2r", "--controller", "computed-torque", "--poles=-20", "--rate", "500", "-o", path.parent
        ).status
        == 0
    )
    done = torquec(*WORDS, "--law", path, "--background", "0.01", "--json")
    assert done.status == 0, done.err
    document = done.document
    assert document["period"] == 0.002
    assert document["accepted"] > 10
    refused = torquec(*WORDS, "--law", path, "--rate", "1000")
    assert refused.status == 2
    assert "made for 0.002 s" in refused.err
    other = torquec("realtime", "run", "scara", "--law", path, "--clock", "virtual")
    assert other.status == 2


def test_without_a_motion_the_robot_stands(torquec):
    document = torquec("realtime", "run", "planar2r", "--clock", "virtual", "--duration", "0.1", "--json").document
    assert document["end"] == "ended"
    assert max(document["max_error"].values()) < 0.01


@pytest.mark.parametrize(
    "name",
    [
        "panda.urdf",
        pytest.param("panda_nohand.xml", marks=pytest.mark.slow),
        pytest.param("wx250s_mimic.urdf", marks=pytest.mark.slow),
        pytest.param("go2.urdf", marks=pytest.mark.slow),
        pytest.param("allegro_right_hand.urdf", marks=pytest.mark.slow),
    ],
)
def test_a_robot_that_cannot_be_at_zero_stands_within_its_limits(torquec, name, tmp_path):
    """All collected robots with limits that leave zero out."""
    robot = shared_model(name)
    assert any(not joint.limits.lower <= 0.0 <= joint.limits.upper for joint in robot.joints)
    log = tmp_path / "cycles.csv"
    done = torquec(
        "realtime",
        "run",
        SHARED / "data" / "models" / name,
        "--clock",
        "virtual",
        "--duration",
        "0.1",
        "--json",
        "--log",
        log,
    )
    assert done.status == 0, done.err
    assert done.document["end"] == "ended"
    cycles = list(csv.DictReader(log.read_text().splitlines()))
    assert len(cycles) > 100
    for joint in robot.joints:
        assert all(joint.limits.lower < float(cycle[f"q_{joint.name}"]) < joint.limits.upper for cycle in cycles)


def test_a_fault_is_an_exit_status(torquec):
    done = torquec(*WORDS, "--speed", "0.1")
    assert done.status == 1
    assert "speed-limit" in done.err
    assert "fault:" in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--driver", "telepathy"), "--driver telepathy"),
        (("--driver", "shared:arm"), "--clock virtual of a robot that is not simulated"),
        (("--rate", "0"), "--rate 0"),
        (("--torque", "1,2,3"), "3 numbers of torque for 2 joints"),
        (("--deadline-source", "moon"), "deadlines"),
        (("--gap", "0"), "a longest gap of 0"),
    ],
)
def test_bad_input_of_a_run(torquec, words, message):
    refused = torquec(*WORDS, *words)
    assert refused.status == 2
    assert message in refused.err


def test_no_torque_without_limits(torquec):
    refused = torquec("realtime", "run", "puma260", "--clock", "virtual")
    assert refused.status == 2
    assert "no effort limit" in refused.err
    assert (
        torquec("realtime", "run", "puma260", "--clock", "virtual", "--torque", "50", "--duration", "0.1").status == 0
    )


def test_the_view_is_drawn_over_itself_on_a_terminal(monkeypatch):
    robot = tq.classics.planar2r()
    law = tq.computed_torque(robot, -20.0, period=0.001)
    motion = tq.minimum_jerk([0.0, 0.0], [0.1, 0.1], 0.1, joints=robot.joint_names, period=0.001)
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr", terminal)
    seen: list[RunStatus] = []
    tq.realtime.run(robot, law, motion, robot=tq.SimulatedRobot(clock="virtual"), report=seen.append)
    report = live_report(0.1)
    report(seen[-1])
    height = terminal.getvalue().count("\n")
    report(seen[-1])
    assert f"\x1b[{height}A" in terminal.getvalue()
    monkeypatch.setattr(terminal, "isatty", lambda: False, raising=False)
    assert live_report(0.1) is None
