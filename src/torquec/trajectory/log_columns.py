"""Guess the meaning of log columns from their names: quantity, joint and unit of each, as a `LogMap`.

(1)  time         t, time, timestamp, stamp, seconds
(2)  quantities   q, pos, position, angle;  dq, qd, vel, velocity, speed;  tau, torque, effort, force;  each with a
                  number or a joint's name: q1, q_1, q[0], q_elbow, position.elbow, elbow_position, elbow/pos,
                  joint1_position; a joint's name alone is its position
(3)  units        at the end: q1_deg, q1 [deg], time_ms, tau1 (mNm)

Numbers count joints from 1, or from 0 where there is a 0. Any other column keeps its own name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.trajectory.log import LogFinding, Pathology, Severity
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.log_quantity import LOG_QUANTITIES, MAPPED, TIME_WORDS, UNIT_SPELLINGS, further_quantities

_KIND_OF = {word: quantity.key for quantity in LOG_QUANTITIES for word in quantity.words}
_CURRENT = "current"  # mentioned where torques are missing: a map can convert currents to torques
_SEPARATOR = r"[\s_./:-]"
_NUMBERED = re.compile(rf"(?:(?:joint|axis|j|a){_SEPARATOR}?)?([0-9]+)")
_LONGEST_NAME = 300
"""Longest column name that is parsed, in characters: names of robots' joints have some dozen."""
_SHOWN_COLUMNS = 40  # columns that a message lists, so that it stays readable for a log with hundreds
_REMEDY = "name columns t, q1 .., tau1 .. (and dq1 ..), or q_JOINT, tau_JOINT, or give a map"


@dataclass(frozen=True)
class _Meaning:
    """Meaning of one column: its quantity, the joint by name or number, the stated unit."""

    column: str
    kind: str
    joint: str | int
    unit: tuple[str, str] | None


def guessed_map(
    columns: Sequence[str],
    robot: Robot,
    where: str,
    *,
    joints: Sequence[str] | None = None,
    time: str | None = None,
    needed: Sequence[str] = ("position", "torque"),
) -> tuple[LogMap, list[LogFinding]]:
    """The map guessed from the names of the columns (1)-(3), and findings to report.

    `joints` are the recorded joints, in the order of numbered columns (all of the robot's unless given), `time`
    the time column where it is known. Raises `ArgumentError` where times or one of the `needed` quantities (the
    first one names the joints) are missing or ambiguous.
    """
    time, unit = (time, None) if time is not None else time_column(columns, where)
    order = tuple(robot.joint_names if joints is None else joints)
    asked = (*MAPPED, _CURRENT)  # other quantities may be there twice, or for more joints than the robot has
    meanings = [meaning for meaning in _meanings(columns, robot) if meaning.kind in asked]
    by_name = [m for m in meanings if isinstance(m.joint, str)]
    used = by_name if any(m.kind == needed[0] for m in by_name) else [m for m in meanings if m not in by_name]
    chosen = _by_joint(used, order, needed, f"{where}:1", _listed(columns))
    findings = []
    found = [name for name in order if name in chosen[needed[0]]]
    if used is not by_name:
        pairs = ", ".join(f"{chosen[needed[0]][joint].column} = {joint}" for joint in found)
        text = f"columns are in joint order: {pairs}"
        findings.append(LogFinding(Pathology.MATCHED_BY_ORDER, Severity.NOTE, text))
    stated = {kind: _stated(list(of.values()), where) for kind, of in chosen.items()}

    def named(kind: str) -> tuple[str, ...] | None:
        whole = set(found) <= chosen.get(kind, {}).keys()
        return tuple(chosen[kind][joint].column for joint in found) if whole else None

    findings += _partial_speeds(chosen.get("velocity", {}), found)
    guess = LogMap(
        time=time,
        time_unit=unit,
        position=named("position"),
        velocity=named("velocity"),
        torque=named("torque"),
        angle_unit=stated.get("position", {}).get("angle"),
        speed_unit=stated.get("velocity", {}).get("angle"),
        length_unit=stated.get("position", {}).get("length"),
        torque_unit=stated.get("torque", {}).get("torque"),
        joints=tuple(found),
    )
    return guess, findings


def _partial_speeds(speeds: Mapping[str, _Meaning], joints: Sequence[str]) -> list[LogFinding]:
    """A warning where some joints have a column of speeds, and others have none: no recorded speed is used then."""
    lacking = [joint for joint in joints if joint not in speeds]
    if not lacking or len(lacking) == len(joints):
        return []
    unused = ", ".join(speeds[joint].column for joint in joints if joint in speeds)
    text = f"no column holds the speed of {', '.join(lacking)}; not used: {unused}; speeds are derived from positions"
    remedy = "record the speeds of all joints, or leave them out with a map that names position and torque only"
    return [LogFinding(Pathology.LEFT_OUT, Severity.WARNING, text, remedy=remedy)]


