"""From a log to samples that a model can be fitted to: even times, zero-phase low pass, derivatives, a mask.

(1)  rows with missing values, repeated or backward stamps are left out; the rest is interpolated to even times, as
     many per second as the log has on average
(2)  q, recorded speeds and tau pass a Butterworth filter of order four forwards and backwards (no phase)
(3)  speeds that were not recorded, and accelerations, are central differences of what (2) gives; or those of smoothing
     splines through the positions (`trajectory.smoothing`), low-passed like everything else
(4)  not used: half a second at each end, what lies in or beside a gap and, on demand, where no joint is faster than
     some speed: what holds a robot at rest is no function of its state
(5)  decimation: after the low pass, samples eight times as dense as the cut-off hold all there is

The cut-off is given, or chosen from the data: five times the frequency that holds 99.9 % of the power of the speeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.extras import need
from torquec.trajectory.log import Log
from torquec.trajectory.smoothing import smoothed_motion
from torquec.trajectory.trajectory import Array

_ORDER = 4
_GAP = 10.0
"""A step this many times longer than usual is a gap."""
_SHORTEST_GAP = 0.02
_POWER = 0.999
_HARMONICS = 5.0
_DENSE = 8.0


class Derivatives(StrEnum):
    """How speeds that were not recorded, and accelerations, are found (3)."""

    DIFFERENCES = "differences"
    SPLINES = "splines"


@dataclass(frozen=True, eq=False)
class Samples:
    """Evenly spaced, filtered samples: t (N,), q, qd, qdd, tau (N, n); `used` (N,) tells which of them count.

    `rate` [Hz] of sampling, `cutoff` [Hz] of the filter, `others` the further columns (N,) by name, unfiltered.
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    used: np.ndarray[tuple[int], np.dtype[np.bool_]]
    rate: float
    cutoff: float
    others: dict[str, Array]
    source: str = ""

    def __len__(self) -> int:
        return len(self.t)

    @property
    def thinned(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Which of the used samples decimation keeps (5), as indices."""
        step = max(1, int(self.rate / (_DENSE * self.cutoff)))
        return np.flatnonzero(self.used)[::step]

    def correlation(self, count: int) -> float:
        """How many of `count` samples, evenly taken from these, share one independent one: 2 cut-offs a second."""
        seconds = float(self.used.sum()) / self.rate
        return max(count / (2.0 * self.cutoff * seconds), 1.0)

    def low_passed(self, values: Array) -> Array:
        """Columns (N, ...) through the filter of these samples."""
        return low_pass(values, self.rate, self.cutoff)


def low_pass(values: Array, rate: float, cutoff: float) -> Array:
    """Columns (N, ...), sampled at `rate`, after the filter (2); raises `ArgumentError` for an impossible cut-off."""
    signal = need("scipy.signal", "filtering a log")
    if not 0.0 < cutoff < 0.5 * rate:
        raise ArgumentError(
            f"a cut-off of {cutoff:g} Hz for samples at {rate:g} Hz",
            remedy=f"give one between 0 and {0.5 * rate:g} Hz",
        )
    sections = signal.butter(_ORDER, cutoff, fs=rate, output="sos")
    if len(values) <= 3 * (2 * len(sections) + 1):
        raise ArgumentError(f"{len(values)} samples are too few to filter", remedy="record a longer motion")
    filtered: Array = signal.sosfiltfilt(sections, values, axis=0)
    return filtered


def clean_rows(log: Log) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows of a log are whole and come later than all before them (N,)."""
    whole = np.isfinite(log.t) & np.isfinite(log.q).all(axis=1) & np.isfinite(log.tau).all(axis=1)
    if log.qd is not None:
        whole &= np.isfinite(log.qd).all(axis=1)
    stamps = np.where(whole, log.t, -np.inf)
    latest = np.maximum.accumulate(stamps)
    whole[1:] &= stamps[1:] > latest[:-1]
    return whole


def prepare(
    log: Log,
    *,
    cutoff: float | None = None,
    edge: float = 0.5,
    slowest: float = 0.0,
    derivatives: Derivatives = Derivatives.DIFFERENCES,
) -> Samples:
    """The samples of a log (1)-(4); `cutoff` [Hz] is chosen from the data when not given, `edge` [s] is not used.

    With `slowest` [rad/s or m/s], samples in which no joint is faster are not used.

    Raises `ArgumentError` when too little is left, `MissingExtraError` without scipy.
    """
    rows = clean_rows(log)
    if rows.sum() < 2:
        raise ArgumentError("no two whole rows in a row of time", where=log.source, remedy="run torquec check-log")
    stamps = log.t[rows]
    rate = (len(stamps) - 1) / float(stamps[-1] - stamps[0])
    t = stamps[0] + np.arange(len(stamps)) / rate

    def even(values: Array) -> Array:
        return np.column_stack([np.interp(t, stamps, column) for column in values[rows].T])

    chosen = choose_cutoff(even(log.q), rate) if cutoff is None else float(cutoff)
    q, tau = (low_pass(even(values), rate, chosen) for values in (log.q, log.tau))
    if derivatives is Derivatives.SPLINES:
        motion = smoothed_motion(t, even(log.q))
        speed, qdd = motion.qd if log.qd is None else even(log.qd), low_pass(motion.qdd, rate, chosen)
        qd = low_pass(speed, rate, chosen)
    else:
        qd = central_difference(q, rate) if log.qd is None else low_pass(even(log.qd), rate, chosen)
        qdd = central_difference(qd, rate)
    used = (t >= t[0] + edge) & (t <= t[-1] - edge) & ~_near_gaps(t, stamps, 1.0 / chosen)
    used &= np.abs(qd).max(axis=1) >= slowest
    if used.sum() < 2:
        raise ArgumentError(
            f"nothing is left of {log.duration:.2g} s without {edge:g} s at each end"
            + (f" and without what is slower than {slowest:g}" if slowest > 0.0 else ""),
            where=log.source,
            remedy="record a longer motion",
        )
    others = {name: np.interp(t, stamps, values[rows]) for name, values in log.others.items()}
    return Samples(log.joints, t, q, qd, qdd, tau, used, rate, chosen, others, log.source)


def central_difference(values: Array, rate: float) -> Array:
    """Derivatives of even samples (N, n), one-sided at the ends (3).

    >>> central_difference(np.array([[0.0], [1.0], [4.0]]), 1.0).tolist()
    [[1.0], [2.0], [3.0]]
    """
    derivative: Array = np.gradient(values, 1.0 / rate, axis=0)
    return derivative


def choose_cutoff(q: Array, rate: float) -> float:
    """A cut-off [Hz] for even samples of positions (N, n): above the motion, below a fifth of the rate."""
    speed = np.diff(q, axis=0) * rate
    power = (np.abs(np.fft.rfft(speed - speed.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    share = np.cumsum(power) / max(float(power.sum()), np.finfo(float).tiny)
    highest = float(np.fft.rfftfreq(len(speed), 1.0 / rate)[int(np.searchsorted(share, _POWER))])
    return float(np.clip(_HARMONICS * highest, min(2.0, 0.1 * rate), 0.2 * rate))


def _near_gaps(t: Array, stamps: Array, margin: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(4)."""
    near = np.zeros(len(t), dtype=np.bool_)
    steps = np.diff(stamps)
    for k in np.flatnonzero((steps > _GAP * np.median(steps)) & (steps > _SHORTEST_GAP)):
        near |= (t > stamps[k] - margin) & (t < stamps[k + 1] + margin)
    return near
