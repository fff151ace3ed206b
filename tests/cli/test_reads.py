"""Logs that are not there are told before packages that are missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torquec.cli.reads import check_sources
from torquec.errors import ArgumentError


def test_a_log_that_is_not_there_comes_before_extras(torquec, tmp_path, monkeypatch):
    (tmp_path / "log.csv").write_text("t\n")
    for package in ("scipy", "clarabel"):
        for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
            monkeypatch.setitem(sys.modules, name, None)
    for words in (
        ("identify", "planar2r", tmp_path / "lug.csv"),
        ("identify", "planar2r", tmp_path / "log.csv", "--validate", tmp_path / "lug.csv"),
        ("check-log", "planar2r", tmp_path / "lug.csv"),
    ):
        outcome = torquec(*words)
        assert outcome.status == 2
        assert "lug.csv: there is no such file" in outcome.err
        assert "did you mean 'log.csv'?" in outcome.err


def test_a_simulated_log_and_a_folder_of_a_bag_are_there(tmp_path):
    check_sources([Path("simulated"), tmp_path])
    with pytest.raises(ArgumentError, match="no such file"):
        check_sources([tmp_path / "simulated"])
