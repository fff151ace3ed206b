"""Which rows of a log can be used, and where time makes a jump.

(1)  a row is whole if it has its stamp, and the position, torque and recorded speed of every joint. Further columns may
     have blank cells, as a slow sensor leaves them: straight lines bridge them, the outermost values go on at the ends
(2)  stamps must rise. Where they step back, either the rows that were ahead are wrong (a stamp in the far future) or
     those that follow are (a clock that was set back): the fewer of the two go, the later ones if they are as many
(3)  a gap is a step ten times as long as usual, and longer than 20 ms; parts lie between gaps
(4)  the rate is the number of steps per second within parts, whatever the pauses between them
"""

from __future__ import annotations

import itertools

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.trajectory.log import Log

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
            # Whether those that follow are more than those ahead shows within as many rows and one.
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
    """Samples per second (4) of `count` stamps in parts that last `spans` seconds, all parts together; at least one.

    >>> rate_within(5, np.array([0.5, 0.25]))
    4.0
    """
    return float((count - len(spans)) / np.sum(spans))
