"""Units of a log that nobody states: SI, unless its numbers leave no doubt.

(1)  steps of time beyond a quarter of a second are ms, us or ns, whichever makes them shorter
(2)  positions are degrees where a joint passes twice its limit, by more than a turn (an encoder may wrap), and no joint
     passes its limit in degrees; by the 98th percentile, because a few wrong samples are no unit
(3)  speeds are then in the unit that agrees with the derivative of the positions

The first rows decide, so that a log read in pieces means the same as one read whole; a guess is a warning.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot
from torquec.trajectory.log import LogFinding, Pathology, Severity
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.log_quantity import ANGLES
from torquec.trajectory.tables.log_table import LogTable

LONGEST_PERIOD = 0.25
"""No robot is recorded this slowly [s]: a larger step is a smaller unit."""
_TRIED_ROWS = 50_000  # a minute or so at 1 kHz: by then a robot has moved as it will
_TURN = 2.0 * math.pi  # [rad]
_REACHED = 0.98  # the quantile of (2)
_BETWEEN = 0.13
"""Speeds over the derivative of positions in degrees: the geometric mean of 1 (degrees) and pi/180 (radians)."""


def guessed_units(log_map: LogMap, table: LogTable, robot: Robot) -> tuple[LogMap, list[LogFinding]]:
    """The map with units that the numbers of the first rows demand (1)-(3), and a warning for each.

    Units that the map has are kept, and positions of motors are not judged.
    """
    rows = np.concatenate(list(_first_rows(table)))
    place = {name: k for k, name in enumerate(table.names)}
    findings = []
    time = log_map.time or ""
    steps = np.diff(rows[:, place[time]])
    steps = steps[steps > 0.0]
    usual = float(np.median(steps)) if len(steps) else 0.0
    if usual > LONGEST_PERIOD and log_map.time_unit is None:
        unit = shorter_unit(usual)
        log_map = dataclasses.replace(log_map, time_unit=unit)
        text = f"a step is {usual:.4g}: taken as {unit}"
        remedy = f'say so in a map: time_unit = "{unit}"'
        findings.append(LogFinding(Pathology.UNITS, Severity.WARNING, text, time, remedy=remedy))
    assert log_map.joints is not None
    names = log_map.names("position", len(log_map.joints))
    assert names is not None
    if log_map.angle_unit is None and log_map.matrix() is None:
        reach, degrees = looks_like_degrees(robot, log_map.joints, rows[:, [place[name] for name in names]])
        if degrees is not None:
            same = _speeds_agree(log_map, rows, place)
            log_map = dataclasses.replace(log_map, angle_unit="deg", speed_unit=log_map.speed_unit or same)
            text = f"reaches {reach:.4g}, far beyond the joint's limit in radians: positions are taken as degrees"
            text += f", speeds as {log_map.speed_unit or 'deg'}/s" if log_map.velocity else ""
            remedy = 'say so in a map: angle = "deg"'
            findings.append(LogFinding(Pathology.UNITS, Severity.WARNING, text, names[degrees], remedy=remedy))
    return log_map, findings


def shorter_unit(step: float) -> str:
    """The largest unit in which a step between two samples is short enough (1).

    >>> shorter_unit(4.0), shorter_unit(1e6)
    ('ms', 'ns')
    """
    return next((u for u, s in (("ms", 1e-3), ("us", 1e-6)) if step * s < LONGEST_PERIOD), "ns")


def looks_like_degrees(robot: Robot, joints: tuple[str, ...], q: Array) -> tuple[float, int | None]:
    """The reach of the positions q (N, n) and the number of a joint that is in degrees (2); None for none."""
    of = [robot.coordinates[robot.joint_index(name)] for name in joints]
    rotary = np.array([joint.turns for joint in of])
    finite = np.where(np.isfinite(q), np.abs(q), 0.0)
    most = np.quantile(finite, _REACHED, axis=0) if len(q) else np.zeros(len(of))
    bounds = [max(abs(joint.limits.lower), abs(joint.limits.upper)) for joint in of]
    reach = np.array([max(bound, 1.0) if math.isfinite(bound) else 2.0 * _TURN for bound in bounds])
    bounded = np.array([joint.has_position_limits for joint in of])
    beyond = rotary & bounded & (most > np.maximum(2.0 * reach, reach + 1.1 * _TURN))
    if not beyond.any() or not np.all(most[rotary] * ANGLES["deg"] <= 1.1 * reach[rotary]):
        return 0.0, None
    j = int(np.argmax(np.where(beyond, most, 0.0)))
    return float(most[j]), j


def _speeds_agree(log_map: LogMap, rows: Array, place: dict[str, int]) -> str | None:
    """(3): 'rad' where recorded speeds are in radians though positions are in degrees; None otherwise."""
    assert log_map.joints is not None
    positions, speeds = (log_map.names(kind, len(log_map.joints)) for kind in ("position", "velocity"))
    if positions is None or speeds is None or log_map.time is None:
        return None
    whole = rows[np.isfinite(rows).all(axis=1)]
    whole = whole[:: max(1, len(whole) // 500)]
    t = log_map.seconds(whole[:, place[log_map.time]])
    rising = np.flatnonzero(np.diff(t) > 0.0)
    if len(rising) < 2:
        return None
    q, qd = (whole[:, [place[name] for name in names]] for names in (positions, speeds))
    slopes = (q[rising + 1] - q[rising]) / (t[rising + 1] - t[rising])[:, None]
    ratio = float(np.median(np.abs(qd))) / max(float(np.median(np.abs(slopes))), 1e-12)
    return "rad" if ratio < _BETWEEN else None


def _first_rows(table: LogTable) -> Iterator[Array]:
    count = 0
    for block in table.blocks([]):
        yield block[: _TRIED_ROWS - count]
        count += len(block)
        if count >= _TRIED_ROWS:
            return
