"""Usable rows of a log, its gaps and rate; a smoothed motion of it.

(1)  a row is whole if it has its stamp, and the position, torque and recorded speed of every joint. Further columns may
     have blank cells (slow sensors): they are interpolated linearly, with constant extrapolation at the ends
(2)  stamps must rise. Where they step back, either the rows before are wrong (a stamp in the far future) or the rows
     after (a clock that was set back): the smaller group is dropped, the later one if both are equal
(3)  a gap is a step ten times as long as usual, and longer than 20 ms; parts lie between gaps
(4)  the rate is the number of steps per second within parts, without the pauses between them

`log_motion` gives smooth speeds and accelerations, good enough for comparisons, not for fits:

(5)  whole rows are averaged over a tenth of a second, differentiated, and averaged again; rows beside a gap are left
     out, because an average cannot span it
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask
from torquec.trajectory.log import Log

_FEWEST = 20  # rows: with fewer, nothing is left after smoothing
_WINDOW = 0.1  # [s] of the moving average: arms move below five hertz
_GAP_motion = 3.0  # times the usual step: differences across such a step are not used as speeds


@dataclass(frozen=True, eq=False)
class LogMotion:
    """(5): `rows` (M,) of the log, times t (M,), q, qd, qdd, tau (M, n)."""

    rows: Indices
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def thinned(self, most: int) -> LogMotion:
        """At most about `most` rows, evenly taken."""
        step = max(1, len(self.rows) // most)
        return LogMotion(*(getattr(self, f.name)[::step] for f in dataclasses.fields(LogMotion)))


def log_motion(log: Log) -> LogMotion | None:
    """The smoothed motion of the whole rows; None where there are too few."""
    rows = np.flatnonzero(clean_rows(log))
    if len(rows) < _FEWEST:
        return None
    t, q, tau = log.t[rows], log.q[rows], log.tau[rows]
    width = max(1, min(len(rows) // _FEWEST, round(_WINDOW / max(float(np.median(np.diff(t))), 1e-9))))
    width += 1 - width % 2
    q, tau = moving_average(q, width), moving_average(tau, width)
    qd = moving_average(np.gradient(q, t, axis=0), width)
    qdd = moving_average(np.gradient(qd, t, axis=0), width)
    motion = LogMotion(rows, t, q, qd, qdd, tau)
    away = _away_from_gaps(t, 2 * width)
    if away.sum() < max(_FEWEST, len(rows) // 2):
        return motion  # gaps everywhere: keep all rows
    return LogMotion(*(getattr(motion, f.name)[away] for f in dataclasses.fields(LogMotion)))


def _away_from_gaps(t: Array, margin: int) -> Mask:
    """Rows (M,) further than `margin` rows from a step that is three times the usual."""
    steps = np.diff(t)
    away = np.ones(len(t), dtype=np.bool_)
    for k in np.flatnonzero(steps > np.maximum(_GAP_motion * np.median(steps), _SHORTEST_GAP)):
        away[max(0, k - margin) : k + margin + 2] = False
    return away


def moving_average(values: Array, width: int) -> Array:
    """Means over `width` rows (an odd number) of values (N, n), ends repeated.

    >>> moving_average(np.array([[0.0], [3.0], [6.0]]), 3).ravel().tolist()
    [1.0, 3.0, 5.0]
    """
    if width <= 1:
        return values
    padded = np.concatenate([np.repeat(values[:1], width, axis=0), values, np.repeat(values[-1:], width, axis=0)])
    sums = np.cumsum(padded - values[0], axis=0)
    smooth = (sums[width:] - sums[:-width]) / width + values[0]
    start = width // 2
    middle: Array = smooth[start : start + len(values)]
    return middle


_GAP = 10.0  # times the usual step: the recorder stopped, it did not jitter
_SHORTEST_GAP = 0.02  # [s]; shorter ones are bridged by interpolation


def clean_rows(log: Log) -> Mask:
    """Which rows of a log are whole (1) and rise in time (2), (N,)."""
    rows = whole_rows(log)
    rows[rows] = rising_rows(log.t[rows])
    return rows


def whole_rows(log: Log) -> Mask:
    """Which rows of a log have all their values (1), (N,)."""
    rows = np.isfinite(log.t) & np.isfinite(log.q).all(axis=1) & np.isfinite(log.tau).all(axis=1)
    if log.qd is not None:
        rows &= np.isfinite(log.qd).all(axis=1)
    return rows


def rising_rows(stamps: Array) -> Mask:
    """Which of finite stamps (N,) to keep so that they rise (2).

    >>> rising_rows(np.array([0.0, 1.0, 1e9, 2.0, 3.0, 1.0, 4.0])).tolist()
    [True, True, False, True, True, False, True]
    """
    fresh = np.ones(len(stamps), dtype=np.bool_)
    fresh[1:] = stamps[1:] != stamps[:-1]
    t = stamps[fresh]
    starts = np.flatnonzero(np.diff(t) <= 0.0) + 1
    if len(starts) == 0:
        return fresh
    kept, times, top, i = np.empty(len(t), dtype=np.intp), np.empty(len(t)), 0, 0
    while i < len(t):
        if top and t[i] <= times[top - 1]:
            ahead = top - int(np.searchsorted(times[:top], t[i]))
            # One more row than the group before is enough to decide which group is larger.
            beyond = np.flatnonzero(t[i : i + ahead + 1] > times[top - 1])
            behind = int(beyond[0]) if len(beyond) else min(ahead + 1, len(t) - i)
            if behind <= ahead:
                i += behind
                continue
            top -= ahead
        after = int(np.searchsorted(starts, i, side="right"))
        end = int(starts[after]) if after < len(starts) else len(t)
        count = end - i
        kept[top : top + count], times[top : top + count] = np.arange(i, end), t[i:end]
        top, i = top + count, end
    rows = np.zeros(len(stamps), dtype=np.bool_)
    rows[np.flatnonzero(fresh)[kept[:top]]] = True
    return rows


def bridged(stamps: Array, values: Array) -> Array:
    """A column (N,) at rising stamps (N,) with its blank cells bridged (1); blank where it has no value at all.

    >>> bridged(np.array([0.0, 1.0, 2.0, 3.0]), np.array([np.nan, 4.0, np.nan, 8.0])).tolist()
    [4.0, 4.0, 6.0, 8.0]
    """
    known = np.isfinite(values)
    if known.all() or not known.any():
        return values
    filled: Array = np.where(known, values, np.interp(stamps, stamps[known], values[known]))
    return filled


def gaps(steps: Array, usual: float) -> Mask:
    """Which steps between stamps (N,) are gaps (3), where a usual step is known."""
    found: Mask = (steps > _GAP * usual) & (steps > _SHORTEST_GAP)
    return found


def parts_of(stamps: Array) -> list[slice]:
    """The parts of rising stamps (3).

    >>> parts_of(np.array([0.0, 0.1, 0.2, 5.0, 5.1]))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    steps = np.diff(stamps)
    borders = np.flatnonzero(gaps(steps, float(np.median(steps)))) + 1
    return [slice(int(a), int(b)) for a, b in itertools.pairwise([0, *borders, len(stamps)])]


def rate_within(count: int, spans: Array) -> float:
    """Samples per second (4) of `count` stamps in one or more parts, which last `spans` [s].

    >>> rate_within(5, np.array([0.5, 0.25]))
    4.0
    """
    return float((count - len(spans)) / np.sum(spans))
