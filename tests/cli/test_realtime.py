"""`torquec realtime plan` and `torquec realtime table`."""

from __future__ import annotations

import re
import shlex

import pytest

from torquec.papers import cycle_table


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
