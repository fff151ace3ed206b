"""Log preparation: even sampling, zero-phase low pass with an automatic cut-off, derivatives, a mask of used samples.

(1)  rows with missing values, repeated or backward stamps are left out (`clean_rows`); the rest is interpolated to even
     times at the rate of the log. A gap ends a part; parts are filtered separately
(2)  q, recorded speeds and tau pass a Butterworth filter of order four forwards and backwards (no phase)
(3)  speeds that were not recorded, and accelerations, are central differences of (2); or those of smoothing splines
     through the positions (`trajectory.smoothing`), low-passed like everything else
(4)  not used: half a second at each end, three periods of the cut-off beside a gap and, on demand, samples where no
     joint is faster than some speed: stiction is not a function of the state
(5)  decimation: after the low pass, eight samples per period of the cut-off hold all information

The cut-off is given, or chosen from the spectra of the log, above the motion and below the noise:

(6)  spectra P(f) of stretches of two seconds, half overlapping, linear trend removed, Hann window: leakage from slow
     motions into high frequencies falls by 18 dB an octave
(7)  spectra of speeds: recorded ones, and (2 pi f)^2 times that of positions. A motion's spectrum falls with frequency;
     that of noise (quantisation, jitter of stamps) is flat or rises in speeds: the minimum of the average over half an
     octave is the noise floor; higher frequencies are noise
(8)  top of the motion: the frequency below which 99 % of the power of the speeds lies, noise subtracted. It is averaged
     over the stretches with their power as weight, so that pauses do not count; the lower one of both spectra is used
(9)  cut-off: eight times (8), so that the harmonics of friction and of the equations of motion pass
(10)  torques that were low-passed before recording have almost no power (1e-7 of their peak) above some frequency, in
     all joints, but the model still has its friction steps there. The cut-off stays below that frequency, but at four
     times (8) or more: above, smooth torques may have no power even without a low pass
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.codegen.llvm.second_order_sections import zero_phase
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices, Mask
from torquec.identification.extras import need
from torquec.identification.logs.clean_rows import bridged, clean_rows, parts_of, rate_within
from torquec.trajectory.log import Log
from torquec.trajectory.smoothing import smoothed_motion

_STRETCH = 2.0  # seconds per stretch: a resolution of about a hertz, and still many stretches per log
_OCTAVE = 2.0**0.5  # from band to band: half an octave has enough bins to average noise
_POWER = 0.99  # share of the power that defines the top of the motion (8)
_HARMONICS, _FEWEST_HARMONICS = 8.0, 4.0  # of the top of the motion: torques are products of its sines
_NOTHING = 1e-7  # of the strongest band: rounding, not noise
_ROUNDING = 1e-14  # rounding error of removing the trend, relative to the largest value
_FLOORS = 2.0  # threshold over the noise floor: single bins of noise scatter about their average
_LOWEST, _HIGHEST = 2.0, 0.2
"""Lowest cut-off [Hz], and highest as a share of the rate: with fewer samples a period, differences are inaccurate."""


def choose_cutoff(q: Array, rate: float, *, qd: Array | None = None, tau: Array | None = None) -> float:
    """A cut-off [Hz] for even samples of positions, recorded speeds and torques (N, n) (6)-(10).

    Positions that do not change give the lowest possible cut-off.

    >>> t = np.arange(1000) / 100.0
    >>> choose_cutoff(np.sin(6.28 * t)[:, None], 100.0) < choose_cutoff(np.sin(12.56 * t)[:, None], 100.0)
    True
    """
    f, positions = _spectra(q, rate)
    tops = [_top(f, positions * (2.0 * np.pi * f[:, None]) ** 2)]
    if qd is not None:
        tops.append(_top(f, _spectra(qd, rate)[1]))
    cutoff = _HARMONICS * min(tops)
    if tau is not None:
        cutoff = max(min(cutoff, _end(f, _spectra(tau, rate)[1].mean(axis=0))), _FEWEST_HARMONICS * min(tops))
    return float(np.clip(cutoff, min(_LOWEST, 0.1 * rate), _HIGHEST * rate))


def _spectra(values: Array, rate: float) -> tuple[Array, Array]:
    """Frequencies (F,) and P (stretches, F, n) of (6)."""
    size = min(len(values), max(round(_STRETCH * rate), 8))
    starts = range(0, len(values) - size + 1, max(size // 2, 1))
    window = np.hanning(size)[:, None]
    line = np.column_stack([np.ones(size), np.linspace(-1.0, 1.0, size)])
    basis = np.linalg.qr(line)[0]
    powers = []
    for start in starts:
        part = values[start : start + size]
        power = np.abs(np.fft.rfft((part - basis @ (basis.T @ part)) * window, axis=0)) ** 2
        rounding = size * (_ROUNDING * np.abs(part).max(axis=0)) ** 2
        powers.append(np.where(power > rounding, power, 0.0))
    frequencies: Array = np.arange(size // 2 + 1) * rate / size
    return frequencies, np.array(powers)


def _bands(f: Array) -> list[slice]:
    """Half octaves, each at least two bins wide, without the first bin."""
    bands, start = [], 1
    while start < len(f):
        stop = min(max(start + 2, int(np.ceil(start * _OCTAVE))), len(f))
        bands.append(slice(start, stop))
        start = stop
    return bands


def _top(f: Array, spectra: Array) -> float:
    """(7), (8) for the spectra of speeds (stretches, F, n); zero where nothing moves."""
    mean = spectra.mean(axis=0)
    bands = _bands(f)
    averages = np.array([mean[band].mean(axis=0) for band in bands])
    valleys = averages.argmin(axis=0)
    ends = np.array([bands[k].stop for k in valleys])
    inside = np.arange(len(f))[:, None] < ends
    motion = np.where(inside, np.maximum(spectra - _FLOORS * averages.min(axis=0), 0.0), 0.0).sum(axis=2)
    power = motion.sum(axis=1)
    if not power.sum() > 0.0:
        return 0.0
    moving = motion[power > 0.0]
    shares = np.cumsum(moving, axis=1) / power[power > 0.0][:, None]
    tops = f[(shares >= _POWER).argmax(axis=1)]
    return float(np.average(tops, weights=power[power > 0.0]))


def _end(f: Array, mean: Array) -> float:
    """(10): the frequency above which no joint has torque power, from `mean` (F, n); infinite where there is none."""
    bands = _bands(f)
    averages = np.array([mean[band].mean(axis=0) for band in bands])
    alive = np.flatnonzero((averages > _NOTHING * averages.max(axis=0)).any(axis=1))
    return float(f[bands[alive[-1]].stop - 1]) if len(alive) and alive[-1] < len(bands) - 1 else np.inf


_ORDER = 4  # of the Butterworth filter, usual in the field
FEWEST = 16
"""Even samples that the filter needs; shorter parts are left out."""
BESIDE_GAP = 3.0
"""Periods of the cut-off not used beside a gap: further away, its effect on accelerations is below 1 %."""
_DENSE = 8.0  # samples per period of the cut-off; more add no information


class Derivatives(StrEnum):
    """How accelerations, and speeds that were not recorded, are computed (3)."""

    DIFFERENCES = "differences"
    SPLINES = "splines"


@dataclass(frozen=True, eq=False)
class Samples:
    """Evenly spaced, filtered samples: t (N,), q, qd, qdd, tau (N, n); `used` (N,) marks those for the fit.

    `rate` [Hz] of sampling, `cutoff` [Hz] of the filter, `others` the further columns (N,) by name, unfiltered
    (NaN for one without any value); `starts` are the samples at which parts begin, one after each gap.
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    used: Mask
    rate: float
    cutoff: float
    others: dict[str, Array]
    source: str = ""
    starts: tuple[int, ...] = (0,)

    def __len__(self) -> int:
        return len(self.t)

    @property
    def thinned(self) -> Indices:
        """Which of the used samples decimation keeps (5), as indices."""
        return np.flatnonzero(self.used)[:: thinning(self.rate, self.cutoff)]

    def correlation(self, count: int) -> float:
        """Number of samples per independent sample, for `count` evenly taken ones; see `correlation_of`."""
        return correlation_of(count, int(self.used.sum()) / self.rate, self.cutoff)

    def low_passed(self, values: Array, kept: Indices | None = None) -> Array:
        """Columns (N, ...) through the filter of these samples, every part separately, or their rows `kept` alone."""
        found = []
        for a, b in itertools.pairwise([*self.starts, len(self)]):
            own = None if kept is None else kept[(kept >= a) & (kept < b)] - a
            found.append(low_pass(values[a:b], self.rate, self.cutoff, own))
        return found[0] if len(found) == 1 else np.concatenate(found)


