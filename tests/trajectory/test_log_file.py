"""Pieces of a file joined are the file."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import open_log, read_log, read_log_chunks

ROBOT = classics.planar2r()


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(3)
    t = np.cumsum(rng.uniform(0.005, 0.015, 101))
    values = np.column_stack([t, rng.normal(size=(101, 6)), np.arange(101)])
    lines = [",".join(map(repr, row)) for row in values.tolist()]
    file = tmp_path / "log.csv"
    file.write_text("t,q1,q2,dq1,dq2,tau1,tau2,extra\n" + "\n".join(lines) + "\n0.1,")
    return file


@pytest.mark.parametrize("rows", [2, 7, 50, 100, 1000])
@pytest.mark.parametrize("log_map", [None, LogMap(delay=0.013), LogMap(delay=-0.02), LogMap(signs=(1.0, -1.0))])
def test_pieces_are_the_whole(path, rows, log_map):
    whole = read_log(path, ROBOT, log_map=log_map)
    pieces = list(read_log_chunks(path, ROBOT, log_map=log_map, rows=rows))
    for name in ("t", "q", "qd", "tau"):
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        # A piece is interpolated between its neighbours: two rows reach far enough for a small delay only.
        if name != "tau" or rows > 2:
            assert np.array_equal(joined, getattr(whole, name))
    assert np.array_equal(np.concatenate([piece.others["extra"] for piece in pieces]), whole.others["extra"])
    assert [piece.first_row for piece in pieces] == list(range(0, 101, rows))
    assert all(piece.first_line == piece.first_row + 2 for piece in pieces)
    assert [f for piece in pieces for f in piece.findings] == list(whole.findings)


def test_pieces_have_rows(path):
    with pytest.raises(ArgumentError, match="pieces of 1 rows"):
        next(open_log(path, ROBOT).chunks(1))


def test_one_row_is_no_log(tmp_path):
    (tmp_path / "log.csv").write_text("t,q1,q2,tau1,tau2\n0,1,2,3,4\n")
    with pytest.raises(ArgumentError, match="1 rows"):
        read_log(tmp_path / "log.csv", ROBOT)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no such file"):
        read_log(tmp_path / "log.csv", ROBOT)
    (tmp_path / "log.xlsx").write_text("")
    with pytest.raises(ArgumentError, match=r"unsupported log format '\.xlsx'"):
        read_log(tmp_path / "log.xlsx", ROBOT)
