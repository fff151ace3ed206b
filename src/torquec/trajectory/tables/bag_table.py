"""Logs as ROS 2 bags: `sensor_msgs/JointState` from rosbag2 folders, .db3 and .mcap files (extra `rosbags`).

(1)  columns are t and position_NAME, velocity_NAME, effort_NAME of every joint; joints come in any order
(2)  t is the stamp of the header, from the first message on, or the time of recording where no header has a stamp
(3)  messages may hold different joints: rows are the messages of the group that comes most often, and the other joints
     are interpolated between their own messages (missing before the first, after the last, and in gaps)
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.trajectory.log import LogFinding, Pathology, Severity
from torquec.trajectory.log_quantity import LOG_QUANTITIES
from torquec.trajectory.tables.log_table import ArrayTable

_TYPE = "sensor_msgs/msg/JointState"
_QUANTITIES = {quantity.field: quantity for quantity in LOG_QUANTITIES if quantity.field}
_GAP = 10.0  # times the usual step: messages were lost, and values are not interpolated across the gap


class _Group:
    """Messages that hold the same joints in the same order: stamps, and one table (m, joints) per quantity."""

    def __init__(self, joints: tuple[str, ...]) -> None:
        self.joints = joints
        self.headers: list[int] = []
        self.recorded: list[int] = []
        self.values: dict[str, list[Array]] = {kind: [] for kind in _QUANTITIES}

    def __len__(self) -> int:
        return len(self.recorded)

    def table(self, kind: str) -> Array | None:
        """Values (m, joints), or None where a message has none; raises `ValueError` for another number of them."""
        rows = self.values[kind]
        if any(len(row) == 0 for row in rows):
            return None
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.joints))


def bag_table(source: Path, *, topic: str | None = None, wanted: Sequence[str] = ()) -> ArrayTable:
    """The joint states of a bag (1)-(3); `topic` chooses where there are several, `wanted` names the robot's joints.

    Joints that are not wanted are left out; where none of the bag's joints is wanted, all are kept.
    Raises `ArgumentError` for a bag without such messages, positions or efforts; `MissingExtraError` without rosbags.
    """
    try:
        reader = importlib.import_module("rosbags.rosbag2").Reader
        types = importlib.import_module("rosbags.typesys")
    except ImportError:
        raise MissingExtraError("rosbags", "rosbags", "reading a bag") from None
    store = types.get_typestore(types.Stores.ROS2_HUMBLE)
    try:
        with reader(source) as bag:
            connections = _connections(bag, topic, str(source))
            groups = _groups(bag.messages(connections), store)
            holds = _holds(bag, connections[0].topic, groups)
    except ArgumentError:
        raise
    except Exception as error:  # the library raises its own errors, sqlite's, zstd's and struct's
        raise ArgumentError(
            f"cannot be read: {error}", where=str(source), remedy="give a rosbag2 folder, a .db3 or an .mcap file"
        ) from error
    known = {name for group in groups for name in group.joints}
    kept = known & set(wanted) or known
    groups = [group for group in groups if kept & set(group.joints)]
    if not groups:
        raise ArgumentError("the bag holds no joint states", where=str(source), remedy="record a motion")
    return _table(groups, kept, f"{source}, topic {connections[0].topic}", holds)


def _connections(bag: Any, topic: str | None, where: str) -> list[Any]:
    """Connections of one topic of joint states."""
    found = [c for c in bag.connections if c.msgtype == _TYPE]
    topics = Counter[str]()
    for connection in found:
        topics[connection.topic] += connection.msgcount
    listed = ", ".join(f"{name} ({count} messages)" for name, count in sorted(topics.items()))
    if not topics:
        others = ", ".join(sorted({f"{c.topic} ({c.msgtype})" for c in bag.connections})) or "nothing"
        raise ArgumentError(
            f"no topic holds {_TYPE}", where=where, remedy=f"record the joint states; the bag holds {others}"
        )
    if topic is None:
        filled = [name for name, count in topics.items() if count]
        if len(filled) > 1:
            raise ArgumentError(
                f"there are {len(filled)} topics of joint states: {listed}",
                where=where,
                remedy=f'choose one in a map: topic = "{filled[0]}"',
            )
        topic = filled[0] if filled else next(iter(topics))
    if topic not in topics:
        rest = sorted({f"{c.topic} ({c.msgtype})" for c in bag.connections if c.msgtype != _TYPE})
        further = f"; other topics: {', '.join(rest)}" if rest else ""
        raise ArgumentError(
            f"there are no joint states on topic '{topic}'", where=where, remedy=f"there are {listed}{further}"
        )
    return [connection for connection in found if connection.topic == topic]


def _groups(messages: Iterable[tuple[Any, int, bytes]], store: Any) -> list[_Group]:
    """The messages by the joints that they hold."""
    groups: dict[tuple[str, ...], _Group] = {}
    for _, recorded, raw in messages:
        message = store.deserialize_cdr(raw, _TYPE)
        joints = tuple(message.name)
        group = groups.setdefault(joints, _Group(joints))
        group.headers.append(message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec)
        group.recorded.append(recorded)
        for kind in _QUANTITIES:
            group.values[kind].append(getattr(message, kind))
    return list(groups.values())


def _holds(bag: Any, topic: str, groups: list[_Group]) -> str:
    """Contents of the bag: the joints and fields of the topic that was read, and the other topics."""
    joints = dict.fromkeys(name for group in groups for name in group.joints)
    fields = [kind for kind in _QUANTITIES if any(len(row) for group in groups for row in group.values[kind])]
    others = sorted({f"{c.topic} ({c.msgtype})" for c in bag.connections if c.topic != topic})
    further = f"; further topics: {', '.join(others)}" if others else ""
    return f"topic {topic} holds {', '.join(fields) or 'no values'} of {', '.join(joints) or 'no joints'}{further}"


def _table(groups: list[_Group], kept: set[str], where: str, holds: str) -> ArrayTable:
    """(2), (3)."""
    stamped = any(stamp for group in groups for stamp in group.headers)
    clocks = {id(g): np.array(g.headers if stamped else g.recorded, dtype=np.int64) for g in groups}
    start = min(int(clock[0]) for clock in clocks.values())
    times: dict[int, Array] = {key: (clock - start).astype(np.float64) * 1e-9 for key, clock in clocks.items()}
    main = max(groups, key=len)
    t = times[id(main)]
    columns: dict[str, Array] = {"t": t}
    findings: list[LogFinding] = []
    if not stamped:
        text = "messages have no stamps: the times at which they were recorded are taken"
        findings.append(LogFinding(Pathology.MERGED, Severity.NOTE, text, "t"))
    others = sorted(kept - set(main.joints))
    for kind in _QUANTITIES:
        tables = {id(g): _quantity(g, kind, where, holds) for g in groups}
        if any(table is None for table in tables.values()):
            continue
        for joint in sorted(kept):
            holders = [g for g in groups if joint in g.joints]
            parts = [tables[id(g)] for g in holders]
            values = [p[:, g.joints.index(joint)] for g, p in zip(holders, parts, strict=True) if p is not None]
            stamps = [times[id(g)] for g in holders]
            in_main = joint in main.joints
            columns[f"{kind}_{joint}"] = (
                values[holders.index(main)] if in_main else _interpolated(t, np.concatenate(stamps), values)
            )
    if others:
        text = f"{', '.join(others)} come in other messages, and are interpolated to the stamps of the rest"
        findings.append(LogFinding(Pathology.MERGED, Severity.NOTE, text))
    return ArrayTable(columns, tuple(findings), holds=holds)


def _quantity(group: _Group, kind: str, where: str, holds: str) -> Array | None:
    try:
        values = group.table(kind)
    except ValueError:
        raise ArgumentError(
            f"messages do not hold one {kind} for each of {', '.join(group.joints)}",
            where=where,
            remedy="record whole messages",
        ) from None
    if values is None and _QUANTITIES[kind].is_needed:
        key = _QUANTITIES[kind].key
        what = f"{kind}s" if kind == key else f"{kind}s ({key}s)"
        raise ArgumentError(
            f"messages hold no {what} of {', '.join(group.joints)}",
            where=where,
            remedy=f"let the driver publish them, or choose another topic; {holds}",
        )
    return values


def _interpolated(t: Array, stamps: Array, values: list[Array]) -> Array:
    """Values interpolated from their own stamps to the times t (N,), missing outside and in gaps."""
    order = np.argsort(stamps, kind="stable")
    stamps, joined = stamps[order], np.concatenate(values)[order]
    steps = np.diff(stamps)
    usual = float(np.median(steps)) if len(steps) else 0.0
    result = np.interp(t, stamps, joined, left=np.nan, right=np.nan)
    for k in np.flatnonzero(steps > max(_GAP * usual, 0.02)):
        result[(t > stamps[k]) & (t < stamps[k + 1])] = np.nan
    return result
