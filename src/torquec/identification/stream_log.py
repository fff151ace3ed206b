"""Logs larger than memory: the samples of `prepare`, block by block, the same to rounding as those of the whole log.

(1)  a first pass over the rows counts them: the even times of the whole log are t_0 + k/rate, whatever the block
(2)  a second pass brings rows to even times, as `prepare` does, and cuts blocks with a margin on both sides
(3)  the response of a Butterworth filter of order four dies away as exp(-2 pi sin(pi/8) f_c t): after the margin of
     12 / f_c its share is 3e-13. A block is filtered with two margins and given with one, so that columns that pass the
     filter again (`TorqueModel.regressor`) are right as well; `used` is true in the middle only, once for every sample

    factors = stream_factors((model.regressor(s)[s.used], s.tau[s.used]) for s in stream_log(path, robot, cutoff=8.0))
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.prepare import Samples, central_difference, choose_cutoff, clean_rows, low_pass
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import CHUNK, open_log
from torquec.trajectory.trajectory import Array

_MARGIN = 12.0
_GAP = 10.0
_SHORTEST_GAP = 0.02
_FIRST_ROWS = 200_000

Pieces = Callable[[], Iterable[Log]]
"""Gives the pieces of a log, in order, from the first; called twice."""


@dataclass(frozen=True)
class LogScan:
    """What the first pass (1) finds: whole rows, their first and last stamp [s], gaps (from, to), the cut-off [Hz]."""

    count: int
    first: float
    last: float
    gaps: tuple[tuple[float, float], ...]
    cutoff: float
    source: str

    @property
    def rate(self) -> float:
        """Even samples per second."""
        return (self.count - 1) / (self.last - self.first)


def stream_log(
    path: str | os.PathLike[str],
    robot: Robot,
    *,
    log_map: LogMap | None = None,
    cutoff: float | None = None,
    edge: float = 0.5,
    rows: int = CHUNK,
) -> Iterator[Samples]:
    """The samples of a log's file in blocks of about `rows`, memory constant for CSV and Parquet (1)-(3).

    `cutoff` [Hz] is chosen from the first rows when not given, `edge` [s] at each end is not used. Raises as `read_log`
    and `prepare` do.
    """
    file = open_log(path, robot, log_map=log_map)
    return stream_samples(partial(file.chunks, rows), cutoff=cutoff, edge=edge, rows=rows)


def stream_samples(
    pieces: Pieces, *, cutoff: float | None = None, edge: float = 0.5, rows: int = CHUNK
) -> Iterator[Samples]:
    """The same of pieces of a log, however they come; a block has at least four margins."""
    scan = scan_log(pieces, cutoff=cutoff)
    margin = int(np.ceil(_MARGIN / scan.cutoff * scan.rate))
    block = max(rows, 4 * margin)
    table: Array | None = None
    start, core = 0, 0  # of the table, and of the next block, as numbers of even samples
    layout: Log | None = None
    for piece, even in _even(pieces, scan):
        layout = piece
        table = even if table is None else np.concatenate([table, even])
        ready = start + len(table)
        while ready < scan.count and core + block + 2 * margin <= ready:
            yield _block(table, start, core, core + block, margin, scan, layout, edge)
            core += block
            drop = max(0, core - 2 * margin - start)
            table, start = table[drop:], start + drop
    if table is None or layout is None:
        raise ArgumentError("there are no whole rows", where=scan.source, remedy="run torquec check-log")
    while core < scan.count:
        # What would be left for a short last block goes with the one before it.
        end = scan.count if scan.count - core < 2 * block else core + block
        yield _block(table, start, core, end, margin, scan, layout, edge)
        core = end


def scan_log(pieces: Pieces, *, cutoff: float | None = None) -> LogScan:
    """The first pass (1); raises `ArgumentError` where there are not two whole rows."""
    count, first, last = 0, np.nan, -np.inf
    gaps: list[tuple[float, float]] = []
    usual, source = np.nan, ""
    head: list[tuple[Array, Array]] = []
    for piece, rows in _clean(pieces):
        source = piece.source
        stamps = piece.t[rows]
        if len(stamps) == 0:
            continue
        if cutoff is None and sum(len(t) for t, _ in head) < _FIRST_ROWS:
            head.append((stamps, piece.q[rows]))
        joined = stamps if count == 0 else np.append(last, stamps)
        steps = np.diff(joined)
        usual = float(np.median(steps)) if len(steps) > 1 else usual
        long = np.flatnonzero((steps > _GAP * usual) & (steps > _SHORTEST_GAP))
        gaps += [(float(joined[k]), float(joined[k + 1])) for k in long]
        first = float(stamps[0]) if count == 0 else first
        last = float(stamps[-1])
        count += len(stamps)
    if count < 2:
        raise ArgumentError("no two whole rows in a row of time", where=source, remedy="run torquec check-log")
    if cutoff is None:
        t, q = (np.concatenate([part[k] for part in head]) for k in range(2))
        rate = (len(t) - 1) / float(t[-1] - t[0])
        grid = t[0] + np.arange(len(t)) / rate
        cutoff = choose_cutoff(np.column_stack([np.interp(grid, t, column) for column in q.T]), rate)
    scan = LogScan(count, first, last, tuple(gaps), float(cutoff), source)
    if not 0.0 < scan.cutoff < 0.5 * scan.rate:
        raise ArgumentError(
            f"a cut-off of {scan.cutoff:g} Hz for samples at {scan.rate:g} Hz",
            where=source,
            remedy=f"give one between 0 and {0.5 * scan.rate:g} Hz",
        )
    return scan


def _clean(pieces: Pieces) -> Iterator[tuple[Log, np.ndarray[tuple[int], np.dtype[np.bool_]]]]:
    """Every piece with its rows that are whole and later than all before them, in earlier pieces too."""
    latest = -np.inf
    for piece in pieces():
        rows = clean_rows(piece) & (np.where(np.isfinite(piece.t), piece.t, -np.inf) > latest)
        if rows.any():
            latest = float(piece.t[rows][-1])
        yield piece, rows


def _even(pieces: Pieces, scan: LogScan) -> Iterator[tuple[Log, Array]]:
    """Rows q, tau, (qd,) others at even times (2), as far as each piece reaches."""
    held_t, held, k = np.empty(0), np.empty((0, 0)), 0
    for piece, rows in _clean(pieces):
        if not rows.any():
            continue
        parts = [piece.q, piece.tau, *([] if piece.qd is None else [piece.qd])]
        values = np.column_stack([*parts, *piece.others.values()])[rows]
        held = values if k == 0 and len(held_t) == 0 else np.concatenate([held, values])
        held_t = np.append(held_t, piece.t[rows])
        reach = int(np.floor((held_t[-1] - scan.first) * scan.rate)) + 1
        end = scan.count if held_t[-1] >= scan.last else min(reach, scan.count)
        t = scan.first + np.arange(k, end) / scan.rate
        inside = len(t) if end == scan.count else int(np.searchsorted(t, held_t[-1], side="right"))
        t = t[:inside]
        if inside:
            yield piece, np.column_stack([np.interp(t, held_t, column) for column in held.T])
        k += inside
        following = scan.first + k / scan.rate
        drop = max(0, int(np.searchsorted(held_t, following, side="right")) - 1)
        held_t, held = held_t[drop:], held[drop:]


def _block(
    table: Array, start: int, core: int, end: int, margin: int, scan: LogScan, layout: Log, edge: float
) -> Samples:
    """Samples core .. end - 1 with a margin on both sides (3)."""
    n = layout.n
    low, high = max(core - 2 * margin, 0), min(end + 2 * margin, scan.count)
    shown = slice(max(core - margin, 0) - low, min(end + margin, scan.count) - low)
    window = table[low - start : high - start]
    measured = low_pass(window[:, : (2 if layout.qd is None else 3) * n], scan.rate, scan.cutoff)
    q, tau = measured[:, :n], measured[:, n : 2 * n]
    qd = central_difference(q, scan.rate) if layout.qd is None else measured[:, 2 * n :]
    qdd = central_difference(qd, scan.rate)
    numbers = np.arange(low, high)[shown]
    t = scan.first + numbers / scan.rate
    used = (numbers >= core) & (numbers < end)
    final = scan.first + (scan.count - 1) / scan.rate
    used &= (t >= scan.first + edge) & (t <= final - edge)
    for gap in scan.gaps:
        used &= ~((t > gap[0] - 1.0 / scan.cutoff) & (t < gap[1] + 1.0 / scan.cutoff))
    others = window[:, measured.shape[1] :]
    return Samples(
        layout.joints,
        t,
        q[shown],
        qd[shown],
        qdd[shown],
        tau[shown],
        used,
        scan.rate,
        scan.cutoff,
        {name: others[shown, k] for k, name in enumerate(layout.others)},
        scan.source,
    )