def thinning(rate: float, cutoff: float) -> int:
    """Decimation factor (5): one in this many samples is kept.

    >>> thinning(1000.0, 10.0)
    12
    """
    return max(1, int(rate / (_DENSE * cutoff)))


def correlation_of(count: int, seconds: float, cutoff: float) -> float:
    """Number of samples per independent sample, for `count` samples in `seconds` (2 cut-offs independent per second).

    >>> correlation_of(1000, 10.0, 5.0)
    10.0
    """
    return max(count / (2.0 * cutoff * seconds), 1.0)


def low_pass(values: Array, rate: float, cutoff: float, kept: Indices | None = None) -> Array:
    """Columns (N, ...), sampled at `rate`, after the filter (2), or their rows `kept`.

    Raises `ArgumentError` for an impossible cut-off.
    """
    signal = need("scipy.signal", "filtering a log")
    if not 0.0 < cutoff < 0.5 * rate:
        raise ArgumentError(
            f"a cut-off of {cutoff:g} Hz for samples at {rate:g} Hz", remedy=f"give one between 0 and {0.5 * rate:g} Hz"
        )
    sections = signal.butter(_ORDER, cutoff, fs=rate, output="sos")
    if len(values) < FEWEST:
        raise ArgumentError(f"{len(values)} samples are too few to filter", remedy="record a longer motion")
    columns = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    filtered = zero_phase(sections, signal.sosfilt_zi(sections), columns, kept)
    return filtered.reshape(len(filtered), *values.shape[1:])


