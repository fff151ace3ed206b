"""CSV files of trajectories (a row per sample, joints in the header) and of frame paths (a row per pose).

    t,q_joint1,q_joint2,qd_joint1,qd_joint2,qdd_joint1,qdd_joint2

(1)  Other accepted column names: plain joint names for positions, and q1 .. qn, qd1 .. (or dq1 ..), qdd1 .. (or
     ddq1 ..) in joint order. A file may also have torques, tau_joint1 .., which `read_recorded_motion` returns as
     well, and references, q_ref_joint1 .., which are not part of the motion; files of simulated runs have both.
(2)  A file without speeds, or without accelerations, is a list of way-points: its motion is the spline of degree five
     through them, from rest to rest.

The reader is strict: every row needs every column, every number must be finite, times must increase. Errors name the
line.

The path of a frame has a row per pose:

    t,x,y,z,qw,qx,qy,qz[,vx,vy,vz,wx,wy,wz[,ax,ay,az,alx,aly,alz]]

A row has the time [s], and the position [m] and the quaternion (scalar first, of any norm) of the frame in the base.
Optional are the velocity of the frame's origin and its angular velocity, then their derivatives, in base axes.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.csv_text import csv_text
from torquec.foundation.reading import FileKind, read_text, to_path
from torquec.foundation.writing import write_files
from torquec.robot.number import plain_number
from torquec.spatial import quaternion_rotation
from torquec.trajectory.polynomial_motion import quintic_spline
from torquec.trajectory.trajectory import Trajectory, check_samples

_POSE = ("t", "x", "y", "z", "qw", "qx", "qy", "qz")
_VELOCITY = ("vx", "vy", "vz", "wx", "wy", "wz")
_ACCELERATION = ("ax", "ay", "az", "alx", "aly", "alz")


@dataclass(frozen=True, eq=False)
class PosePath:
    """Poses of a frame at times t (N,)."""

    t: Array
    rotation: Array
    """(N, 3, 3)"""
    position: Array
    """(N, 3)"""
    velocity: Array | None
    """(N, 6), linear before angular"""
    acceleration: Array | None


def read_pose_path(path: str | os.PathLike[str]) -> PosePath:
    """The path of a frame in a CSV file; raises `ArgumentError` with file, line and remedy for any other file."""
    source = to_path(path)
    lines = csv_lines(source)
    header = [word.strip() for word in lines[0]] if lines else []
    known = [*_POSE, *_VELOCITY, *_ACCELERATION]
    odd = [word for word in header if word not in known or header.count(word) > 1]
    groups = [group for group in (_POSE, _VELOCITY, _ACCELERATION) if set(group) & set(header)]
    missing = [word for group in (_POSE, *groups) for word in group if word not in header]
    if odd or missing or (_ACCELERATION in groups and _VELOCITY not in groups):
        wrong = f"the column '{odd[0]}'" if odd else f"no column '{(missing or [_VELOCITY[0]])[0]}'"
        raise ArgumentError(
            f"a path of poses has {wrong}",
            where=f"{source}:1",
            remedy=f"write the header {','.join(_POSE)} (see the docs)",
        )
    values = csv_values(lines, str(source))
    t, x = _taken(values, header, _POSE[:1])[:, 0], _taken(values, header, _POSE[1:4])
    quaternions = _taken(values, header, _POSE[4:])
    _check(t, quaternions, str(source))
    rotation = np.array([quaternion_rotation(*map(float, one)) for one in quaternions])
    velocity = _taken(values, header, _VELOCITY) if _VELOCITY in groups else None
    return PosePath(
        t, rotation, x, velocity, _taken(values, header, _ACCELERATION) if _ACCELERATION in groups else None
    )


def _taken(values: Array, header: list[str], words: tuple[str, ...]) -> Array:
    return values[:, [header.index(word) for word in words]]


def _check(t: Array, quaternions: Array, source: str) -> None:
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if len(late):
        raise ArgumentError("time does not rise", where=f"{source}:{int(late[0]) + 3}", remedy="let times rise")
    zero = np.flatnonzero(np.linalg.norm(quaternions, axis=1) == 0.0)
    if len(zero):
        raise ArgumentError("a quaternion of zeros", where=f"{source}:{int(zero[0]) + 2}", remedy="write 1,0,0,0")


_TIMES = {"time": "t", "t [s]": "t", "time [s]": "t", "t_s": "t", "time_s": "t"}
"""Other names of the time column, in lower case."""

_KINDS = {"q": "q", "qd": "qd", "dq": "qd", "qdd": "qdd", "ddq": "qdd"}
_FEWEST_ROWS = 2  # a motion has a beginning and an end
_MOST_COLUMNS = 10_000  # limit on columns, four per joint: more than any robot needs

_TORQUE, _REFERENCE = "tau", "ref_"
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def write_trajectory(
    trajectory: Trajectory, path: str | os.PathLike[str], *, torques: npt.ArrayLike | None = None
) -> Path:
    """Write t, q, qd and qdd of every sample as CSV, atomically; returns the path.

    With `torques` (N, n) of the motion the file is also a log. Raises `ArgumentError` where it cannot be written and
    for torques of another shape.
    """
    target = to_path(path)
    kinds = ("q", "qd", "qdd") if torques is None else ("q", "qd", "qdd", _TORQUE)
    header = ["t", *(f"{kind}_{joint}" for kind in kinds for joint in trajectory.joints)]
    rows = np.column_stack([trajectory.t, trajectory.q, trajectory.qd, trajectory.qdd])
    if torques is not None:
        tau = np.asarray(torques, dtype=np.float64)
        if tau.shape != trajectory.q.shape or not np.isfinite(tau).all():
            raise ArgumentError(
                f"torques of shape {tau.shape} for {len(trajectory)} samples of {trajectory.n} joints",
                remedy="give one finite row per sample",
            )
        rows = np.column_stack([rows, tau])
    write_files({target: csv_text(header, rows)}, force=True)
    return target


def read_trajectory(
    path: str | os.PathLike[str], *, joints: Sequence[str] | None = None, period: float = 0.001
) -> Trajectory:
    """The trajectory of a CSV file (1), (2), its columns put into the order of `joints` where they are given.

    `period` is the sampling interval of a file that holds way-points only. Raises `ArgumentError` with file, line and
    remedy for anything that is not such a file.
    """
    return _read(to_path(path), joints, period)[0]


def read_recorded_motion(path: str | os.PathLike[str], *, joints: Sequence[str]) -> tuple[Trajectory, Array | None]:
    """The trajectory of a CSV file, and its torques (N, n) where there are columns tau_<joint> of all joints.

    Raises `ArgumentError` as `read_trajectory` does.
    """
    return _read(to_path(path), joints, 0.001)


def read_reference(path: str | os.PathLike[str], *, joints: Sequence[str]) -> Array | None:
    """The references (N, n) of a simulated run, its columns q_ref_<joint>; None where some joint has none.

    Raises `ArgumentError` as `read_trajectory` does.
    """
    lines = csv_lines(to_path(path))
    words = {word.strip(): k for k, word in enumerate(lines[0])} if lines else {}
    columns = [words[name] for joint in joints if (name := f"q_{_REFERENCE}{joint}") in words]
    return csv_values(lines, str(path))[:, columns] if len(columns) == len(joints) else None


def read_positions(path: str | os.PathLike[str], *, joints: Sequence[str]) -> Array:
    """The positions (N, n) of a CSV file with a row per waypoint, columns as in (1); times are not read.

    Raises `ArgumentError` with file, line and remedy for anything that is not such a file.
    """
    source = to_path(path)
    lines = csv_lines(source)
    if not any(lines):
        raise ArgumentError("the file is empty", where=str(source), remedy="write a header and at least two rows")
    header = [*lines[0], *([] if {_time_word(word) for word in lines[0]} & {"t"} else ["t"])]
    columns, _ = _columns(header, joints, f"{source}:1")
    return csv_values(lines, str(source))[:, columns["q"]]


def read_pose_waypoints(path: str | os.PathLike[str]) -> tuple[Array, Array]:
    """Positions (N, 3) and quaternions (N, 4) of a CSV file with the columns x,y,z,qw,qx,qy,qz; others are not read.

    Raises `ArgumentError` with file, line and remedy for anything that is not such a file.
    """
    source = to_path(path)
    lines = csv_lines(source)
    header = [word.strip() for word in lines[0]] if lines else []
    missing = [word for word in _POSE[1:] if header.count(word) != 1]
    if missing:
        raise ArgumentError(
            f"waypoints of a frame have no column '{missing[0]}', or several",
            where=f"{source}:1",
            remedy=f"write the header {','.join(_POSE[1:])}",
        )
    values = csv_values(lines, str(source))
    quaternions = _taken(values, header, _POSE[4:])
    _check(np.arange(len(values), dtype=np.float64), quaternions, str(source))
    return _taken(values, header, _POSE[1:4]), quaternions


def has_poses(path: str | os.PathLike[str]) -> bool:
    """Whether the header of a CSV file names poses of a frame."""
    lines = csv_lines(to_path(path))
    return bool(lines) and set(_POSE[1:4]) <= {word.strip() for word in lines[0]}


def _read(source: Path, joints: Sequence[str] | None, period: float) -> tuple[Trajectory, Array | None]:
    lines = csv_lines(source)
    if not any(lines):
        raise ArgumentError("the file is empty", where=str(source), remedy="write a header and at least two rows")
    if len(lines[0]) > _MOST_COLUMNS:
        remedy = f"keep at most {_MOST_COLUMNS} of them"
        raise ArgumentError(f"{len(lines[0])} columns", where=f"{source}:1", remedy=remedy)
    columns, names = _columns(lines[0], joints, f"{source}:1")
    values = csv_values(lines, str(source))
    t = values[:, columns["t"][0]]
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if len(late):
        row = int(late[0]) + 1
        raise ArgumentError(
            f"time goes from {t[row - 1]:g} s to {t[row]:g} s", where=f"{source}:{row + 2}", remedy="let times rise"
        )
    q = values[:, columns["q"]]
    if "qd" in columns and "qdd" in columns:
        words = {word.strip(): k for k, word in enumerate(lines[0])}
        numbers = [words[word] for name in names if (word := f"{_TORQUE}_{name}") in words]
        tau = values[:, numbers] if len(numbers) == len(names) else None
        return Trajectory(names, t, q, values[:, columns["qd"]], values[:, columns["qdd"]]), tau
    check_samples(t[-1] - t[0], period, len(names), str(source))
    return quintic_spline(t, q, joints=names, period=period), None


def _columns(
    header: Sequence[str], joints: Sequence[str] | None, where: str
) -> tuple[dict[str, list[int]], tuple[str, ...]]:
    """Column numbers of t and of each kind of quantity, in joint order, and the joints' names."""
    words = [_time_word(word) for word in header]
    others = [word for word in words if word != "t"]
    may_be_names = joints is None and "t" in words  # joints called 1, 2, ..
    if others and not may_be_names and all(_NUMBER.fullmatch(w) and w not in (joints or ()) for w in others):
        raise ArgumentError(
            "the first line holds numbers, not the names of columns",
            where=where,
            remedy=f"write a header, such as {','.join(['t', *(joints or ('q_JOINT',))])}",
        )
    twice = sorted(word for word, count in Counter(words).items() if count > 1)
    if twice or "" in words:
        raise ArgumentError(
            f"column {twice[0]!r} appears twice" if twice and twice[0] else "a column has no name",
            where=where,
            remedy="name every column once",
        )
    if "t" not in words:
        raise ArgumentError("there is no column 't'", where=where, remedy="name the column of times [s] 't' or 'time'")
    named: dict[str, dict[str, int]] = {}
    for k, word in enumerate(words):
        if word != "t" and not (word.startswith(f"{_TORQUE}_") and word not in (joints or ())):
            kind, joint = _kind_and_joint(word, joints)
            if not _is_reference(joint, joints or ()):
                named.setdefault(kind, {})[joint] = k
    names = tuple(joints) if joints is not None else tuple(named.get("q", {}))
    if joints is not None and set(named.get("q", {})) <= {f"q{k + 1}" for k in range(len(names))}:
        numbered = {f"q{k + 1}": name for k, name in enumerate(names)}
        named = {kind: {numbered.get(j, j): k for j, k in found.items()} for kind, found in named.items()}
    for kind, found in named.items():
        # In joint order, so that the error names the first missing joint, not the first in the alphabet.
        wrong = [name for name in names if name not in found] or [name for name in found if name not in names]
        if wrong:
            state = "is missing" if wrong[0] in names else "belongs to no joint"
            raise ArgumentError(
                f"column {kind} of '{wrong[0]}' {state}", where=where, remedy=f"the joints are {', '.join(names)}"
            )
    if not named.get("q"):
        raise ArgumentError("there are no positions", where=where, remedy="name their columns q_<joint>")
    columns = {kind: [found[name] for name in names] for kind, found in named.items()}
    return {"t": [words.index("t")], **columns}, names


