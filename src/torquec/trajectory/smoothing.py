"""Speeds and accelerations from measured positions, by cross-validated smoothing splines.

(1)  among all curves f, the one with the least  sum (f(t_k) - y_k)^2 + lambda integral f''^2  is a cubic spline
(2)  lambda by generalized cross-validation: the curve that best predicts left-out samples    (Wahba 1990)
(3)  the speed is the slope of the smoothed positions (1), (2). The acceleration is the slope of a second smoothing
     spline, through the raw differences of positions, as in Clover III, figure 10

For the acceleration, the spline smooths the rates at the middle of each interval, not the positions: (1) penalizes the
curvature of the smoothed curve, and the curvature of the position is the acceleration itself.

For evenly spaced samples (1) takes linear time (`even_spline`). With f the values of the spline and g its second
derivatives at the inner samples (Reinsch 1967; Green and Silverman 1994):

(4)  (R + lambda Q'Q) g = Q'y,    f = y - lambda Q g      Q second differences over h, R = h/6 tridiag(1, 4, 1)
(5)  lambda by generalized cross-validation: the least  N |y - f|^2 / (N - trace)^2
(6)  trace = 2 + sum over i of 1/(1 + lambda m(i pi/N)),   m(x) = 6 (2 - 2 cos x)^2 / (h^3 (4 + 2 cos x)),  i = 2 .. N-1

(6) uses the eigenvalues of an infinite series of samples, which ignores the two ends. For hundreds of samples the trace
is accurate to some tenths of a per cent. The exact trace would need a recursion over all samples for every lambda.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.trajectory.trajectory import Trajectory, joint_labels

FEWEST = 8
"""Smallest number of samples of a spline."""

_TRIALS = np.linspace(-14.0, 10.0, 49)  # coarse grid of log10(lambda/h^3), from no smoothing to a straight line

_REFINEMENTS = 30  # golden sections: the interval between two trials to a millionth
_FEWEST_SAMPLES = 7  # six differences of positions; a smoothing spline needs five points, one is in reserve


def smoothed_motion(
    t: npt.ArrayLike, q: npt.ArrayLike, *, joints: Sequence[str] | None = None, smoothing: float | None = None
) -> Trajectory:
    """The motion behind noisy positions q (N, n) at rising times t (N,): positions, speeds, accelerations (1)-(3).

    `smoothing` is lambda; chosen by (2), per joint, unless given. Raises `ArgumentError` for fewer than seven samples,
    times that do not rise and values that are not finite; `MissingExtraError` without scipy.
    """
    try:
        interpolate = importlib.import_module("scipy.interpolate")
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "smoothing a measured motion") from None
    times, values = np.asarray(t, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or times.shape != values.shape[:1] or len(times) < _FEWEST_SAMPLES:
        raise ArgumentError(
            f"positions of shape {values.shape} at {times.shape} times",
            remedy=f"give at least {_FEWEST_SAMPLES} rows, one per time",
        )
    if not (np.isfinite(values).all() and np.isfinite(times).all() and np.all(np.diff(times) > 0.0)):
        raise ArgumentError("a sample is not finite or a time does not rise", remedy="correct or remove that sample")
    if smoothing is not None and not (np.isfinite(smoothing) and smoothing >= 0.0):
        raise ArgumentError(f"a smoothing of {smoothing!r}", remedy="give zero or more, or leave it out")
    middle = 0.5 * (times[1:] + times[:-1])
    position, speed, acceleration = (np.empty_like(values) for _ in range(3))
    for k in range(values.shape[1]):
        curve = interpolate.make_smoothing_spline(times, values[:, k], lam=smoothing)
        position[:, k], speed[:, k] = curve(times), curve(times, nu=1)
        rates = np.diff(values[:, k]) / np.diff(times)
        rate = interpolate.make_smoothing_spline(middle, rates, lam=smoothing)
        acceleration[:, k] = rate(times, nu=1)
    return Trajectory(joint_labels(joints, values.shape[1]), times, position, speed, acceleration)


def acceleration_estimate(t: npt.ArrayLike, q: npt.ArrayLike) -> Array:
    """Accelerations (N, n) behind noisy positions q (N, n) at times t (N,); see `smoothed_motion`."""
    return smoothed_motion(t, q).qdd


@dataclass(frozen=True, eq=False)
class EvenSpline:
    """A natural cubic spline: values and second derivatives (N,) at samples that are h apart, and its lambda."""

    values: Array
    bends: Array
    h: float
    smoothing: float

    def between(self) -> tuple[Array, Array]:
        """Value and slope midway between samples and half a step beyond both ends (linear there), (N + 1,) each."""
        f, g, h = self.values, self.bends, self.h
        rise = np.diff(f) / h
        middle = 0.5 * (f[:-1] + f[1:]) - h * h / 16.0 * (g[:-1] + g[1:])
        slope = rise + h / 24.0 * (g[:-1] - g[1:])
        first = rise[0] - h / 6.0 * (2.0 * g[0] + g[1])
        last = rise[-1] + h / 6.0 * (g[-2] + 2.0 * g[-1])
        value = np.concatenate([[f[0] - 0.5 * h * first], middle, [f[-1] + 0.5 * h * last]])
        return value, np.concatenate([[first], slope, [last]])


def even_spline(y: Array, h: float, *, smoothing: float | None = None) -> EvenSpline:
    """The smoothing spline (4) through values y (N,) that are h apart; lambda by (5) unless given.

    Raises `ArgumentError` for fewer than eight values or some that are not finite; `MissingExtraError` without scipy.
    """
    if y.ndim != 1 or len(y) < FEWEST or not np.isfinite(y).all() or not h > 0.0:
        raise ArgumentError(
            f"values of shape {y.shape}, {h} apart", remedy=f"give at least {FEWEST} finite values, evenly apart"
        )
    try:
        linear = importlib.import_module("scipy.linalg")
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "smoothing a measured motion") from None
    count = len(y)
    second = (y[:-2] - 2.0 * y[1:-1] + y[2:]) / h
    x = np.arange(2, count) * (np.pi / count)
    eigen = 6.0 * (2.0 - 2.0 * np.cos(x)) ** 2 / (h**3 * (4.0 + 2.0 * np.cos(x)))
    scale = h**3

    def solved(amount: float) -> tuple[Array, Array]:
        bands = np.zeros((3, count - 2))
        bands[2] = h * 2.0 / 3.0 + amount * 6.0 / h**2
        bands[1, 1:] = h / 6.0 - amount * 4.0 / h**2
        bands[0, 2:] = amount / h**2
        inner = linear.solveh_banded(bands, second, check_finite=False)
        bend = np.concatenate([[0.0], inner, [0.0]])
        change = np.diff(bend) / h
        return y - amount * np.concatenate([[change[0]], np.diff(change), [-change[-1]]]), bend

    def score(exponent: float) -> float:
        amount = 10.0**exponent * scale
        rest = y - solved(amount)[0]
        trace = 2.0 + float(np.sum(1.0 / (1.0 + amount * eigen)))
        return count * float(rest @ rest) / (count - trace) ** 2

    if smoothing is None:
        scores = [score(float(exponent)) for exponent in _TRIALS]
        best = int(np.argmin(scores))
        low, high = (float(_TRIALS[np.clip(best + step, 0, len(_TRIALS) - 1)]) for step in (-1, 1))
        smoothing = 10.0 ** _golden(score, low, high) * scale
    values, bends = solved(smoothing)
    return EvenSpline(values, bends, h, float(smoothing))


def _golden(score: Callable[[float], float], low: float, high: float) -> float:
    """Minimizer of a function of one number on an interval, by golden-section search."""
    ratio = 0.5 * (np.sqrt(5.0) - 1.0)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = score(a), score(b)
    for _ in range(_REFINEMENTS):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = score(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = score(b)
    return float(0.5 * (low + high))
