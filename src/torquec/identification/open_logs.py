"""Open logs and log files as sources of samples: checked, prepared, and in memory only where they fit.

(1)  a log is checked; its errors are raised, all other findings become notes
(2)  a fit needs about 3 arrays of rows x n x 10 n numbers per log (A and the like); where that is expected to exceed
     `MEMORY`, the log is processed in pieces, in several passes, with the same result
(3)  all logs pass one filter: its cut-off is given, or the highest of those chosen for the fitted logs
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from torquec.errors import ArgumentError
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, WorkStep, as_work
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.identification.logs.check_log import check_log, check_log_pieces
from torquec.identification.logs.log_source import (
    FilePieces,
    LogInMemory,
    LogSource,
    log_in_pieces,
    moving_only,
    pieces_of,
)
from torquec.identification.logs.prepare import prepare
from torquec.identification.logs.stream_log import LogScan, Pieces, scan_log
from torquec.identification.logs.torque_delay import remove_estimated_delay
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity
from torquec.trajectory.log_formats import is_readable_in_pieces
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import open_log

LogOrPath = Log | str | os.PathLike[str]

MEMORY = 1_000_000_000
"""Bytes that the columns of one log may take before it is read in pieces."""
_ARRAYS = 3
"""Arrays of the size of A that a fit holds at its peak: the columns, the same filtered, and those of the estimator."""
_COLUMNS_PER_JOINT = 10
"""Parameters per joint: about seven base parameters and three of friction."""
_NUMBER = 8  # bytes of a double
_TEXT_NUMBER = 10
"""Characters of a number in a text file, with its comma."""

_PIECES_CHECKED_TOGETHER = 4
"""Pieces that are checked as one: longer motions have more excitation."""


@dataclass(frozen=True, eq=False)
class OpenLogs:
    """Logs to fit and logs to predict only, their robot, their filter, and notes to report."""

    robot: Robot
    fitted: tuple[LogSource, ...]
    predicted: tuple[LogSource, ...]
    cutoff: float
    notes: tuple[str, ...]


def expected_memory(rows: int, joints: int) -> int:
    """Bytes that a fit holds of a log (2).

    >>> expected_memory(845_000, 7)
    9937200000
    """
    return rows * joints * joints * _COLUMNS_PER_JOINT * _NUMBER * _ARRAYS


def is_read_in_pieces(log: LogOrPath, robot: Robot, options: IdentifyOptions) -> bool:
    """Whether a log or log file is processed in pieces (2); raises `ArgumentError` where that is impossible."""
    whole = options.needing_whole_logs
    if options.reading is Reading.PIECES and whole:
        raise ArgumentError(f"{whole[0]} needs all rows of a log at once", remedy="give shorter logs, or do without it")
    if options.reading is not Reading.BY_MEMORY or whole:
        return options.reading is Reading.PIECES
    if isinstance(log, Log):
        return expected_memory(len(log), log.n) > MEMORY
    path = Path(log)
    if not is_readable_in_pieces(path):
        return False
    return expected_memory(expected_rows(path, robot), robot.n) > MEMORY


def expected_rows(path: Path, robot: Robot) -> int:
    """Approximate number of rows of a file, from its size."""
    # Assumes positions, speeds and torques: a file without speeds has more rows, which does no harm here.
    return path.stat().st_size // (_TEXT_NUMBER * (3 * robot.n + 1))


def open_logs(
    robot: Robot,
    logs: Sequence[LogOrPath],
    *,
    validate: Sequence[LogOrPath],
    log_map: LogMap | None,
    options: IdentifyOptions,
    work: Work | None = None,
) -> OpenLogs:
    """The sources of logs (1)-(3); joints that they lack are locked.

    Where the direction of gravity is fitted, a finding of another direction is no error. Raises `ArgumentError` for no
    logs, for logs with errors and for logs of different joints.
    """
    if not logs:
        raise ArgumentError("there is no log to fit", remedy="give at least one")
    if log_map is not None and log_map.estimate_delay:
        _check_delays_can_be_estimated(robot, (*logs, *validate), options)
    every = _all_opened(robot, (*logs, *validate), log_map, options, as_work(work))
    notes: list[str] = []
    for log in every:
        if log.joints != every[0].joints:
            raise ArgumentError(
                f"this log is about {', '.join(log.joints)}, the first one about {', '.join(every[0].joints)}",
                where=log.source,
                remedy="identify from logs of the same joints",
            )
        notes += notes_of(log.source, log.findings)
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in every[0].joints})
    fitted = every[: len(logs)]
    cutoff = max(log.wanted_cutoff() for log in fitted)
    return OpenLogs(
        moving,
        moving_only([log.filtered(cutoff, slowest=options.slowest) for log in fitted], options.standstill),
        tuple(log.filtered(cutoff, slowest=0.0) for log in every[len(logs) :]),
        cutoff,
        tuple(notes),
    )


def _check_delays_can_be_estimated(robot: Robot, given: Sequence[LogOrPath], options: IdentifyOptions) -> None:
    """Raise `ArgumentError` for a file in pieces: the delay is estimated from all rows of a log at once."""
    for log in given:
        if not isinstance(log, Log) and is_read_in_pieces(log, robot, options):
            raise ArgumentError(
                "estimate_delay with logs in pieces",
                where=str(log),
                remedy="find the delay with check-log on a shorter log, and give it in the map (delay = seconds)",
            )


def _all_opened(
    robot: Robot, given: Sequence[LogOrPath], log_map: LogMap | None, options: IdentifyOptions, work: Work
) -> list[_WholeLog | _PiecewiseLog]:
    """Every log, opened here, or by workers where all are files that are read in pieces."""
    name = "reading and checking the logs"
    files = not any(isinstance(log, Log) for log in given) and all(is_read_in_pieces(g, robot, options) for g in given)
    if work.executor is not None and files:
        opening = partial(_opened_elsewhere, robot, log_map, options)
        return list(work.map(name, opening, given, kept=False))
    every = []
    with work.step(name, whole=float(len(given))) as step:
        for k, log in enumerate(given):
            every.append(_opened(robot, log, log_map, options, partial(_share_of_log, step, k)))
            step.show(k + 1.0)
    return every


def _opened_elsewhere(
    robot: Robot, log_map: LogMap | None, options: IdentifyOptions, log: LogOrPath
) -> _WholeLog | _PiecewiseLog:
    with one_thread():
        return _opened(robot, log, log_map, options, lambda _: None)


def _share_of_log(step: WorkStep, log: int, share: float) -> None:
    step.show(log + min(share, 1.0))


def notes_of(source: str, findings: Sequence[LogFinding]) -> list[str]:
    """The findings in a log as notes; raises `ArgumentError` for errors (1)."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        raise ArgumentError("; ".join(map(str, errors)), where=source, remedy="correct the log, or give a map")
    return [f"{source}: {finding}" for finding in findings]


