"""Mutants: small faults planted in a room's source one by one, and whether its tests notice.

    python -m tests.mutation proof --count 150 --seed 1
    python -m tests.mutation robot/urdf.py codegen/c --count 80 --tests tests/robot tests/codegen/c

Each mutant changes one place of one file: a comparison, its boundary, a sum or product, a number, `and`/`or`,
`all`/`any`, `min`/`max`, a sign, a refusal that is left out. It lives in a copy of the package, never in the source
itself. Tests run in their order until one fails: those that belong to the file by name or by `tests/mirrors.py`, then
those that are named. A mutant that hangs counts as found. Survivors are printed with file, line and change.
Mutants that change no result are listed in `tests/equivalent_mutants.py`, each with its reason, and do not count.
docs/evidence.md records runs.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import copy
import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.equivalent_mutants import EQUIVALENT
from tests.mirrors import COVERED_BY

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"
PACKAGES = ("torquec", "torquec_check")

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
}
_NAMES = {
    "min": "max",
    "max": "min",
    "all": "any",
    "any": "all",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
    "sin": "cos",
    "cos": "sin",
}
_SILENT = {"remedy", "where", "maxsize", "note", "meter"}
"""Keywords whose values are words for people, or sizes of caches: to change them is no fault that a test must find."""


@dataclass(frozen=True)
class Mutant:
    """A file of the package, the line that is changed, what is changed, and the text of the whole file with it.

    `source` is the line as it was.
    """

    name: str
    line: int
    change: str
    text: str
    source: str = ""

    @property
    def is_equivalent(self) -> bool:
        """Whether it is known to change no result."""
        return (self.name, self.source, self.change) in EQUIVALENT


@dataclass(frozen=True)
class Place:
    """Where a mutant is: its file, the number of the node among those that can be changed, and of the change."""

    path: Path
    line: int
    number: int
    change: int


def places_of(path: Path) -> list[Place]:
    """The places of every mutant of a source file."""
    nodes = _sites(ast.parse(path.read_text(encoding="utf-8")))
    return [
        Place(path, node.lineno, number, change)  # type: ignore[attr-defined]
        for number, node in enumerate(nodes)
        for change in range(len(_changes(node)))
    ]


def mutant_at(place: Place) -> Mutant:
    """The mutant of a place."""
    source = place.path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    node = _site(tree, place.number)
    before = ast.unparse(node).splitlines()[0]
    after = _changes(node)[place.change]
    _put(tree, node, after)
    words = f"{before[:60]}  ->  {ast.unparse(after).splitlines()[0][:60]}"
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    name = place.path.relative_to(SOURCES).as_posix().removeprefix("torquec/")
    return Mutant(name, place.line, words, text, source.splitlines()[place.line - 1].strip())


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a source file."""
    return [mutant_at(place) for place in places_of(path)]


def _site(tree: ast.AST, place: int) -> ast.AST:
    return list(_sites(tree))[place]


def _sites(node: ast.AST) -> Iterator[ast.AST]:
    """Places that can be changed, in the order of the tree; words for people and types are passed over."""
    if _changes(node):
        yield node
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list") or (
            isinstance(node, ast.keyword) and node.arg in _SILENT
        ):
            continue
        # `strict` of a zip guards lengths that are equal by construction.
        if field == "keywords" and isinstance(node, ast.Call) and ast.unparse(node.func) == "zip":
            continue
        # NumPy takes every negative size for the one that is left.
        reshapes = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
        for child in value if isinstance(value, list) else [value]:
            if reshapes and isinstance(child, ast.UnaryOp):
                yield child
            elif isinstance(child, ast.AST):
                yield from _sites(child)


