"""A trace of every cycle for Perfetto (ui.perfetto.dev), in its protobuf format, written while the loop runs.

(1)  tracks:   "cycles" with a slice for every cycle and in it read, compute, write;  "guards" with an instant whenever
     their mode changes;  counters for the latency, the age of coefficients and the torque of every joint
(2)  packets of one kind have a constant length: the time always takes nine bytes, which the format allows (a varint
     may have leading zeros). Thousands of cycles are thus one array of bytes, filled column by column.

Fields are those of perfetto's `TracePacket` and `TrackEvent`; names are interned once, in the first packet.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.foundation.writing import growing_file
from torquec.realtime.runtime.cycle_log import CycleLog
from torquec.realtime.runtime.guards import Fault, GuardMode

# Numbers of fields, as perfetto has them, by message.
_PACKET = 1  # Trace
_TIMESTAMP, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _DESCRIPTOR = 8, 10, 11, 12, 13, 60  # TracePacket
_TYPE, _TRACK, _NAME_ID, _NAME, _VALUE = 9, 11, 10, 23, 44  # TrackEvent
_UUID, _TRACK_NAME, _PROCESS, _PARENT, _COUNTER = 1, 2, 3, 5, 8  # TrackDescriptor

_BEGIN, _END, _INSTANT, _COUNT = 1, 2, 3, 4  # TrackEvent.Type
_CLEARED, _NEEDED = 1, 2  # TracePacket.SequenceFlags: interned names begin here; are needed here
_SLICES = ("cycle", "read", "compute", "write")
_TIMES = ("latency [us]", "coefficients' age [us]")
_TIME_BYTES = 9
"""Bytes of a time in (2): 63 bits."""
_PLACE, _CYCLES, _GUARD_TRACK, _FIRST_COUNTER = 1, 2, 3, 4  # numbers of tracks


class PerfettoTrace:
    """A trace file: a context manager with `add` for log entries; the file appears when the context succeeds.

    `background`: whether there is a sample age of coefficients.
    """

    def __init__(
        self, target: Path, joints: Sequence[str], period: float, *, background: bool = False, force: bool = False
    ) -> None:
        self._joints, self._period = tuple(joints), period
        self._file = contextlib.ExitStack()
        self._target, self._force = target, force
        self._stream: BinaryIO | None = None
        self._mode = GuardMode.RUN
        self._counters = (*_TIMES[: 2 if background else 1], *(f"torque of {name}" for name in self._joints))

    def __enter__(self) -> PerfettoTrace:
        self._stream = self._file.enter_context(growing_file(self._target, force=self._force))
        self._stream.write(self._head())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)

    def add(self, log: CycleLog) -> None:
        """Write the cycles of some entries, in their order."""
        assert self._stream is not None
        if len(log):
            self._stream.write(_cycles(log))
            self._stream.write(self._counted(log))
            self._stream.write(self._changes(log))

    def _head(self) -> bytes:
        """Tracks and names."""
        process = _field(1, 1) + _field(6, f"torquec realtime run, {1.0 / self._period:g} Hz, written by torquec")
        made = [_field(_UUID, _PLACE) + _field(_PROCESS, process)]
        for number, name in ((_CYCLES, "cycles"), (_GUARD_TRACK, "guards")):
            made.append(_field(_UUID, number) + _field(_TRACK_NAME, name) + _field(_PARENT, _PLACE))
        for k, name in enumerate(self._counters):
            made.append(
                _field(_UUID, _FIRST_COUNTER + k)
                + _field(_TRACK_NAME, name)
                + _field(_PARENT, _PLACE)
                + _field(_COUNTER, b"")
            )
        names = b"".join(_field(2, _field(1, k + 1) + _field(2, name)) for k, name in enumerate(_SLICES))
        first = _field(_SEQUENCE, 1) + _field(_FLAGS, _CLEARED) + _field(_INTERNED, names)
        packets = [first, *(_field(_SEQUENCE, 1) + _field(_DESCRIPTOR, one) for one in made)]
        return b"".join(_field(_PACKET, packet) for packet in packets)

    def _counted(self, log: CycleLog) -> bytes:
        """The counters of (1)."""
        times = [log.latency * 1e6, log.coefficient_age * 1e6][: len(self._counters) - len(self._joints)]
        rows = []
        for k, value in enumerate([*times, *log.tau.T]):
            event = _field(_TYPE, _COUNT) + _field(_TRACK, _FIRST_COUNTER + k) + _tag(_VALUE, 1)
            packet = _field(_SEQUENCE, 1) + _tag(_EVENT, 2) + _varint(len(event) + 8) + event
            rows.append(_stamped(packet, log.woke, value))
        return np.concatenate(rows, axis=1).tobytes()

    def _changes(self, log: CycleLog) -> bytes:
        """An instant event at every change of the guards' mode."""
        found = []
        for k in np.flatnonzero(np.diff(log.mode, prepend=int(self._mode))):
            mode, faults = GuardMode(int(log.mode[k])), Fault(int(log.faults[k]))
            name = f"{mode.name.lower()}: {', '.join(faults.words)}" if faults else mode.name.lower()
            event = _field(_TYPE, _INSTANT) + _field(_TRACK, _GUARD_TRACK) + _field(_NAME, name)
            head = _field(_SEQUENCE, 1) + _field(_TIMESTAMP, int(log.woke[k]))
            found.append(_field(_PACKET, head + _field(_EVENT, event)))
        self._mode = GuardMode(int(log.mode[-1]))
        return b"".join(found)


