"""The notebooks are made from their scripts, run, and display what they compute."""

from __future__ import annotations

import json

import pytest
from tests.notebooks import FOLDER, cells_of, notebook_of, run_cells

NAMES = ("certified_model", "control", "first_arm", "identification")


def test_every_script_has_its_notebook():
    assert tuple(sorted(path.stem for path in FOLDER.glob("*.py"))) == NAMES
    for path in FOLDER.glob("*.py"):
        kept = path.with_suffix(".ipynb").read_text(encoding="utf-8")
        assert kept == notebook_of(path.read_text(encoding="utf-8")), "write it again: python -m tests.notebooks"
        assert json.loads(kept)["nbformat"] == 4


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name, capsys):
    pytest.importorskip("scipy", reason="scipy is not installed")
    script = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    shown = run_cells(script)
    assert len(shown) == sum(code for code, _ in cells_of(script))
    drawn = [value for value in shown if hasattr(value, "_repr_html_")]
    assert drawn, "no cell shows a result as HTML"
    assert all("<" in value._repr_html_() for value in drawn)
