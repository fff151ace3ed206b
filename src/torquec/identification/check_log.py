"""What is wrong with a log, before anything is fitted to it: every finding names the column and the rows.

(1)  stamps: missing values, repeats, steps back, gaps, jitter, a unit that is not seconds
(2)  positions: jumps by a full turn, degrees
(3)  speeds against the derivative of the positions: another joint's, negated, in other units
(4)  torques against the robot's own model: negated, another joint's; and whether gravity points elsewhere, by the
     vector g that explains the torques best
(5)  parts at rest, torques at a limit

Thresholds are wide: what is true of good logs (jitter, parts at rest) is a note, never an alarm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.identification.log_motion import (
    Motion,
    check_gravity,
    check_positions,
    check_speeds,
    check_torques,
    log_motion,
)
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity

_GAP = 10.0
_SHORTEST_GAP = 0.02
_JITTER = 0.05
_REST = 0.02
_LONG_REST = 0.1
_FLAT = 5
_LONGEST_PERIOD = 0.25


def check_log(robot: Robot, log: Log) -> tuple[LogFinding, ...]:
    """Everything that is found in a log of this robot, what its reader met first.

    Raises `ArgumentError` where the log names joints that the robot does not have.
    """
    for name in log.joints:
        robot.joint_index(name)
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in log.joints})
    found = [*log.findings, *_missing(log), *_stamps(log)]
    motion = log_motion(log)
    if motion is None or any(finding.kind is Pathology.UNITS for finding in found):
        return tuple(found)
    found += check_positions(moving, log, motion)
    speeds = check_speeds(log, motion)
    found += speeds
    if not any(finding.severity is Severity.ERROR for finding in found):
        torques = check_torques(moving, log, motion)
        found += torques
        if not any(finding.severity is Severity.ERROR for finding in torques):
            found += check_gravity(moving, motion)
    found += [*_rest(log, motion), *_saturation(moving, log)]
    return tuple(found)


def _missing(log: Log) -> list[LogFinding]:
    columns = {"t": log.t[:, None], "q": log.q, "tau": log.tau} | ({} if log.qd is None else {"qd": log.qd})
    found = []
    for kind, values in columns.items():
        for k, column in enumerate(values.T):
            rows = np.flatnonzero(~np.isfinite(column))
            if len(rows):
                name = kind if kind == "t" else f"{kind} of {log.joints[k]}"
                most = len(rows) > 0.5 * len(log)
                severity = Severity.ERROR if most else Severity.WARNING
                text = f"{len(rows)} of {len(log)} values are missing or not finite"
                found.append(LogFinding(Pathology.NAN_ROWS, severity, text, name, (int(rows[0]), int(rows[-1]))))
    return found


def _stamps(log: Log) -> list[LogFinding]:
    """(1)."""
    known = np.flatnonzero(np.isfinite(log.t))
    t = log.t[known]
    steps = np.diff(t)
    forward = steps[steps > 0.0]
    if len(forward) == 0:
        return [LogFinding(Pathology.BACKWARD_STAMPS, Severity.ERROR, "time never rises", "t", (0, len(log) - 1))]
    usual = float(np.median(forward))
    found = []

    def add(kind: Pathology, severity: Severity, where: npt.NDArray[np.signedinteger[Any]], text: str) -> None:
        found.append(LogFinding(kind, severity, text, "t", (int(known[where[0]]), int(known[where[-1]] + 1))))

    same, back = np.flatnonzero(steps == 0.0), np.flatnonzero(steps < 0.0)
    gaps = np.flatnonzero((steps > _GAP * usual) & (steps > _SHORTEST_GAP))
    if len(same):
        add(Pathology.DUPLICATE_STAMPS, Severity.WARNING, same, f"{len(same)} stamps repeat the one before")
    if len(back):
        add(Pathology.BACKWARD_STAMPS, Severity.WARNING, back, f"{len(back)} stamps go back in time")
    if len(gaps):
        longest = float(steps[gaps].max())
        add(
            Pathology.GAP,
            Severity.WARNING,
            gaps,
            f"{len(gaps)} gaps, the longest {longest:.3g} s at {usual:.3g} s steps",
        )
    spread = float(np.std(forward[forward < _GAP * usual])) / usual
    if spread > _JITTER:
        text = f"steps vary by {spread:.0%} of {usual:.3g} s (from {forward.min():.3g} to {forward.max():.3g} s)"
        found.append(LogFinding(Pathology.JITTER, Severity.NOTE, text, "t"))
    if usual > _LONGEST_PERIOD:
        unit = next((u for u, s in (("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)) if usual * s < _LONGEST_PERIOD), "ns")
        text = f'a step is {usual:.3g}: if the stamps are in {unit}, say so in a map (time_unit = "{unit}")'
        found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, "t"))
    return found


def _rest(log: Log, motion: Motion) -> list[LogFinding]:
    """(5)."""
    top = np.abs(motion.qd).max(axis=0)
    still = np.all(np.abs(motion.qd) <= _REST * np.maximum(top, 1e-12), axis=1)
    if not np.any(top > 1e-6):
        text = "nothing moves in this log"
        return [LogFinding(Pathology.STANDSTILL, Severity.ERROR, text, "q", (0, len(log) - 1))]
    share = float(still.mean())
    if share < _LONG_REST:
        return []
    rows = motion.rows[np.flatnonzero(still)]
    text = f"the robot stands still in {share:.0%} of the log; stiction there is not determined by any model"
    return [LogFinding(Pathology.STANDSTILL, Severity.NOTE, text, "q", (int(rows[0]), int(rows[-1])))]


def _saturation(robot: Robot, log: Log) -> list[LogFinding]:
    """(5): the same extreme value many times in a row, or at the limit of the file."""
    found = []
    for j, name in enumerate(log.joints):
        tau = np.abs(log.tau[:, j])
        top = float(np.nanmax(tau, initial=0.0))
        limit = robot.joints[j].limits.effort
        at_top = (tau >= top * (1.0 - 1e-9)) | (tau >= limit * (1.0 - 1e-3))
        runs = np.flatnonzero(np.diff(np.concatenate([[False], at_top, [False]]).astype(int)))
        lengths = runs[1::2] - runs[::2]
        if top > 0.0 and lengths.max(initial=0) >= _FLAT:
            k = int(np.argmax(lengths))
            text = f"|torque| stays at {top:.4g} for {int(lengths[k])} samples"
            rows = (int(runs[2 * k]), int(runs[2 * k + 1] - 1))
            found.append(LogFinding(Pathology.SATURATION, Severity.WARNING, text, f"tau of {name}", rows))
    return found
