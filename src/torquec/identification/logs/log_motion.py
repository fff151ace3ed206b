"""The motion in a log: smooth speeds and accelerations, good enough to compare with, not to fit to.

(1)  moving averages over a tenth of a second of the whole rows, their differences, averaged again; rows beside a gap,
     over which nothing can be averaged, are left out
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask
from torquec.identification.logs.clean_rows import clean_rows
from torquec.trajectory.log import Log

_FEWEST = 20  # rows: with fewer, smoothing leaves no motion to compare with
_WINDOW = 0.1  # [s] of the moving average: arms move below five hertz
_GAP = 3.0  # times the usual step: differences across it are no speeds
_SHORTEST_GAP = 0.02  # [s]; shorter ones are bridged


@dataclass(frozen=True, eq=False)
class LogMotion:
    """(1): `rows` (M,) of the log, times t (M,), q, qd, qdd, tau (M, n)."""

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
        return motion  # gaps everywhere: better than nothing
    return LogMotion(*(getattr(motion, f.name)[away] for f in dataclasses.fields(LogMotion)))


def _away_from_gaps(t: Array, margin: int) -> Mask:
    """Rows (M,) further than `margin` rows from a step that is three times the usual."""
    steps = np.diff(t)
    away = np.ones(len(t), dtype=np.bool_)
    for k in np.flatnonzero(steps > np.maximum(_GAP * np.median(steps), _SHORTEST_GAP)):
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
