"""Read logs from files, whole or in pieces, in any format of `log_formats`, with columns matched to a robot's joints.

(1)  A map gives the meaning of the columns; the rest is guessed from their names (`log_columns`).
(2)  Joints of the robot that the log lacks are locked at zero: a warning, or a note for the fingers of a gripper.
     Matching by order and units are reported, too.
(3)  Units that are not stated are SI, unless the numbers clearly contradict:

(4)  steps of time beyond a quarter of a second are ms, us or ns, whichever makes them shorter
(5)  positions are degrees where two things hold. Read as radians, some joint exceeds twice its limit, and the limit by
     more than a turn (an encoder may wrap). Read as degrees, no joint exceeds its limit. The 98th percentile counts, so
     that a few wrong samples do not change the unit
(6)  speeds are then in the unit that agrees with the derivative of the positions

Only the first rows are used, so that a log read in pieces gets the same units as one read whole; a guess is a warning.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, is_folder, open_file, to_path
from torquec.robot.gripper_joints import gripper_joints
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity
from torquec.trajectory.log_columns import further_columns, guessed_map, time_column, units_finding
from torquec.trajectory.log_file import LogFile
from torquec.trajectory.log_formats import log_format
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.log_quantity import ANGLES, MAPPED, UNIT_KEYS
from torquec.trajectory.tables.log_table import LogTable

LONGEST_PERIOD = 0.25
"""Longest plausible sampling period [s]: larger time steps mean that stamps are in ms, us or ns."""
_TRIED_ROWS = 50_000  # a minute or so at 1 kHz: enough motion to decide on units
_TURN = 2.0 * math.pi  # [rad]
_REACHED = 0.98  # the quantile of (5)
_BETWEEN = 0.13
"""Threshold on speed over the derivative of positions in degrees: geometric mean of 1 (deg) and pi/180 (rad)."""


def guessed_units(log_map: LogMap, table: LogTable, robot: Robot) -> tuple[LogMap, list[LogFinding]]:
    """The map with units guessed from the numbers of the first rows (4)-(6), and a warning for each.

    Units that the map states are kept; motor-side positions are not tested.
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
            remedy = 'say so in a map: angle_unit = "deg"'
            findings.append(LogFinding(Pathology.UNITS, Severity.WARNING, text, names[degrees], remedy=remedy))
    return log_map, findings


def shorter_unit(step: float) -> str:
    """The largest unit in which a step between two samples is short enough (4).

    >>> shorter_unit(4.0), shorter_unit(1e6)
    ('ms', 'ns')
    """
    return next((u for u, s in (("ms", 1e-3), ("us", 1e-6)) if step * s < LONGEST_PERIOD), "ns")


def looks_like_degrees(robot: Robot, joints: tuple[str, ...], q: Array) -> tuple[float, int | None]:
    """The largest position and the index of a joint that looks like degrees (5), from q (N, n); (0, None) for none."""
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
    """(6): 'rad' where recorded speeds are in radians though positions are in degrees; None otherwise."""
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


CHUNK = 65536
_BY_NAME = ("time", *MAPPED, *UNIT_KEYS, "joints")
_UNITS_OF = {"position": ("angle_unit", "length_unit"), "torque": ("torque_unit",)}
"""Units that the header states only for its own columns."""


def read_log(path: str | os.PathLike[str], robot: Robot, *, log_map: LogMap | None = None) -> Log:
    """The log in a file of any format (`log_formats`), its columns in the robot's joint order.

    `log_map` gives the meaning of its columns (1)-(3). Raises `ArgumentError` with file, line and remedy for a file
    that cannot be read or lacks positions or torques; `MissingExtraError` where its format needs a missing package.
    """
    return open_log(path, robot, log_map=log_map).whole()


def read_log_chunks(
    path: str | os.PathLike[str], robot: Robot, *, log_map: LogMap | None = None, rows: int = CHUNK
) -> Iterator[Log]:
    """Read a log in consecutive pieces of `rows` samples, in constant memory where its format allows it.

    Such formats are CSV, Parquet and HDF5. The joined pieces equal the result of `read_log`; each finding comes with
    the piece in which it occurs. Raises as `read_log` does, and `ArgumentError` for fewer than two rows.
    """
    yield from open_log(path, robot, log_map=log_map).chunks(rows)


