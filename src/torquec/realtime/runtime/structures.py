"""The C structures of the runtime as ctypes sees them; `check_layout` holds both descriptions together."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from typing import Any

from torquec.errors import CompileError

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
    """Raise `CompileError` where the compiled structures are not these."""
    wanted = layout()
    found = (c_int64 * len(wanted))()
    library.torquec_loop_layout(found)
    if tuple(found) != wanted:
        raise CompileError(
            f"the compiled runtime has other structures: {tuple(found)}, not {wanted}",
            remedy="compile for the processor that Python runs on (unset CC and CFLAGS), and install torquec again",
        )
