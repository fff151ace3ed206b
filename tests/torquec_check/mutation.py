"""Mutants of the checker, quickly: each lives in a forked process that has everything else loaded.

python -m tests.torquec_check.mutation --count 200 --seed 1

The mutants are those of :mod:`tests.mutation`, the tests those of this folder. The parent loads Torquec and makes the
documents; a child puts the changed source in the place of its module and runs the tests that call the function of the
change, those of the file's own and short ones first; all of them for a change outside of functions.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.mutation import SOURCES, Mutant, mutant_at, places_of
from tests.torquec_check import documents, holds, packages, witnesses

FOLDER = Path(__file__).parent
LONGEST = 60
"""Processor seconds of a mutant's tests: one that takes longer hangs, and is found."""


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds one module of the checker in the mutant's text."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.text = mutant.name.removesuffix(".py").replace("/", "."), mutant.text

    def find_spec(self, fullname, path=None, target=None):
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def get_source(self, fullname):
        return self.text


class _Calls:
    """Writes which functions of the checker each test calls, by file and first line, and its processor time."""

    def __init__(self, file: Path) -> None:
        self.file, self.found, self.begin = file, {}, str(SOURCES / "torquec_check")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        calls, start = set(), time.process_time()

        def trace(frame, _event, _argument):
            code = frame.f_code
            if code.co_filename.startswith(self.begin):
                calls.add(f"{Path(code.co_filename).name}:{code.co_firstlineno}")

        sys.settrace(trace)
        yield
        sys.settrace(None)
        self.found[item.nodeid] = time.process_time() - start, sorted(calls)

    def pytest_sessionfinish(self):
        self.file.write_text(json.dumps(self.found))


class _Chosen:
    """Leaves these tests, in this order."""

    def __init__(self, names: list[str]) -> None:
        self.place = {name: k for k, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((item for item in items if item.nodeid in self.place), key=lambda i: self.place[i.nodeid])


OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not nothing_but_its_own_folder"]
"""Tests that start processes or count lines see no mutant."""


def every_test() -> list[str]:
    """The files of tests that can see a mutant."""
    return [str(path) for path in sorted(FOLDER.glob("test_*.py")) if path.stem not in ("test_size", "test_tampering")]


def calls_of_tests(file: Path) -> dict[str, tuple[float, list[str]]]:
    """By test: its processor time, and the functions of the checker that it calls, from the file if it is there."""
    child = -1 if file.exists() else os.fork()
    if not child:
        _silenced()
        os._exit(pytest.main([*OPTIONS, *every_test()], plugins=[_Calls(file)]))
    if child > 0 and os.waitpid(child, 0)[1]:
        sys.exit("the tests fail without any mutant")
    return json.loads(file.read_text())


def _silenced() -> None:
    """In a child: nothing is printed, nothing of the checker is loaded."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.split(".")[0] == "torquec_check"]:
        del sys.modules[name]


def tests_of(mutant: Mutant, calls: dict[str, tuple[float, list[str]]]) -> list[str]:
    """The tests that call the function of a mutant; all of them for a change outside of functions."""
    path = SOURCES / mutant.name
    functions = [
        (min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    around = {f"{path.name}:{first}" for first, last in functions if first <= mutant.line <= last}
    seen = [name for name, (_, called) in calls.items() if not around or around & {*called}]
    return sorted(seen, key=lambda name: calls[name][0])


def is_found(mutant: Mutant, calls: dict[str, tuple[float, list[str]]]) -> bool:
    """Whether a test fails with the mutant, or does not end."""
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        _silenced()
        sys.meta_path.insert(0, _Changed(mutant))
        names = tests_of(mutant, calls)
        own = f"/test_{Path(mutant.name).stem.strip('_')}.py::"
        parts = [name for name in names if own in name], [name for name in names if own not in name]
        os._exit(any(_fail(part) for part in parts if part))
    _, status = os.waitpid(child, 0)
    return status != 0


def _fail(names: list[str]) -> bool:
    """Whether one of these tests fails."""
    files = sorted({str(FOLDER / Path(name.partition("::")[0]).name) for name in names})
    return pytest.main([*OPTIONS, *files], plugins=[_Chosen(names)]) not in (0, 5)


def main() -> None:
    """Draw mutants, and print which survive, and the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], help="FILE.py or FILE.py:LINE of mutants to draw from")
    parser.add_argument("--calls", type=Path, help="file of the functions that tests call; made where there is none")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    packages.c_package(folder / "package")
    documents.robot_document(), documents.program_document(), witnesses.witness(), witnesses.witness(uncertain=False)
    holds.document()
    every = [place for path in sorted((SOURCES / "torquec_check").glob("*.py")) for place in places_of(path)]
    random.Random(chosen.seed).shuffle(every)
    if chosen.only:
        every = [m for m in every if {m.path.name, f"{m.path.name}:{m.line}"} & set(chosen.only)]
    drawn = [mutant_at(place) for place in every[: chosen.count]]
    calls = calls_of_tests(chosen.calls or folder / "calls.json")
    survivors = equal = 0
    for k, mutant in enumerate(drawn, start=1):
        start = time.monotonic()
        if mutant.is_equivalent:
            equal += 1
        elif not is_found(mutant, calls):
            survivors += 1
            seconds = time.monotonic() - start
            sys.stdout.write(f"{k:4} SURVIVES {mutant.name}:{mutant.line}  {mutant.change}  ({seconds:.0f} s)\n")
        if k % 10 == 0:
            sys.stdout.write(f"{k} of {len(drawn)}: {survivors} survive, {equal} change no result\n")
        sys.stdout.flush()
    counted = len(drawn) - equal
    share = 100.0 * (counted - survivors) / max(counted, 1)
    sys.stdout.write(f"{counted - survivors} of {counted} found: {share:.1f} %; {equal} change no result\n")


if __name__ == "__main__":
    main()
