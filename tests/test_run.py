"""The script behind the README's two commands: what it says where it cannot work."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The script as a module, acting on an empty folder."""
    loader = SourceFileLoader("torquec_run", str(ROOT / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(module, "PYTHON", str(tmp_path / ".venv" / "bin" / "python"))
    return module


def test_without_a_job_it_says_which_there_are(run, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run"])
    assert run.main() == 2
    assert "./run demo" in capsys.readouterr().err


def test_an_old_python_is_named(run, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run", "demo"])
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    assert run.main() == 2
    assert "needs Python 3.11 or newer" in capsys.readouterr().err


def test_a_python_without_ensurepip_gets_a_remedy_and_leaves_nothing(run, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["run", "demo"])

    def without_ensurepip(command):
        (tmp_path / ".venv").mkdir(exist_ok=True)
        return "--without-pip" in command

    monkeypatch.setattr(run, "quiet", without_ensurepip)
    monkeypatch.setattr(run.shutil, "which", lambda name: None)
    assert run.main() == 2
    assert "sudo apt install python3-venv" in capsys.readouterr().err
    assert not (tmp_path / ".venv").exists()


def test_a_system_pip_serves_an_environment_without_one(run, monkeypatch):
    monkeypatch.setattr(run, "quiet", lambda command: command[0] == sys.executable)
    assert run.create_environment() == ""
    assert run.installer()[:5] == [sys.executable, "-m", "pip", "--python", run.PYTHON]


def test_it_installs_once(run, monkeypatch, tmp_path):
    (tmp_path / ".venv").mkdir()
    calls = []
    monkeypatch.setattr(run, "installer", lambda: ["pip", "install"])
    monkeypatch.setattr(run.subprocess, "call", lambda command, **_: calls.append(command) or 0)
    assert run.install(".[optimize]", "demo") == ""
    assert run.install(".[optimize]", "demo") == ""
    assert calls == [["pip", "install", "--quiet", "--editable", ".[optimize]"]]


def test_the_tests_are_installed_from_the_lock(run, monkeypatch, tmp_path):
    (tmp_path / ".venv").mkdir()
    calls = []
    monkeypatch.setattr(run, "installer", lambda: ["pip", "install"])
    monkeypatch.setattr(run.subprocess, "call", lambda command, **_: calls.append(command) or 0)
    assert run.install(".[test]", "test") == ""
    assert calls == [
        ["pip", "install", "--quiet", "--require-hashes", "--requirement", str(ROOT / "requirements" / "dev.lock")],
        ["pip", "install", "--quiet", "--no-deps", "--editable", "."],
    ]


def test_an_index_with_other_files_is_told_and_serves(run, monkeypatch, tmp_path, capsys):
    (tmp_path / ".venv").mkdir()
    calls = []
    monkeypatch.setattr(run, "installer", lambda: ["pip", "install"])
    monkeypatch.setattr(
        run.subprocess, "call", lambda command, **_: calls.append(command) or int("--require-hashes" in command)
    )
    assert run.install(".[test]", "test") == ""
    assert calls[1] == ["pip", "install", "--quiet", "--editable", ".[test]"]
    assert "other files than requirements/dev.lock" in capsys.readouterr().err


def test_a_failed_installation_is_not_remembered(run, monkeypatch, tmp_path):
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(run, "installer", lambda: ["pip", "install"])
    monkeypatch.setattr(run.subprocess, "call", lambda command, **_: 1)
    assert "installing failed" in run.install(".", "demo")
    assert not list((tmp_path / ".venv").iterdir())


def test_it_parses_on_any_python_3():
    compiled = subprocess.run(
        [sys.executable, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 4))", "run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert compiled.returncode == 0, compiled.stderr
