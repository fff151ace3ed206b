"""Type checkers understand the public names and the quantities of a model: mypy in strict mode on a user's script."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import HANGS

SCRIPT = Path(__file__).with_name("golden") / "typed_script.txt"
ROOT = Path(__file__).resolve().parents[1]


def mypy(script, tmp_path):
    words = [
        "--strict",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "--cache-dir",
        str(tmp_path / "cache"),
        str(script),
    ]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *words],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT / "src")},
    )


def test_the_script_uses_forty_public_names():
    assert len(set(re.findall(r"\btq\.(\w+)", SCRIPT.read_text(encoding="utf-8")))) >= 40


@pytest.mark.slow
def test_a_strict_type_checker_accepts_the_script_and_finds_its_mistakes(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    found = mypy(tmp_path / "script.py", tmp_path)
    assert found.returncode == 0, found.stdout
    text = SCRIPT.read_text(encoding="utf-8")
    for right, wrong in (
        ("arm.inverse_dynamics(state, state, state)", "arm.inverse_dynamics(state, state)"),
        ("tq.simulate(arm, law, motion)", "tq.simulate(arm, law, 3)"),
        ('tq.load_model("arm.tq.json")', 'tq.load_modell("arm.tq.json")'),
    ):
        assert right in text
        (tmp_path / "wrong.py").write_text(text.replace(right, wrong), encoding="utf-8")
        assert mypy(tmp_path / "wrong.py", tmp_path).returncode == 1, wrong