def prepare(
    log: Log,
    *,
    cutoff: float | None = None,
    edge: float = 0.5,
    slowest: float = 0.0,
    derivatives: Derivatives = Derivatives.DIFFERENCES,
) -> Samples:
    """The samples of a log (1)-(4); `cutoff` [Hz] is chosen from the data when not given.

    `edge` [s] at each end is not used, nor, with `slowest` [rad/s or m/s], samples in which no joint is faster.
    Raises `ArgumentError` when too little is left, `MissingExtraError` without scipy.
    """
    rows = clean_rows(log)
    if rows.sum() < 2:
        raise ArgumentError(
            "fewer than two complete rows with increasing time stamps", where=log.source, remedy="run torquec check-log"
        )
    values = [log.q[rows], log.tau[rows], *([] if log.qd is None else [log.qd[rows]])]
    stamps = log.t[rows]
    table = np.column_stack([*values, *(bridged(stamps, column[rows]) for column in log.others.values())])
    rate, times, tables = even_parts(stamps, table)
    if not tables:
        raise ArgumentError(
            f"no part of the log has {FEWEST} rows without a gap", where=log.source, remedy="record without pauses"
        )
    longest = max(tables, key=len)
    chosen = chosen_cutoff(longest, log.n, rate, speeds=log.qd is not None) if cutoff is None else float(cutoff)
    made = [
        motion_of(t, even, n=log.n, speeds=log.qd is not None, rate=rate, cutoff=chosen, derivatives=derivatives)
        for t, even in zip(times, tables, strict=True)
    ]
    q, qd, qdd, tau = (np.concatenate([getattr(part, name) for part in made]) for name in ("q", "qd", "qdd", "tau"))
    used = np.concatenate(
        [
            within(t, edge if k == 0 else BESIDE_GAP / chosen, edge if k == len(times) - 1 else BESIDE_GAP / chosen)
            for k, t in enumerate(times)
        ]
    )
    used &= np.abs(qd).max(axis=1) >= slowest
    if used.sum() < 2:
        raise ArgumentError(
            f"nothing is left of {log.duration:.2g} s without {edge:g} s at each end"
            + (f", without {BESIDE_GAP / chosen:.2g} s beside {len(times) - 1} gaps" if len(times) > 1 else "")
            + (f" and without what is slower than {slowest:g}" if slowest > 0.0 else ""),
            where=log.source,
            remedy="record a longer motion" + (" without pauses" if len(times) > 1 else ""),
        )
    whole = np.concatenate(tables)[:, len(values) * log.n :]
    others = {name: whole[:, k] for k, name in enumerate(log.others)}
    starts = tuple(itertools.accumulate((len(t) for t in times[:-1]), initial=0))
    return Samples(log.joints, np.concatenate(times), q, qd, qdd, tau, used, rate, chosen, others, log.source, starts)


