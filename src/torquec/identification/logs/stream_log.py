"""Streaming preparation of logs larger than memory: the samples of `prepare`, block by block, equal to rounding.

(1)  a first pass over the rows finds the parts between gaps and the rate: the even times of a part are t_0 + k/rate,
     independent of blocks
(2)  a second pass brings rows to even times, as `prepare` does, and cuts parts into blocks with a margin on both sides
(3)  the response of a Butterworth filter of order four dies away as exp(-2 pi sin(pi/8) f_c t): after the margin of
     12 / f_c its share is 3e-13. A block is filtered with two margins and returned with one, so that columns filtered
     afterwards (`TorqueModel.regressor`) are right as well; `used` is true in the middle only, once for every sample

    factors = stream_factors((model.regressor(s)[s.used], s.tau[s.used]) for s in stream_log(path, robot, cutoff=8.0))
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.identification.logs.clean_rows import bridged, gaps, rate_within, rising_rows, whole_rows
from torquec.identification.logs.prepare import (
    BESIDE_GAP,
    FEWEST,
    Samples,
    chosen_cutoff,
    even_count,
    even_parts,
    motion_of,
)
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import CHUNK, open_log

_MARGIN = 12.0  # periods of the cut-off after which the filter response is below rounding
_FIRST_ROWS = 200_000  # rows from which the cut-off is chosen

Pieces = Callable[[], Iterable[Log]]
"""Gives the pieces of a log, in order, from the first; called once per pass."""


@dataclass(frozen=True)
class LogPart:
    """A part between two gaps (1): first and last stamp [s], and its number of even samples."""

    first: float
    last: float
    count: int


@dataclass(frozen=True)
class LogScan:
    """Result of the first pass (1): the parts that can be filtered, even samples per second, the cut-off [Hz]."""

    parts: tuple[LogPart, ...]
    rate: float
    cutoff: float
    source: str

    @property
    def margin(self) -> int:
        """Margin (3) in samples."""
        return int(np.ceil(_MARGIN / self.cutoff * self.rate))

    def used_span(self, part: int, edge: float) -> tuple[float, float]:
        """The first and the last time [s] of a part that count: not `edge` [s] at each end, not beside gaps."""
        own, beside = self.parts[part], BESIDE_GAP / self.cutoff
        final = own.first + (own.count - 1) / self.rate
        last = part == len(self.parts) - 1
        return own.first + (edge if part == 0 else beside), final - (edge if last else beside)

    def used_count(self, edge: float) -> int:
        """How many even samples count."""
        total = 0
        for k, part in enumerate(self.parts):
            first, last = self.used_span(k, edge)
            numbers, time = range(part.count), partial(self._time, part)
            total += max(0, bisect_right(numbers, last, key=time) - bisect_left(numbers, first, key=time))
        return total

    def _time(self, part: LogPart, number: int) -> float:
        return part.first + number / self.rate


def stream_log(
    path: str | os.PathLike[str],
    robot: Robot,
    *,
    log_map: LogMap | None = None,
    cutoff: float | None = None,
    edge: float = 0.5,
    rows: int = CHUNK,
) -> Iterator[Samples]:
    """The samples of a log's file in blocks of about `rows`, in constant memory for CSV and Parquet (1)-(3).

    `cutoff` [Hz] is chosen from the first rows when not given, `edge` [s] at each end is not used. Raises as `read_log`
    and `prepare` do.
    """
    file = open_log(path, robot, log_map=log_map)
    return stream_samples(partial(file.chunks, rows), cutoff=cutoff, edge=edge, rows=rows)


def stream_samples(
    pieces: Pieces, *, cutoff: float | None = None, edge: float = 0.5, rows: int = CHUNK
) -> Iterator[Samples]:
    """As `stream_log`, for pieces of a log from any source."""
    return stream_blocks(pieces, scan_log(pieces, cutoff=cutoff), edge=edge, rows=rows)


def stream_blocks(pieces: Pieces, scan: LogScan, *, edge: float = 0.5, rows: int = CHUNK) -> Iterator[Samples]:
    """The second pass (2), (3), with the result `scan` of the first; a block has at least four margins."""
    for part, group in itertools.groupby(_even(pieces, scan), key=lambda item: item[1]):
        yield from _part_blocks(
            ((layout, even) for layout, _, even in group), part, scan, max(rows, 4 * scan.margin), edge
        )


def scan_log(pieces: Pieces, *, cutoff: float | None = None) -> LogScan:
    """The first pass (1); raises `ArgumentError` where there are not two whole rows, or no part without gaps."""
    borders: list[tuple[float, float]] = []
    count, usual, source = 0, np.nan, ""
    head: list[tuple[Array, Array]] = []
    for piece, rows in _clean(pieces):
        source = piece.source
        stamps = piece.t[rows]
        if len(stamps) == 0:
            continue
        if cutoff is None and sum(len(t) for t, _ in head) < _FIRST_ROWS:
            recorded = [] if piece.qd is None else [piece.qd]
            head.append((stamps, np.column_stack([piece.q, piece.tau, *recorded])[rows]))
            layout = piece
        joined = np.append(borders[-1][1], stamps) if borders else stamps
        steps = np.diff(joined)
        usual = float(np.median(steps)) if np.isnan(usual) and len(steps) else usual
        jumps = np.flatnonzero(gaps(steps, usual))
        starts, ends = joined[[0, *(jumps + 1)]], joined[[*jumps, len(joined) - 1]]
        if borders:
            starts[0] = borders.pop()[0]
        borders += zip(starts.tolist(), ends.tolist(), strict=True)
        count += len(stamps)
    if count < 2:
        raise ArgumentError(
            "fewer than two complete rows with increasing time stamps", where=source, remedy="run torquec check-log"
        )
    rate = rate_within(count, np.array([last - first for first, last in borders]))
    parts = [LogPart(*span, even_count(np.array(span), rate)) for span in borders]
    parts = [part for part in parts if part.count >= FEWEST]
    if not parts:
        raise ArgumentError(
            f"no part of the log has {FEWEST} rows without a gap", where=source, remedy="record without pauses"
        )
    if cutoff is None:
        t, table = (np.concatenate([part[k] for part in head]) for k in range(2))
        own, _, tables = even_parts(t, table)
        cutoff = chosen_cutoff(max(tables, key=len), layout.n, own, speeds=layout.qd is not None)
    if not 0.0 < cutoff < 0.5 * rate:
        raise ArgumentError(
            f"a cut-off of {cutoff:g} Hz for samples at {rate:g} Hz",
            where=source,
            remedy=f"give one between 0 and {0.5 * rate:g} Hz",
        )
    return LogScan(tuple(parts), rate, float(cutoff), source)


def _clean(pieces: Pieces) -> Iterator[tuple[Log, Mask]]:
    """Every piece with its whole rows that rise in time, decided with the pieces before it and the next one."""
    latest = -np.inf
    iterator = iter(pieces())
    piece = next(iterator, None)
    while piece is not None:
        following = next(iterator, None)
        rows = whole_rows(piece)
        rows[rows] = piece.t[rows] > latest
        own = piece.t[rows]
        # A stamp in the far future at the end of a piece is detected with the rows of the next piece.
        coming = np.empty(0) if following is None else following.t[whole_rows(following)]
        rows[rows] = rising_rows(np.concatenate([own, coming[coming > latest]]))[: len(own)]
        if rows.any():
            latest = float(piece.t[rows][-1])
        yield piece, rows
        piece = following


def _bridged(pieces: Iterator[tuple[Log, Mask]]) -> Iterator[tuple[Log, Mask]]:
    """The pieces with blank cells of further columns bridged, from the last value before them to the first in the next.

    A blank that is longer than a piece stays blank, unless the log ends with it: there the last value holds.
    """
    last: dict[str, tuple[float, float]] = {}
    item, following = next(pieces, None), next(pieces, None)
    while item is not None:
        (piece, rows), beyond = item, next(pieces, None)
        stamps, others = piece.t[rows], dict(piece.others)
        for name, column in piece.others.items():
            own = column[rows]
            before = [last[name]] if name in last else []
            if np.isfinite(own).any():
                k = np.flatnonzero(np.isfinite(own))[-1]
                last[name] = float(stamps[k]), float(own[k])
            after = [] if following is None else _first_value(*following, name)
            t = np.concatenate([[t for t, _ in before], stamps, [t for t, _ in after]])
            filled = bridged(t, np.concatenate([[v for _, v in before], own, [v for _, v in after]]))[len(before) :]
            if beyond is not None and not after and name in last:
                filled[: len(own)][stamps > last[name][0]] = np.nan
            others[name] = column.copy()
            others[name][rows] = filled[: len(own)]
        yield dataclasses.replace(piece, others=others), rows
        item, following = following, beyond


def _first_value(piece: Log, rows: Mask, name: str) -> list[tuple[float, float]]:
    """The first value of a column with its stamp; nothing where it has none."""
    known = np.flatnonzero(rows & np.isfinite(piece.others[name]))[:1]
    return [(float(piece.t[k]), float(piece.others[name][k])) for k in known]


def _even(pieces: Pieces, scan: LogScan) -> Iterator[tuple[Log, int, Array]]:
    """Rows q, tau, (qd,) others at even times (2) and the number of their part, as far as each piece reaches."""
    firsts = np.array([part.first for part in scan.parts])
    current, held_t, held, k = -1, np.empty(0), np.empty((0, 0)), 0
    for piece, rows in _bridged(_clean(pieces)):
        parts = [piece.q, piece.tau, *([] if piece.qd is None else [piece.qd])]
        values = np.column_stack([*parts, *piece.others.values()])[rows]
        stamps = piece.t[rows]
        own = np.searchsorted(firsts, stamps, side="right") - 1
        for number in np.unique(own[own >= 0]):
            part = scan.parts[number]
            inside = (own == number) & (stamps <= part.last)  # later stamps are in parts too short to be filtered
            if not inside.any():
                continue
            if number != current:
                current, held_t, held, k = int(number), np.empty(0), np.empty((0, values.shape[1])), 0
            held_t, held = np.append(held_t, stamps[inside]), np.concatenate([held, values[inside]])
            reach = int((held_t[-1] - part.first) * scan.rate) + 2
            t = part.first + np.arange(k, min(reach, part.count)) / scan.rate
            if held_t[-1] < part.last:
                t = t[: int(np.searchsorted(t, held_t[-1], side="right"))]
            if len(t):
                yield piece, current, np.column_stack([np.interp(t, held_t, column) for column in held.T])
            k += len(t)
            drop = max(0, int(np.searchsorted(held_t, part.first + k / scan.rate, side="right")) - 1)
            held_t, held = held_t[drop:], held[drop:]


def _part_blocks(
    pieces: Iterable[tuple[Log, Array]], part: int, scan: LogScan, block: int, edge: float
) -> Iterator[Samples]:
    """The blocks of one part, from its even rows as they come."""
    count, margin = scan.parts[part].count, scan.margin
    held: _Held | None = None
    core = 0  # the first even sample of the next block
    for layout, even in pieces:
        held = _Held(layout, 0, even) if held is None else _Held(layout, held.start, np.concatenate([held.rows, even]))
        ready = held.start + len(held.rows)
        while ready < count and core + block + 2 * margin <= ready:
            yield _block(held, range(core, core + block), scan, part, edge)
            core += block
            drop = max(0, core - 2 * margin - held.start)
            held = _Held(layout, held.start + drop, held.rows[drop:])
    assert held is not None
    while core < count:
        # A short last block is joined to the one before it.
        end = count if count - core < 2 * block else core + block
        yield _block(held, range(core, end), scan, part, edge)
        core = end


@dataclass(frozen=True, eq=False)
class _Held:
    """Buffer of even rows of a part that are still needed, the number of the first, and a log with their columns."""

    layout: Log
    start: int
    rows: Array


def _block(held: _Held, core: range, scan: LogScan, part: int, edge: float) -> Samples:
    """The samples `core` of a part with a margin on both sides (3)."""
    layout, margin, own = held.layout, scan.margin, scan.parts[part]
    n, speeds = layout.n, layout.qd is not None
    low, high = max(core.start - 2 * margin, 0), min(core.stop + 2 * margin, own.count)
    shown = slice(max(core.start - margin, 0) - low, min(core.stop + margin, own.count) - low)
    window = held.rows[low - held.start : high - held.start]
    numbers = np.arange(low, high)
    t = own.first + numbers / scan.rate
    motion = motion_of(t, window, n=n, speeds=speeds, rate=scan.rate, cutoff=scan.cutoff)
    first, last = scan.used_span(part, edge)
    used = (numbers >= core.start) & (numbers < core.stop) & (t >= first) & (t <= last)
    others = window[shown, (3 if speeds else 2) * n :]
    return Samples(
        layout.joints,
        t[shown],
        motion.q[shown],
        motion.qd[shown],
        motion.qdd[shown],
        motion.tau[shown],
        used[shown],
        scan.rate,
        scan.cutoff,
        {name: others[:, k] for k, name in enumerate(layout.others)},
        scan.source,
    )
