"""`LogSource`: samples of a log in memory, or of one that is reread piece by piece in every pass.

(1)  samples come in blocks; a log in memory is one block
(2)  the number of used samples, their rate and the number of independent ones are known before the first block
(3)  decimation continues across blocks, so that it keeps the same samples for every block size
(4)  computations that need all samples of a log at once use `whole`
(5)  computations per log run in parallel on the executor of a `Work` where every log is a file read in pieces: a
     worker gets the file's name and reads it itself; the results are the same, in the order of the logs
(6)  stiction is not a function of the state: rows of a joint are used only where it is faster than
     min(v, 0.02 of its largest speed in the logs), independently of the other joints. A model with friction memory
     predicts the torque at standstill and uses all rows
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices, Mask
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work
from torquec.identification.logs.prepare import Samples, correlation_of, thinning
from torquec.identification.logs.stream_log import LogScan, Pieces, stream_blocks
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import open_log

Result = TypeVar("Result")

_STANDSTILL_SHARE = 0.02  # of the largest speed: rows of a joint that always moves slowly are still used
EDGE = 0.5
"""Seconds at each end of a log that are not used: filter transients."""


class LogSource(Protocol):
    """The samples of one log (1), (2)."""

    @property
    def source(self) -> str:
        """The log's name."""
        ...

    @property
    def rate(self) -> float:
        """Samples per second [Hz]."""
        ...

    @property
    def cutoff(self) -> float:
        """Cut-off of the filter [Hz]."""
        ...

    @property
    def used(self) -> int:
        """How many samples count."""
        ...

    @property
    def standstill(self) -> Array | None:
        """Speeds (n,) below which a joint counts as standing still, None where all its rows count (6)."""
        ...

    @property
    def whole(self) -> Samples | None:
        """All samples at once, or None where they are read piece by piece (4)."""
        ...

    def blocks(self) -> Iterator[Samples]:
        """The samples from the first on, block by block."""
        ...


@dataclass(frozen=True, eq=False)
class LogInMemory:
    """A log whose samples are in memory."""

    whole: Samples
    standstill: Array | None = None

    @property
    def source(self) -> str:
        """The log's name."""
        return self.whole.source

    @property
    def rate(self) -> float:
        """Samples per second [Hz]."""
        return self.whole.rate

    @property
    def cutoff(self) -> float:
        """Cut-off of the filter [Hz]."""
        return self.whole.cutoff

    @cached_property
    def used(self) -> int:
        """How many samples count."""
        return int(self.whole.used.sum())

    def blocks(self) -> Iterator[Samples]:
        """The one block."""
        yield self.whole


@dataclass(frozen=True, eq=False)
class LogInPieces:
    """A log that is reread in every pass, with the results of a first pass; `rows` samples are in memory at a time."""

    pieces: Pieces
    scan: LogScan
    rows: int
    standstill: Array | None = None
    whole: None = None

    @property
    def source(self) -> str:
        """The log's name."""
        return self.scan.source

    @property
    def rate(self) -> float:
        """Samples per second [Hz]."""
        return self.scan.rate

    @property
    def cutoff(self) -> float:
        """Cut-off of the filter [Hz]."""
        return self.scan.cutoff

    @cached_property
    def used(self) -> int:
        """How many samples count."""
        return self.scan.used_count(EDGE)

    def blocks(self) -> Iterator[Samples]:
        """The samples, read anew."""
        return stream_blocks(self.pieces, self.scan, edge=EDGE, rows=self.rows)


def log_in_pieces(pieces: Pieces, scan: LogScan, *, cutoff: float, rows: int) -> LogInPieces:
    """A log in pieces after a first pass, filtered at `cutoff` [Hz]; raises `ArgumentError` without usable samples."""
    made = LogInPieces(pieces, dataclasses.replace(scan, cutoff=cutoff), rows)
    if made.used < 2:
        raise ArgumentError(
            "no samples remain without half a second at each end and what lies beside gaps",
            where=scan.source,
            remedy="record a longer motion without pauses",
        )
    return made