def _cycles(log: CycleLog) -> bytes:
    """The slices of (1)."""
    ends = log.woke[:, None] + np.cumsum(log.durations, axis=1)
    read, computed, written = ends.T
    times = (log.woke, log.woke, read, read, computed, computed, written, written)
    kinds = (("cycle", _BEGIN), ("read", _BEGIN), ("read", _END), ("compute", _BEGIN), ("compute", _END),
             ("write", _BEGIN), ("write", _END), ("cycle", _END))  # fmt: skip
    rows = []
    for time, (name, kind) in zip(times, kinds, strict=True):
        event = _field(_TYPE, kind) + _field(_TRACK, _CYCLES)
        if kind == _BEGIN:
            event += _field(_NAME_ID, _SLICES.index(name) + 1)
        rows.append(_stamped(_field(_SEQUENCE, 1) + _field(_FLAGS, _NEEDED) + _field(_EVENT, event), time))
    return np.concatenate(rows, axis=1).tobytes()


def _stamped(packet: bytes, times: Indices, values: Array | None = None) -> np.ndarray:
    """Packets (N, length) of one kind: the time at the start (2) and, if there are values, a double at the end."""
    tail = 0 if values is None else 8
    front = _tag(_TIMESTAMP, 0)
    size = len(front) + _TIME_BYTES + len(packet) + tail
    head = np.frombuffer(_tag(_PACKET, 2) + _varint(size) + front, dtype=np.uint8)
    rows = np.empty((len(times), len(head) + size - len(front)), dtype=np.uint8)
    rows[:, : len(head)] = head
    stamp = rows[:, len(head) : len(head) + _TIME_BYTES]
    shifts = 7 * np.arange(_TIME_BYTES, dtype=np.int64)
    stamp[:] = (times[:, None] >> shifts) & 0x7F
    stamp[:, :-1] |= 0x80
    rows[:, len(head) + _TIME_BYTES : rows.shape[1] - tail] = np.frombuffer(packet, dtype=np.uint8)
    if values is not None:
        rows[:, -8:] = np.ascontiguousarray(values, dtype="<f8").view(np.uint8).reshape(-1, 8)
    return rows


def _varint(value: int) -> bytes:
    """A number in groups of seven bits, the lowest first.

    >>> _varint(300).hex()
    'ac02'
    """
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _tag(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _field(number: int, value: int | str | bytes) -> bytes:
    """A field of a message: a number, a text or a message."""
    if isinstance(value, int):
        return _tag(number, 0) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _tag(number, 2) + _varint(len(content)) + content