@dataclass(frozen=True, eq=False)
class _WholeLog:
    """A log in memory, checked."""

    log: Log
    findings: tuple[LogFinding, ...]
    options: IdentifyOptions

    @property
    def source(self) -> str:
        return self.log.source

    @property
    def joints(self) -> tuple[str, ...]:
        return self.log.joints

    def wanted_cutoff(self) -> float:
        options = self.options
        if options.cutoff is not None:
            return options.cutoff
        return prepare(self.log, slowest=options.slowest, derivatives=options.derivatives).cutoff

    def filtered(self, cutoff: float, *, slowest: float) -> LogSource:
        samples = prepare(self.log, cutoff=cutoff, slowest=slowest, derivatives=self.options.derivatives)
        return LogInMemory(samples)


@dataclass(frozen=True, eq=False)
class _PiecewiseLog:
    """A log that is processed in pieces, checked and scanned."""

    pieces: Pieces
    joints: tuple[str, ...]
    findings: tuple[LogFinding, ...]
    scan: LogScan
    rows: int

    @property
    def source(self) -> str:
        return self.scan.source

    def wanted_cutoff(self) -> float:
        return self.scan.cutoff

    def filtered(self, cutoff: float, *, slowest: float) -> LogSource:
        assert slowest == 0.0, "refused by is_read_in_pieces"
        return log_in_pieces(self.pieces, self.scan, cutoff=cutoff, rows=self.rows)


def _opened(
    robot: Robot, log: LogOrPath, log_map: LogMap | None, options: IdentifyOptions, show: Callable[[float], None]
) -> _WholeLog | _PiecewiseLog:
    """A log, checked (1), in memory or in pieces (2); `show` gets the share done."""
    rows = options.piece_rows
    in_pieces = is_read_in_pieces(log, robot, options)
    if isinstance(log, Log):
        pieces, joints, longer = pieces_of(log, rows), log.joints, pieces_of(log, _PIECES_CHECKED_TOGETHER * rows)
    else:
        file = open_log(log, robot, log_map=log_map)
        pieces, joints = (
            FilePieces(log, robot, log_map, rows),
            tuple(name for name in robot.joint_names if name in file.joints),
        )
        longer = partial(file.chunks, _PIECES_CHECKED_TOGETHER * rows)
        if not in_pieces:
            return _whole_file(robot, file.whole(), log_map, options)
    if in_pieces:
        whole = len(log) if isinstance(log, Log) else expected_rows(Path(log), robot)
        findings = _excused(check_log_pieces(robot, _counted(longer, whole, lambda done: show(0.5 * done))), options)
        notes_of(log.source if isinstance(log, Log) else str(log), findings)
        scan = scan_log(lambda: _counted(pieces, whole, lambda done: show(0.5 + 0.5 * done)), cutoff=options.cutoff)
        return _PiecewiseLog(pieces, joints, findings, scan, rows)
    assert isinstance(log, Log)
    return _WholeLog(log, _excused(check_log(robot, log), options), options)


def _whole_file(robot: Robot, log: Log, log_map: LogMap | None, options: IdentifyOptions) -> _WholeLog:
    """The log of a file, its delay removed where the map asks for it, and checked (1)."""
    notes: tuple[LogFinding, ...] = ()
    if log_map is not None and log_map.estimate_delay:
        log, note = remove_estimated_delay(robot, log)
        notes = (note,)
    return _WholeLog(log, (*notes, *_excused(check_log(robot, log), options)), options)


def _excused(findings: Sequence[LogFinding], options: IdentifyOptions) -> tuple[LogFinding, ...]:
    """The findings, without the direction of gravity where it is fitted."""
    return tuple(f for f in findings if not (options.fit_gravity and f.kind is Pathology.GRAVITY))


def _counted(pieces: Pieces, whole: int, show: Callable[[float], None]) -> Iterator[Log]:
    """The pieces of a log of about `whole` rows, with progress reported to `show` after each."""
    done = 0
    for piece in pieces():
        yield piece
        done += len(piece)
        show(min(done / max(whole, 1), 1.0))
