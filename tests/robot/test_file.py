"""Reading files that are not there, and writing all or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torquec.errors import ArgumentError, RobotFileError
from torquec.robot.file import read_file, to_path, write_files


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(RobotFileError, match="no such file"):
        read_file(tmp_path / "no.urdf")
    with pytest.raises(RobotFileError, match="directory"):
        read_file(tmp_path)
    with pytest.raises(RobotFileError, match=r"no such file|cannot be read"):
        read_file(tmp_path / ("x" * 5000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(RobotFileError, match="not a regular file"):
        read_file(tmp_path / "pipe.urdf")


@pytest.mark.parametrize("name", [None, 3, "", b"robot.urdf", "a\0b"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ArgumentError, match="not the name of a file"):
        to_path(name)


def test_nothing_is_written_unless_everything_can_be(tmp_path):
    kept = tmp_path / "kept.urdf"
    kept.write_text("before")
    with pytest.raises(ArgumentError, match="cannot be written"):
        write_files({kept: "after", tmp_path / "no folder" / "x": "text"})
    assert kept.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["kept.urdf"]


def test_a_file_is_replaced_whole(tmp_path):
    target = tmp_path / "robot.urdf"
    target.write_text("before")
    write_files({target: "after\n"})
    assert target.read_bytes() == b"after\n"
    assert list(Path(tmp_path).iterdir()) == [target]
