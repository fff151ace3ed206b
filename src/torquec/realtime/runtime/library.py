"""Shared library of the C runtime: compiled with the system's C compiler, loaded into Python.

The sources are C, since they run between a computer and a robot: people can read them, run sanitizers and analysers on
them, and build them into programs without Python. Laws and plants are machine code from LLVM and need no compiler; the
loop around them, some thousand lines, does. It is compiled once and cached by the hash of sources, compiler and
options.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from torquec.codegen.llvm.cache import CacheEntry, open_cache
from torquec.errors import CompileError
from torquec.foundation.template import package_text
from torquec.realtime.runtime.structures import check_layout

RUNTIME_SOURCES = (
    "torquec_guard.h",
    "torquec_guard.c",
    "torquec_cycle.h",
    "torquec_cycle.c",
    "torquec_driver.h",
    "torquec_record.h",
    "torquec_record.c",
    "torquec_loop.h",
    "torquec_loop.c",
    "torquec_layout.c",
    "driver_simulated.h",
    "driver_simulated.c",
    "driver_shared.h",
    "driver_shared.c",
    "driver_cia402.h",
    "driver_cia402.c",
)
"""Files of the runtime, beside `triple_buffer.h`."""

FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread")


def runtime_sources() -> Mapping[str, str]:
    """The sources of the runtime by name."""
    sources = {name: package_text("realtime/runtime/c", name) for name in RUNTIME_SOURCES}
    return {**sources, "triple_buffer.h": package_text("realtime/c", "triple_buffer.h")}


def find_compiler() -> str:
    """The C compiler: `CC`, else cc, gcc or clang. Raises `CompileError` where there is none, or no POSIX loop."""
    if not sys.platform.startswith("linux"):
        raise CompileError(
            f"the real-time loop needs Linux (clock_nanosleep at absolute times), and this is {sys.platform}",
            remedy="run it on Linux; the package of `torquec generate --target rt-c` runs anywhere",
        )
    named = os.environ.get("CC")
    for name in (named,) if named else ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return found
    raise CompileError(
        f"CC names '{named}', which is not there" if named else "there is no C compiler (cc, gcc or clang)",
        remedy="install one (apt install gcc), or build a package (torquec generate MODEL --target rt-c) elsewhere",
    )


@cache
def runtime_library() -> ctypes.CDLL:
    """The loaded runtime. Raises `CompileError` where it cannot be compiled or loaded."""
    compiler, sources = find_compiler(), runtime_sources()
    identity = hashlib.sha256("\0".join([*FLAGS, compiler, *sources, *sources.values()]).encode()).hexdigest()
    key = f"realtime runtime {identity}"
    kept = open_cache()
    entry = None if kept is None else kept.read(key)
    library = None
    if entry is not None:
        with contextlib.suppress(CompileError):  # even with a valid checksum
            library = _loaded(entry.code)
    if library is None:
        code = compile_sources(compiler, sources)
        if kept is not None:
            kept.write(key, CacheEntry({"compiler": compiler}, code))
        library = _loaded(code)
    library.torquec_shared_make.restype = library.torquec_shared_open.restype = ctypes.c_void_p
    library.torquec_log_take.restype = ctypes.c_uint64
    library.torquec_shared_clock.restype = ctypes.c_int64
    check_layout(library)
    return library


def compile_sources(compiler: str, sources: Mapping[str, str]) -> bytes:
    """The sources as the bytes of a shared library. Raises `CompileError` with the compiler's messages."""
    with tempfile.TemporaryDirectory(prefix="torquec-") as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        files = [name for name in sources if name.endswith(".c")]
        command = [compiler, *FLAGS, *files, "-lrt", "-o", "runtime.so"]
        try:
            done = subprocess.run(  # noqa: S603 - the user's compiler on our own files
                command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompileError(f"the compiler could not be run: {error}", where=compiler, remedy="set CC") from None
        if done.returncode != 0:
            raise CompileError(
                f"the runtime did not compile:\n{done.stderr[-2000:]}",
                where=compiler,
                remedy="set CC to a compiler with C11 atomics (gcc 4.9, clang 3.6 or later)",
            )
        return (Path(folder) / "runtime.so").read_bytes()


def _loaded(code: bytes) -> ctypes.CDLL:
    """Load the library from a temporary file, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="torquec-") as folder:
        path = Path(folder) / "runtime.so"
        path.write_bytes(code)
        try:
            return ctypes.CDLL(str(path), use_errno=True)
        except OSError as error:
            raise CompileError(
                f"the compiled runtime could not be loaded: {error}",
                remedy="name a folder for temporary files that allows programs (TMPDIR)",
            ) from None
