"""Shared library of the C runtime, compiled with the system's C compiler, and its structures as ctypes sees them.

The sources are C, because they run between a computer and a robot: people can read them, run sanitizers and analysers
on them, and build them into programs without Python. Laws and plants are machine code from LLVM and need no compiler;
only the loop around them does. The loop is compiled once and cached by the hash of sources, compiler and options.
`check_layout` compares the structures here with those of the compiled sources.
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
from ctypes import c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from torquec.codegen.llvm.cache import CacheEntry, open_cache
from torquec.errors import CompileError
from torquec.foundation.template import package_text

MOST_JOINTS = 64
MOST_PARTS = 4
BINS = 544

_Joints = c_double * MOST_JOINTS
_TYPES: Mapping[str, Any] = {
    "int32": c_int32,
    "int64": c_int64,
    "uint32": c_uint32,
    "uint64": c_uint64,
    "double": c_double,
    "pointer": c_void_p,
    "joints": _Joints,
}


def _fields(text: str, **structures: Any) -> list[tuple[str, Any]]:
    """Fields as C declares them, `type name name[2]; ..`: numbers, pointers, `joints` (an array) and structures."""
    found = []
    for declaration in text.split(";"):
        kind, *names = declaration.split()
        for name in names:
            plain, _, length = name.rstrip("]").partition("[")
            element = structures.get(kind) or _TYPES[kind]
            found.append((plain, element * int(length) if length else element))
    return found


class LimitsStruct(ctypes.Structure):
    """`torquec_limits`."""

    _fields_ = _fields(
        "int32 joints hold_cycles ramp_cycles reserved; int64 period longest_gap longest_blind oldest_sample;"
        "double power; joints torque rate lower upper speed slack resolution unmoved damping"
    )


class SampleStruct(ctypes.Structure):
    """`torquec_sample`."""

    _fields_ = _fields("int64 time; joints q qd")


class _TripleStruct(ctypes.Structure):
    _fields_ = _fields("uint32 between writer reader")


class _MotionStruct(ctypes.Structure):
    _fields_ = _fields("int64 time; joints q qd qdd")


class CoefficientsStruct(ctypes.Structure):
    """`torquec_coefficients`."""

    _fields_ = _fields("uint64 robot; int64 time size; pointer numbers")


class ChannelStruct(ctypes.Structure):
    """`torquec_channel`."""

    _fields_ = _fields(
        "triple motion_buffer; motion motion[3]; triple coefficient_buffer; coefficients coefficients[3]",
        triple=_TripleStruct,
        motion=_MotionStruct,
        coefficients=CoefficientsStruct,
    )


class LawStruct(ctypes.Structure):
    """`torquec_law`."""

    _fields_ = _fields(
        "pointer law background; uint64 robot; int64 reference_period rows; pointer reference gains memory[2];"
        f"pointer coefficients; int64 part_sizes[{MOST_PARTS}] parts gains_size memory_size coefficients_size;"
        "int64 oldest_coefficients joint_positions; pointer channel"
    )


class DriverStruct(ctypes.Structure):
    """`torquec_driver`."""

    _fields_ = _fields("pointer self; int64 joints; pointer read write clock await sleep_until stop")


class HistogramStruct(ctypes.Structure):
    """`torquec_histogram`."""

    _fields_ = _fields(f"uint64 bins[{BINS}] largest")


_COUNTS = "cycles missed late blind clamped_torque clamped_rate accepted refused backgrounds page_faults"


class CountersStruct(ctypes.Structure):
    """`torquec_counters`."""

    COUNTS = tuple(_COUNTS.split())
    _fields_ = _fields(
        f"uint64 {_COUNTS}; int64 started last; uint32 mode faults first_faults running;"
        "histogram latency compute cycle",
        histogram=HistogramStruct,
    )


class LogStruct(ctypes.Structure):
    """`torquec_log`."""

    _fields_ = _fields("uint64 written taken dropped capacity words; pointer entries")


class _GuardStruct(ctypes.Structure):
    _fields_ = _fields(
        "int32 mode cycles; uint32 faults first_faults; int32 started has_sample has_reference reserved;"
        "int64 last heard sample lead; joints q qd drift carried anchor tau held;"
        "uint64 steps missed blind clamped_torque clamped_rate"
    )


class _CycleStruct(ctypes.Structure):
    _fields_ = _fields(
        "guard guard; int64 start coefficients_time; int32 has_coefficients memory_now asked reserved;"
        "uint64 accepted refused; joints wanted",
        guard=_GuardStruct,
    )


class LoopStruct(ctypes.Structure):
    """`torquec_loop`."""

    _fields_ = _fields(
        "limits limits; law law; driver driver; counters counters; log log; cycle cycle;"
        "int64 duration start_patience background_period watchdog;"
        "int32 clocked_by_driver background_inline priority lock_memory scheduling_error memory_error;"
        "uint32 stop_asked watchdog_fired",
        limits=LimitsStruct,
        law=LawStruct,
        driver=DriverStruct,
        counters=CountersStruct,
        log=LogStruct,
        cycle=_CycleStruct,
    )


class SimulatedStruct(ctypes.Structure):
    """`torquec_simulated`."""

    _fields_ = _fields(
        "pointer step state[2]; int64 joints size step_time cycle_time most_steps is_virtual;"
        "int64 now time current released; uint64 slipped; joints tau; uint32 stopped reserved"
    )


def layout() -> tuple[int, ...]:
    """Expected result of `torquec_loop_layout`: sizes and offsets."""
    places = ("law", "driver", "counters", "log", "cycle", "duration", "stop_asked")
    inner = (getattr(LoopStruct, name).offset for name in places)
    return (ctypes.sizeof(LoopStruct), *inner, ctypes.sizeof(ChannelStruct), ctypes.sizeof(SimulatedStruct))


def check_layout(library: ctypes.CDLL) -> None:
    """Raise `CompileError` if the compiled structures differ from those here."""
    wanted = layout()
    found = (c_int64 * len(wanted))()
    library.torquec_loop_layout(found)
    if tuple(found) != wanted:
        raise CompileError(
            f"the compiled runtime has other structures: {tuple(found)}, not {wanted}",
            remedy="compile for the processor that Python runs on (unset CC and CFLAGS), and install torquec again",
        )


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
