"""Piecewise quintic motions: minimum jerk, and splines of degree five through way-points.

(1)  piece k, from t_k to t_k+1:   q = c0 + c1 s + .. + c5 s^5,   s = (t - t_k)/(t_k+1 - t_k)

Minimum jerk from rest to rest, with the duration T and the distance d (Clover, chapter II):

(18)  q   = (  6 t^5/T^2 -  15 t^4/T + 10 t^3) d/T^3
(19)  qd  = ( 30 t^4/T^2 -  60 t^3/T + 30 t^2) d/T^3
(20)  qdd = (120 t^3/T^2 - 180 t^2/T + 60 t  ) d/T^3

Quintic splines through way-points:

(21)  Between two way-points q is of degree five; at every inner way-point speed, acceleration, jerk and the
     derivative of jerk are continuous. With the unknown speed v and acceleration a of way-point k, the steps
     h = t_k+1 - t_k and slopes D = (q_k+1 - q_k)/h, continuity reads (left of k: h-, D-; right: h+, D+)

       jerk      (60 D- - 36 v - 24 v-)/h-^2 + (9 a - 3 a-)/h-  =  (60 D+ - 36 v - 24 v+)/h+^2 + (-9 a + 3 a+)/h+
       4th       (360 D- - 192 v - 168 v-)/h-^3 + (36 a - 24 a-)/h-^2
                                                     =  (-360 D+ + 192 v + 168 v+)/h+^3 + (36 a - 24 a+)/h+^2

     Two equations per inner way-point: a block tridiagonal system, solved by forward elimination.
(22)  At the ends speed and acceleration are given; zero by default.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.trajectory.trajectory import MotionState, Trajectory, joint_labels, quintic_coefficients, trajectory_of


def quintic_spline(
    times: npt.ArrayLike,
    waypoints: npt.ArrayLike,
    *,
    end_speeds: npt.ArrayLike | None = None,
    end_accelerations: npt.ArrayLike | None = None,
    joints: Sequence[str] | None = None,
    period: float = 0.001,
) -> Trajectory:
    """The spline (21) through `waypoints` (m, n) at `times` (m,), a sample every `period` seconds.

    `end_speeds` and `end_accelerations` (2, n) are those of the first and the last way-point. Raises `ArgumentError`
    for times that do not rise and for way-points that are not finite.

    >>> quintic_spline([0.0, 1.0, 2.0], [[0.0], [1.0], [2.0]]).at(1.0).q.round(12).tolist()
    [1.0]
    """
    t = np.asarray(times, dtype=np.float64)
    q = np.asarray(waypoints, dtype=np.float64)
    if t.ndim != 1 or len(t) < 2 or not np.isfinite(t).all() or np.any(np.diff(t) <= 0.0):
        raise ArgumentError("the times of the way-points do not rise", remedy="give at least two rising times")
    if q.ndim != 2 or len(q) != len(t) or not np.isfinite(q).all():
        raise ArgumentError(
            f"way-points of shape {q.shape} for {len(t)} times", remedy="give one finite row per time, (m, n)"
        )
    speeds = _ends(end_speeds, q.shape[1], "end_speeds")
    accelerations = _ends(end_accelerations, q.shape[1], "end_accelerations")
    motion = spline_motion(t, q, speeds, accelerations)
    return trajectory_of(motion, joints=joint_labels(joints, q.shape[1]), period=period)


def spline_motion(t: Array, q: Array, speeds: Array, accelerations: Array) -> PolynomialMotion:
    """The formula of the spline through q (m, n) at t (m,), with speeds and accelerations (2, n) at the ends."""
    qd, qdd = np.zeros_like(q), np.zeros_like(q)
    qd[[0, -1]], qdd[[0, -1]] = speeds, accelerations
    if len(t) > 2:
        _solve_inner(t, q, qd, qdd)
    return polynomial_motion(t, q, qd, qdd)


def _solve_inner(t: Array, q: Array, qd: Array, qdd: Array) -> None:
    """Fill in speeds and accelerations of the inner way-points by (21)."""
    h = np.diff(t)
    slope = np.diff(q, axis=0) / h[:, None]
    inner = len(t) - 2
    # One 2 x 2 block per way-point and one to each side, unknowns (v, a); then forward elimination and substitution.
    before, own, after = (np.zeros((inner, 2, 2)) for _ in range(3))
    right = np.zeros((inner, 2, q.shape[1]))
    for k in range(inner):
        left, far = h[k], h[k + 1]
        before[k] = [[-24.0 / left**2, -3.0 / left], [-168.0 / left**3, -24.0 / left**2]]
        own[k] = [
            [36.0 / far**2 - 36.0 / left**2, 9.0 / left + 9.0 / far],
            [-192.0 / left**3 - 192.0 / far**3, 36.0 / left**2 - 36.0 / far**2],
        ]
        after[k] = [[24.0 / far**2, -3.0 / far], [-168.0 / far**3, 24.0 / far**2]]
        right[k] = [
            60.0 * slope[k + 1] / far**2 - 60.0 * slope[k] / left**2,
            -360.0 * slope[k + 1] / far**3 - 360.0 * slope[k] / left**3,
        ]
    right[0] -= before[0] @ np.array([qd[0], qdd[0]])
    right[-1] -= after[-1] @ np.array([qd[-1], qdd[-1]])
    for k in range(1, inner):
        factor = before[k] @ np.linalg.inv(own[k - 1])
        own[k] -= factor @ after[k - 1]
        right[k] -= factor @ right[k - 1]
    found = np.zeros_like(right)
    found[-1] = np.linalg.solve(own[-1], right[-1])
    for k in reversed(range(inner - 1)):
        found[k] = np.linalg.solve(own[k], right[k] - after[k] @ found[k + 1])
    qd[1:-1], qdd[1:-1] = found[:, 0], found[:, 1]


def _ends(values: npt.ArrayLike | None, n: int, name: str) -> Array:
    ends = np.zeros((2, n)) if values is None else np.asarray(values, dtype=np.float64)
    if ends.shape != (2, n) or not np.isfinite(ends).all():
        raise ArgumentError(f"{name} has shape {ends.shape}", remedy=f"give the first and the last, (2, {n})")
    return ends


PUMA560_WAYS = (1.57, 0.873, -1.83, 1.57, 0.873, -1.83)
"""[rad] Joints 3 and 6 move backwards: only then does the tip travel the published 0.52 m."""

PUMA560_START = (-math.pi / 4, -3 * math.pi / 4, 3 * math.pi / 4, 0.0, 0.0, 0.0)
"""[rad] The arm folded back, inside its joint ranges."""

PUMA560_DURATION = 1.5
PUMA560_PERIOD = 0.002


def minimum_jerk(
    start: npt.ArrayLike,
    goal: npt.ArrayLike,
    duration: float,
    *,
    joints: Sequence[str] | None = None,
    period: float = 0.001,
) -> Trajectory:
    """The motion (18)-(20) from `start` (n,) to `goal` (n,) in `duration` seconds, a sample every `period` seconds.

    `joints` names the joints (q1 .. qn unless given). Raises `ArgumentError` for positions that are not n finite
    numbers each and for a duration that is not positive.

    >>> float(minimum_jerk([0.0], [1.0], 2.0).at(1.0).q[0])
    0.5
    """
    q = np.array([np.atleast_1d(start), np.atleast_1d(goal)], dtype=np.float64)
    if q.ndim != 2 or not np.isfinite(q).all():
        raise ArgumentError("start and goal are not n finite positions each", remedy="give one number per joint")
    if not (np.isfinite(duration) and duration > 0.0):
        raise ArgumentError(f"a motion of {duration} s", remedy="give a positive duration in seconds")
    still = np.zeros_like(q)
    motion = polynomial_motion(np.array([0.0, duration]), q, still, still)
    return trajectory_of(motion, joints=joint_labels(joints, q.shape[1]), period=period)


def puma560_standard_trajectory(
    start: npt.ArrayLike = PUMA560_START, *, duration: float = PUMA560_DURATION, period: float = PUMA560_PERIOD
) -> Trajectory:
    """Clover's standard trajectory of the PUMA 560 (chapter III, figure 7), from `start` (6,), sampled at 500 Hz.

    The joints move by 1.57, 0.873, -1.83, 1.57, 0.873 and -1.83 rad in 1.5 s; a shorter duration gives the same path,
    faster.

    >>> abs(puma560_standard_trajectory().qdd).max(axis=0).round(2).tolist()
    [4.03, 2.24, 4.7, 4.03, 2.24, 4.7]
    """
    first = np.asarray(start, dtype=np.float64)
    names = [f"joint{k + 1}" for k in range(6)]
    return minimum_jerk(first, first + PUMA560_WAYS, duration, joints=names, period=period)


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
        """The state at a time, or at N times; outside, the first and last piece are extrapolated."""
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
