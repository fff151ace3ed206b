"""The reader of every format: what is no plain file of sensible size is refused at once, in our own words."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from torquec.errors import ArgumentError, RobotFileError, TorquecError
from torquec.foundation.reading import (
    FileKind,
    near_name,
    open_file,
    parse_toml_values,
    read_bytes,
    read_json,
    read_text,
    to_path,
)


@pytest.mark.parametrize("kind", FileKind)
def test_missing_files_folders_and_names_that_are_too_long(tmp_path, kind):
    with pytest.raises(kind.error, match="no such file"):
        read_bytes(tmp_path / "no.urdf", kind)
    with pytest.raises(kind.error, match="directory"):
        read_bytes(tmp_path, kind)
    with pytest.raises(kind.error, match=r"no such file|cannot be read"):
        read_bytes(tmp_path / ("x" * 5000), kind)
    with pytest.raises(kind.error, match=r"cannot be read"):
        read_bytes(tmp_path / "a\0b", kind)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("kind", FileKind)
def test_pipes_and_devices_are_refused_and_not_waited_for(tmp_path, kind):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link"):
        with pytest.raises(kind.error, match="not a regular file"):
            read_bytes(tmp_path / name, kind)


def test_a_large_file_is_refused_and_the_remedy_lifts_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "large.urdf"
    with path.open("wb") as stream:
        stream.truncate(FileKind.ROBOT.most_bytes + 1)  # a hole: it takes no room on the disk
    with pytest.raises(RobotFileError, match="the file has 5 MB: a robot file may take 5 MB") as caught:
        read_bytes(path, FileKind.ROBOT)
    assert "TORQUEC_FILE_LIMIT" in caught.value.remedy
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "6")
    assert len(read_bytes(path, FileKind.ROBOT)) == 5_000_001
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "lots")
    with pytest.raises(ArgumentError, match="TORQUEC_FILE_LIMIT is 'lots'"):
        read_bytes(path, FileKind.ROBOT)


def test_the_largest_sizes_are_those_of_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    documented = {}
    for formats, megabytes in re.findall(r"^\| (.+) \| (\d+) \|$", page, flags=re.MULTILINE):
        documented |= dict.fromkeys(re.sub(r" \(.*\)", "", formats).split(", "), int(megabytes))
    assert documented == {kind.title.partition(" ")[2]: kind.megabytes for kind in FileKind}
    assert all(kind.most_bytes == 1_000_000 * kind.megabytes for kind in FileKind)


def test_a_file_without_a_size_is_read_up_to_the_limit(monkeypatch, tmp_path):
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 2_000_001)
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "2")
    honest = os.fstat

    def says_nothing(handle):
        status = honest(handle)
        return os.stat_result((status.st_mode, *status[1:6], 0, *status[7:10]))

    monkeypatch.setattr(os, "fstat", says_nothing)
    assert stat.S_ISREG(path.stat().st_mode)
    with pytest.raises(RobotFileError, match="more than 2 MB"):
        read_bytes(path, FileKind.ROBOT)
    path.write_bytes(b"xy" * 1_000_000)
    assert read_bytes(path, FileKind.ROBOT) == b"xy" * 1_000_000


def test_text_names_the_line_of_a_bad_byte(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(ArgumentError, match=r"a\.toml:2: the file is not UTF-8"):
        read_text(path, FileKind.LOG_MAP)
    path.write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_text(path, FileKind.LOG_MAP) == "a = 1"


def test_a_json_file_holds_an_object(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("[1]")
    with pytest.raises(TorquecError, match="this is not a controller"):
        read_json(path, FileKind.CONTROLLER, remedy="")
    path.write_text('{"a": 1}')
    assert read_json(path, FileKind.CONTROLLER, remedy="") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = ", "f:2: not TOML"),
        ("a = [", "f:1: not TOML"),
        ("a = " + "[" * 5000, "nested too deep"),
        ("b = 1\n" + ".".join("a" * 20000) + " = 1", "f:2: a key of more than 50 names"),
        ("b = {" + " . ".join("a" * 60) + " = 1}", "f:1: a key of more than 50 names"),
        ("a = " + "9" * 5000, "f:1: a number of more than 300 digits"),
    ],
)
def test_what_is_not_toml_is_refused(text, message):
    with pytest.raises(RobotFileError, match=message):
        parse_toml_values(text, where="f", error=RobotFileError)


@pytest.mark.parametrize("name", [None, 3, "", "  ", b"robot.urdf", "a\0b"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ArgumentError, match="not the name of a file"):
        to_path(name)


def test_an_open_file_gives_its_bytes(tmp_path):
    (tmp_path / "log.csv").write_bytes(b"t\n")
    with open_file(tmp_path / "log.csv", FileKind.LOG) as stream:
        assert stream.read() == b"t\n"


def test_names_that_a_terminal_would_obey_are_not_suggested(tmp_path):
    (tmp_path / "rob\x1b[2Jot.urdf").write_text("")
    assert near_name(tmp_path / "robot.urdf") == ""
    (tmp_path / "robots.urdf").write_text("")
    assert near_name(tmp_path / "robot.urdf") == "robots.urdf"


def test_a_near_name_in_the_folder_is_suggested(tmp_path):
    (tmp_path / "robot.urdf").write_text("<robot/>")
    with pytest.raises(RobotFileError) as near:
        read_text(tmp_path / "robt.urdf", FileKind.ROBOT)
    assert near.value.remedy == "did you mean 'robot.urdf'? It is in that folder"
    for far in (tmp_path / "arm.xml", tmp_path / "none" / "robot.urdf"):
        with pytest.raises(RobotFileError) as found:
            read_text(far, FileKind.ROBOT)
        assert found.value.remedy == "check the name and the folder"
