"""The cut-off of the low pass, from the spectra of a log: above the motion, below what is only noise.

(1)  spectra P(f) of stretches of two seconds, half overlapping, without their linear trend, Hann window: what leaks
     from slow motions into high frequencies falls by 18 dB an octave
(2)  speeds: those recorded, and (2 pi f)^2 times the spectrum of positions. A motion's spectrum falls with frequency,
     that of noise (quantisation, jitter of stamps) is flat or rises in speeds: their valley, the least average over
     half an octave, is the noise floor; what lies beyond it is noise
(3)  top of the motion: the frequency below which 99 % of the power of the speeds lies, noise taken off, as an average
     over the stretches that is weighted by their power: a pause does not count; the lower one of both speeds
(4)  cut-off: eight times that, so that the harmonics of friction and of the equations of motion pass
(5)  torques that were low-passed before they were recorded have next to nothing (1e-7 of their peak) above some
     frequency, in all joints. There a model would still have its steps of friction: the cut-off stays below, but not
     below four times (3), where smooth torques may end of themselves
"""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Array

_STRETCH = 2.0
"""Seconds: spectra have a resolution of a hertz, and a log of any length has many stretches."""
_OCTAVE = 2.0**0.5  # from band to band: half an octave has bins enough to average noise
_POWER = 0.99  # of the power of a motion: what it is made of, without its noise
_HARMONICS, _FEWEST_HARMONICS = 8.0, 4.0  # of the top of the motion: torques are products of its sines
_NOTHING = 1e-7  # of the strongest band: rounding, not noise
_ROUNDING = 1e-14
"""Of the largest value: the trend is taken off no more exactly."""
_FLOORS = 2.0
"""Times the floor: single bins of noise scatter about their average."""
_LOWEST, _HIGHEST = 2.0, 0.2
"""Hertz, and a share of the rate: with fewer samples a period, differences are no derivatives."""


def choose_cutoff(q: Array, rate: float, *, qd: Array | None = None, tau: Array | None = None) -> float:
    """A cut-off [Hz] for even samples of positions, recorded speeds and torques (N, n) (1)-(5).

    The lowest that is ever chosen for positions that do not change.

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
    """Frequencies (F,) and P (stretches, F, n) of (1)."""
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
    """(2), (3) for the spectra of speeds (stretches, F, n); zero where nothing moves."""
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
    """(5): the frequency above which no joint has torques to speak of (F, n); infinite where there is none."""
    bands = _bands(f)
    averages = np.array([mean[band].mean(axis=0) for band in bands])
    alive = np.flatnonzero((averages > _NOTHING * averages.max(axis=0)).any(axis=1))
    return float(f[bands[alive[-1]].stop - 1]) if len(alive) and alive[-1] < len(bands) - 1 else np.inf
