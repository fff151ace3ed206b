"""Speeds and accelerations from measured positions, by cross-validated smoothing splines.

(1)  among all curves f, the one with the least  sum (f(t_k) - y_k)^2 + lambda integral f''^2  is a cubic spline
(2)  lambda by generalized cross-validation: the curve that best predicts left-out samples    (Wahba 1990)
(3)  positions are smoothed (1), (2) for the speed; the slope of the spline through the raw differences of positions is
     the acceleration, as Clover III does it for figure 10

Splines for the acceleration go through rates at the middle of each interval: (1) penalizes the curvature of what it
smooths, and the curvature of the position would be the acceleration itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.trajectory.trajectory import Trajectory, joint_labels

_FEWEST_SAMPLES = 7  # a smoothing spline needs five, differences are one fewer, and one is left to smooth


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
        raise ArgumentError("a sample is not finite or a time does not rise", remedy="mend or leave out that sample")
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
