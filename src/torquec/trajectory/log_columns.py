"""What the columns of a log mean by their names alone: quantity, joint and unit of each, as a `LogMap`.

(1)  time         t, time, timestamp, stamp, seconds
(2)  quantities   q, pos, position, angle;  dq, qd, vel, velocity, speed;  tau, torque, effort, force;  each with a
                  number or a joint's name: q1, q_1, q[0], q_elbow, position.elbow, elbow_position, elbow/pos,
                  joint1_position; a joint's name alone is its position
(3)  units        at the end: q1_deg, q1 [deg], time_ms, tau1 (mNm)

Numbers count joints from 1, or from 0 where there is a 0. Any other column keeps its own name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.trajectory.log import LogFinding, Pathology, Severity
from torquec.trajectory.log_map import LogMap

_TIMES = ("t", "time", "timestamp", "stamp", "seconds", "sec")
_WORDS = {
    "position": ("q", "pos", "position", "positions", "angle", "actual_q", "joint_position"),
    "velocity": ("dq", "qd", "qdot", "vel", "velocity", "velocities", "speed", "actual_qd", "joint_velocity"),
    "torque": ("tau", "tau_j", "torque", "torques", "trq", "effort", "efforts", "force", "joint_torque"),
    "current": ("i", "current", "currents", "amps", "actual_current"),
}
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words}
_SEPARATOR = r"[\s_./:-]"
_NUMBERED = re.compile(rf"(?:(?:joint|axis|j|a){_SEPARATOR}?)?([0-9]+)")
_UNITS = {
    "s": ("time", "s"),
    "sec": ("time", "s"),
    "ms": ("time", "ms"),
    "us": ("time", "us"),
    "ns": ("time", "ns"),
    "rad": ("angle", "rad"),
    "rad/s": ("angle", "rad"),
    "radps": ("angle", "rad"),
    "deg": ("angle", "deg"),
    "deg/s": ("angle", "deg"),
    "degps": ("angle", "deg"),
    "degrees": ("angle", "deg"),
    "m": ("length", "m"),
    "m/s": ("length", "m"),
    "mm": ("length", "mm"),
    "mm/s": ("length", "mm"),
    "n": ("torque", "Nm"),
    "nm": ("torque", "Nm"),
    "mnm": ("torque", "mNm"),
    "knm": ("torque", "kNm"),
}
_REMEDY = "name columns t, q1 .., tau1 .. (and dq1 ..), or q_JOINT, tau_JOINT, or give a map"


@dataclass(frozen=True)
class _Meaning:
    """Of one column: its quantity, the joint by name or number, the stated unit."""

    column: str
    kind: str
    joint: str | int
    unit: tuple[str, str] | None


def guessed_map(columns: Sequence[str], robot: Robot, where: str) -> tuple[LogMap, list[LogFinding]]:
    """The map that the names of the columns suggest (1)-(3), and what to tell about it.

    Raises `ArgumentError` where times, positions or torques are not found, or found twice.
    """
    time, unit = _time(columns, where)
    meanings = [meaning for column in columns if (meaning := _meaning(column, robot)) is not None]
    by_name = [m for m in meanings if isinstance(m.joint, str)]
    used = by_name if any(m.kind == "position" for m in by_name) else [m for m in meanings if m not in by_name]
    chosen = _by_joint(used, robot, where)
    findings = []
    joints = [name for name in robot.joint_names if name in chosen["position"]]
    if used is not by_name:
        order = ", ".join(f"{chosen['position'][joint].column} = {joint}" for joint in joints)
        text = f"columns are in joint order: {order}"
        findings.append(LogFinding(Pathology.MATCHED_BY_ORDER, Severity.NOTE, text))
    stated = {kind: _stated(list(of.values()), where) for kind, of in chosen.items()}
    guess = LogMap(
        time=time,
        time_unit=unit or "s",
        position=tuple(chosen["position"][j].column for j in joints),
        velocity=tuple(chosen["velocity"][j].column for j in joints) if "velocity" in chosen else None,
        torque=tuple(chosen["torque"][j].column for j in joints),
        angle=stated["position"].get("angle", "rad"),
        velocity_angle=stated.get("velocity", {}).get("angle"),
        length=stated["position"].get("length", "m"),
        torque_unit=stated["torque"].get("torque", "Nm"),
        joints=tuple(joints),
    )
    findings.append(_units_told(guess, unit, stated))
    return guess, findings


def states_angle(columns: Sequence[str], robot: Robot) -> bool:
    """Whether the name of a position says its unit."""
    found = [meaning for column in columns if (meaning := _meaning(column, robot)) is not None]
    return any(m.kind == "position" and m.unit is not None for m in found)


def states_time(column: str) -> bool:
    """Whether the name of the time column says its unit.

    >>> states_time("time_ms"), states_time("t")
    (True, False)
    """
    return _split_unit(column)[1] is not None


def _time(columns: Sequence[str], where: str) -> tuple[str, str | None]:
    """(1): the column, and its unit where it is stated."""
    for column in columns:
        body, unit = _split_unit(column)
        if body.lower() in _TIMES and (unit is None or unit[0] == "time"):
            return column, None if unit is None else unit[1]
    raise ArgumentError("there is no column of times", where=where, remedy="name it 't', or give a map")


def _meaning(column: str, robot: Robot) -> _Meaning | None:
    """(2), (3): None of a column that says nothing of a joint."""
    for body, unit in ((column.strip(), None), _split_unit(column)):
        if body in robot.joint_names:
            return _Meaning(column, "position", body, unit)
        found = _prefixed(body, robot) or _suffixed(body, robot)
        if found is not None:
            return _Meaning(column, found[0], found[1], unit)
    return None


def _prefixed(body: str, robot: Robot) -> tuple[str, str | int] | None:
    """q1, q_1, q[0], tau_elbow, position/elbow."""
    for cut in range(1, len(body)):
        kind = _KIND_OF.get(body[:cut].lower())
        if kind is None:
            continue
        rest = re.sub(rf"^{_SEPARATOR}+", "", body[cut:])
        bracket = re.fullmatch(r"[\[(](.+)[\])]", rest)
        key = bracket[1] if bracket else rest
        if key in robot.joint_names and (bracket or rest != body[cut:]):
            return kind, key
        number = _NUMBERED.fullmatch(key.lower())
        if number:
            return kind, int(number[1])
    return None


def _suffixed(body: str, robot: Robot) -> tuple[str, str | int] | None:
    """elbow_position, joint1.pos."""
    for cut in re.finditer(_SEPARATOR, body):
        kind = _KIND_OF.get(body[cut.end() :].lower())
        key = body[: cut.start()]
        if kind is None:
            continue
        if key in robot.joint_names:
            return kind, key
        number = _NUMBERED.fullmatch(key.lower())
        if number:
            return kind, int(number[1])
    return None


def _split_unit(column: str) -> tuple[str, tuple[str, str] | None]:
    """('q1', ('angle', 'deg')) of 'q1 [deg]' and of 'q1_deg' (3)."""
    found = re.fullmatch(r"(.+?)\s*[\[(]([A-Za-z/]+)[\])]", column.strip()) or re.fullmatch(
        r"(.+?)_([A-Za-z/]+)", column.strip()
    )
    unit = None if found is None else _UNITS.get(found[2].lower().replace("·", ""))
    return (column.strip(), None) if found is None or unit is None else (found[1], unit)


def _by_joint(meanings: Sequence[_Meaning], robot: Robot, where: str) -> dict[str, dict[str, _Meaning]]:
    """Columns by quantity and joint; numbers are counted from 0 where there is a 0."""
    first = 0 if any(m.joint == 0 for m in meanings) else 1
    chosen: dict[str, dict[str, _Meaning]] = {}
    for m in meanings:
        if isinstance(m.joint, int) and m.joint - first >= robot.n:
            text = f"'{m.column}' is joint {m.joint}, but '{robot.name}' has {robot.n} joints"
            raise ArgumentError(text, where=f"{where}:1", remedy=_REMEDY)
        joint = m.joint if isinstance(m.joint, str) else robot.joint_names[m.joint - first]
        twin = chosen.setdefault(m.kind, {}).setdefault(joint, m)
        if twin is not m:
            text = f"'{twin.column}' and '{m.column}' both hold the {m.kind} of {joint}"
            raise ArgumentError(text, where=f"{where}:1", remedy="say in a map which one is meant")
    positions = chosen.get("position", {})
    if not positions:
        raise ArgumentError("no column holds the position of joint 1", where=f"{where}:1", remedy=_REMEDY)
    for kind in ("torque", "velocity"):
        lacking = [joint for joint in robot.joint_names if joint in positions and joint not in chosen.get(kind, {})]
        if kind == "velocity" and lacking:
            chosen.pop(kind, None)
        elif lacking:
            currents = chosen.get("current", {})
            number = robot.joint_index(lacking[0]) + 1
            what = f"torque of joint {number} ('{lacking[0]}')"
            remedy = _REMEDY
            if lacking[0] in currents:
                remedy = f"'{currents[lacking[0]].column}' is a current: give a map with torque = [..] and gains = [..]"
            raise ArgumentError(f"no column holds the {what}", where=f"{where}:1", remedy=remedy)
    return {kind: {j: m for j, m in of.items() if j in positions} for kind, of in chosen.items()}


def _stated(meanings: Sequence[_Meaning], where: str) -> dict[str, str]:
    """The units of one quantity, by what they measure."""
    units: dict[str, str] = {}
    for m in meanings:
        if m.unit is not None and units.setdefault(*m.unit) != m.unit[1]:
            text = f"'{m.column}' is in {m.unit[1]}, other columns are in {units[m.unit[0]]}"
            raise ArgumentError(text, where=f"{where}:1", remedy="record all joints in the same unit")
    return units


def _units_told(guess: LogMap, time_unit: str | None, stated: dict[str, dict[str, str]]) -> LogFinding:
    told = [
        ("time", guess.time_unit, time_unit is not None),
        ("positions", guess.angle, bool(stated["position"])),
        *([("speeds", f"{guess.velocity_angle or guess.angle}/s", bool(stated["velocity"]))] if guess.velocity else []),
        ("torques", guess.torque_unit, bool(stated["torque"])),
    ]
    parts = [f"{what} in {unit} ({'as the header says' if by_name else 'assumed'})" for what, unit, by_name in told]
    return LogFinding(Pathology.UNITS, Severity.NOTE, ", ".join(parts))
