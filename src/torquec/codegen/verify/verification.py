"""Platforms that compile and run a package, and measurements on them: coverage, stack, code size, instructions.

Platforms are compilers for this machine and emulated processors. Their program calls every function at given states and
prints the bits of all results, one line per state, `function state bits bits ...`. Where `COUNT` is defined, it reads
the timer of a Cortex-M7 around a hundred calls of each function: under `qemu -icount shift=0` an instruction takes a
nanosecond and a tick 40 of them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torquec.codegen.verify.c_package import CFunction, CPackageText
from torquec.foundation.arrays import AnyArray
from torquec.foundation.template import filled_template, package_text

_TIMEOUT = 600  # [s] for one program; a Panda's derivatives take some seconds to compile
_WITHOUT_CONTRACTION = ("-std=c99", "-ffp-contract=off")
_M7 = ("-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb", "--specs=rdimon.specs")
_BOARD = ("-M", "mps2-an500", "-cpu", "cortex-m7", "-nographic", "-monitor", "none", "-serial", "none", "-icount",
          "shift=0", "-semihosting-config", "enable=on,target=native", "-kernel")  # fmt: skip

EMULATED_STATES = 16
"""States on an emulated processor: it prints slowly. The special states are among the first."""


@dataclass(frozen=True)
class Platform:
    """A compiler with its options, the tool that runs its programs, and support files that its programs need."""

    name: str
    compiler: str
    words: tuple[str, ...]
    emulator: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_cortex_m7: bool = False

    @property
    def missing(self) -> list[str]:
        """The tools that are not installed."""
        tools = [self.compiler, *self.emulator[:1]]
        return [tool for tool in tools if shutil.which(tool) is None]


def _host(compiler: str, level: str) -> Platform:
    return Platform(f"{compiler} {level}", compiler, (level,))


PLATFORMS: tuple[Platform, ...] = (
    *(_host(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2", "-O3")),
    Platform(
        "Cortex-M7 (qemu)",
        "arm-none-eabi-gcc",
        ("-O2", *_M7),
        ("qemu-system-arm", *_BOARD),
        ("start.c", "link.ld"),
        is_cortex_m7=True,
    ),
    Platform("aarch64 (qemu)", "aarch64-linux-gnu-gcc", ("-O2", "-static"), ("qemu-aarch64",)),
)
"""Every platform, in the order of the report."""


def compile_source(platform: Platform, source: Path, code: Path) -> str:
    """Compile one file without linking; gives the error, or an empty text."""
    words = [word for word in platform.words if word != "-static"]
    command = [platform.compiler, *_WITHOUT_CONTRACTION, *words, "-c", str(source), "-o", str(code)]
    done = run_tool(command)
    return "" if done.returncode == 0 else _last_lines(done)


def build_program(platform: Platform, sources: Sequence[Path], program: Path, *words: str) -> str:
    """Compile and link; gives the error, or an empty text."""
    given = [str(path) for path in sources]
    for name in platform.files:
        place = program.parent / name
        place.write_text(package_text("codegen/verify/c", name))
        given += ["-Wl,-T", str(place)] if name.endswith(".ld") else [str(place)]
    command = [platform.compiler, *_WITHOUT_CONTRACTION, *platform.words, *words, *given, "-lm", "-o", str(program)]
    done = run_tool(command)
    return "" if done.returncode == 0 else _last_lines(done)


def run_program(platform: Platform, program: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that was built for a platform."""
    return run_tool([*platform.emulator, str(program)])


def run_tool(command: Sequence[str], *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a tool of the user's machine; a timeout counts as a failure."""
    try:
        return subprocess.run(  # noqa: S603 - tools of the user's own path, arguments as a list
            list(command),
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(list(command), 1, "", f"{command[0]} did not end within {_TIMEOUT} s")


def _last_lines(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stderr or done.stdout).strip().splitlines() if line.strip()]
    return "; ".join(lines[-3:]) or f"{done.args[0]} ended with {done.returncode}"


COUNTED_CALLS = 100
NANOSECONDS_A_TICK = 40
"""Period of a tick [ns] of the timer of qemu's mps2 boards, which runs at 25 MHz."""


def driver_text(package: CPackageText, states: Mapping[str, Mapping[str, AnyArray]], count: int) -> str:
    """The program for `count` states: inputs (count, size) by name of each function."""
    single = package.real == "float"
    head = filled_template(
        "codegen/verify/c",
        "driver.c",
        PREFIX=package.prefix,
        STATES=count,
        REAL=package.real,
        BITS="uint32_t" if single else "uint64_t",
        FORMAT='" %08lx"' if single else '" %08lx%08lx"',
        PRINTED="(unsigned long)word" if single else "(unsigned long)(word >> 32), (unsigned long)(word & 0xFFFFFFFFu)",
    )
    parts = [head]
    for number, function in enumerate(package.functions):
        parts.append(_calls(number, function, states[function.name], single=single))
    calls = "".join(f"    call_{k}();\n" for k in range(len(package.functions)))
    timer = "#ifdef COUNT\n    TIMER[1] = 0xFFFFFFu;\n    TIMER[2] = 0u;\n    TIMER[0] = 5u;\n#endif\n"
    parts.append(f"int main(void)\n{{\n{timer}{calls}    return 0;\n}}\n")
    return "\n".join(parts)


def _calls(number: int, function: CFunction, states: Mapping[str, AnyArray], *, single: bool) -> str:
    lines = [f"static void call_{number}(void)", "{"]
    for array in function.inputs:
        lines += _table(f"given_{array.name}", states[array.name], array.size, single=single)
    lines += [f"    static real found_{array.name}[{max(array.size, 1)}];" for array in function.outputs]
    arguments = [f"given_{array.name}[k]" for array in function.inputs]
    arguments += [f"found_{array.name}" for array in function.outputs]
    call = f"{function.name}({', '.join(arguments)});"
    lines += ["    int k;", "    for (k = 0; k < STATES; ++k) {", f"        {call}"]
    lines += [
        f'        show("{function.name}.{array.name}", k, found_{array.name}, {array.size});'
        for array in function.outputs
    ]
    repeated = call.replace("[k]", "[0]")
    lines += [
        "    }",
        "#ifdef COUNT",
        "    {",
        "        const uint32_t before = TIMER[2];",
        f"        for (k = 0; k < {COUNTED_CALLS}; ++k) {{",
        f"            {repeated}",
        "        }",
        f'        count("{function.name}", before, TIMER[2]);',
        "    }",
        "#endif",
        "}",
        "",
    ]
    return "\n".join(lines)


def _table(name: str, values: AnyArray, size: int, *, single: bool) -> list[str]:
    """The states as bits that C reads back exactly, NaN included, by way of a union's first member."""
    lines = [
        f"    static const union {{ {'uint32_t' if single else 'uint64_t'} bits; real value; }} bits_{name}[] = {{"
    ]
    kind = "u4" if single else "u8"
    flat = values.reshape(-1).astype("f4" if single else "f8").view(kind)
    suffix = "u" if single else "ull"
    lines += [f"        {{0x{int(word):x}{suffix}}}," for word in (flat if flat.size else [0])]
    lines += [
        "    };",
        f"    const real (*const {name})[{max(size, 1)}] = (const real (*)[{max(size, 1)}])&bits_{name}[0];",
    ]
    return lines


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
