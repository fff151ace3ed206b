"""`torquec view`: the file that it writes, and what it refuses before the work."""

from __future__ import annotations

import pytest
from tests.cli.conftest import ARM

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
