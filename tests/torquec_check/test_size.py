"""The trusted base stays small, stands alone, and every file of it has a test."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "torquec_check").glob("*.py"))
ALLOWED = {"numpy", "flint", "torquec_check", *sys.stdlib_module_names}


def _lines(paths):
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def test_all_of_it_has_at_most_3000_lines():
    assert _lines(SOURCES) <= 3000


def test_it_imports_the_standard_library_numpy_and_flint_alone():
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert {name.split(".")[0] for name in names if name} <= ALLOWED, path.name


def test_every_file_has_a_docstring_and_a_test():
    for path in SOURCES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path.name
        assert path.stem.startswith("__") or (Path(__file__).parent / f"test_{path.stem}.py").exists(), path.name
