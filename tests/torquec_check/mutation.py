"""Mutants of the checker, quickly: each lives in a forked process that has everything else loaded.

python -m tests.torquec_check.mutation --count 200 --seed 1

The mutants are those of :mod:`tests.mutation`, the tests those of this folder, the file's own first. The parent loads
Torquec and makes the certified arm; a child puts the changed source in the place of its module and runs pytest.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from tests.mutation import SOURCES, Mutant, mutants_of
from tests.torquec_check import documents, packages

FOLDER = Path(__file__).parent
LONGEST = 120
"""Processor seconds of a mutant's tests: one that takes longer hangs, and is found."""


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds one module of the checker in the mutant's text."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.text = mutant.name.removesuffix(".py").replace("/", "."), mutant.text

    def find_spec(self, fullname, path=None, target=None):
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def get_source(self, fullname):
        return self.text


def tests_of(name: str) -> list[str]:
    """All tests of the folder, the file's own first; those that start processes or count lines see no mutant."""
    every = sorted(FOLDER.glob("test_*.py"), key=lambda path: path.stem != f"test_{Path(name).stem.strip('_')}")
    return [str(path) for path in every if path.stem not in ("test_size", "test_tampering")]


def is_found(mutant: Mutant, *, own_tests: bool = False) -> bool:
    """Whether a test, of the file alone where that is asked, fails with the mutant, or does not end."""
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        sys.dont_write_bytecode = True
        for name in [name for name in sys.modules if name.split(".")[0] == "torquec_check"]:
            del sys.modules[name]
        sys.meta_path.insert(0, _Changed(mutant))
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not nothing_but_its_own_folder"]
        own, *others = tests_of(mutant.name)
        os._exit(any(pytest.main([*options, *tests]) != 0 for tests in ([own], [] if own_tests else others) if tests))
    _, status = os.waitpid(child, 0)
    return status != 0


def main() -> None:
    """Draw mutants, and print which survive, and the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], help="FILE.py or FILE.py:LINE of mutants to draw from")
    parser.add_argument("--own", action="store_true", help="with the tests of the mutant's file alone: a lower bound")
    chosen = parser.parse_args()
    packages.c_package(Path(os.environ.get("TMPDIR", "/tmp")) / f"mutants-{os.getpid()}")
    documents.robot_document(), documents.program_document()
    every = [mutant for path in sorted((SOURCES / "torquec_check").glob("*.py")) for mutant in mutants_of(path)]
    random.Random(chosen.seed).shuffle(every)
    if chosen.only:
        every = [m for m in every if {Path(m.name).name, f"{Path(m.name).name}:{m.line}"} & set(chosen.only)]
    drawn = every[: chosen.count]
    honest = Mutant("torquec_check/nothing.py", 0, "", "")
    if is_found(honest):
        sys.exit("the tests fail without any mutant")
    survivors = equal = 0
    for k, mutant in enumerate(drawn, start=1):
        start = time.monotonic()
        if mutant.is_equivalent:
            equal += 1
        elif not is_found(mutant, own_tests=chosen.own):
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
