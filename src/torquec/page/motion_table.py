"""A motion as the page plays it: a trajectory, or a log with its measured torques, thinned to what a picture shows."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.logs.log_motion import log_motion
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import Trajectory

_MOST_SAMPLES = 1500
"""More than a plot has points; the script interpolates between them."""


@dataclass(frozen=True, eq=False)
class MotionTable:
    """Times t (N,), q, qd, qdd (N, n) and, of a log, the measured torques (N, n)."""

    title: str
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None

    @property
    def packed(self) -> str:
        """All numbers as doubles in base64, t first."""
        parts = [self.t, self.q, self.qd, self.qdd, *([] if self.tau is None else [self.tau])]
        return base64.b64encode(b"".join(np.ascontiguousarray(p, dtype="<f8").tobytes() for p in parts)).decode()


def motion_table(robot: Robot, motion: Trajectory | Log, *, title: str = "") -> MotionTable:
    """The motion, of the robot's joints in their order; raises `ArgumentError` for other joints or too few rows.

    Of a log, positions and torques are averaged over a tenth of a second, which gives speeds and accelerations.
    """
    if motion.joints != robot.joint_names:
        raise ArgumentError(
            f"the motion is of {', '.join(motion.joints)}, the robot has {', '.join(robot.joint_names)}",
            remedy="give a motion of exactly these joints, in this order",
        )
    if isinstance(motion, Trajectory):
        rows = _thinned(len(motion.t))
        values = (motion.t[rows], motion.q[rows], motion.qd[rows], motion.qdd[rows])
        return MotionTable(title or "trajectory", *values)
    found = log_motion(motion)
    if found is None:
        raise ArgumentError(
            "the log has too few whole rows to show a motion",
            where=motion.source,
            remedy="'torquec check-log' says what is wrong with it",
        )
    rows = _thinned(len(found.t))
    name = title or PurePath(motion.source).name or "log"
    return MotionTable(name, found.t[rows], found.q[rows], found.qd[rows], found.qdd[rows], found.tau[rows])


def _thinned(count: int) -> Array:
    """Rows evenly taken, the first and the last among them."""
    rows: Array = np.unique(np.linspace(0, count - 1, min(count, _MOST_SAMPLES)).round().astype(int))
    return rows
