"""Measure docs/benchmarks.md again: peers side by side, stamped with machine, load, commit and versions.

    python -m benchmarks.benchmark_page [--only TITLE ...] [--limit 120]

Every table is the output of a command, which the page names. A table is omitted, with the reason, if its command takes
longer than the limit [s], or if a peer, a compiler or a browser is missing. `--only` measures some tables and keeps the
others of the page, with their own stamps. It takes about five minutes on an idle machine with two cores.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peer import ROBOTS, SHARED
from torquec.project.peers import processor_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
_BUSY = 0.5
"""Load per core above which a machine counts as busy: another process has a good part of it."""
_PACKAGES = ("numpy", "scipy", "llvmlite", "pin", "mujoco", "casadi", "roboticstoolbox-python", "pyarrow")

HEAD = """# Benchmarks

Made by `python -m benchmarks.benchmark_page`; nothing on this page is typed by hand. Contestants of a table take turns
in one run, and agree with each other before they are timed. Ratios say more than times: a time is that of one machine,
and of how busy it was. Peers are what was installed: Pinocchio (`pin`), MuJoCo, CasADi, and C that CasADi generated
from Pinocchio's algorithms ("peer" in tables of C loops, compiled with gcc -O3 -march=native, its best variant).
Numbers under "target" are those that this project set itself.
"""


@dataclass(frozen=True)
class Measured:
    """One table of the page: what it shows, and the module that prints it."""

    title: str
    about: str
    module: str
    words: tuple[str, ...] = ()
    as_table: bool = False
    """The module prints JSON documents of `torquec bench`, which become one table."""

    @property
    def command(self) -> str:
        """What repeats it, wherever robot files lie."""
        return " ".join(("python -m", self.module, *(Path(word).name if "/" in word else word for word in self.words)))


def robot_words() -> tuple[str, ...]:
    """The robots to compare on: published files where they are at hand, else robots that are built in."""
    files = [SHARED / "models" / f"{name}.urdf" for name in ROBOTS]
    return tuple(os.path.relpath(path, ROOT) for path in files if path.is_file()) or ("puma560", "stanford", "scara")


def tables() -> tuple[Measured, ...]:
    """Every table, in the order of the page."""
    calls = tuple(
        Measured(
            f"One call from Python: {Path(word).stem}",
            "Nanoseconds of one call, the least of all rounds; in brackets how many times ours it is.",
            "torquec",
            ("bench", word, "--rounds", "15", "--json"),
            as_table=True,
        )
        for word in robot_words()
    )
    return (
        *calls,
        Measured(
            "One call from C",
            "Our native code and our exported C against the peer's C, called from one C loop.",
            "benchmarks.native",
            ("--rounds", "15"),
        ),
        Measured(
            "Batches",
            "Inverse dynamics of many states; the peer is its C function in a C loop.",
            "benchmarks.batch",
            ("--rounds", "8", "--states", "1000000"),
        ),
        Measured(
            "Operations",
            "Multiplications and additions of the exported C; these are counted, and the same on every machine.",
            "benchmarks.operations",
        ),
        Measured(
            "Controllers",
            "What one step of a control law costs, in calls of the exact inverse dynamics.",
            "benchmarks.controllers",
            ("--rounds", "40"),
        ),
        Measured(
            "Inverse kinematics",
            "All branches of one pose, the nearest one, joint rates; a textbook solution in C beside it, and EAIK "
            "where it is installed. `ik(R, p)` is the documented call; the other rows from Python are "
            "`ik.native.call`, which leaves out checks and the result object.",
            "benchmarks.inverse_kinematics",
            ("--rounds", "15", "--poses", "500"),
        ),
        Measured(
            "Identification",
            "Regressor and streaming triangles of a seven-joint arm beside Pinocchio in a Python loop and one lstsq.",
            "benchmarks.identification",
            (*(word for word in robot_words()[:1] if word.endswith(".urdf")), "--rows", "100000"),
        ),
        Measured("Haptics", "One whole haptic cycle of the PUMA 560.", "benchmarks.haptic_cycle"),
        Measured(
            "In the browser",
            "A call of the model in a page beside the same call in a C loop.",
            "benchmarks.page",
            ("--rounds", "10"),
        ),
        Measured("Waiting times", "What a user waits for, by the clock.", "benchmarks.startup"),
    )


def stamp() -> str:
    """Machine, load, commit and versions, as one paragraph."""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    state = "busy: times are upper bounds" if load > _BUSY * cores else "idle"
    return f"{now}, commit {_commit()}, {processor_name()}, {cores} cores, load {load:.1f} ({state})."


def versions() -> str:
    """Of the system, the compiler and every package that takes part."""
    found = [f"{platform.system()} {platform.machine()}", f"Python {platform.python_version()}", _compiler()]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(word for word in found if word)


def _commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


def _compiler() -> str:
    if shutil.which("gcc") is None:
        return ""
    done = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=False)
    return f"gcc {done.stdout.strip()}"


def measured(table: Measured, limit: float) -> str:
    """The section of a table, measured now."""
    when = stamp()
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    try:
        done = subprocess.run(
            [sys.executable, "-m", table.module, *table.words],
            cwd=ROOT,
            env=place,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return section(table, when, f"Not measured: it took longer than {limit:g} s.")
    if done.returncode != 0 and not done.stdout.strip():
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return section(table, when, f"Not measured: {reason}")
    body = bench_table(json.loads(done.stdout)) if table.as_table else f"```text\n{done.stdout.rstrip()}\n```"
    return section(table, when, body)


def section(table: Measured, when: str, body: str) -> str:
    """One part of the page."""
    return f"## {table.title}\n\n{table.about} `{table.command}`\n\n{body}\n\n{when}\n"


def bench_table(document: dict[str, Any]) -> str:
    """The document of `torquec bench` as a table: a row for each function, a column for each contestant.

    >>> print(bench_table({"rows": [{"function": "f", "contestant": "torquec", "ns": 2.0, "ratio": 1.0},
    ...                             {"function": "f", "contestant": "other", "ns": 9.0, "ratio": 4.5}], "absent": {}}))
    | | torquec | other |
    |---|---|---|
    | f | 2 | 9 (4.5) |
    """
    rows = document["rows"]
    names = list(dict.fromkeys(row["contestant"] for row in rows))
    found = {(row["function"], row["contestant"]): row for row in rows}
    lines = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for function in dict.fromkeys(row["function"] for row in rows):
        cells = [_cell(found.get((function, name))) for name in names]
        lines.append(f"| {function} | {' | '.join(cells)} |")
    absent = [f"{name}: {reason}" for name, reason in document["absent"].items()]
    return "\n".join([*lines, *(["", f"Not there: {'; '.join(absent)}."] if absent else [])])


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    return f"{row['ns']:.0f}" if row["ratio"] == 1.0 else f"{row['ns']:.0f} ({row['ratio']:.1f})"


def sections_of(page: str) -> dict[str, str]:
    """The parts of a page by their titles."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {part.splitlines()[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def page_of(sections: Sequence[str]) -> str:
    """The whole page."""
    return "\n".join([HEAD, f"Versions: {versions()}.\n", *sections])


def main() -> int:
    """Measure, and write the page; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="TITLE", help="tables to measure; the others stay as they are")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="of one table")
    arguments = parser.parse_args()
    every = tables()
    unknown = set(arguments.only or ()) - {table.title for table in every}
    if unknown:
        parser.error(f"there is no table {', '.join(sorted(unknown))}; there are {', '.join(t.title for t in every)}")
    kept = sections_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    found = []
    for table in every:
        if arguments.only and table.title not in arguments.only and table.title in kept:
            found.append(kept[table.title])
            continue
        print(f"{table.title}: {table.command}", file=sys.stderr, flush=True)
        found.append(measured(table, arguments.limit))
    PAGE.write_text(page_of(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
