"""Logs and trajectories that are meant to hang the reader or to fill the memory, and numbers that are none."""

from __future__ import annotations

import io
import os
import zipfile

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic
from torquec.trajectory.csv_file import read_trajectory
from torquec.trajectory.log_map import read_log_map
from torquec.trajectory.read_log import read_log, read_log_chunks

ARM = load_classic("planar2r")


def npz(path, **arrays):
    np.savez(path, **arrays)
    return path


def headed(path, shape, data=b""):
    """An archive whose array says that it has a shape."""
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.npy", content.getvalue() + data)
    return path


def test_an_archive_that_unfolds_to_too_much_is_refused_before_it_does(tmp_path, monkeypatch):
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "1")
    bomb = headed(tmp_path / "bomb.npz", (200_000,), bytes(1_600_000))
    assert bomb.stat().st_size < 10_000
    with pytest.raises(ArgumentError, match="the archive decompresses to 2 MB: a log may take 1 MB") as caught:
        read_log(bomb, ARM)
    assert "TORQUEC_FILE_LIMIT" in caught.value.remedy


def test_an_array_that_claims_more_than_there_is(tmp_path):
    with pytest.raises(ArgumentError, match=r"t\.npy claims \(1000000000000,\) numbers"):
        read_log(headed(tmp_path / "lie.npz", (10**12,)), ARM)


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.npz", b""), ("junk.npz", b"PK\x03\x04" + bytes(range(200))), ("text.npz", b"t,q1\n0,1\n")],
)
def test_what_is_no_archive_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArgumentError, match=f"{name}: cannot be read"):
        read_log(tmp_path / name, ARM)


def test_arrays_that_are_no_real_numbers_or_too_many(tmp_path):
    rest = {"q": np.zeros((2, 2)), "tau": np.zeros((2, 2))}
    for t in (np.array(["a", "b"]), np.array([1j, 2j]), np.array([object(), None], dtype=object)):
        with pytest.raises(ArgumentError, match="cannot be read"):
            read_log(npz(tmp_path / "a.npz", t=t, **rest), ARM)
    with pytest.raises(ArgumentError, match="20004 columns"):
        read_log(npz(tmp_path / "a.npz", t=np.arange(2.0), wide=np.zeros((2, 19_999)), **rest), ARM)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("name", ["a", "a.csv", "a.npz", "a.parquet", "a.mcap", "a.db3", "bag/a.db3"])
def test_pipes_are_refused(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(ArgumentError, match="not a regular file"):
        read_log(tmp_path / name.split("/")[0], ARM)
    with pytest.raises(ArgumentError, match="not a regular file"):
        read_trajectory(tmp_path / name)


LOGS = {
    "a blank line": ("\n", "the file has no rows"),
    "many blank lines": ("\n" * 2000, "the file has no rows"),
    "no end of line": ("x" * 10_000_001, "log.csv:1: the line has no end"),
    "20001 columns": (",".join(["t", *(f"c{k}" for k in range(20_000))]) + "\n", "log.csv:1: 20001 columns"),
    "no text": ("t,q1\n\0\0\xff\n", "log.csv"),
}


@pytest.mark.parametrize("case", LOGS)
def test_texts_that_are_no_log(tmp_path, case):
    text, message = LOGS[case]
    (tmp_path / "log.csv").write_text(text, encoding="latin-1")
    with pytest.raises(ArgumentError, match=message):
        read_log(tmp_path / "log.csv", ARM)


def test_a_large_log_is_read_in_pieces_and_not_whole(tmp_path, monkeypatch):
    rows = "".join(f"{k / 1000},0,0,0,{k}\n" for k in range(30_000))
    (tmp_path / "log.csv").write_text(f"t,q1,q2,tau1,tau2\n{rows}")
    assert len(read_log(tmp_path / "log.csv", ARM).t) == 30_000
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "1")
    with pytest.raises(ArgumentError, match=r"rows take 1 MB: a log may take 1 MB"):
        read_log(tmp_path / "log.csv", ARM)
    assert sum(len(piece.t) for piece in read_log_chunks(tmp_path / "log.csv", ARM, rows=1000)) == 30_000


TRAJECTORIES = {
    "a blank line": ("\n", "the file is empty"),
    "three lines, a thousand years": ("t,q_a\n0,0\n3e10,1\n", "3e.13 samples of 1 joints"),
    "three lines, for ever": ("t,q_a\n0,0\n1e300,1\n", "samples of 1 joints"),
    "20001 columns": ("t," + ",".join(f"q_{k}" for k in range(20_000)) + "\n", "motion.csv:1: 20001 columns"),
    "a long field": (f"t,q_a\n0,{'1' * 200_000}\n1,0\n", "not CSV: field larger"),
    "a number too large": (f"t,q_a\n0,{'1' * 400}\n1,0\n", "motion.csv:2: .* not a finite number"),
}


@pytest.mark.parametrize("case", TRAJECTORIES)
def test_trajectories_that_are_none(tmp_path, case):
    text, message = TRAJECTORIES[case]
    (tmp_path / "motion.csv").write_text(text)
    with pytest.raises(ArgumentError, match=message):
        read_trajectory(tmp_path / "motion.csv")


@pytest.mark.parametrize("text", [f"delay = {'9' * 400}", f"delay = {'9' * 5000}", "delay = " + "[" * 5000])
def test_maps_with_numbers_that_no_double_holds(tmp_path, text):
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(ArgumentError, match=r"map\.toml"):
        read_log_map(tmp_path / "map.toml")
