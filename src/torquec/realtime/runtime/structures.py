"""The C structures of the runtime as ctypes sees them; `check_layout` holds both descriptions together."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from typing import ClassVar

from torquec.errors import CompileError

MOST_JOINTS = 64
MOST_PARTS = 4
BINS = 544

_Joints = c_double * MOST_JOINTS
_Fields = list[tuple[str, type]]


class LimitsStruct(ctypes.Structure):
    """`torquec_limits`."""

    _fields_: ClassVar[_Fields] = [
        *((name, c_int32) for name in ("joints", "hold_cycles", "ramp_cycles", "reserved")),
        *((name, c_int64) for name in ("period", "longest_gap", "longest_blind", "oldest_sample")),
        ("power", c_double),
        *((name, _Joints) for name in ("torque", "rate", "lower", "upper", "speed", "slack")),
        *((name, _Joints) for name in ("resolution", "unmoved", "damping")),
    ]


class SampleStruct(ctypes.Structure):
    """`torquec_sample`."""

    _fields_: ClassVar[_Fields] = [("time", c_int64), ("q", _Joints), ("qd", _Joints)]


class _TripleStruct(ctypes.Structure):
    _fields_: ClassVar[_Fields] = [("between", c_uint32), ("writer", c_uint32), ("reader", c_uint32)]


class _MotionStruct(ctypes.Structure):
    _fields_: ClassVar[_Fields] = [("time", c_int64), ("q", _Joints), ("qd", _Joints), ("qdd", _Joints)]


class CoefficientsStruct(ctypes.Structure):
    """`torquec_coefficients`."""

    _fields_: ClassVar[_Fields] = [("robot", c_uint64), ("time", c_int64), ("size", c_int64), ("numbers", c_void_p)]


class ChannelStruct(ctypes.Structure):
    """`torquec_channel`."""

    _fields_: ClassVar[_Fields] = [
        ("motion_buffer", _TripleStruct),
        ("motion", _MotionStruct * 3),
        ("coefficient_buffer", _TripleStruct),
        ("coefficients", CoefficientsStruct * 3),
    ]


class LawStruct(ctypes.Structure):
    """`torquec_law`."""

    _fields_: ClassVar[_Fields] = [
        ("law", c_void_p),
        ("background", c_void_p),
        ("robot", c_uint64),
        ("reference_period", c_int64),
        ("rows", c_int64),
        ("reference", c_void_p),
        ("gains", c_void_p),
        ("memory", c_void_p * 2),
        ("coefficients", c_void_p),
        ("part_sizes", c_int64 * MOST_PARTS),
        *((name, c_int64) for name in ("parts", "gains_size", "memory_size", "coefficients_size")),
        ("oldest_coefficients", c_int64),
        ("joint_positions", c_int64),
        ("channel", c_void_p),
    ]


class DriverStruct(ctypes.Structure):
    """`torquec_driver`."""

    _fields_: ClassVar[_Fields] = [
        ("self", c_void_p),
        ("joints", c_int64),
        *((name, c_void_p) for name in ("read", "write", "clock", "await", "sleep_until", "stop")),
    ]


class HistogramStruct(ctypes.Structure):
    """`torquec_histogram`."""

    _fields_: ClassVar[_Fields] = [("bins", c_uint64 * BINS), ("largest", c_uint64)]


class CountersStruct(ctypes.Structure):
    """`torquec_counters`."""

    COUNTS: ClassVar[tuple[str, ...]] = (
        "cycles",
        "missed",
        "late",
        "blind",
        "clamped_torque",
        "clamped_rate",
        "accepted",
        "refused",
        "backgrounds",
        "page_faults",
    )
    _fields_: ClassVar[_Fields] = [
        *((name, c_uint64) for name in COUNTS),
        *((name, c_int64) for name in ("started", "last")),
        *((name, c_uint32) for name in ("mode", "faults", "first_faults", "running")),
        *((name, HistogramStruct) for name in ("latency", "compute", "cycle")),
    ]


class LogStruct(ctypes.Structure):
    """`torquec_log`."""

    _fields_: ClassVar[_Fields] = [
        *((name, c_uint64) for name in ("written", "taken", "dropped", "capacity", "words")),
        ("entries", c_void_p),
    ]


class _GuardStruct(ctypes.Structure):
    _fields_: ClassVar[_Fields] = [
        *((name, c_int32) for name in ("mode", "cycles")),
        *((name, c_uint32) for name in ("faults", "first_faults")),
        *((name, c_int32) for name in ("started", "has_sample", "has_reference", "reserved")),
        *((name, c_int64) for name in ("last", "heard", "sample", "lead")),
        *((name, _Joints) for name in ("q", "qd", "drift", "carried", "anchor", "tau", "held")),
        *((name, c_uint64) for name in ("steps", "missed", "blind", "clamped_torque", "clamped_rate")),
    ]


class _CycleStruct(ctypes.Structure):
    _fields_: ClassVar[_Fields] = [
        ("guard", _GuardStruct),
        *((name, c_int64) for name in ("start", "coefficients_time")),
        *((name, c_int32) for name in ("has_coefficients", "memory_now", "asked", "reserved")),
        *((name, c_uint64) for name in ("accepted", "refused")),
        ("wanted", _Joints),
    ]


class LoopStruct(ctypes.Structure):
    """`torquec_loop`."""

    _fields_: ClassVar[_Fields] = [
        ("limits", LimitsStruct),
        ("law", LawStruct),
        ("driver", DriverStruct),
        ("counters", CountersStruct),
        ("log", LogStruct),
        ("cycle", _CycleStruct),
        *((name, c_int64) for name in ("duration", "start_patience", "background_period", "watchdog")),
        *((name, c_int32) for name in ("clocked_by_driver", "background_inline", "priority", "lock_memory")),
        *((name, c_int32) for name in ("scheduling_error", "memory_error")),
        *((name, c_uint32) for name in ("stop_asked", "watchdog_fired")),
    ]


class SimulatedStruct(ctypes.Structure):
    """`torquec_simulated`."""

    _fields_: ClassVar[_Fields] = [
        ("step", c_void_p),
        ("state", c_void_p * 2),
        *((name, c_int64) for name in ("joints", "size", "step_time", "cycle_time", "most_steps", "is_virtual")),
        *((name, c_int64) for name in ("now", "time", "current", "released")),
        ("slipped", c_uint64),
        ("tau", _Joints),
        ("stopped", c_uint32),
        ("reserved", c_uint32),
    ]


def layout() -> tuple[int, ...]:
    """What `torquec_loop_layout` must say: sizes and places."""
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
