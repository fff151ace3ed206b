"""Log checks before a fit: every finding names the column, the rows and a remedy.

(1)  rows and stamps                                             `check_values`
(2)  positions, and recorded speeds against their derivative      `check_motion`
(3)  torques against the robot's own model, gravity               `check_torques`
     torques against a fit, for every other way to read the log  `check_hypotheses`
(4)  the delay between torques and positions, on request          `torque_delay`
(5)  torques that are zero throughout
(6)  spikes, and columns that stop                                `check_values`
(7)  torques at a limit: the same extreme value many times in a row, longer than the log repeats values elsewhere; or
     in most samples, while the joint moves

Normal features of good logs (jitter, parts at rest) are notes, never errors.

Logs larger than memory are checked piece by piece, each joined to the last row of the one before:

(8)  findings of one kind and column are merged, with all their rows
(9)  comparisons with the robot (order, signs, units, gravity) are accepted where at least half of the moving pieces
     agree: a single piece may have too little excitation
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.identification.logs.check_hypotheses import check_hypotheses
from torquec.identification.logs.check_motion import check_positions, check_rest, check_slowness, check_speeds
from torquec.identification.logs.check_torques import check_torques
from torquec.identification.logs.check_values import check_frozen, check_missing, check_spikes, check_stamps
from torquec.identification.logs.clean_rows import clean_rows, log_motion, whole_rows
from torquec.identification.logs.torque_delay import check_delay
from torquec.identification.logs.tuning import TUNING
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity, spans_of

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
    """The findings of `check` for a log that comes in pieces (8), (9)."""
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
    """Every piece with the last row of the previous one in front, so that gaps between pieces are found."""
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
    """(8); a piece at rest is no error while others move."""
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


def check_log(robot: Robot, log: Log, *, delay: bool = False, meter: Meter = silent) -> tuple[LogFinding, ...]:
    """All findings in a log of this robot, those of its reader first; with `delay`, (4) as well.

    Delays that distort the torques are found even without `delay`. `meter` gets the progress.

    Raises `ArgumentError` where the log names joints that the robot does not have.
    """
    for name in log.joints:
        robot.joint_index(name)
    with one_thread():
        return _checked(robot, log, delay=delay, meter=meter)


def _checked(robot: Robot, log: Log, *, delay: bool, meter: Meter) -> tuple[LogFinding, ...]:
    """(1)-(7)."""
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in log.joints})
    found = [*check_missing(log), *check_stamps(log), *check_spikes(log), *check_frozen(log)]
    motion = log_motion(log)
    if motion is None:
        if not _has_error(found):
            found.append(_too_few(log))
    elif not _has_error(found):
        found += check_positions(moving, log, motion)
        found += check_speeds(log, motion)
        found += check_rest(log, motion)
        found += [] if _has_error(found) else check_slowness(moving, log, motion)
        if not _has_error(found):
            by_model = check_torques(moving, log, motion)
            meter(TUNING.progress_by_model, 1.0)
            found += _explained(moving, log, by_model)
            meter(TUNING.progress_by_fit, 1.0)
        if delay and not _has_error(found) and not any(one.kind is Pathology.DELAY for one in found):
            found += check_delay(moving, log)
    found += check_zero_torques(log)
    found += check_saturation(moving, log)
    return (*log.findings, *(_placed(finding, log) for finding in found))


def _explained(robot: Robot, log: Log, by_model: list[LogFinding]) -> list[LogFinding]:
    """Findings on the torques by the robot's own model, or by a fit, which does not rely on the file's inertias.

    A fit cannot detect signs: negated torques are those of negative inertias. For everything else it is more reliable.
    """
    errors = [finding for finding in by_model if finding.severity is Severity.ERROR]
    if errors and all(finding.kind is Pathology.NEGATED for finding in errors):
        return by_model
    found = check_hypotheses(robot, log, suspected=[f for f in by_model if f in errors or f.kind is Pathology.GAIN])
    if found is None:
        return by_model
    if not found:
        # The model reports exchanged joints, but the log fits well as it is: a false alarm of the model.
        return [finding for finding in by_model if finding.kind is not Pathology.PERMUTED]
    named = {(finding.kind, finding.column) for finding in found}
    kept = [f for f in by_model if f.kind in (Pathology.UNITS, Pathology.GAIN) and f.severity is Severity.WARNING]
    return [*found, *(f for f in kept if (f.kind, f.column) not in named)]


def check_log_pieces(robot: Robot, pieces: Iterable[Log]) -> tuple[LogFinding, ...]:
    """All findings in a log that comes in pieces (`read_log_chunks`), one of which is in memory at a time."""
    return check_pieces(check_log, robot, pieces)


def check_zero_torques(log: Log) -> list[LogFinding]:
    """(5): an error where no joint has torques, a warning for single joints that move without any."""
    zero = [j for j in range(log.n) if not np.nan_to_num(log.tau[:, j]).any()]
    remedy = "record torques or currents, or name their columns in a map"
    if len(zero) == log.n:
        names = ", ".join(log.column("tau", j) for j in zero)
        return [LogFinding(Pathology.NO_TORQUE, Severity.ERROR, "all torques are zero", names, remedy=remedy)]
    moving = [j for j in zero if np.ptp(np.nan_to_num(log.q[:, j])) > 0.0]
    text = "zero throughout, although the joint moves"
    return [
        LogFinding(Pathology.NO_TORQUE, Severity.WARNING, text, log.column("tau", j), remedy=remedy) for j in moving
    ]


def check_saturation(robot: Robot, log: Log) -> list[LogFinding]:
    """Saturated torques (7), at either extreme or at the limit that the robot's file states."""
    found = []
    for j in range(log.n):
        tau = np.where(np.isfinite(log.tau[:, j]), log.tau[:, j], 0.0)
        at_end = _at_an_end(tau, robot.joints[j].limits.effort)
        share = float(at_end.mean())
        mostly = share > TUNING.extreme_share
        if mostly and (np.ptp(tau) == 0.0 or not _moves_while(at_end, log.q[:, j])):
            continue  # robot at rest or constant sensor
        changes = np.flatnonzero(np.diff(tau[~at_end]))
        usual = float(np.percentile(np.diff(changes), 95.0)) if len(changes) > 1 and not mostly else 1.0
        fewest = max(TUNING.saturated_rows, TUNING.held_runs * usual)
        spans = tuple((a, b) for a, b in spans_of(at_end) if b - a + 1 >= fewest)
        if spans:
            count = sum(b - a + 1 for a, b in spans)
            text = f"stays at {float(tau[spans[0][0]]):.4g} for {count} samples: the drive is saturated"
            if mostly:
                ends = f"between {float(tau.min()):.4g} and {float(tau.max()):.4g}"
                text = f"{ends}, and at one of its ends in {share:.0%} of the samples: the drive is saturated"
            remedy = "record a slower motion; these samples show the limit of the drive, not the torque of the motion"
            found.append(LogFinding(Pathology.SATURATION, Severity.WARNING, text, log.column("tau", j), spans, remedy))
    return found