def _time_word(word: str) -> str:
    """A word of the header; "t" where it names the column of times."""
    return _TIMES.get(word.strip().lower(), word.strip())


def _kind_and_joint(word: str, joints: Sequence[str] | None) -> tuple[str, str]:
    """('qd', 'elbow') from 'qd_elbow', ('q', 'elbow') from 'elbow', ('qd', 'q2') from 'dq2'."""
    if joints is not None and word in joints:
        return "q", word
    prefix, underscore, joint = word.partition("_")
    if underscore and prefix in _KINDS:
        return _KINDS[prefix], joint
    numbered = re.fullmatch(r"(q|qd|dq|qdd|ddq)([0-9]+)", word)
    if numbered:
        return _KINDS[numbered[1]], f"q{numbered[2]}"
    return "q", word


def _is_reference(joint: str, joints: Sequence[str]) -> bool:
    """Whether a column is the reference of a joint (ref_JOINT, from simulated runs), not a joint of that name."""
    return joint.startswith(_REFERENCE) and joint not in joints and joint.removeprefix(_REFERENCE) in joints


def csv_lines(source: Path) -> list[list[str]]:
    """The words of every line of a CSV file; raises `ArgumentError` for a file that is not CSV."""
    try:
        return list(csv.reader(io.StringIO(read_text(source, FileKind.TRAJECTORY), newline="")))
    except csv.Error as error:
        raise ArgumentError(f"not CSV: {error}", where=str(source), remedy="give plain columns of numbers") from None


def csv_values(lines: Sequence[Sequence[str]], source: str) -> Array:
    """The numbers below a header, (rows, columns); raises `ArgumentError` with the line of a word that is no number."""
    width = len(lines[0])
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        where = f"{source}:{number}"
        if not line and number == len(lines):
            continue  # a blank last line
        if len(line) != width:
            raise ArgumentError(
                f"{len(line)} values where the header has {width}", where=where, remedy="give one value per column"
            )
        rows.append([_number(word, where, lines[0][k]) for k, word in enumerate(line)])
    if len(rows) < _FEWEST_ROWS:
        raise ArgumentError(f"{len(rows)} rows of values", where=source, remedy="give at least two samples")
    return np.array(rows, dtype=np.float64)


def _number(word: str, where: str, column: str) -> float:
    value = plain_number(word)
    if value is None:
        raise ArgumentError(
            f"column '{column.strip()}' holds '{word[:40]}', which is not a finite number",
            where=where,
            remedy='write a plain decimal number such as "0.25" or "1e-3"',
        )
    return value
