"""Motions made of polynomials of degree five, one after the other.

(1)  piece k, from t_k to t_k+1:   q = c0 + c1 s + .. + c5 s^5,   s = (t - t_k)/(t_k+1 - t_k)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.foundation.arrays import Array
from torquec.trajectory.trajectory import MotionState, quintic_coefficients


@dataclass(frozen=True, eq=False)
class PolynomialMotion:
    """Pieces between `breaks` (m + 1,), with `coefficients` (6, m, n) of (1)."""

    breaks: Array
    coefficients: Array

    @property
    def start(self) -> float:
        """First time [s]."""
        return float(self.breaks[0])

    @property
    def end(self) -> float:
        """Last time [s]."""
        return float(self.breaks[-1])

    def at(self, t: npt.ArrayLike) -> MotionState:
        """The state at a time, or at N times; the first and last piece go on outside."""
        times = np.asarray(t, dtype=np.float64)
        k = np.clip(np.searchsorted(self.breaks, times, side="right") - 1, 0, len(self.breaks) - 2)
        step = (self.breaks[k + 1] - self.breaks[k])[..., None]
        s = (times - self.breaks[k])[..., None] / step
        c = self.coefficients[:, k]
        return MotionState(
            c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))),
            (c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))) / step,
            (2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))) / step**2,
        )

    @property
    def jerk_bound(self) -> Array:
        """The largest third derivative of every joint between the first and the last break (n,).

        It is a parabola in s on every piece: largest at an end, or where it turns.
        """
        c, step = self.coefficients, np.diff(self.breaks)[:, None]
        constant, slope, bend = 6.0 * c[3], 24.0 * c[4], 60.0 * c[5]
        turn = np.clip(-slope / np.where(bend == 0.0, 1.0, 2.0 * bend), 0.0, 1.0)
        values = [np.abs(constant + s * (slope + s * bend)) for s in (0.0, turn, 1.0)]
        bound: Array = (np.max(values, axis=0) / step**3).max(axis=0)
        return bound


def polynomial_motion(breaks: Array, q: Array, qd: Array, qdd: Array) -> PolynomialMotion:
    """The motion through states q, qd, qdd (m + 1, n) at `breaks` (m + 1,)."""
    step = np.diff(breaks)[:, None]
    left = (q[:-1], qd[:-1] * step, qdd[:-1] * step**2)
    right = (q[1:], qd[1:] * step, qdd[1:] * step**2)
    return PolynomialMotion(breaks, np.array(quintic_coefficients(left, right)))
