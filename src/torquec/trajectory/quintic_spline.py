"""Splines of degree five through way-points.

(1)  Between two way-points q is a polynomial of degree five; at every inner way-point speed, acceleration, jerk and the
     derivative of jerk are continuous. With the unknown speed v and acceleration a of way-point k, the steps
     h = t_k+1 - t_k and slopes D = (q_k+1 - q_k)/h, continuity reads (left of k: h-, D-; right: h+, D+)

       jerk      (60 D- - 36 v - 24 v-)/h-^2 + (9 a - 3 a-)/h-  =  (60 D+ - 36 v - 24 v+)/h+^2 + (-9 a + 3 a+)/h+
       4th       (360 D- - 192 v - 168 v-)/h-^3 + (36 a - 24 a-)/h-^2
                                                     =  (-360 D+ + 192 v + 168 v+)/h+^3 + (36 a - 24 a+)/h+^2

     two equations per inner way-point: a block tridiagonal system, solved from the front.
(2)  At the ends speed and acceleration are given; zero unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.trajectory.polynomial_motion import PolynomialMotion, polynomial_motion
from torquec.trajectory.trajectory import Trajectory, joint_labels, trajectory_of


def quintic_spline(
    times: npt.ArrayLike,
    waypoints: npt.ArrayLike,
    *,
    end_speeds: npt.ArrayLike | None = None,
    end_accelerations: npt.ArrayLike | None = None,
    joints: Sequence[str] | None = None,
    period: float = 0.001,
) -> Trajectory:
    """The spline (1) through `waypoints` (m, n) at `times` (m,), a sample every `period` seconds.

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
    """Fill in speeds and accelerations of the inner way-points by (1)."""
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
