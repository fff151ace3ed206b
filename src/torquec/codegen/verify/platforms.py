"""Where a package is compiled and run: compilers of this machine, and emulated processors."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

_SECONDS = 600  # of one program; a Panda's derivatives take some seconds to compile
_WITHOUT_CONTRACTION = ("-std=c99", "-ffp-contract=off")
_M7 = ("-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb", "--specs=rdimon.specs")
_BOARD = ("-M", "mps2-an500", "-cpu", "cortex-m7", "-nographic", "-monitor", "none", "-serial", "none", "-icount",
          "shift=0", "-semihosting-config", "enable=on,target=native", "-kernel")  # fmt: skip

EMULATED_STATES = 16
"""States on an emulated processor: it prints slowly. The odd ones are among the first."""


@dataclass(frozen=True)
class Platform:
    """A compiler with its words, the tool that runs its programs, and files of ours that its programs need."""

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
    """Compile one file without linking; gives what went wrong, or an empty text."""
    words = [word for word in platform.words if word != "-static"]
    command = [platform.compiler, *_WITHOUT_CONTRACTION, *words, "-c", str(source), "-o", str(code)]
    done = run_tool(command)
    return "" if done.returncode == 0 else _last_lines(done)


def build_program(platform: Platform, sources: Sequence[Path], program: Path, *words: str) -> str:
    """Compile and link; gives what went wrong, or an empty text."""
    given = [str(path) for path in sources]
    for name in platform.files:
        place = program.parent / name
        place.write_text((resources.files("torquec.codegen.verify") / "c" / name).read_text(encoding="utf-8"))
        given += ["-Wl,-T", str(place)] if name.endswith(".ld") else [str(place)]
    command = [platform.compiler, *_WITHOUT_CONTRACTION, *platform.words, *words, *given, "-lm", "-o", str(program)]
    done = run_tool(command)
    return "" if done.returncode == 0 else _last_lines(done)


def run_program(platform: Platform, program: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that was built for a platform."""
    return run_tool([*platform.emulator, str(program)])


def run_tool(command: Sequence[str], *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a tool of the user's machine; one that does not end is a failure."""
    try:
        return subprocess.run(  # noqa: S603 - tools of the user's own path, arguments as a list
            list(command),
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(list(command), 1, "", f"{command[0]} did not end within {_SECONDS} s")


def _last_lines(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stderr or done.stdout).strip().splitlines() if line.strip()]
    return "; ".join(lines[-3:]) or f"{done.args[0]} ended with {done.returncode}"
