"""Rows and stamps of a log: missing values, repeats, steps back, gaps, jitter, a unit that is not seconds.

With d_k = t_(k+1) - t_k and d the median of those that are positive:

(1)  d_k = 0 repeats a stamp, d_k < 0 goes back, a step of 10 d (and 20 ms) between rows that are kept (`clean_rows`) is
     a gap
(2)  jitter is the deviation of the d_k, without gaps, over d
"""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Mask
from torquec.identification.logs.clean_rows import gaps, rising_rows
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity, spans_of
from torquec.trajectory.log_units import LONGEST_PERIOD, shorter_unit

_LONG = 10.0  # times the usual step is a gap, not jitter
_JITTER = 0.05  # of the step, where it begins to show in accelerations


def check_missing(log: Log) -> list[LogFinding]:
    """Values that are missing or not finite, by column."""
    kinds = [("t", log.t[:, None]), ("q", log.q), ("tau", log.tau)]
    kinds += [] if log.qd is None else [("qd", log.qd)]
    found = []
    for kind, values in kinds:
        for j, column in enumerate(values.T):
            bad = ~np.isfinite(column)
            if bad.any():
                severity = Severity.ERROR if bad.mean() > 0.5 else Severity.WARNING
                text = f"{int(bad.sum())} of {len(log)} values are missing or not finite, their rows are not used"
                name = log.column(kind, j)
                remedy = "record them, or cut these rows"
                found.append(LogFinding(Pathology.NAN_ROWS, severity, text, name, spans_of(bad), remedy))
    return found


def check_stamps(log: Log) -> list[LogFinding]:
    """(1), (2), and steps so long that the stamps are in ms, us or ns."""
    known = np.flatnonzero(np.isfinite(log.t))
    steps = np.diff(log.t[known])
    forward = steps[steps > 0.0]
    name = log.column("t")
    if len(forward) == 0:
        everything = ((0, len(log) - 1),)
        remedy = "name the column of times in a map"
        return [LogFinding(Pathology.BACKWARD_STAMPS, Severity.ERROR, "time never rises", name, everything, remedy)]
    usual = float(np.median(forward))
    found = []

    def add(kind: Pathology, where: Mask, what: str, then: str, remedy: str) -> None:
        if where.any():
            spans = tuple((int(known[a]), int(known[b + 1])) for a, b in spans_of(where))
            text = f"{what}: {int(where.sum())}{then}"
            found.append(LogFinding(kind, Severity.WARNING, text, name, spans, remedy))

    rows = np.flatnonzero(rising_rows(log.t[known]))
    ahead = np.zeros_like(steps)  # of a row before the one that is kept before it
    ahead[rows[1:] - 1] = np.diff(log.t[known][rows])
    cut = "; such rows are not used"
    add(Pathology.DUPLICATE_STAMPS, steps == 0.0, "repeated stamps", cut, "stamp every sample as it comes")
    lost = len(known) - len(rows) - int((steps == 0.0).sum())
    back = f"; rows out of order, which are not used: {max(lost, 0)}"
    remedy = "sort the rows, or split the log where the clock was set"
    add(Pathology.BACKWARD_STAMPS, steps < 0.0, "steps back in time", back, remedy)
    long = f", the longest {float(ahead.max()):.3g} s at {usual:.3g} s steps; rows in and beside them are not used"
    add(
        Pathology.GAP, gaps(ahead, usual), "gaps", long, "record without pauses, or give the parts as logs of their own"
    )
    spread = float(np.std(forward[forward < _LONG * usual])) / usual
    if spread > _JITTER:
        text = f"steps vary by {spread:.0%} of {usual:.3g} s (from {forward.min():.3g} to {forward.max():.3g} s)"
        remedy = "nothing to do: samples are brought to even times"
        found.append(LogFinding(Pathology.JITTER, Severity.NOTE, text, name, remedy=remedy))
    if usual > LONGEST_PERIOD:
        unit = shorter_unit(usual)
        remedy = f'if the stamps are in {unit}, say so in a map: time_unit = "{unit}"'
        text = f"a step is {usual:.3g} s: no robot is recorded that slowly"
        found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, name, remedy=remedy))
    return found