def further_columns(columns: Sequence[str], robot: Robot, log_map: LogMap) -> dict[str, str]:
    """The names KEY_JOINT of columns that hold a quantity without a field of `Log`: from the map, else the header.

    >>> from torquec.robot import classics
    >>> further_columns(["t", "temp1", "joint2.temp"], classics.planar2r(), LogMap(joints=("joint1", "joint2")))
    {'temp1': 'temperature_joint1', 'joint2.temp': 'temperature_joint2'}
    """
    joints = log_map.joints or robot.joint_names
    names: dict[str, str] = {}
    known = _meanings(columns, robot)
    for kind in further_quantities():
        stated = log_map.names(kind, len(joints))
        if stated is not None:
            names |= {column: f"{kind}_{joint}" for column, joint in zip(stated, joints, strict=True)}
            continue
        meanings = [meaning for meaning in known if meaning.kind == kind]
        first = 0 if any(found.joint == 0 for found in meanings) else 1
        numbered = dict(enumerate(joints, start=first))
        for found in meanings:
            joint = found.joint if isinstance(found.joint, str) else numbered.get(found.joint)
            taken = {*names.values(), *columns} - {found.column}  # a second column of one joint keeps its own name
            if joint is not None and f"{kind}_{joint}" not in taken:
                names[found.column] = f"{kind}_{joint}"
    return names


def time_column(columns: Sequence[str], where: str) -> tuple[str, str | None]:
    """The time column (1), and its unit where it is stated; raises `ArgumentError` where there is none.

    >>> time_column(["q1", "time_ms"], "log.csv")
    ('time_ms', 'ms')
    """
    for column in columns:
        body, unit = _split_unit(column[:_LONGEST_NAME])
        if body.lower() in TIME_WORDS and (unit is None or unit[0] == "time"):
            return column, None if unit is None else unit[1]
    raise ArgumentError("there is no column of times", where=where, remedy="name it 't', or give a map")


def _meanings(columns: Sequence[str], robot: Robot) -> list[_Meaning]:
    return [meaning for column in columns if (meaning := _meaning(column, robot)) is not None]


def _meaning(column: str, robot: Robot) -> _Meaning | None:
    """(2), (3): None for a column whose name contains no joint."""
    if len(column) > _LONGEST_NAME:
        return None
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
    unit = None if found is None else UNIT_SPELLINGS.get(found[2].lower().replace("·", ""))
    return (column.strip(), None) if found is None or unit is None else (found[1], unit)


def _by_joint(
    meanings: Sequence[_Meaning], joints: Sequence[str], needed: Sequence[str], where: str, listed: str
) -> dict[str, dict[str, _Meaning]]:
    """Columns by quantity and joint; numbers are counted from 0 where there is a 0."""
    first = 0 if any(m.joint == 0 for m in meanings) else 1
    chosen: dict[str, dict[str, _Meaning]] = {}
    for m in meanings:
        if isinstance(m.joint, int) and m.joint - first >= len(joints):
            text = f"'{m.column}' is joint {m.joint}, but there are {len(joints)} joints"
            raise ArgumentError(text, where=where, remedy=_REMEDY)
        joint = m.joint if isinstance(m.joint, str) else joints[m.joint - first]
        twin = chosen.setdefault(m.kind, {}).setdefault(joint, m)
        if twin is not m:
            text = f"'{twin.column}' and '{m.column}' both hold the {m.kind} of {joint}"
            raise ArgumentError(text, where=where, remedy="select one in a map")
    anchors = chosen.get(needed[0], {})
    if not anchors:
        found = f"no column holds the {needed[0]} of joint 1"
        raise ArgumentError(found, where=where, remedy=f"{_REMEDY}; {listed}")
    # Position columns, from the map or from the header, define which joints there are.
    wanted = [joint for joint in joints if joint in anchors or needed[0] != "position"]
    for kind in needed:
        lacking = [joint for joint in wanted if joint not in chosen.get(kind, {})]
        if lacking:
            currents = chosen.get(_CURRENT, {})
            what = f"{kind} of joint {list(joints).index(lacking[0]) + 1} ('{lacking[0]}')"
            remedy = f"{_REMEDY}; {listed}"
            if kind == "torque" and lacking[0] in currents:
                remedy = f"'{currents[lacking[0]].column}' is a current: give a map with torque = [..] and gains = [..]"
            raise ArgumentError(f"no column holds the {what}", where=where, remedy=remedy)
    return {kind: {j: m for j, m in of.items() if j in anchors} for kind, of in chosen.items()}


def _listed(columns: Sequence[str]) -> str:
    """List of the columns, for messages."""
    more = f" and {len(columns) - _SHOWN_COLUMNS} more" if len(columns) > _SHOWN_COLUMNS else ""
    return f"the columns are {', '.join(name[:_LONGEST_NAME] for name in columns[:_SHOWN_COLUMNS])}{more}"


def _stated(meanings: Sequence[_Meaning], where: str) -> dict[str, str]:
    """The units of one quantity, by what they measure."""
    units: dict[str, str] = {}
    for m in meanings:
        if m.unit is not None and units.setdefault(*m.unit) != m.unit[1]:
            text = f"'{m.column}' is in {m.unit[1]}, other columns are in {units[m.unit[0]]}"
            raise ArgumentError(text, where=f"{where}:1", remedy="record all joints in the same unit")
    return units


def units_finding(log_map: LogMap, stated: LogMap) -> LogFinding:
    """Finding on the units of a log and their source; `stated` are those of the header."""
    units = [
        ("time", log_map.time_unit or "s", stated.time_unit),
        ("positions", log_map.angle_unit or "rad", stated.angle_unit),
        ("speeds", f"{log_map.speed_unit or log_map.angle_unit or 'rad'}/s", stated.speed_unit),
        ("torques", log_map.torque_unit or "Nm", stated.torque_unit),
    ]
    if log_map.velocity is None:
        units.pop(2)
    parts = [f"{what} in {unit} ({'as the header says' if said else 'assumed'})" for what, unit, said in units]
    return LogFinding(Pathology.UNITS, Severity.NOTE, ", ".join(parts))
