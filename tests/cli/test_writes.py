"""What a command will write is checked before the work: folders, files, pictures, extras."""

from __future__ import annotations

import pytest

from torquec.cli import writes
from torquec.cli.writes import Writes, check_target, need_extra
from torquec.errors import ArgumentError, MissingExtraError


def test_what_is_there_already_takes_force(tmp_path):
    file = tmp_path / "out.json"
    check_target(file, Writes.FILE, force=False)
    file.write_text('{"format": "torquec model"}')
    with pytest.raises(ArgumentError, match="exists already"):
        check_target(file, Writes.FILE, force=False)
    check_target(file, Writes.FILE, force=True)
    with pytest.raises(ArgumentError, match="not empty"):
        check_target(tmp_path, Writes.FOLDER, force=False)
    check_target(tmp_path, Writes.FOLDER, force=True)
    check_target(tmp_path, Writes.PACKAGE, force=False)


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path):
    with pytest.raises(ArgumentError, match="this is a folder"):
        check_target(tmp_path, Writes.FILE, force=True)
    (tmp_path / "out").write_text("")
    for kind in (Writes.FOLDER, Writes.PACKAGE):
        with pytest.raises(ArgumentError, match="this is a file"):
            check_target(tmp_path / "out", kind, force=True)


def test_pictures_have_an_ending_that_names_their_format(tmp_path):
    pytest.importorskip("matplotlib")
    check_target(tmp_path / "a.svg", Writes.PICTURE, force=False)
    with pytest.raises(ArgumentError, match=r"'\.jpeg' is not that of a picture"):
        check_target(tmp_path / "a.jpeg", Writes.PICTURE, force=False)


def test_an_extra_that_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(writes, "_PACKAGES", {"plot": ("no_such_package",)})
    with pytest.raises(MissingExtraError, match="plot"):
        need_extra("plot", "drawing")
    with pytest.raises(MissingExtraError, match="plot"):
        check_target(tmp_path / "a.png", Writes.PICTURE, force=False)
