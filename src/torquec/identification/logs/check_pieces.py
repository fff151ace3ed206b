"""A check of a log that is larger than memory: piece by piece, each joined to the last row of the one before.

(1)  rows of findings of one kind and column are put together
(2)  what compares the log with the robot (order, signs, units, gravity) is believed where at least half of the pieces
     that move say so: a piece may move too little to tell
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity

_BY_ROWS = (
    Pathology.NAN_ROWS,
    Pathology.DUPLICATE_STAMPS,
    Pathology.BACKWARD_STAMPS,
    Pathology.GAP,
    Pathology.WRAP,
    Pathology.STANDSTILL,
    Pathology.LIMITS,
    Pathology.SATURATION,
    Pathology.SPIKES,
    Pathology.FROZEN,
)
_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


def check_pieces(
    check: Callable[[Robot, Log], tuple[LogFinding, ...]], robot: Robot, pieces: Iterable[Log]
) -> tuple[LogFinding, ...]:
    """The findings of `check` for a log that comes in pieces (1), (2)."""
    read: list[LogFinding] = []
    groups: dict[tuple[Pathology, str], list[LogFinding]] = {}
    count = moving = 0
    for piece in _joined(pieces):
        count += 1
        read += piece.findings
        found = check(robot, dataclasses.replace(piece, findings=()))
        moving += not any(f.kind is Pathology.STANDSTILL and f.severity is Severity.ERROR for f in found)
        for finding in found:
            groups.setdefault((finding.kind, finding.column), []).append(finding)
    merged = []
    for (kind, _), found_here in groups.items():
        if kind in _BY_ROWS:
            merged.append(_merged(found_here, count))
        elif 2 * len(found_here) >= max(moving, 1):
            merged.append(found_here[0])
    return (*read, *merged)


def _joined(pieces: Iterable[Log]) -> Iterator[Log]:
    """Every piece behind the last row of the one before it: a gap may lie between the two."""
    last: Log | None = None
    for piece in pieces:
        yield piece if last is None else _behind(last, piece)
        last = piece


def _behind(last: Log, piece: Log) -> Log:
    return dataclasses.replace(
        piece,
        t=np.append(last.t[-1:], piece.t),
        q=np.concatenate([last.q[-1:], piece.q]),
        tau=np.concatenate([last.tau[-1:], piece.tau]),
        qd=None if last.qd is None or piece.qd is None else np.concatenate([last.qd[-1:], piece.qd]),
        others={},
        first_line=None if piece.first_line is None else piece.first_line - 1,
        first_row=piece.first_row - 1,
    )


def _merged(findings: list[LogFinding], pieces: int) -> LogFinding:
    """(1); a piece at rest is no error while others move."""
    worst = max(findings, key=lambda f: _ORDER.index(f.severity))
    spans = tuple(sorted({span for finding in findings for span in finding.spans}))
    severity = worst.severity
    if (
        worst.kind in (Pathology.STANDSTILL, Pathology.NAN_ROWS)
        and severity is Severity.ERROR
        and len(findings) < pieces
    ):
        severity = Severity.NOTE if worst.kind is Pathology.STANDSTILL else Severity.WARNING
    share = "" if len(findings) == 1 else f" (the first of {len(findings)} such pieces of the log)"
    return dataclasses.replace(worst, severity=severity, text=f"{worst.text}{share}", spans=spans)
