"""Cycle log of a real-time run: one entry per cycle, read from the loop's memory while it runs."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.foundation.csv_text import csv_text
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.realtime.runtime.library import LogStruct

HEAD = 9
"""Words of an entry before positions, speeds, commanded and sent torques; see `torquec_record.h`."""


@dataclass(frozen=True, eq=False)
class CycleLog:
    """Entries (N, 9 + 4n) as the loop wrote them. Times in seconds of the driver's clock; `t` begins with zero."""

    joints: tuple[str, ...]
    entries: Indices

    def __len__(self) -> int:
        return len(self.entries)

    def _numbers(self, part: int) -> Array:
        n = len(self.joints)
        start = HEAD + part * n
        return np.ascontiguousarray(self.entries[:, start : start + n]).view(np.float64)

    @cached_property
    def t(self) -> Array:
        """Start time of each cycle (N,) [s], from the first one on."""
        first = self.woke[0] if len(self) else 0
        return (self.woke - first) * 1e-9

    @property
    def cycle(self) -> Indices:
        """Number of the cycle (N,)."""
        return self.entries[:, 0]

    @property
    def planned(self) -> Indices:
        """Planned start time (N,) [ns]."""
        return self.entries[:, 1]

    @property
    def woke(self) -> Indices:
        """Actual start time (N,) [ns]."""
        return self.entries[:, 2]

    @property
    def durations(self) -> Indices:
        """Durations of reading, computing and writing (N, 3) [ns]."""
        return self.entries[:, 3:6]

    @property
    def compute(self) -> Array:
        """Computation time of coefficients, law and guards (N,) [s]."""
        return np.asarray(self.entries[:, 4] * 1e-9, dtype=np.float64)

    @property
    def latency(self) -> Array:
        """Start latency (N,) [s]."""
        return np.asarray((self.woke - self.planned) * 1e-9, dtype=np.float64)

    @property
    def mode(self) -> Indices:
        """Mode of the guards (N,), as `GuardMode`."""
        return self.entries[:, 6]

    @property
    def faults(self) -> Indices:
        """All faults so far (N,), as `Fault`."""
        return self.entries[:, 7]

    @property
    def coefficient_age(self) -> Array:
        """Sample age of the coefficients (N,) [s]; NaN without a background."""
        age = self.entries[:, 8]
        return np.where(age < 0, np.nan, age * 1e-9)

    @property
    def q(self) -> Array:
        """Positions (N, n); NaN where there was no sample."""
        return self._numbers(0)

    @property
    def qd(self) -> Array:
        """Speeds (N, n)."""
        return self._numbers(1)

    @property
    def wanted(self) -> Array:
        """Torques commanded by the law (N, n); NaN where it was not called."""
        return self._numbers(2)

    @property
    def tau(self) -> Array:
        """Torques that were sent (N, n)."""
        return self._numbers(3)


class LogReader:
    """Reads entries from a log that a loop writes."""

    def __init__(self, library: ctypes.CDLL, log: LogStruct, joints: int, capacity: int) -> None:
        self._take, self._log = library.torquec_log_take, log
        self._words = HEAD + 4 * joints
        self.memory = np.zeros((capacity, self._words), dtype=np.int64)
        self._taken = np.zeros((min(capacity, 4096), self._words), dtype=np.int64)
        log.capacity, log.words, log.entries = capacity, self._words, self.memory.ctypes.data

    def take(self) -> Indices:
        """The entries since the last call, (k, words)."""
        parts = []
        while True:
            count = int(
                self._take(
                    ctypes.byref(self._log), ctypes.c_void_p(self._taken.ctypes.data), ctypes.c_uint64(len(self._taken))
                )
            )
            parts.append(self._taken[:count].copy())
            if count < len(self._taken):
                return np.concatenate(parts)


def write_cycle_log(log: CycleLog, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a log; gives the path. Raises `ArgumentError` where it cannot be written."""
    target = to_path(path)
    single = {
        "cycle": log.cycle,
        "t": log.t,
        "latency": log.latency,
        "compute": log.compute,
        "mode": log.mode,
        "faults": log.faults,
        "coefficient_age": log.coefficient_age,
    }
    by_joint = {"q": log.q, "qd": log.qd, "wanted": log.wanted, "tau": log.tau}
    header = [*single, *(f"{name}_{joint}" for name in by_joint for joint in log.joints)]
    write_files({target: csv_text(header, np.column_stack([*single.values(), *by_joint.values()]))}, force=force)
    return target
