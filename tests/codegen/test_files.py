"""Writing files: beside others, all or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from torquec.codegen.files import write_files
from torquec.errors import ArgumentError


def test_makes_the_directory_and_gives_the_paths(tmp_path):
    paths = write_files(tmp_path / "a" / "b", {"x.c": b"1", "y.c": b"2"})
    assert [path.read_bytes() for path in paths] == [b"1", b"2"]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_leaves_foreign_files_alone_and_replaces_its_own(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "x.c").write_text("old")
    write_files(tmp_path, {"x.c": b"new"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"notes.txt": "mine", "x.c": "new"}


def test_relative_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert write_files(Path("out"), {"x": b""}) == [Path("out/x")]
    assert write_files(Path(), {"x": b""}) == [Path("x")]


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ArgumentError, match="cannot write there") as caught:
        write_files(tmp_path / "out", {"x.c": b""})
    assert str(tmp_path / "out") in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nothing_is_left_when_writing_fails(tmp_path):
    with pytest.raises(ArgumentError):
        write_files(tmp_path / "out", {"good.c": b"1", "no/such/folder.c": b"2"})
    assert not list(tmp_path.rglob("*.c"))
    assert not list(tmp_path.rglob(".*"))
