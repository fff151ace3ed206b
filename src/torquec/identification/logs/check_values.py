"""Implausible values of a log: spikes, frozen columns, missing rows, repeated or backward stamps, gaps, jitter.

With r the range of a column from its 1st to its 99th percentile:

(1)  spike: further than 3 r, and than twenty usual deviations, from the median of the 21 values around it. A step
     (friction reversal, encoder wrap) is not a spike: the median follows it
(2)  frozen: the same value for a quarter of a second, for twenty rows, and three times as long as the column repeats
     values elsewhere (95th percentile), although the joint moves by a hundredth of its range meanwhile. A torque at an
     end of its range is saturated instead (`check_log`), unless the column has no other value
(3)  positions are frozen where they keep a value that long although the integrated recorded speed exceeds a hundredth
     of the joint's range, or where they jump to or from it by ten times the usual step: a joint at rest does neither

Rows and stamps, with d_k = t_(k+1) - t_k and d the median of those that are positive:

(4)  d_k = 0 repeats a stamp, d_k < 0 goes back, a step of 10 d (and 20 ms) between rows that are kept (`clean_rows`) is
     a gap
(5)  jitter is the standard deviation of the positive d_k, without gaps, divided by d
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.identification.logs.clean_rows import gaps, rising_rows
from torquec.identification.logs.tuning import TUNING
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity, spans_of
from torquec.trajectory.read_log import LONGEST_PERIOD, shorter_unit


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
    """(4), (5), and steps so long that the stamps are in ms, us or ns."""
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
    ahead = np.zeros_like(steps)  # step from the previous kept row
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
    spread = float(np.std(forward[forward < TUNING.gap_steps * usual])) / usual
    if spread > TUNING.jitter:
        text = f"steps vary by {spread:.0%} of {usual:.3g} s (from {forward.min():.3g} to {forward.max():.3g} s)"
        remedy = "nothing to do: the log is resampled at equal steps"
        found.append(LogFinding(Pathology.JITTER, Severity.NOTE, text, name, remedy=remedy))
    if usual > LONGEST_PERIOD:
        unit = shorter_unit(usual)
        remedy = f'if the stamps are in {unit}, say so in a map: time_unit = "{unit}"'
        text = f"a step is {usual:.3g} s: too slow for a recording of a robot"
        found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, name, remedy=remedy))
    return found


def check_spikes(log: Log) -> list[LogFinding]:
    """(1) in positions (an error), recorded speeds and torques (an error where they are huge, else a warning)."""
    found = []
    for kind, values in (("q", log.q), ("qd", log.qd), ("tau", log.tau)):
        if values is None:
            continue
        for j in range(log.n):
            spikes, low, high = _spikes(values[:, j])
            if not spikes.any():
                continue
            peak = float(np.abs(values[spikes, j]).max())
            huge = kind == "q" or peak > TUNING.ruinous_ranges * max(high - low, 1e-300)
            text = f"{int(spikes.sum())} isolated values, up to {peak:.4g}; the others lie in {low:.4g} to {high:.4g}"
            remedy = "cut these rows" + ("" if huge else ", or use --method huber")
            severity = Severity.ERROR if huge else Severity.WARNING
            found.append(LogFinding(Pathology.SPIKES, severity, text, log.column(kind, j), spans_of(spikes), remedy))
    return found


def check_frozen(log: Log) -> list[LogFinding]:
    """(2) in torques and recorded speeds, (3) in positions."""
    steps = np.diff(log.t)
    period = float(np.median(steps)) if len(steps) else 1.0
    least = max(TUNING.frozen_rows, round(TUNING.frozen_seconds / max(period, 1e-9)))
    found = []
    for j in range(log.n):
        q = log.q[:, j]
        reach = float(np.nanmax(q) - np.nanmin(q)) if np.isfinite(q).any() else 0.0
        for kind, values in (("qd", log.qd), ("tau", log.tau)):
            if values is None:
                continue
            column = values[:, j]
            ends = (np.nanmax(column), np.nanmin(column)) if np.isfinite(column).any() else (0.0, 0.0)
            stuck = ends[0] == ends[1] and (kind == "qd" or ends[0] != 0.0)  # zero torques have their own finding
            spans = [
                (a, b)
                for a, b in _runs(column, least)
                if (stuck or column[a] not in ends) and np.ptp(q[a : b + 1]) > TUNING.moving_share * reach
            ]
            found += _frozen(log.column(kind, j), spans, "while the joint moves")
        speed = None if log.qd is None else log.qd[:, j]
        found += _frozen(log.column("q", j), _frozen_positions(log.t, q, speed, least), "while it goes on")
    return found


def _runs(column: Array, least: int) -> list[tuple[int, int]]:
    """The first and last row of runs of equal values that are longer than `least` rows and than usual in a column."""
    changes = np.flatnonzero(np.diff(column))
    usual = float(np.percentile(np.diff(changes), 95.0)) if len(changes) > 1 else 1.0
    runs = [(a, b + 1) for a, b in spans_of(np.diff(column) == 0.0)]
    return [(a, b) for a, b in runs if b - a + 1 >= max(least, TUNING.held_runs * usual)]


def _frozen_positions(t: Array, q: Array, qd: Array | None, least: int) -> list[tuple[int, int]]:
    """The runs of equal positions during which the joint kept moving (3)."""
    runs = _runs(q, least)
    if not runs:
        return []
    jumps = np.abs(np.diff(q, prepend=q[:1], append=q[-1:]))  # before every row, and after the last
    usual = float(np.nanpercentile(jumps[jumps > 0.0], 99.0)) if np.nanmax(jumps) > 0.0 else 0.0
    way = np.zeros(len(q))
    if qd is not None:
        way[1:] = np.cumsum(np.nan_to_num(0.5 * (qd[1:] + qd[:-1]) * np.diff(t)))
    reach = max(float(np.nanmax(q) - np.nanmin(q)), float(np.ptp(way)))
    far = TUNING.moving_share * reach
    sudden = max(far, TUNING.jump_steps * usual)
    return [(a, b) for a, b in runs if np.ptp(way[a : b + 1]) > far or max(jumps[a], jumps[b + 1]) > sudden > 0.0]


def _frozen(name: str, spans: Sequence[tuple[int, int]], meanwhile: str) -> list[LogFinding]:
    if not spans:
        return []
    rows = sum(b - a + 1 for a, b in spans)
    text = f"keeps the same value for {rows} rows {meanwhile}: the column is frozen"
    remedy = "cut these rows; look for a sensor or a message that stopped"
    return [LogFinding(Pathology.FROZEN, Severity.WARNING, text, name, tuple(spans), remedy)]


def _spikes(column: Array) -> tuple[Mask, float, float]:
    """Which values of a column (N,) are spikes (1), and its 1st and 99th percentile."""
    finite = np.isfinite(column)
    if finite.sum() < 2 * TUNING.spike_window:
        return np.zeros(len(column), dtype=np.bool_), 0.0, 0.0
    low, high = (float(v) for v in np.quantile(column[finite], [0.01, 0.99]))
    filled = np.where(finite, column, low)
    # Only values outside the range can be further than the range from a median inside it.
    outside = np.flatnonzero((filled < low) | (filled > high))
    spikes = np.zeros(len(column), dtype=np.bool_)
    padded = np.pad(filled, TUNING.spike_window // 2, mode="edge")
    around = np.array([np.median(padded[k : k + TUNING.spike_window]) for k in outside])
    usual = float(np.median(np.abs(np.diff(filled)))) / 0.6745
    allowed = max(TUNING.spike_ranges * (high - low), TUNING.spike_deviations * usual)
    spikes[outside] = np.abs(filled[outside] - around) > allowed
    return spikes, low, high
