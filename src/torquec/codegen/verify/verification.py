"""Result of verifying a package, and its measures: branch coverage, stack, size of the code, instructions of a call."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torquec.codegen.verify.c_package import CPackageText
from torquec.codegen.verify.platforms import run_tool


@dataclass(frozen=True)
class BranchCoverage:
    """Lines and branches of the package's source that the states reached."""

    lines: int
    lines_reached: int
    branches: int
    branches_reached: int
    not_reached: tuple[int, ...]
    """Lines of the source with a branch that was not taken."""


def branch_coverage(package: CPackageText, driver: Path, folder: Path) -> BranchCoverage | None:
    """Coverage by gcc and gcov; None where they are missing or fail."""
    if shutil.which("gcc") is None or shutil.which("gcov") is None:
        return None
    words = ["gcc", "-std=c99", "-O0", "--coverage", "-I", str(package.directory.resolve())]
    sources = [str(package.source.resolve()), str(driver)]
    if run_tool([*words, *sources, "-lm", "-o", "covered"], cwd=folder).returncode != 0:
        return None
    if run_tool([str(folder / "covered")], cwd=folder).returncode != 0:
        return None
    notes = next(folder.glob(f"*{package.prefix}.gcno"), None)
    if notes is None:
        return None
    shown = run_tool(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)], cwd=folder)
    if shown.returncode != 0:
        return None
    listed = [file for file in json.loads(shown.stdout)["files"] if file["file"].endswith(package.source.name)]
    lines = [line for file in listed for line in file["lines"]]
    branches = [(line["line_number"], branch["count"]) for line in lines for branch in line["branches"]]
    return BranchCoverage(
        len(lines),
        sum(line["count"] > 0 for line in lines),
        len(branches),
        sum(count > 0 for _, count in branches),
        tuple(sorted({number for number, count in branches if not count})),
    )


def stack_and_size(
    package: CPackageText, compiler: str, words: tuple[str, ...], folder: Path
) -> tuple[dict[str, int], int] | None:
    """(bytes of stack of every function, bytes of code and constants) with -O2; None where a tool is missing or fails.

    The stack of a function is its own frame and those of the package's static functions, all of them together.
    """
    made = folder / f"{compiler}_size.o"
    tool = compiler.replace("gcc", "size")
    command = [compiler, "-std=c99", "-O2", *words, "-fstack-usage", "-c", str(package.source), "-o", str(made)]
    if shutil.which(compiler) is None or shutil.which(tool) is None or run_tool(command).returncode != 0:
        return None
    frames = {name: int(size) for name, size in re.findall(r":(\w+)\t(\d+)\t", made.with_suffix(".su").read_text())}
    names = {function.name for function in package.functions}
    inner = sum(size for name, size in frames.items() if name not in names)
    shown = run_tool([tool, str(made)])
    if shown.returncode != 0:
        return None
    return {name: frames[name] + inner for name in frames if name in names}, int(
        shown.stdout.splitlines()[1].split()[0]
    )


@dataclass(frozen=True)
class InstructionCount:
    """Instructions of one call: the fewest and the most over the states."""

    fewest: int
    most: int

    @property
    def spread(self) -> float:
        """Relative spread, most / fewest - 1."""
        return self.most / self.fewest - 1.0


def instruction_counts(package: CPackageText, driver: Path, folder: Path) -> dict[str, InstructionCount] | None:
    """Instructions of every function on this machine (gcc -O2), by callgrind; None where a tool is missing or fails."""
    if shutil.which("valgrind") is None or shutil.which("gcc") is None:
        return None
    program = folder / "counted"
    words = ["gcc", "-std=c99", "-O2", "-ffp-contract=off", "-g", "-DSTATES=12", "-I", str(package.directory.resolve())]
    if run_tool([*words, str(package.source), str(driver), "-lm", "-o", str(program)]).returncode != 0:
        return None
    found: dict[str, InstructionCount] = {}
    for function in package.functions:
        place = folder / f"calls_{function.name}"
        place.mkdir()
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={function.name}", f"--dump-after={function.name}"]
        if run_tool([*command, f"--callgrind-out-file={place}/out", str(program)]).returncode != 0:
            return None
        totals = [
            int(match.group(1))
            for path in place.iterdir()
            if (match := re.search(r"^totals: (\d+)", path.read_text(), re.MULTILINE)) and int(match.group(1))
        ]
        if not totals:
            return None
        found[function.name] = InstructionCount(min(totals), max(totals))
    return found


class PlatformStatus(StrEnum):
    """Outcome of the verification on one platform."""

    AGREES = "agrees"
    DIFFERS = "differs"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True)
class PlatformResult:
    """Result of one platform: the largest difference from Python, how many numbers differ at all, the self-test."""

    name: str
    status: PlatformStatus
    difference: float | None = None
    different_numbers: int = 0
    numbers: int = 0
    selftest: bool | None = None
    worst: str = ""
    why: str = ""
    instructions: Mapping[str, int] | None = None


@dataclass(frozen=True)
class PackageVerification:
    """Result of verifying a package: size and stack [bytes] by processor, instructions of one call on this machine."""

    directory: Path
    prefix: str
    real: str
    functions: tuple[str, ...]
    platforms: tuple[PlatformResult, ...]
    coverage: BranchCoverage | None
    stack: Mapping[str, Mapping[str, int]]
    size: Mapping[str, int]
    instructions: Mapping[str, InstructionCount] | None
    missing: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether at least one platform was available and all available ones agree."""
        tried = [row for row in self.platforms if row.status is not PlatformStatus.MISSING]
        return bool(tried) and all(row.status is PlatformStatus.AGREES for row in tried)
