"""Logs of commands and projects: in memory where they fit, as paths where `identify` reads them in pieces."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.identification import simulated_arm
from tests.identification.simulated_arm import QUICK, arm
from tests.identification.test_open_logs import written

from torquec.errors import ArgumentError
from torquec.foundation.work import as_work
from torquec.identification import open_logs
from torquec.identification.identify_options import Reading
from torquec.identification.logs.check_log import check_log_pieces
from torquec.project.log_files import logs_to_fit, shown_logs
from torquec.project.steps.identify import identify_step
from torquec.trajectory.log import Log


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return written(tmp_path_factory.mktemp("logs") / "run.csv", simulated_arm.log())


def test_small_logs_are_read_and_large_ones_stay_files(path, monkeypatch):
    (small,) = logs_to_fit(arm(), [path], None, QUICK, print)
    assert isinstance(small, Log)
    monkeypatch.setattr(open_logs, "MEMORY", 1000)
    large, simulated = logs_to_fit(arm(), [path, Path("simulated")], None, QUICK, print)
    assert large == path
    assert isinstance(simulated, Log)
    (beginning,) = shown_logs(arm(), [large], None)
    assert len(beginning) == len(small)


def test_a_simulated_log_in_pieces_is_refused(path):
    options = dataclasses.replace(QUICK, reading=Reading.PIECES)
    with pytest.raises(ArgumentError, match="'simulated' is no file to read in pieces"):
        logs_to_fit(arm(), [path, Path("simulated")], None, options, print)


def test_a_project_reads_a_log_that_exceeds_the_memory_in_pieces(path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    opened = []

    def counted(robot, pieces):
        opened.append(path)
        return check_log_pieces(robot, pieces)

    monkeypatch.setattr(open_logs, "MEMORY", 1000)
    monkeypatch.setattr(open_logs, "check_log_pieces", counted)
    part = SimpleNamespace(logs=(path,), validate=(), log_map=None, options=QUICK)
    context = SimpleNamespace(
        project=SimpleNamespace(robot=arm(), identify=part), folder=tmp_path / "identify", work=as_work(None)
    )
    said = identify_step(context)
    assert opened
    assert "1 log, read in pieces" in said
    assert (tmp_path / "identify" / "identification.json").exists()
