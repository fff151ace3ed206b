"""Log formats are one table: a row is read, streamed, listed in messages and help, and documented."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_help_tables import shown

from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.trajectory import log_formats
from torquec.trajectory.log_formats import LOG_FORMATS, LogFormat, is_readable_in_pieces, log_files, log_format
from torquec.trajectory.read_log import read_log
from torquec.trajectory.tables.log_table import ArrayTable

ROOT = Path(__file__).parents[2]
ROBOT = classics.planar2r()


def _constant_table(source, joints, topic):
    """Three rows, whatever the file holds."""
    zeros = {f"{word}{k + 1}": np.zeros(3) for word in ("q", "tau") for k in range(len(joints))}
    return ArrayTable({"t": np.array([0.0, 0.1, 0.2]), **zeros})


def test_a_new_row_is_read_listed_and_streamed(tmp_path, monkeypatch):
    source = tmp_path / "run.tdms"
    source.write_bytes(b"TDSm")
    with pytest.raises(ArgumentError, match=r"unsupported log format '\.tdms'"):
        read_log(source, ROBOT)
    assert not is_readable_in_pieces(source)
    row = LogFormat("TDMS", (".tdms",), _constant_table, "datasets", in_pieces=True, extra="tdms")
    monkeypatch.setattr(log_formats, "LOG_FORMATS", [*LOG_FORMATS, row])
    assert len(read_log(source, ROBOT)) == 3
    assert is_readable_in_pieces(source)
    assert "TDMS (.tdms)" in shown("check-log", "--help")
    (tmp_path / "run.xlsx").write_bytes(b"")
    with pytest.raises(ArgumentError, match="TDMS"):
        read_log(tmp_path / "run.xlsx", ROBOT)


def test_the_suffix_chooses_the_format_whatever_its_case(tmp_path):
    assert log_format(tmp_path / "A.CSV").title == log_format(tmp_path / "a").title == "CSV"
    assert log_format(tmp_path / "a.pq").title == "Parquet"
    assert log_format(tmp_path).title == "rosbag2"


def test_folders_are_refused_where_no_format_has_them(tmp_path, monkeypatch):
    monkeypatch.setattr(log_formats, "LOG_FORMATS", [dataclasses.replace(form, folders=False) for form in LOG_FORMATS])
    with pytest.raises(ArgumentError, match="unsupported log format a folder"):
        log_format(tmp_path)


def test_every_text_suffix_can_be_read_in_pieces(tmp_path):
    for suffix in LOG_FORMATS[0].suffixes:
        (tmp_path / f"log{suffix}").write_text("")
        assert is_readable_in_pieces(tmp_path / f"log{suffix}")
    assert not is_readable_in_pieces(tmp_path / "missing.csv")
    assert not is_readable_in_pieces(tmp_path)


def test_no_suffix_is_that_of_two_formats():
    suffixes = [suffix for form in LOG_FORMATS for suffix in form.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix in log_files() for suffix in suffixes)


@pytest.mark.parametrize("form", LOG_FORMATS, ids=lambda form: form.title)
def test_every_format_is_documented_with_its_suffixes_and_its_extra(form):
    rows = [line.split("|")[1:-1] for line in (ROOT / "docs/logs.md").read_text().splitlines() if line.startswith("|")]
    names, _, extra = next(row for row in rows if row[1].strip() == form.contents)
    assert all((f"`{suffix}`" if suffix else "no suffix") in names for suffix in form.suffixes)
    assert ("folder" in names) is form.folders
    assert f"`{form.extra}`" in extra if form.extra else "makes it faster" in extra or not extra.strip()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not form.extra or form.extra in project["optional-dependencies"]