def _at_an_end(tau: Array, limit: float) -> Mask:
    """Samples at the extreme torques or at the limit; a limit that most torques exceed is ignored (another unit)."""
    high, low = float(tau.max()), float(tau.min())
    at_end = (high > 0.0) & (tau >= high * (1.0 - 1e-9))
    at_end |= (low < 0.0) & (tau <= low * (1.0 - 1e-9))
    if limit > 0.0 and np.mean(np.abs(tau) > limit * (1.0 + 1e-3)) <= TUNING.extreme_share:
        at_end |= np.abs(tau) >= limit * (1.0 - 1e-3)
    return np.asarray(at_end, dtype=np.bool_)


def _moves_while(marked: Mask, q: Array) -> bool:
    """Whether a joint moves during the longest run of marked samples."""
    first, last = max(spans_of(marked), key=lambda span: span[1] - span[0])
    whole = np.nan_to_num(q)
    return bool(np.ptp(whole[first : last + 1]) > TUNING.moving_share * np.ptp(whole))


def _too_few(log: Log) -> LogFinding:
    """Error for a log with too few usable rows: missing values, or stamps that do not rise."""
    whole, rising = int(whole_rows(log).sum()), int(clean_rows(log).sum())
    kind = Pathology.NAN_ROWS if whole == rising else Pathology.BACKWARD_STAMPS
    text = f"of {len(log)} rows {whole} are complete and {rising} rise in time: too few to compare them with a model"
    return LogFinding(kind, Severity.ERROR, text, log.column("t"), remedy="record more, or correct the column of times")


def _has_error(found: list[LogFinding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in found)


def _placed(finding: LogFinding, log: Log) -> LogFinding:
    """The finding with rows counted from the start of the file, and its lines."""
    spans = tuple((a + log.first_row, b + log.first_row) for a, b in finding.spans)
    line = None if log.first_line is None else log.first_line - log.first_row
    return dataclasses.replace(finding, spans=spans, first_line=line)
