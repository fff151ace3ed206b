"""Motion from rest to rest with the least jerk.

With the duration T and the way d, the integral of the squared jerk is least for (Clover, chapter II)

(18)  q   = (  6 t^5/T^2 -  15 t^4/T + 10 t^3) d/T^3
(19)  qd  = ( 30 t^4/T^2 -  60 t^3/T + 30 t^2) d/T^3
(20)  qdd = (120 t^3/T^2 - 180 t^2/T + 60 t  ) d/T^3
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.trajectory.polynomial_motion import polynomial_motion
from torquec.trajectory.trajectory import Trajectory, joint_labels, trajectory_of

PUMA560_WAYS = (1.57, 0.873, -1.83, 1.57, 0.873, -1.83)
"""[rad] Joints 3 and 6 move backwards: only so does the tip travel the printed 0.52 m."""

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

    The joints move by 1.57, 0.873, -1.83, 1.57, 0.873 and -1.83 rad in 1.5 s; a shorter duration makes the same way
    faster.

    >>> abs(puma560_standard_trajectory().qdd).max(axis=0).round(2).tolist()
    [4.03, 2.24, 4.7, 4.03, 2.24, 4.7]
    """
    first = np.asarray(start, dtype=np.float64)
    names = [f"joint{k + 1}" for k in range(6)]
    return minimum_jerk(first, first + PUMA560_WAYS, duration, joints=names, period=period)
