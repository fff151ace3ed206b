"""Code on pages, run as a reader would: every block of Python and every command of a Markdown file, in order.

A page is run in a folder of its own. A block with a caption is a file of that name; blocks of Python share their
names; a line of a block of shell is a command, whose exit status is 0 unless a comment behind it says `exit status 1`.
Indented blocks of commands, as in the README, count as well. What cannot be run here says why in a comment above
it, `<!-- not run: the reason -->`. Where a page takes files for granted, `GIVEN` has them.

A block of the language `output` is what the block before it prints on stdout, compared as `page_output` says; a comment
above it, `<!-- numbers within 10 % -->`, states another tolerance. `python -m tests.page_results --update PAGE` writes
such blocks again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.page_output import difference
from tests.patience import HANGS
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
_FENCE = re.compile(r"^```([^\n`]*)\n((?::\w+:[^\n]*\n)*)(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_REASON = re.compile(r"<!-- not run: ((?:(?!-->).)+) -->\s*\Z", flags=re.DOTALL)
_WITHIN = re.compile(r"<!-- numbers within ([\d.]+) % -->\s*\Z")
_MODULE = "code_of_a_page"


@dataclass(frozen=True)
class Block:
    """A block of code: language, text, line, the file that it is, and why it is not run; "" where there is none.

    `within` is the relative tolerance of an output's numbers, None for the usual one; `begin` is where its text begins.
    """

    language: str
    text: str
    line: int
    file: str = ""
    reason: str = ""
    within: float | None = None
    begin: int = 0


def blocks(page: str) -> list[Block]:
    """The fenced blocks of code of a page, in order; directives such as pictures and tables of contents are no code."""
    found = []
    for match in _FENCE.finditer(page):
        language = match[1].removeprefix("{code-block}").strip()
        if language.startswith("{"):
            continue
        caption = re.search(r"^:caption: *(.+)$", match[2], flags=re.MULTILINE)
        reason, within = (comment.search(page[: match.start()]) for comment in (_REASON, _WITHIN))
        file, why = caption[1].strip() if caption else "", " ".join(reason[1].split()) if reason else ""
        tolerance = float(within[1]) / 100.0 if within else None
        line = page.count("\n", 0, match.start()) + 1
        found.append(Block(language, match[3], line, file, why, tolerance, match.start(3)))
    return found


def commands(text: str) -> list[str]:
    """The commands of a block of shell, one line each, comments kept."""
    joined = re.sub(r" *\\\n\s*", " ", text)
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def run_page(page: str, folder: Path, *, name: str = "page") -> int:
    """Run everything on a page in a folder, compare its outputs; gives how many blocks were run or compared."""
    done = 0
    for block, printed in run_blocks(page, folder, name=name):
        if block.language == "output":
            wrong = difference(block.text, printed, within=block.within)
            assert not wrong, (
                f"{name}, line {block.line}: {wrong}\nwrite it again: python -m tests.page_results --update {name}"
            )
        done += 1
    return done


def run_blocks(page: str, folder: Path, *, name: str = "page") -> Iterator[tuple[Block, str]]:
    """Run a page in a folder: each block with what it prints, an output with what the block before it prints."""
    (folder / "examples").symlink_to(ROOT / "examples")
    prepare(page, folder)
    module = sys.modules[_MODULE] = ModuleType(_MODULE)  # classes look up the module that they are in
    printed = ""
    for block in blocks(page):
        if block.reason:
            printed = ""
            continue
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as captured:
                exec(compile("\n" * block.line + block.text, name, "exec"), module.__dict__)
            printed = captured.getvalue()
        elif block.language == "shell":
            printed = "".join(run_line(line, folder) for line in commands(block.text))
        elif block.language != "output":
            continue
        yield block, printed


def run_line(line: str, folder: Path) -> str:
    """Run one command of a page: our own in this process, others as programs; a program that is missing is a skip.

    Gives what it prints on stdout, unless that goes to a file.
    """
    printed = ""
    status = re.search(r"# .*exit status (\d)", line)
    for part in re.sub(r"\s+#.*$", "", line).split(" && "):
        words, *into = part.split(" > ")
        result = run_words(shlex.split(words), folder)
        assert result.code == (int(status[1]) if status else 0), f"{line}\n{result.said}"
        if into:
            (folder / into[0].strip()).write_text(result.output, encoding="utf-8")
        else:
            printed += result.output
    return printed


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it wrote: all of it, and to stdout alone."""

    code: int
    said: str
    output: str