def chosen_cutoff(table: Array, n: int, rate: float, *, speeds: bool) -> float:
    """The cut-off [Hz] of even rows (N, ...) of q, tau and, with `speeds`, qd."""
    parts = [table[:, n * k : n * (k + 1)] for k in range(3 if speeds else 2)]
    return choose_cutoff(parts[0], rate, tau=parts[1], qd=parts[2] if speeds else None)


def even_parts(stamps: Array, table: Array) -> tuple[float, list[Array], list[Array]]:
    """The rate, and even times (N_i,) and rows (N_i, m) of every part of rising stamps (N,) and rows (N, m) (1).

    Parts too short to be filtered are left out.
    """
    parts = parts_of(stamps)
    rate = rate_within(len(stamps), np.array([stamps[part][-1] - stamps[part][0] for part in parts]))
    times = [stamps[part][0] + np.arange(even_count(stamps[part], rate)) / rate for part in parts]
    tables = [
        np.column_stack([np.interp(t, stamps[part], column[part]) for column in table.T])
        for t, part in zip(times, parts, strict=True)
        if len(t) >= FEWEST
    ]
    return rate, [t for t in times if len(t) >= FEWEST], tables


def even_count(span: Array, rate: float) -> int:
    """How many even samples fit between the first and the last of the stamps `span`, both included."""
    return int(np.floor(float(span[-1] - span[0]) * rate + 1e-6)) + 1


def within(t: Array, first: float, last: float) -> Mask:
    """Which times (N,) are at least `first` [s] after the first of them, and `last` [s] before the last (4)."""
    chosen: Mask = (t >= t[0] + first) & (t <= t[-1] - last)
    return chosen


@dataclass(frozen=True, eq=False)
class EvenMotion:
    """Positions, speeds, accelerations and torques (N, n) at even times."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def motion_of(
    t: Array,
    table: Array,
    *,
    n: int,
    speeds: bool,
    rate: float,
    cutoff: float,
    derivatives: Derivatives = Derivatives.DIFFERENCES,
) -> EvenMotion:
    """The motion of even rows (N, ...) of q, tau and, with `speeds`, qd (2), (3)."""
    smooth = low_pass(table[:, : (3 if speeds else 2) * n], rate, cutoff)
    q, tau = smooth[:, :n], smooth[:, n : 2 * n]
    if derivatives is Derivatives.SPLINES:
        motion = smoothed_motion(t, table[:, :n])
        qd = smooth[:, 2 * n :] if speeds else low_pass(motion.qd, rate, cutoff)
        return EvenMotion(q, qd, low_pass(motion.qdd, rate, cutoff), tau)
    qd = smooth[:, 2 * n :] if speeds else central_difference(q, rate)
    return EvenMotion(q, qd, central_difference(qd, rate), tau)


def central_difference(values: Array, rate: float) -> Array:
    """Derivatives of even samples (N, n), one-sided at the ends (3).

    >>> central_difference(np.array([[0.0], [1.0], [4.0]]), 1.0).tolist()
    [[1.0], [2.0], [3.0]]
    """
    derivative: Array = np.gradient(values, 1.0 / rate, axis=0)
    return derivative
