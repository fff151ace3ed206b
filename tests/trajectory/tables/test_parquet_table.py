"""Parquet logs: columns, lists, stamps, missing values."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from torquec.errors import ArgumentError, MissingExtraError
from torquec.robot import classics
from torquec.trajectory.read_log import read_log, read_log_chunks

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROBOT = classics.planar2r()
T = 0.01 * np.arange(30)
COLUMNS = {"t": T, "q1": T, "q2": 2 * T, "tau1": 3 * T, "tau2": 4 * T}


def written(path, columns):
    parquet.write_table(arrow.table(columns), path)
    return path


def test_plain_columns(tmp_path):
    log = read_log(written(tmp_path / "log.parquet", COLUMNS), ROBOT)
    assert np.array_equal(log.q, np.stack([T, 2 * T], axis=1))
    assert np.array_equal(log.tau, np.stack([3 * T, 4 * T], axis=1))


def test_columns_of_lists(tmp_path):
    columns = {"t": T, "q": [[t, 2 * t] for t in T], "tau": [[3 * t, 4 * t] for t in T]}
    log = read_log(written(tmp_path / "log.parquet", columns), ROBOT)
    assert np.array_equal(log.q, np.stack([T, 2 * T], axis=1))


@pytest.mark.parametrize(
    "q", [[[1.0, 2.0], [1.0], [1.0, 2.0]], [[1.0], [2.0, 3.0, 4.0], [5.0, 6.0]], [[1.0], [2.0], None]]
)
def test_lists_of_several_lengths_are_refused(tmp_path, q):
    """The second one has as many numbers as three rows of two."""
    columns = {"t": T[:3], "q": q, "tau1": T[:3], "tau2": T[:3]}
    with pytest.raises(ArgumentError, match="several lengths"):
        read_log(written(tmp_path / "log.parquet", columns), ROBOT)


def test_lists_of_another_length_in_a_later_block_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("torquec.trajectory.tables.parquet_table._ROWS", 2)
    columns = {"t": T[:4], "q": [[1.0, 2.0]] * 2 + [[1.0, 2.0, 3.0]] * 2, "tau1": T[:4], "tau2": T[:4]}
    with pytest.raises(ArgumentError, match="several lengths"):
        read_log(written(tmp_path / "log.parquet", columns), ROBOT)


def test_stamps_integers_words_and_missing_values(tmp_path):
    columns = COLUMNS | {
        "t": (T * 1e9).round().astype("datetime64[ns]"),
        "q1": arrow.array([None, *T[1:].tolist()]),
        "mode": ["run"] * 30,
        "counter": np.arange(30),
    }
    log = read_log(written(tmp_path / "log.parquet", columns), ROBOT)
    assert np.allclose(np.diff(log.t), 0.01)
    assert np.isnan(log.q[0, 0])
    assert log.others["counter"].tolist() == list(range(30))
    assert any("mode" in finding.text for finding in log.findings)


def test_pieces_are_the_whole(tmp_path):
    path = written(tmp_path / "log.parquet", COLUMNS)
    pieces = list(read_log_chunks(path, ROBOT, rows=7))
    assert [len(piece) for piece in pieces] == [7, 7, 7, 7, 2]
    assert np.array_equal(np.concatenate([piece.q for piece in pieces]), read_log(path, ROBOT).q)


def test_what_is_no_parquet_file_is_refused(tmp_path):
    (tmp_path / "log.parquet").write_text("nothing")
    with pytest.raises(ArgumentError, match="cannot be read"):
        read_log(tmp_path / "log.parquet", ROBOT)


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    path = written(tmp_path / "log.parquet", COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"torquec\[parquet\]"):
        read_log(path, ROBOT)
