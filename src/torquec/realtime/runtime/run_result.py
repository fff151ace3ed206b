"""Status and result of a real-time run, with histograms of its times: sixteen bins per octave."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.realtime.runtime.cycle_log import CycleLog
from torquec.realtime.runtime.guards import FAULT_REMEDIES, Fault, GuardLimits, GuardMode, RunEnd
from torquec.realtime.runtime.library import BINS, CountersStruct, HistogramStruct, LoopStruct
from torquec.trajectory.trajectory import Trajectory


def bin_starts() -> Array:
    """The first nanosecond of every bin and the end of the last one, (BINS + 1,) [ns]."""
    bins = np.arange(BINS + 1)
    return np.where(bins < 32, bins, (16.0 + bins % 16) * 2.0 ** (bins // 16 - 1))


@dataclass(frozen=True, eq=False)
class TimeHistogram:
    """Histogram of times: counts (BINS,), and the largest [s]."""

    counts: Indices
    largest: float

    @staticmethod
    def of(struct: HistogramStruct) -> TimeHistogram:
        """A copy of the loop's counts."""
        return TimeHistogram(np.array(struct.bins, dtype=np.int64), struct.largest * 1e-9)

    @property
    def count(self) -> int:
        """Number of counted times."""
        return int(self.counts.sum())

    def percentile(self, share: float) -> float:
        """Percentile [s]: the time that `share` per cent do not exceed, rounded up to the end of its bin."""
        if not self.count:
            return 0.0
        k = int(np.searchsorted(np.cumsum(self.counts), np.ceil(share / 100.0 * self.count)))
        return min(self.largest, float(bin_starts()[k + 1]) * 1e-9)

    def to_document(self) -> dict[str, float]:
        """Percentiles and the largest [s]."""
        shares = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
        return {**{name: self.percentile(share) for name, share in shares.items()}, "max": self.largest}


@dataclass(frozen=True, eq=False)
class RunStatus:
    """Status of a run, `elapsed` [s] after its start.

    `counts`: cycles; cycles `missed`; cycles that ended `late`, after the next one was due; `blind`, without a state;
    with a torque or a rate `clamped`; records of coefficients `accepted` and `refused`; runs of the background; page
    faults of the loop. `latency`: from the planned to the actual start of a cycle; `compute`: coefficients, law and
    guards; `cycle`: from start to start.
    """

    period: float
    elapsed: float
    counts: dict[str, int]
    mode: GuardMode
    faults: Fault
    first_faults: Fault
    latency: TimeHistogram
    compute: TimeHistogram
    cycle: TimeHistogram

    @staticmethod
    def of(struct: LoopStruct, limits: GuardLimits) -> RunStatus:
        """A copy of the loop's counters."""
        counters = struct.counters
        return RunStatus(
            limits.period,
            (counters.last - counters.started) * 1e-9,
            {name: int(getattr(counters, name)) for name in CountersStruct.COUNTS},
            GuardMode(counters.mode),
            Fault(counters.faults),
            Fault(counters.first_faults),
            *(TimeHistogram.of(getattr(counters, name)) for name in ("latency", "compute", "cycle")),
        )

    @property
    def rate(self) -> float:
        """Cycles per second that the loop reached [Hz]."""
        return self.counts["cycles"] / self.elapsed if self.elapsed > 0.0 else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class RealtimeResult:
    """Result of a real-time run: how it `end`ed, the last `status`, its `limits`, and the `log` of its cycles.

    `dropped` entries of the log were lost because the reader was late, `slipped` steps of a simulated robot because the
    machine was. `notes`: what the system did not grant, with the remedy.
    """

    end: RunEnd
    status: RunStatus
    limits: GuardLimits
    log: CycleLog
    motion: Trajectory
    dropped: int
    slipped: int
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        why = f": {', '.join(self.first_faults.words)}" if self.end is RunEnd.FAULT else ""
        return f"RealtimeResult({self.end.value}{why}, {self.status.counts['cycles']} cycles)"

    @property
    def first_faults(self) -> Fault:
        """The faults that began the stop."""
        return self.status.first_faults

    @property
    def failed(self) -> str:
        """Why the run did not end as requested, with the remedies; empty if it did."""
        if self.end is RunEnd.ENDED:
            return ""
        found = self.first_faults & ~Fault.REQUESTED
        remedies = [f"{Fault(part).words[0]}: {text}" for part, text in FAULT_REMEDIES.items() if part in found]
        head = {
            RunEnd.FAULT: f"the robot was stopped after {self.status.counts['cycles']} cycles",
            RunEnd.NOT_STARTED: "the robot was not started",
            RunEnd.NO_THREAD: "the system gave no thread",
            RunEnd.OTHER_JOINTS: f"the driver has another number of joints than the model's {len(self.limits.joints)}",
        }[self.end]
        return "\n  ".join([head, *remedies])

    @cached_property
    def error(self) -> Array:
        """Tracking errors (N, n) of the logged cycles in which the law controlled the robot; NaN in the others."""
        log = self.log
        if not len(log):
            return np.zeros((0, len(self.limits.joints)))
        late = (log.woke - log.planned[0]) * 1e-9
        rows = np.clip(np.ceil(late / self.limits.period - 0.5).astype(np.int64), 0, len(self.motion) - 1)
        running = (log.mode == GuardMode.RUN)[:, None]
        error: Array = np.where(running, self.motion.q[rows] - log.q, np.nan)
        return error

    def to_document(self) -> dict[str, Any]:
        """The result as `--json` prints it."""
        status, joints = self.status, self.limits.joints
        largest = [None] * len(joints)
        if len(self.log) and np.isfinite(self.error).any():
            largest = np.nanmax(np.abs(self.error), axis=0).tolist()
        return {
            "end": self.end.value,
            "faults": list((status.faults & ~Fault.REQUESTED).words),
            "first_faults": list((status.first_faults & ~Fault.REQUESTED).words),
            "period": self.limits.period,
            "rate": status.rate,
            **status.counts,
            "log_dropped": self.dropped,
            "simulated_time_slipped": self.slipped,
            "latency": status.latency.to_document(),
            "compute": status.compute.to_document(),
            "cycle": status.cycle.to_document(),
            "max_error": dict(zip(joints, largest, strict=True)),
            "limits": self.limits.to_document(),
            "notes": list(self.notes),
        }


def system_notes(struct: LoopStruct) -> tuple[str, ...]:
    """Requests to the operating system that were refused."""
    notes = []
    if struct.scheduling_error:
        notes.append(
            f"ordinary scheduling, SCHED_FIFO was refused ({_word(struct.scheduling_error)}): allow it with "
            "`ulimit -r 80`, a line `rtprio 80` in /etc/security/limits.conf, or CAP_SYS_NICE; or give --priority 0"
        )
    if struct.memory_error:
        notes.append(
            f"memory is not locked ({_word(struct.memory_error)}): allow it with `ulimit -l unlimited`, a line "
            "`memlock unlimited` in /etc/security/limits.conf, or CAP_IPC_LOCK"
        )
    return tuple(notes)


def _word(number: int) -> str:
    return f"{errno.errorcode.get(number, number)}, {os.strerror(number)}"
