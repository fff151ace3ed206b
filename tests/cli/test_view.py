"""`torquec view` and `torquec report`: the files that they write, and what they refuse before the work."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import ARM
from tests.report.result_folders import changed, made_folder, result_folder

from torquec.errors import TorquecError
from torquec.page import self_contained
from torquec.page.build_bundle import COMMAND, is_up_to_date

needs_bundle = pytest.mark.skipif(not is_up_to_date(), reason=f"the script of the pages was not made: {COMMAND}")


@needs_bundle
def test_it_writes_one_page_and_tells_its_size(torquec, tmp_path):
    page = tmp_path / "arm.html"
    document = torquec("view", "planar2r", "-o", page, "--q", "10,20", "--deg", "--json").document
    assert document["bytes"] == page.stat().st_size
    assert set(document) >= {"file", "bytes", "module_bytes", "joints", "hands", "kind", "not_drawn"}
    assert document["joints"] == ["joint1", "joint2"]
    again = torquec("view", "planar2r", "-o", page)
    assert again.status == 2
    assert "--force" in again.err
    assert torquec("view", "planar2r", "-o", page, "--force").status == 0


@needs_bundle
def test_options_that_do_not_go_together(torquec, tmp_path):
    page = tmp_path / "arm.html"
    for words, message in (
        (("--map", "map.toml"), "--map is for a log"),
        (("--trajectory", "standard", "--log", "a.csv"), "both --trajectory and --log"),
        (("--q", "1,2,3"), "--q"),
        (("--package", "name"), "write a name and a folder"),
        (("--package", "name=no-such-folder"), "there is no such folder"),
    ):
        found = torquec("view", "planar2r", "-o", page, *words)
        assert found.status == 2
        assert message in found.err
    assert not page.exists()


def test_without_the_script_it_says_so_before_the_work(torquec, tmp_path, monkeypatch):
    def absent():
        raise TorquecError("the script of the pages was not made", remedy=COMMAND)

    monkeypatch.setattr(self_contained, "check_bundle", absent)
    found = torquec("view", "no-such-robot.urdf", "-o", tmp_path / "arm.html")
    assert found.status == 2
    assert COMMAND in found.err


@needs_bundle
def test_a_mesh_that_cannot_be_drawn_is_named_and_the_page_is_written(torquec, tmp_path):
    link = "<visual><geometry><mesh filename='package://gone/a.stl'/></geometry></visual>"
    (tmp_path / "arm.urdf").write_text(ARM.replace('<link name="base"/>', f'<link name="base">{link}</link>'))
    found = torquec("view", tmp_path / "arm.urdf", "-o", tmp_path / "arm.html", "--json")
    assert found.status == 0
    assert "not drawn: package://gone/a.stl" in found.err
    (problem,) = found.document["not_drawn"]
    assert "--package gone=DIR" in problem
    quiet = torquec("view", tmp_path / "arm.urdf", "-o", tmp_path / "arm.html", "--no-meshes", "--force", "--json")
    assert quiet.document["not_drawn"] == []


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
    assert "no results that a report can show" in torquec("report", tmp_path).err
    missing = torquec("report", tmp_path / "none")
    assert missing.status == 2
    assert "no such folder" in missing.err


MOVE = ("--to", "0.1,0.2", "--duration", "0.5")


@pytest.mark.parametrize(
    ("robot", "arguments"),
    [
        ("scara", ("haptic", "scara", "--experiment", "wall", "--impact", "0.1")),
        ("planar2r", ("design", "planar2r")),
        ("planar2r", ("simulate", "planar2r", *MOVE)),
        ("planar2r", ("simulate", "planar2r", *MOVE, "--runs", "2")),
        ("planar2r", ("compare", "planar2r", "planar2r", *MOVE, "--rounds", "1")),
        ("planar2r", ("compare", "planar2r", "--controllers", "pd", *MOVE)),
    ],
    ids=["haptic", "design", "simulate", "simulate-many", "compare", "compare-controllers"],
)
def test_a_report_is_titled_by_robot_and_command(torquec, tmp_path, robot, arguments):
    """The page is written while its folder still has a temporary name, which nobody may see."""
    folder = tmp_path / "results"
    assert torquec(*arguments, "-o", folder).status == 0
    title = f"{robot}: {arguments[0]}"
    for _ in range(2):
        page, twin = (folder / "report.html").read_text(), json.loads((folder / "report.json").read_text())
        assert f"<title>{title}</title>" in page
        assert f"<h1>{title}</h1>" in page
        assert twin["title"] == title
        assert torquec("report", folder, "--no-live").status == 0


def test_a_folder_of_several_commands_is_titled_by_its_robot(torquec, tmp_path):
    for name, arguments in {"a": ("design", "planar2r"), "b": ("simulate", "planar2r", *MOVE)}.items():
        assert torquec(*arguments, "-o", tmp_path / name).status == 0
    assert torquec("report", tmp_path, "--no-live").status == 0
    assert json.loads((tmp_path / "report.json").read_text())["title"] == "planar2r"