def _changes(node: ast.AST) -> list[ast.AST]:
    """What may stand in a node's place."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return [_with(node, ops=[other()]) for other in _COMPARISONS[type(node.ops[0])]]
    if isinstance(node, ast.Compare):
        changed = [(k, other) for k, op in enumerate(node.ops) for other in _COMPARISONS[type(op)][:1]]
        return [_with(node, ops=[other() if j == k else op for j, op in enumerate(node.ops)]) for k, other in changed]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS and not _is_text(node):
        return [_with(node, op=_OPERATIONS[type(node.op)]())]
    if isinstance(node, ast.BoolOp):
        return [_with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [node.operand]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [ast.Constant(not node.value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return [ast.Constant(node.value + 1)]
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return [ast.Constant(2.0 * node.value if node.value else 1.0)]
    if isinstance(node, ast.Name) and node.id in _NAMES and isinstance(node.ctx, ast.Load):
        return [ast.Name(_NAMES[node.id], node.ctx)]
    if isinstance(node, ast.Attribute) and node.attr in _NAMES:
        return [_with(node, attr=_NAMES[node.attr])]
    if isinstance(node, ast.Raise):
        return [ast.Pass()]
    if isinstance(node, ast.Continue):
        return [ast.Break()]
    return []


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(x, ast.JoinedStr) or (isinstance(x, ast.Constant) and isinstance(x.value, str)) for x in sides
    )


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _put(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list):
                setattr(parent, field, [new if item is old else item for item in value])


# --- running the tests ----------------------------------------------------------------------------------------------


def _source(name: str, sources: Path = SOURCES) -> Path:
    """The file or folder of a name: of src/torquec, or of src where it begins with the name of the checker."""
    return sources / name if name.startswith("torquec_check") else sources / "torquec" / name


def own_tests(name: str) -> list[str]:
    """The tests that belong to a source file."""
    path = Path(name)
    mirror = Path("tests") / path.parent / f"test_{path.stem}.py"
    rows = [f"tests/{COVERED_BY[name]}"] if name in COVERED_BY else []
    return [*([mirror.as_posix()] if (ROOT / mirror).exists() else []), *rows]


def is_found(mutant: Mutant, tests: Sequence[str], *, longest: float) -> bool:
    """Whether one of the tests fails, or does not end within `longest` seconds, with the mutant in place."""
    folder = _copied_package()
    place = _source(mutant.name, folder / "src")
    _forget_bytecode(mutant.name)
    place.write_text(mutant.text, encoding="utf-8")
    try:
        return any(_fails(folder, [test], longest) for test in tests)
    finally:
        shutil.copy2(_source(mutant.name), place)


@cache
def _copied_package() -> Path:
    """A copy of the package in which mutants live, one after the other.

    With the bytecode that lies beside the source, which saves seconds for each of them, but for that of files that can
    be changed: a mutant may have the time and the size of the file that it stands for.
    """
    folder = Path(tempfile.mkdtemp(prefix="torquec-mutants-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for package in PACKAGES:
        shutil.copytree(SOURCES / package, folder / "src" / package)
    return folder


def _forget_bytecode(name: str) -> None:
    compiled = Path(importlib.util.cache_from_source(str(_source(name, _copied_package() / "src"))))
    for path in compiled.parent.glob(f"{Path(name).stem}.*"):
        path.unlink()


def _fails(folder: Path, tests: Sequence[str], longest: float) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(longest) != 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Plant the mutants that were drawn, and print which survive and the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="files or folders of src/torquec, or torquec_check/FILE")
    parser.add_argument("--count", type=int, default=150, help="mutants to draw, evenly over all places (150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="*", default=[], help="tests to run after the files' own")
    parser.add_argument("--seconds", type=float, default=600.0, help="a test file that takes longer hangs (600)")
    parser.add_argument("--only", nargs="*", default=[], help="FILE:LINE of mutants to try again")
    chosen = parser.parse_args()
    paths = [_source(each) for each in chosen.sources]
    files = sorted({file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))})
    every = [mutant for file in files for mutant in mutants_of(file)]
    random.Random(chosen.seed).shuffle(every)
    drawn = every[: chosen.count]
    if chosen.only:
        drawn = [mutant for mutant in every if f"{mutant.name}:{mutant.line}" in chosen.only]
    _say(f"{len(drawn)} of {len(every)} mutants of {len(files)} files")
    tests = {mutant.name: list(dict.fromkeys([*own_tests(mutant.name), *chosen.tests])) for mutant in drawn}
    for test in dict.fromkeys(test for each in tests.values() for test in each):
        if _fails(ROOT, [test], chosen.seconds):
            sys.exit(f"{test} fails, or takes longer than {chosen.seconds:.0f} s, without any mutant")
    survivors = equal = 0
    for k, mutant in enumerate(drawn, start=1):
        if mutant.is_equivalent:
            equal += 1
            _say(f"{k:4} the same {mutant.name}:{mutant.line}  {mutant.change}")
            continue
        start = time.monotonic()
        found = is_found(mutant, tests[mutant.name], longest=chosen.seconds)
        survivors += not found
        word = "found   " if found else "SURVIVES"
        taken = time.monotonic() - start
        _say(f"{k:4} {word} {mutant.name}:{mutant.line}  {mutant.change}  ({taken:.0f} s)")
    counted = len(drawn) - equal
    share = 100.0 * (counted - survivors) / max(counted, 1)
    _say(f"{counted - survivors} of {counted} found: {share:.1f} %; {equal} change no result")


if __name__ == "__main__":
    main()
