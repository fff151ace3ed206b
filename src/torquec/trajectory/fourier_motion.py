"""Periodic excitation trajectories: finite Fourier series of the joint speeds, band-limited.

(1)  qd_i = sum_k a_ik cos(k w t) + b_ik sin(k w t)
(2)  q_i = c_i + sum_k (a_ik sin(k w t) - b_ik cos(k w t))/(k w),      qdd_i the derivative of (1)

Swevers et al. (1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.trajectory.trajectory import MotionState, Trajectory, joint_labels, trajectory_of


@dataclass(frozen=True, eq=False)
class FourierMotion:
    """The series (1), (2): `offset` c (n,), `cosines` a and `sines` b (n, m) of the speeds, `rate` w [rad/s]."""

    offset: Array
    cosines: Array
    sines: Array
    rate: float
    end: float
    start: float = 0.0

    def at(self, t: npt.ArrayLike) -> MotionState:
        """The state at a time, or at N times."""
        times = np.asarray(t, dtype=np.float64)
        rates = self.rate * np.arange(1, self.cosines.shape[1] + 1)
        angle = times[..., None] * rates
        s, c = np.sin(angle), np.cos(angle)
        a, b = self.cosines.T, self.sines.T
        return MotionState(
            self.offset + (s / rates) @ a - (c / rates) @ b, c @ a + s @ b, (c * rates) @ b - (s * rates) @ a
        )

    @property
    def jerk_bound(self) -> Array:
        """Upper bound (n,) on the third derivative of every joint."""
        rates = self.rate * np.arange(1, self.cosines.shape[1] + 1)
        bound: Array = np.hypot(self.cosines, self.sines) @ rates**2
        return bound


def fourier_motion(
    offset: npt.ArrayLike,
    cosines: npt.ArrayLike,
    sines: npt.ArrayLike,
    *,
    base_period: float,
    cycles: float = 1.0,
    joints: Sequence[str] | None = None,
    period: float = 0.001,
) -> Trajectory:
    """The motion (1), (2) for `cycles` times its `base_period` [s], a sample every `period` seconds.

    `offset` (n,); `cosines` and `sines` (n, m) of the speeds, m harmonics. Raises `ArgumentError` for shapes that do
    not agree, values that are not finite and durations that are not positive.

    >>> motion = fourier_motion([0.0], [[1.0]], [[0.0]], base_period=2.0)
    >>> motion.at(1.0).qd.round(12).tolist()
    [-1.0]
    """
    c, a, b = (np.asarray(values, dtype=np.float64) for values in (offset, cosines, sines))
    if c.ndim != 1 or a.ndim != 2 or a.shape != b.shape or len(a) != len(c) or a.shape[1] == 0:
        raise ArgumentError(
            f"offset {c.shape}, cosines {a.shape} and sines {b.shape} do not belong together",
            remedy="give (n,), (n, m) and (n, m)",
        )
    if not (np.isfinite(c).all() and np.isfinite(a).all() and np.isfinite(b).all()):
        raise ArgumentError("a coefficient of the Fourier series is not finite", remedy="give finite numbers")
    if not (np.isfinite(base_period) and base_period > 0.0 and np.isfinite(cycles) and cycles > 0.0):
        raise ArgumentError(f"{cycles} cycles of {base_period} s", remedy="give positive numbers")
    motion = FourierMotion(c, a, b, 2.0 * np.pi / base_period, base_period * cycles)
    return trajectory_of(motion, joints=joint_labels(joints, len(c)), period=period)
