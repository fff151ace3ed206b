"""The trusted base stays small, stands alone, and every file of it has a test."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tests.torquec_check.packages import c_package

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "torquec_check").glob("*.py"))
ALLOWED = {"numpy", "flint", "torquec_check", *sys.stdlib_module_names}


def _lines(paths):
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


CORE = "document program robot rows recursion rounding boxes program_error c_source"
"""What torque errors, coefficient errors and C are checked with (docs/trusted-base.md)."""


def test_the_core_has_at_most_1500_lines_and_all_of_it_4500():
    assert _lines(path for path in SOURCES if path.stem in CORE.split()) <= 1500
    assert _lines(SOURCES) <= 4500


def test_at_most_1500_statements_are_executed_for_the_package_of_two_joints(tmp_path):
    script = (
        "import sys, runpy\n"
        "sys.settrace(lambda f, *_: note if f.f_code.co_filename.startswith(sys.argv[2]) else None)\n"
        "seen = set()\n"
        "def note(f, *_):\n"
        "    seen.add((f.f_code.co_filename, f.f_lineno))\n"
        "    return note\n"
        "from torquec_check.__main__ import main\n"
        "assert main([sys.argv[1]]) == 0\n"
        "sys.settrace(None)\n"
        "for place in seen: print(*place, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", script, str(c_package(tmp_path / "package")), str(SOURCES[0].parent)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    seen = {tuple(line.rsplit(" ", 1)) for line in found.stderr.splitlines()}
    count = 0
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.stmt) and not isinstance(getattr(node, "value", None), ast.Constant):
                body = getattr(node, "body", None)
                last = node.end_lineno if body is None else max(node.lineno, body[0].lineno - 1)
                count += any((str(path), str(line)) in seen for line in range(node.lineno, last + 1))
    assert 1000 < count <= 1500


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
