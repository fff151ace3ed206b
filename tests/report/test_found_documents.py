"""Documents are recognised by what they say of themselves; what lies outside or cannot be read is left alone."""

from __future__ import annotations

import os

import pytest
from tests.report.result_folders import made_folder

from torquec.report.found_documents import find_documents
from torquec.report.result_document import result_text

URDF = '<robot name="r"><link name="a"/></robot>'


def kinds(folder):
    return {document.name: document.kind for document in find_documents(folder).documents}


def test_real_results_by_their_content():
    found = kinds(made_folder())
    assert found["small/simplification.json"] == "simplify"
    assert found["small/planar2r.tq.json"] == "model"
    assert found["small/planar2r.certificate.json"] == "certificate"
    assert found["small/planar2r_simplified.package.json"] == "package"
    assert found["controller/controller.json"] == "controller"
    assert found["plan.json"] == "realtime plan"
    assert "small/report.json" not in found


def test_names_mean_nothing(tmp_path):
    (tmp_path / "design.json").write_text('{"controller": "lqr"}')
    (tmp_path / "anything.json").write_text(result_text("design", {"controller": "lqr"}))
    (tmp_path / "a.urdf").write_text(URDF)
    (tmp_path / "b.xml").write_text(URDF)
    (tmp_path / "c.xml").write_text("<html></html>")
    (tmp_path / "d.toml").write_text('convention = "modified"\n')
    (tmp_path / "e.toml").write_text("[every_joint]\nvelocity = 1.0\n")
    (tmp_path / "f.json").write_text('{"format": "torquec result 1", "command": 3}')
    robots = dict.fromkeys(("a.urdf", "b.xml", "d.toml"), "robot file")
    assert kinds(tmp_path) == {"anything.json": "design"} | robots


def test_hidden_unfinished_and_linked_files_are_left_out(tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text(result_text("info", {}))
    folder = tmp_path / "in"
    for name in (".hidden", "x.partial", "deep"):
        (folder / name).mkdir(parents=True)
        (folder / name / "info.json").write_text(result_text("info", {}))
    (folder / "link.json").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.json")
    assert kinds(folder) == {"deep/info.json": "info"}


def test_what_cannot_be_read_is_a_problem_with_a_name(tmp_path, monkeypatch):
    (tmp_path / "cut.json").write_text(result_text("info", {"name": "a"})[:-10])
    (tmp_path / "latin.xml").write_bytes(b"<robot name='\xff'>")
    (tmp_path / "good.json").write_text(result_text("info", {}))
    found = find_documents(tmp_path)
    assert [problem.split(":")[0] for problem in found.problems] == ["cut.json", "latin.xml"]
    assert [document.name for document in found.documents] == ["good.json"]
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "1")
    (tmp_path / "good.json").write_text(result_text("info", {"long": "x" * 1_100_000}))
    assert any("may take 1 MB" in problem for problem in find_documents(tmp_path).problems)


@pytest.mark.parametrize("name", ["", "small"])
def test_places_as_commands_name_them(name):
    found = find_documents(made_folder(), called="out")
    assert found.location(name) == ("out/small" if name else "out")
