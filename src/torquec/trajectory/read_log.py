"""Logs from files: CSV and npz, matched to a robot's joints.

(1)  Understood without a map, for joint k or its name: time `t`, `time`, `timestamp`, `stamp`; positions `q1`,
     `q_NAME`, `NAME`, `position_NAME`; speeds `dq1`, `qd1`, `dq_NAME`, `velocity_NAME`; torques `tau1`, `tau_NAME`,
     `torque_NAME`, `effort_NAME`. Any other column is kept under its own name.
(2)  An npz file has the arrays t (N,), q, tau and perhaps qd or dq (N, n), or one array per column of (1).
(3)  Joints of the robot that the log lacks are held at zero, and that is reported; so is matching by order.

A missing header and a cut last line are findings of the log, not errors of the reader.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from torquec.errors import ArgumentError
from torquec.robot.file import to_path
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.trajectory import Array

_TIMES = ("t", "time", "timestamp", "stamp", "time_s")
_PREFIXES = {
    "position": ("q", "pos", "position"),
    "velocity": ("dq", "qd", "vel", "velocity"),
    "torque": ("tau", "torque", "effort"),
}
_Columns = Mapping[str, Array]


def read_log(path: str | os.PathLike[str], robot: Robot, *, log_map: LogMap | None = None) -> Log:
    """The log in a CSV or npz file, its columns in the robot's joint order; `log_map` says what they mean (1)-(3).

    Raises `ArgumentError` with file, line and remedy for a file that cannot be read or lacks positions or torques.
    """
    source = to_path(path)
    kind = source.suffix.lower()
    findings: list[LogFinding] = []
    if kind == ".npz":
        columns = _read_npz(source)
    elif kind in (".csv", ".txt", ""):
        columns, findings = _read_csv(source, robot, log_map)
    else:
        raise ArgumentError(
            f"'{kind}' is no kind of log that is read", where=str(source), remedy="give a .csv or .npz file"
        )
    chosen = _guessed_map(columns, robot, str(source), findings) if log_map is None else log_map
    return _to_log(columns, robot, chosen, str(source), findings)


def _read_npz(source: Path) -> dict[str, Array]:
    try:
        with np.load(source, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name], dtype=np.float64) for name in archive.files}
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(
            f"cannot be read: {error}", where=str(source), remedy="give an npz file of floats"
        ) from None
    columns: dict[str, Array] = {}
    for name, values in arrays.items():
        if values.ndim == 1:
            columns[name] = values
        elif values.ndim == 2:
            columns |= {f"{name}{k + 1}": values[:, k] for k in range(values.shape[1])}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise ArgumentError(
            f"the arrays have {sorted(lengths)} rows", where=str(source), remedy="give all arrays the same length"
        )
    return columns


def _read_csv(source: Path, robot: Robot, log_map: LogMap | None) -> tuple[dict[str, Array], list[LogFinding]]:
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"cannot be read: {error}", where=str(source), remedy="give a CSV file in UTF-8") from error
    findings: list[LogFinding] = []
    first, _, rest = text.partition("\n")
    if not first.strip() or not rest.strip():
        raise ArgumentError("the file has no rows", where=str(source), remedy="record a motion")
    comma = next((sign for sign in (",", ";", "\t") if sign in first), ",")
    header = [word.strip().strip('"') for word in first.split(comma)]
    if all(_is_number(word) for word in header):
        header = _assumed_header(len(header), robot, str(source))
        rest = text
        findings.append(
            LogFinding(
                Pathology.MISSING_HEADER,
                Severity.ERROR if log_map is not None else Severity.WARNING,
                f"the first line holds numbers; the columns are taken to be {header[0]} .. {header[-1]}",
                rows=(0, 0),
            )
        )
    if len(set(header)) < len(header):
        twice = next(word for word in header if header.count(word) > 1)
        raise ArgumentError(f"column '{twice}' stands there twice", where=f"{source}:1", remedy="name each column once")
    values = _table(rest, comma, len(header), source, 1 if rest is text else 2, findings)
    return {name: values[:, k] for k, name in enumerate(header)}, findings


def _table(text: str, comma: str, width: int, source: Path, first_line: int, findings: list[LogFinding]) -> Array:
    """The numbers; the last line is left out where it was cut, anything else that is no number is refused."""
    try:
        values = np.loadtxt(io.StringIO(text), delimiter=comma, ndmin=2)
        if values.shape[1] == width and text.endswith("\n"):
            return values
    except ValueError:
        pass
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    rows: list[list[float]] = []
    for number, line in enumerate(lines):
        words = line.split(comma)
        last = number == len(lines) - 1
        whole = len(words) == width and all(_is_number(w) or _is_missing(w) for w in words)
        if whole and last and not text.endswith("\n") and rows and len(line) < 0.7 * len(lines[-2]):
            whole = False
        if whole:
            rows.append([float("nan") if _is_missing(w) else float(w) for w in words])
        elif last and rows:
            findings.append(
                LogFinding(
                    Pathology.CUT_LINE,
                    Severity.WARNING,
                    f"line {number + first_line} has {len(words)} of {width} values or half a number, and is left out",
                    rows=(number, number),
                )
            )
        else:
            raise ArgumentError(
                f"{len(words)} values, or words that are no numbers, where {width} numbers are expected",
                where=f"{source}:{number + first_line}",
                remedy="give one number per column (an empty one is taken as missing)",
            )
    return np.array(rows, dtype=np.float64)


def _assumed_header(width: int, robot: Robot, where: str) -> list[str]:
    """t, q1.., tau1.. or t, q1.., dq1.., tau1.., by the number of columns."""
    n = robot.n
    for kinds in (("q", "tau"), ("q", "dq", "tau")):
        if width == 1 + len(kinds) * n:
            return ["t", *(f"{kind}{k + 1}" for kind in kinds for k in range(n))]
    raise ArgumentError(
        f"there is no header, and {width} columns are neither t, q, tau nor t, q, dq, tau of {n} joints",
        where=f"{where}:1",
        remedy="write the names of the columns into the first line",
    )


def _guessed_map(columns: _Columns, robot: Robot, where: str, findings: list[LogFinding]) -> LogMap:
    """(1), as a log_map."""
    time = next((name for name in _TIMES if name in columns), None)
    if time is None:
        raise ArgumentError("there is no column of times", where=where, remedy="name it 't', or give a map")
    named: dict[str, dict[str, str]] = {}
    numbered: dict[str, dict[int, str]] = {}
    for column in columns:
        kind, joint, number = _meaning(column, robot)
        if number is not None:
            numbered.setdefault(kind, {})[number] = column
        elif joint:
            named.setdefault(kind, {})[joint] = column
    if named.get("position") and named.get("torque"):
        joints = [name for name in robot.joint_names if name in named["position"] and name in named["torque"]]
        found = {kind: tuple(of[j] for j in joints) for kind, of in named.items() if all(j in of for j in joints)}
    else:
        count = len(numbered.get("position", {}))
        joints = list(robot.joint_names[:count])
        for kind in ("position", "torque"):
            missing = [k + 1 for k in range(max(count, 1)) if k + 1 not in numbered.get(kind, {})]
            if missing or count > robot.n:
                raise ArgumentError(
                    f"no column holds the {kind} of joint {missing[0]}"
                    if missing
                    else f"{count} positions for the {robot.n} joints of '{robot.name}'",
                    where=f"{where}:1",
                    remedy="name columns q1 .., tau1 .. (dq1 ..) or q_JOINT, tau_JOINT, or give a map",
                )
        found = {
            kind: tuple(of[k + 1] for k in range(count))
            for kind, of in numbered.items()
            if all(k + 1 in of for k in range(count))
        }
        order = ", ".join(f"{column} = {joint}" for column, joint in zip(found["position"], joints, strict=True))
        findings.append(LogFinding(Pathology.MATCHED_BY_ORDER, Severity.NOTE, f"columns are in joint order: {order}"))
    return LogMap(
        time=time,
        position=found["position"],
        velocity=found.get("velocity"),
        torque=found["torque"],
        joints=tuple(joints),
    )


def _meaning(column: str, robot: Robot) -> tuple[str, str, int | None]:
    """('velocity', '', 2) of 'dq2', ('torque', 'elbow', None) of 'tau_elbow'; ('', '', None) of other columns."""
    if column in robot.joint_names:
        return "position", column, None
    for kind, prefixes in _PREFIXES.items():
        for prefix in prefixes:
            numbered = re.fullmatch(rf"{prefix}_?([0-9]+)", column)
            if numbered:
                return kind, "", int(numbered[1])
            joint = column.removeprefix(f"{prefix}_")
            if joint != column and joint in robot.joint_names:
                return kind, joint, None
    return "", "", None


def _to_log(columns: _Columns, robot: Robot, log_map: LogMap, where: str, findings: list[LogFinding]) -> Log:
    joints = robot.joint_names[: _width(columns, log_map, robot)] if log_map.joints is None else log_map.joints
    for name in joints:
        robot.joint_index(name)
    n = len(joints)
    log_map.check(n, where)

    def stacked(quantity: str) -> Array | None:
        names = log_map.names(quantity, n)
        if names is None:
            return None
        missing = [name for name in names if name not in columns]
        if missing:
            raise ArgumentError(
                f"the map names a column '{missing[0]}' that is not there",
                where=where,
                remedy=f"the columns are {', '.join(columns)}",
            )
        used.update(names)
        return log_map.to_joint(quantity, np.column_stack([columns[name] for name in names]))

    used = {log_map.time}
    if log_map.time not in columns:
        raise ArgumentError(f"there is no column '{log_map.time}'", where=where, remedy="name the column of times")
    t = log_map.seconds(np.asarray(columns[log_map.time]))
    q, qd, tau = stacked("position"), stacked("velocity"), stacked("torque")
    assert q is not None
    assert tau is not None
    if log_map.delay:
        tau = np.column_stack([np.interp(t + log_map.delay, t, column) for column in tau.T])
    locked = [name for name in robot.joint_names if name not in joints]
    if locked:
        text = f"the log says nothing about {', '.join(locked)}: held at zero"
        findings = [*findings, LogFinding(Pathology.LOCKED, Severity.NOTE, text)]
    order = sorted(range(n), key=lambda k: robot.joint_index(joints[k]))
    return Log(
        tuple(joints[k] for k in order),
        t,
        q[:, order],
        tau[:, order],
        None if qd is None else qd[:, order],
        {name: values for name, values in columns.items() if name not in used},
        where,
        tuple(findings),
    )


def _width(columns: _Columns, log_map: LogMap, robot: Robot) -> int:
    """How many joints a map with patterns speaks about: as many as there are columns."""
    names = log_map.names("position", robot.n)
    assert names is not None
    return sum(name in columns for name in names) or robot.n


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return not _is_missing(word)


def _is_missing(word: str) -> bool:
    return word.strip().lower() in ("", "nan", "inf", "-inf", "na", "null")
