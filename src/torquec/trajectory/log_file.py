"""`LogFile`: an open log file with resolved columns, read whole or piece by piece; delay correction, unwrapping.

(1)  torques are late by the delay d:  tau(t) = recorded tau(t + d), interpolated between samples, held at the ends
(2)  positions are unwrapped where neighbours differ by more than half a turn; turns are counted across pieces
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.log_quantity import LOG_QUANTITIES
from torquec.trajectory.tables.log_table import LogTable

_KINDS = {quantity.symbol: quantity.key for quantity in LOG_QUANTITIES if quantity.symbol}


@dataclass(frozen=True, eq=False)
class LogFile:
    """A log's file, opened: its table, and what its columns mean. Made by `open_log`."""

    source: str
    robot: Robot
    table: LogTable
    log_map: LogMap
    joints: tuple[str, ...]
    findings: tuple[LogFinding, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Names of columns in `Log.others` that differ from those in the file."""

    def whole(self) -> Log:
        """The whole log in one piece."""
        return next(self.chunks(None))

    def chunks(self, rows: int | None) -> Iterator[Log]:
        """Pieces of `rows` samples; one piece for None."""
        if rows is not None and rows < 2:
            raise ArgumentError(f"pieces of {rows} rows", remedy="give two or more")
        met: list[LogFinding] = list(self.findings)
        turns = np.zeros(len(self.joints))
        turn, before = self.log_map.turn(), None
        first = 0
        for previous, values, following in _with_neighbours(_pieces(self.table.blocks(met), rows, self.source)):
            around = [part for part in (previous, values, following) if part is not None and len(part)]
            log = self._log(values, first, tuple(met))
            if self.log_map.unwrap:
                turned, turns, before = _unwrapped(values[:, self._places("position")], turn, turns, before)
                log = dataclasses.replace(log, q=self._stacked("position", turned))
            if self.log_map.delay:
                start = 0 if previous is None else len(previous)
                log = dataclasses.replace(log, tau=self._late(around)[start : start + len(values)])
            met.clear()
            first += len(values)
            yield log

    def _log(self, values: Array, first: int, met: tuple[LogFinding, ...]) -> Log:
        """A piece as a log."""
        if first + len(values) < 2:
            raise ArgumentError(f"there are {len(values)} rows of numbers", where=self.source, remedy="record a motion")
        names = {key: self.log_map.names(kind, len(self.joints)) for key, kind in _KINDS.items()}
        time = self.table.names[self._time]
        used = {time, *(name for columns in names.values() if columns for name in columns)}
        return Log(
            tuple(self.joints[k] for k in self._order),
            self._seconds(values),
            self._stacked("position", values[:, self._places("position")]),
            self._stacked("torque", values[:, self._places("torque")]),
            self._stacked("velocity", values[:, self._places("velocity")]) if names["qd"] else None,
            {self.renamed.get(name, name): values[:, k] for k, name in enumerate(self.table.names) if name not in used},
            self.source,
            met,
            {"t": (time,)} | {key: tuple(columns[k] for k in self._order) for key, columns in names.items() if columns},
            None if self.table.first_line is None else self.table.first_line + first,
            first,
        )

    @property
    def _order(self) -> list[int]:
        """The joints in the robot's order."""
        return sorted(range(len(self.joints)), key=lambda k: self.robot.joint_index(self.joints[k]))

    @property
    def _time(self) -> int:
        """Index of the time column in the table."""
        assert self.log_map.time is not None
        return self.table.names.index(self.log_map.time)

    def _places(self, kind: str) -> list[int]:
        """Indices of the columns of a quantity in the table."""
        return [self.table.names.index(name) for name in self.log_map.names(kind, len(self.joints)) or ()]

    def _seconds(self, values: Array) -> Array:
        return self.log_map.seconds(values[:, self._time])

    def _stacked(self, kind: str, values: Array) -> Array:
        """Recorded columns (N, n) in joint coordinates, in the robot's order."""
        sliding = tuple(not self.robot.coordinates[self.robot.joint_index(name)].turns for name in self.joints)
        return self.log_map.to_joint(kind, values, sliding=sliding)[:, self._order]

    def _late(self, parts: list[Array]) -> Array:
        """Torques of a piece, corrected for the delay (1) with the samples of its neighbours."""
        values = np.concatenate(parts)
        tau = self._stacked("torque", values[:, self._places("torque")])
        return shifted(self._seconds(values), tau, self.log_map.delay)


def shifted(t: Array, tau: Array, delay: float) -> Array:
    """Torques (N, n) corrected for a delay (1): those recorded `delay` seconds after t (N,); NaN stays NaN.

    >>> shifted(np.array([0.0, 1.0, 2.0]), np.array([[0.0], [10.0], [20.0]]), 0.5).ravel().tolist()
    [5.0, 15.0, 20.0]
    """
    moved = np.full(tau.shape, np.nan)
    for j, column in enumerate(tau.T):
        known = np.isfinite(t) & np.isfinite(column)
        latest = np.maximum.accumulate(np.where(known, t, -np.inf))
        rising = known.copy()
        rising[1:] &= t[1:] > latest[:-1]
        if rising.any():
            moved[known, j] = np.interp(t[known] + delay, t[rising], column[rising])
    return moved


def _pieces(blocks: Iterator[Array], rows: int | None, source: str) -> Iterator[Array]:
    """Blocks rearranged into pieces of `rows` rows each; for None, one piece if it is not too large."""
    held: list[Array] = []
    count = 0
    size = 0
    for block in blocks:
        held.append(block)
        count += len(block)
        size += block.nbytes
        if rows is None and size > FileKind.LOG.most_bytes:
            raise FileKind.LOG.too_large(f"its first {count} rows take {size / 1e6:.0f} MB", source)
        while rows is not None and count >= rows:
            joined = np.concatenate(held)
            yield joined[:rows].copy()
            held, count = [joined[rows:]], count - rows
    if count or rows is None:
        yield np.concatenate(held) if held else np.empty((0, 0))


def _with_neighbours(pieces: Iterator[Array]) -> Iterator[tuple[Array | None, Array, Array | None]]:
    """Every piece between the one before it and the one after it."""
    previous, current = None, next(pieces, None)
    while current is not None:
        following = next(pieces, None)
        yield previous, current, following
        previous, current = current, following


def _unwrapped(q: Array, turn: float, turns: Array, before: Array | None) -> tuple[Array, Array, Array]:
    """Unwrapped positions (N, n) (2), the turns so far (n,) and the last known positions (n,)."""
    joined = np.empty_like(q)
    turns = turns.copy()
    last = np.full(q.shape[1], np.nan) if before is None else before.copy()
    for j, column in enumerate(q.T):
        known = np.flatnonzero(np.isfinite(column))
        values = column[known]
        steps = np.diff(values, prepend=last[j] if np.isfinite(last[j]) else values[:1])
        count = turns[j] - np.cumsum(np.round(steps / turn))
        joined[:, j] = np.nan
        joined[known, j] = values + turn * count
        if len(known):
            turns[j], last[j] = count[-1], values[-1]
    return joined, turns, last
