"""From a project file to the folder of its run."""

from __future__ import annotations

import json

import pytest

from torquec.errors import ArgumentError
from torquec.report.run import report_folder


def ran(folder, project="arm.toml", form="torquec run 1"):
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"format": form, "project": project}))


def test_the_run_beside_a_project_or_in_the_working_folder(tmp_path, monkeypatch):
    there = tmp_path / "there"
    there.mkdir()
    project = there / "arm.toml"
    project.write_text("")
    ran(there / "other", "other.toml")
    ran(there / "strange", form="something else")
    (there / "broken").mkdir()
    (there / "broken" / "run.json").write_text("{")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="no run of it lies beside it"):
        report_folder(project)
    ran(there / "out")
    assert report_folder(project) == there / "out"
    monkeypatch.chdir(there)
    assert report_folder(project) == there / "out"  # found once, though both places are the same
    ran(there / "again")
    with pytest.raises(ArgumentError, match=r"several runs of it: .*again, .*out"):
        report_folder(project)


def test_folders_are_themselves_and_missing_files_are_named(tmp_path):
    assert report_folder(tmp_path) == tmp_path
    assert report_folder(tmp_path / "none") == tmp_path / "none"
    with pytest.raises(ArgumentError, match="there is no such file"):
        report_folder(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    assert report_folder(tmp_path / "folder.toml") == tmp_path / "folder.toml"