def open_log(path: str | os.PathLike[str], robot: Robot, *, log_map: LogMap | None = None) -> LogFile:
    """Open a log file and resolve the meaning of its columns (1)-(3); raises as `read_log` does."""
    check_single_coordinates(robot)
    source = to_path(path)
    given = LogMap() if log_map is None else log_map
    table = _table(source, robot, given.topic)
    chosen, findings = _completed(given, table, robot, str(source))
    joints = chosen.joints or ()
    for name in joints:
        robot.joint_index(name)
    chosen.check(len(joints), str(source))
    for kind in (*MAPPED, *chosen.further):
        for name in chosen.names(kind, len(joints)) or ():
            if name not in table.names:
                headless = any(finding.kind is Pathology.MISSING_HEADER for finding in table.findings)
                raise ArgumentError(
                    f"the map names a column '{name}' that is not there"
                    + (" (the first line holds numbers: the header is missing)" if headless else ""),
                    where=str(source),
                    remedy=f"the columns are {', '.join(table.names)}" + (f"; {table.holds}" if table.holds else ""),
                )
    if chosen.time not in table.names:
        raise ArgumentError(f"there is no column '{chosen.time}'", where=str(source), remedy="name the column of times")
    chosen, guesses = guessed_units(chosen, table, robot)
    findings = [*table.findings, *findings, *guesses]
    findings += _locked(robot, joints)
    renamed = further_columns(table.names, robot, chosen)
    return LogFile(str(source), robot, table, chosen, joints, tuple(findings), renamed)


def _locked(robot: Robot, joints: Sequence[str]) -> list[LogFinding]:
    """(2): a note about gripper fingers, which have little effect, and a warning about any other missing joint."""
    lacking = [name for name in robot.joint_names if name not in joints]
    fingers = [name for name in lacking if name in gripper_joints(robot)]
    findings = []
    for names, severity in (
        ([name for name in lacking if name not in fingers], Severity.WARNING),
        (fingers, Severity.NOTE),
    ):
        if names:
            text = f"the log has no columns of {', '.join(names)}: held at zero"
            lock = " ".join(f"--lock {name}=POSITION" for name in names)
            remedy = f"record them, or lock them where they stood ({lock}) and name columns by joint (q_JOINT)"
            findings.append(LogFinding(Pathology.LOCKED, severity, text, remedy=remedy))
    return findings


def _completed(given: LogMap, table: LogTable, robot: Robot, where: str) -> tuple[LogMap, list[LogFinding]]:
    """The map completed by guesses from the names of the columns (1)."""
    joints = given.joints
    if joints is None and given.position is not None:
        joints = robot.joint_names[: _width(table, given, robot)]
    needed = [kind for kind in ("position", "torque") if getattr(given, kind) is None]
    if not needed:
        time, unit = (given.time, None) if given.time is not None else time_column(table.names, where)
        return dataclasses.replace(given, time=time, time_unit=given.time_unit or unit, joints=joints), []
    try:
        stated, findings = guessed_map(table.names, robot, where, joints=joints, time=given.time, needed=needed)
    except ArgumentError as error:
        held = f"; {table.holds}" if table.holds else ""
        raise ArgumentError(error.found, where=error.where, remedy=f"{error.remedy}{held}") from None
    own = {field.name: getattr(given, field.name) for field in dataclasses.fields(LogMap)} | {"joints": joints}
    # Use speeds guessed from the header only with positions from the header: a file may hold motor and joint columns.
    kept = (kind for kind, of in (("velocity", given.position), ("speed_unit", given.position)) if of is not None)
    left = {*kept, *(key for kind, keys in _UNITS_OF.items() if getattr(given, kind) is not None for key in keys)}
    filled = {name: getattr(stated, name) for name in _BY_NAME if own[name] is None and name not in left}
    chosen = LogMap(**(own | filled))
    return chosen, [*findings, units_finding(chosen, stated)]


def _table(source: Path, robot: Robot, topic: str | None) -> LogTable:
    for file in sorted(source.iterdir()) if is_folder(source) else [source]:
        if not is_folder(file):
            open_file(file, FileKind.LOG, limited=False).close()  # no pipe, no device
    return log_format(source).read(source, robot.joint_names, topic)


def _width(table: LogTable, log_map: LogMap, robot: Robot) -> int:
    """Number of joints for the patterns of a map: as many as there are matching columns."""
    names = log_map.names("position", robot.n)
    assert names is not None
    return sum(name in table.names for name in names) or robot.n
