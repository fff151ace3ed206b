"""Consistency checks of positions and recorded speeds of a log: encoder wrap, degrees, order, signs, units, rest.

(1)  encoder wrap: neighbours that differ by a full turn, in radians or in degrees; or (a turn of a geared motor) a
     single step twenty times as fast as the steps beside it and the motion elsewhere, and twice as fast as the joint
     can move
(2)  positions far beyond the robot's limits that are within them as degrees
(3)  correlation of every recorded speed with the derivative of every position: two columns are exchanged where each
     clearly fits the other's derivative better than its own; one is negated where its own correlation is below -0.8
(4)  ratio of a recorded speed's size to that of the derivative
(5)  stamps in milliseconds: steps of 20 ms or more, in which no joint exceeds a hundredth of its speed limit (0.01
     rad/s or m/s where it has none)
(6)  rest: parts where no joint exceeds a fiftieth of its top speed
(7)  positions beyond the robot's limits by more than a fiftieth of the joint's range, unless (1) or (2) explains them
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.identification.logs.clean_rows import LogMotion, moving_average
from torquec.identification.logs.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity, spans_of
from torquec.trajectory.read_log import looks_like_degrees

_DEGREE = 180.0 / math.pi  # per radian
_UNIT_RATIOS = {
    _DEGREE: ("in degrees per second, the positions in radians", 'speed_unit = "deg"'),
    1.0 / _DEGREE: ("in radians per second, the positions in degrees", 'angle_unit = "deg", speed_unit = "rad"'),
    1e3: ("right if the stamps are milliseconds", 'time_unit = "ms"'),
    1e6: ("right if the stamps are microseconds", 'time_unit = "us"'),
}


def check_positions(robot: Robot, log: Log, motion: LogMotion) -> list[LogFinding]:
    """(1), (2), (7)."""
    found = []
    explained = set()
    for j, joint in enumerate(robot.coordinates):
        if not joint.turns:
            continue
        jumps = np.diff(log.q[motion.rows, j])
        wrap = _wrap(jumps, np.diff(motion.t), joint.limits.velocity)
        if wrap is not None:
            spans = tuple((int(motion.rows[a]), int(motion.rows[b + 1])) for a, b in spans_of(wrap.steps))
            text = f"{wrap.text}: {int(wrap.steps.sum())}"
            found.append(LogFinding(Pathology.WRAP, wrap.severity, text, log.column("q", j), spans, wrap.remedy))
            explained.add(j)
    reach, degrees = looks_like_degrees(robot, log.joints, log.q[motion.rows])
    if degrees is not None:
        limit = max(abs(robot.joints[degrees].limits.lower), abs(robot.joints[degrees].limits.upper))
        text = f"reaches {reach:.4g}, the limit is {limit:.3g} rad: these are degrees"
        spans = spans_of(np.abs(log.q[:, degrees]) > 2.0 * max(limit, 1.0))
        remedy = 'say so in a map: angle_unit = "deg"'
        found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, log.column("q", degrees), spans, remedy))
        return found
    return [*found, *(finding for j in range(log.n) if j not in explained for finding in _beyond_limits(robot, log, j))]


def _beyond_limits(robot: Robot, log: Log, j: int) -> list[LogFinding]:
    """(7) of one joint."""
    joint, q = robot.coordinates[j], log.q[:, j]
    lower, upper = joint.limits.lower, joint.limits.upper
    if not joint.has_position_limits:
        return []
    slack = TUNING.beyond_limit * (upper - lower) if math.isfinite(upper - lower) else TUNING.beyond_limit
    beyond = (q < lower - slack) | (q > upper + slack)
    if not beyond.any():
        return []
    unit = joint.position_unit
    reach = f"reaches from {float(np.nanmin(q)):.4g} to {float(np.nanmax(q)):.4g} {unit}"
    text = f"{reach}, beyond the limits {lower:.4g} to {upper:.4g} {unit} in {beyond.mean():.0%} of the samples"
    remedy = (
        "check zero position, sign, unit and order of the joints (a map: offset, angle_unit, joints), or the limits"
    )
    return [LogFinding(Pathology.LIMITS, Severity.WARNING, text, log.column("q", j), spans_of(beyond), remedy)]


def check_speeds(log: Log, motion: LogMotion) -> list[LogFinding]:
    """(3), (4), where speeds were recorded."""
    if log.qd is None:
        return []
    width = len(motion.rows) // 400 * 2 + 1
    recorded = moving_average(log.qd[motion.rows], width)
    smooth = moving_average(motion.qd, width)
    table = np.array([[_correlation(a, b) for b in smooth.T] for a in recorded.T])
    found = []
    for j in range(log.n):
        others = np.where(np.arange(log.n) == j, -1.0, np.minimum(table[j], table[:, j]))
        k = int(np.argmax(others))
        own, crossed = table[j, j], float(others[k])
        name = log.column("qd", j)
        if crossed > TUNING.own_correlation and 2.0 * crossed > own + table[k, k] + TUNING.exchange_gain:
            text = f"follows the derivative of {log.column('q', k)}, not that of its own joint: columns are permuted"
            remedy = "name the columns in the right order in a map (velocity = [..] or position = [..])"
            found.append(LogFinding(Pathology.PERMUTED, Severity.ERROR, text, name, remedy=remedy))
        elif own < -TUNING.own_correlation:
            text = f"is opposite to the derivative of {log.column('q', j)}: one of the two is negated"
            remedy = "correct the recorder, or omit the speeds (a map without velocity)"
            found.append(LogFinding(Pathology.NEGATED, Severity.ERROR, text, name, remedy=remedy))
        elif own > TUNING.own_correlation:
            ratio = float(np.linalg.norm(recorded[:, j]) / max(float(np.linalg.norm(smooth[:, j])), 1e-300))
            if ratio > TUNING.unit_ratio or ratio < 1.0 / TUNING.unit_ratio:
                text, remedy = _size(ratio)
                found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, name, remedy=remedy))
    return found


def check_slowness(robot: Robot, log: Log, motion: LogMotion) -> list[LogFinding]:
    """(5)."""
    top = np.abs(motion.qd).max(axis=0)
    limits = np.array([joint.limits.velocity for joint in robot.joints])
    slow = TUNING.slow_log * np.where(np.isfinite(limits) & (limits > 0.0), limits, 1.0)
    period = float(np.median(np.diff(motion.t)))
    if period < TUNING.long_step or not top.any() or np.any(top > slow):
        return []
    fastest = int(np.argmax(top / slow))
    speed = f"{top[fastest]:.2g} {robot.coordinates[fastest].speed_unit}"
    text = f"in steps of {period:.3g} s no joint moves faster than {speed}: are the stamps in ms?"
    remedy = 'if so, say so in a map: time_unit = "ms"'
    return [LogFinding(Pathology.UNITS, Severity.WARNING, text, log.column("t"), remedy=remedy)]


def check_rest(log: Log, motion: LogMotion) -> list[LogFinding]:
    """(6)."""
    top = np.abs(motion.qd).max(axis=0)
    if not np.any(top > 1e-6):
        remedy = "record a motion"
        text, everything = "nothing moves in this log", ((0, len(log) - 1),)
        return [LogFinding(Pathology.STANDSTILL, Severity.ERROR, text, log.column("q"), everything, remedy)]
    still = np.all(np.abs(motion.qd) <= TUNING.rest_speed * np.maximum(top, 1e-6), axis=1)
    share = float(still.mean())
    if share < TUNING.long_rest:
        return []
    parts = [(a, b) for a, b in spans_of(still) if motion.t[b] - motion.t[a] > TUNING.shortest_rest]
    spans = tuple((int(motion.rows[a]), int(motion.rows[b])) for a, b in parts)
    text = f"the robot stands still in {share:.0%} of the log; stiction there is not determined by any model"
    remedy = "cut these parts where friction matters"
    return [LogFinding(Pathology.STANDSTILL, Severity.NOTE, text, log.column("q"), spans, remedy)]


@dataclass(frozen=True, eq=False)
class _Wrap:
    """Wrapped steps of a position: which, with which severity, by how much, and the remedy."""

    steps: Mask
    severity: Severity
    text: str
    remedy: str


def _wrap(jumps: Array, steps: Array, limit: float) -> _Wrap | None:
    """The steps of a position that wrap (1), if any."""
    for turn, unit in ((2.0 * math.pi, "radians"), (360.0, "degrees")):
        wraps = np.abs(np.abs(jumps) - turn) < 0.1 * turn
        if wraps.any() and np.median(np.abs(jumps)) < 0.01 * turn:
            remedy = "let the reader join the turns: unwrap = true in a map"
            return _Wrap(wraps, Severity.ERROR, f"jumps by a full turn (in {unit})", remedy)
    speeds = np.abs(jumps) / steps
    beside = np.maximum(np.append(speeds[1:], 0.0), np.append(0.0, speeds[:-1]))
    fastest = 2.0 * limit if math.isfinite(limit) and limit > 0.0 else TUNING.fastest_joint
    sudden = speeds > np.maximum(TUNING.encoder_jump * np.maximum(beside, np.percentile(speeds, 99.0)), fastest)
    if not sudden.any():
        return None
    what = f"jumps by {float(np.median(np.abs(jumps[sudden]))):.4g}, far faster than it moves"
    remedy = "where a motor's encoder wraps, unwrap = true in a map; recordings that were joined are logs of their own"
    return _Wrap(sudden, Severity.WARNING, what, remedy)


def _size(ratio: float) -> tuple[str, str]:
    """Likely cause of speeds that are `ratio` times the derivative of positions, and the remedy."""
    text = f"is {ratio:.4g} times the derivative of the position"
    for known, (meaning, key) in _UNIT_RATIOS.items():
        if abs(math.log(ratio / known)) < 0.2:
            return f"{text}: {meaning}", f"say so in a map: {key}"
    return text, "check the units of positions, speeds and times"


def _correlation(a: Array, b: Array) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 1e-12 else 0.0
