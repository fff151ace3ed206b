"""The benchmark page: every table is there with its stamp and a command that exists; what is missing is said."""

from __future__ import annotations

import importlib.util
import re
import subprocess

import pytest
from benchmarks import benchmark_page
from benchmarks.benchmark_page import HEAD, PAGE, Measured, bench_table, measured, page_of, section, sections_of, tables

STAMP = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC, commit \S+, .+ cores, load [\d.]+ \((idle|busy: .*)\)\.$", re.MULTILINE
)


def test_the_page_is_what_the_command_makes():
    page = PAGE.read_text(encoding="utf-8")
    assert page.startswith(HEAD)
    assert re.search(r"^Versions: .*Python \d", page, flags=re.MULTILINE)
    shown = sections_of(page)
    own = [table.title for table in tables() if not table.as_table]
    assert [title for title in shown if not title.startswith("One call from Python")] == own
    for title, part in shown.items():
        assert STAMP.search(part), title


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.title)
def test_every_command_exists(table):
    assert importlib.util.find_spec(table.module) is not None
    assert "../" not in table.command


def test_what_is_measured_becomes_a_part_of_the_page(monkeypatch):
    printed = subprocess.CompletedProcess([], 0, "a  1\n", "")
    monkeypatch.setattr(benchmark_page.subprocess, "run", lambda *_, **__: printed)
    monkeypatch.setattr(benchmark_page, "stamp", lambda: "now.")
    table = Measured("A", "What it is.", "benchmarks.operations")
    part = measured(table, 1.0)
    assert part == "## A\n\nWhat it is. `python -m benchmarks.operations`\n\n```text\na  1\n```\n\nnow.\n"
    monkeypatch.setattr(benchmark_page, "versions", lambda: "Python 3")
    assert sections_of(page_of([part, section(Measured("B", "b", "b"), "then.", "x")])).keys() == {"A", "B"}


def test_what_cannot_be_measured_says_why(monkeypatch):
    table = Measured("A", "What it is.", "benchmarks.operations")

    def late(*_, **__):
        raise subprocess.TimeoutExpired("x", 1.0)

    monkeypatch.setattr(benchmark_page, "stamp", lambda: "now.")
    monkeypatch.setattr(benchmark_page.subprocess, "run", late)
    assert "Not measured: it took longer than 1 s." in measured(table, 1.0)
    refused = subprocess.CompletedProcess([], 1, "", "gcc is needed to compile the peer\n")
    monkeypatch.setattr(benchmark_page.subprocess, "run", lambda *_, **__: refused)
    assert "Not measured: gcc is needed to compile the peer" in measured(table, 1.0)


def test_peers_stand_side_by_side():
    rows = [
        {"function": "f", "contestant": "torquec", "ns": 2.0, "ratio": 1.0},
        {"function": "f", "contestant": "other", "ns": 9.0, "ratio": 4.5},
        {"function": "g", "contestant": "torquec", "ns": 3.0, "ratio": 1.0},
    ]
    text = bench_table({"rows": rows, "absent": {"third": "not installed"}})
    assert text.splitlines() == [
        "| | torquec | other |",
        "|---|---|---|",
        "| f | 2 | 9 (4.5) |",
        "| g | 3 |  |",
        "",
        "Not there: third: not installed.",
    ]
