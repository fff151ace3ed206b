"""`torquec report`: the page of a folder, its JSON keys, exit status 1 where a document is broken."""

from __future__ import annotations

import json

from tests.report.result_folders import changed, made_folder, result_folder


def test_a_page_and_its_twin(torquec, tmp_path):
    page = tmp_path / "report.html"
    outcome = torquec("report", made_folder(), "--no-live", "-o", page, "--json")
    assert outcome.status == 0
    assert outcome.document["file"] == str(page)
    assert outcome.document["bytes"] == page.stat().st_size < 5_000_000
    assert outcome.document["json"] == str(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["title"] == "planar2r"
    again = torquec("report", made_folder(), "--no-live", "-o", page)
    assert again.status == 2
    assert "--force" in again.err
    assert torquec("report", made_folder(), "--no-live", "-o", page, "--force").status == 0


def test_without_a_name_it_lies_in_the_folder_and_is_made_again(torquec, tmp_path):
    folder = result_folder(tmp_path / "results")
    for _ in range(2):
        assert torquec("report", folder, "--no-live").status == 0
    assert (folder / "report.html").exists()


def test_a_broken_document_is_named(torquec, tmp_path):
    folder = result_folder(tmp_path / "results")
    changed(folder / "bench.json", rows=3)
    outcome = torquec("report", folder, "--no-live")
    assert outcome.status == 1
    assert "not shown: bench.json: rows is no list" in outcome.out
    assert "1 document could not be shown" in outcome.err
    assert (folder / "report.html").exists()


def test_a_project_file_stands_for_its_run(torquec, tmp_path):
    result_folder(tmp_path / "results")
    (tmp_path / "p.toml").write_text("")
    assert torquec("report", tmp_path / "p.toml", "--no-live").status == 0
    assert (tmp_path / "results" / "report.html").exists()


def test_refusals(torquec, tmp_path):
    assert "nothing in this folder" in torquec("report", tmp_path).err
    missing = torquec("report", tmp_path / "none")
    assert missing.status == 2
    assert "no such folder" in missing.err