def run_words(words: list[str], folder: Path) -> Ran:
    """Run one command, given as words."""
    if words[0] == "torquec":
        made = CliRunner().invoke(app, words[1:])
        return Ran(made.exit_code, f"{made.output}\n{made.exception!r}", made.stdout)
    program = sys.executable if words[0] == "python" else shutil.which(words[0], path=None)
    if words[0].startswith("./"):
        program = str(folder / words[0])
    if program is None:
        pytest.skip(f"{words[0]} is not installed here")
    ended = subprocess.run(
        [program, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=HANGS, check=False
    )
    return Ran(ended.returncode, ended.stdout + ended.stderr, ended.stdout)


def prepare(page: str, folder: Path) -> None:
    """Make the files that a page takes for granted: those of `GIVEN` that it names and does not make itself."""
    made = {block.file for block in blocks(page)}
    for name, make in GIVEN.items():
        if re.search(rf"(?<![\w/.-]){re.escape(name)}\b", page) and name not in made:
            make(folder / name)


def _arm(name: str, *, classic: str = "planar2r", payload: float = 0.0) -> tq.Robot:
    """A classic under another name, with a load in its hand where one is wanted."""
    robot = dataclasses.replace(getattr(tq.classics, classic)(), name=name, gravity=(0.0, 0.0, -9.81))  # as URDF has it
    return tq.attach_payload(robot, "link2", mass=payload, center=(0.1, 0.0, 0.0)) if payload else robot


def write_log(robot: tq.Robot, path: Path, *, duration: float = 12.0, rate: float = 100.0, noise: float = 0.0) -> None:
    """Times, positions, speeds and torques of a robot on sums of sines within half of its limits, as CSV."""
    n, t = len(robot.joints), np.arange(0.0, duration, 1.0 / rate)
    draw = np.random.default_rng(5)
    q = np.zeros((t.size, n))
    qd, qdd = np.zeros_like(q), np.zeros_like(q)
    for k, joint in enumerate(robot.joints):
        low, high = max(joint.limits.lower, -2.0), min(joint.limits.upper, 2.0)
        size, middle = 0.12 * (high - low), 0.5 * (low + high)
        q[:, k] = middle
        for harmonic in (1, 2, 3):
            rate_of = 2.0 * np.pi * harmonic * 0.13
            phase = draw.uniform(0.0, 2.0 * np.pi)
            q[:, k] += size * np.sin(rate_of * t + phase)
            qd[:, k] += size * rate_of * np.cos(rate_of * t + phase)
            qdd[:, k] -= size * rate_of**2 * np.sin(rate_of * t + phase)
    tau = tq.compile(robot).total_torque(q, qd, qdd) + noise * draw.standard_normal(q.shape)
    header = ["t", *(f"{kind}{k + 1}" for kind in ("q", "dq", "tau") for k in range(n))]
    np.savetxt(path, np.column_stack([t, q, qd, tau]), delimiter=",", header=",".join(header), comments="", fmt="%.9g")


def _example(path: Path) -> None:
    """An example with closed loops and its side file."""
    for name in (path.name, f"{path.stem}.loops.toml"):
        shutil.copy(ROOT / "examples" / "closed_loops" / name, path.with_name(name))


GIVEN = {
    "palletizer.urdf": _example,
    "delta.urdf": _example,
    "robot.urdf": lambda path: tq.write_urdf(_arm("robot"), path),
    "arm.urdf": lambda path: tq.write_urdf(_arm("arm"), path),
    "panda.urdf": lambda path: tq.write_urdf(_arm("panda", classic="puma560"), path),
    "before.urdf": lambda path: tq.write_urdf(_arm("arm"), path),
    "after.urdf": lambda path: tq.write_urdf(_arm("arm", payload=0.2), path),
    "run.csv": lambda path: write_log(_arm("arm"), path),
    "long.csv": lambda path: write_log(_arm("arm"), path),
    "bare.csv": lambda path: write_log(_arm("arm"), path),
    "loaded.csv": lambda path: write_log(_arm("arm", payload=0.4), path),
}
"""Files of pages that are about other things than these files."""