@dataclass(frozen=True)
class FilePieces:
    """The pieces of a log's file, `rows` rows each; reopened in every pass, also by workers (5)."""

    path: str | os.PathLike[str]
    robot: Robot
    log_map: LogMap | None
    rows: int

    def __call__(self) -> Iterator[Log]:
        """From the first on."""
        return open_log(self.path, self.robot, log_map=self.log_map).chunks(self.rows)


def are_files(logs: Sequence[LogSource]) -> bool:
    """Whether all logs are files read in pieces, which workers can read themselves (5)."""
    return all(isinstance(log, LogInPieces) and isinstance(log.pieces, FilePieces) for log in logs)


def each_log(
    work: Work, name: str, function: Callable[..., Result], logs: Sequence[LogSource], *given: Any
) -> list[Result]:
    """`function(log, *given)` of every log, in parallel where possible (5)."""
    if work.executor is None or not are_files(logs):
        return [function(log, *given) for log in logs]
    return list(work.map(name, _of_log, [_LogTask(function, log, given) for log in logs], kept=False))


@dataclass(frozen=True, eq=False)
class _LogTask:
    """Task of a worker: a function, its log and further arguments."""

    function: Callable[..., Any]
    log: LogSource
    given: tuple[Any, ...]


def _of_log(task: _LogTask) -> Any:
    with one_thread():
        return task.function(task.log, *task.given)


def pieces_of(log: Log, rows: int) -> Pieces:
    """A log in memory as pieces of `rows` rows, so that derived arrays need not be in memory at once."""
    return partial(_slices, log, rows)


def moving_only(logs: Sequence[LogSource], standstill: float) -> tuple[LogSource, ...]:
    """The logs without the rows of joints at standstill (6), v = `standstill` [rad/s or m/s]; all rows for zero."""
    if not standstill > 0.0:
        return tuple(logs)
    largest = [np.abs(block.qd[block.used]).max(axis=0) for log in logs for block in log.blocks() if block.used.any()]
    speeds = np.minimum(standstill, _STANDSTILL_SHARE * np.max(largest, axis=0))
    return tuple(with_standstill(log, speeds) for log in logs)


def with_standstill(log: LogSource, speeds: Array | None) -> LogSource:
    """The same log with other speeds (n,) of standstill, None to count all rows."""
    assert isinstance(log, LogInMemory | LogInPieces)
    return dataclasses.replace(log, standstill=speeds)


def counted_rows(log: LogSource, block: Samples) -> Mask | None:
    """Which rows (N, n) of a block count in a fit (6); None for all."""
    if log.standstill is None:
        return None
    counted: Mask = np.abs(block.qd) >= log.standstill
    return counted


def decimated_count(log: LogSource) -> int:
    """How many samples decimation keeps (3)."""
    return -(-log.used // thinning(log.rate, log.cutoff))


def decimated_blocks(log: LogSource) -> Iterator[tuple[Samples, Indices]]:
    """Every block with the samples in it that decimation keeps (3)."""
    step, seen = thinning(log.rate, log.cutoff), 0
    for block in log.blocks():
        used = np.flatnonzero(block.used)
        yield block, used[-seen % step :: step]
        seen += len(used)


def sample_correlation(log: LogSource, count: int) -> float:
    """Number of samples per independent sample, for `count` samples taken evenly from the used ones."""
    return correlation_of(count, log.used / log.rate, log.cutoff)


def _slices(log: Log, rows: int) -> Iterator[Log]:
    for start in range(0, len(log), rows):
        part = slice(start, start + rows)
        yield dataclasses.replace(
            log,
            t=log.t[part],
            q=log.q[part],
            tau=log.tau[part],
            qd=None if log.qd is None else log.qd[part],
            others={name: values[part] for name, values in log.others.items()},
            findings=log.findings if start == 0 else (),
            first_row=log.first_row + start,
            first_line=None if log.first_line is None else log.first_line + start,
        )
