"""Motion to be played in a page, downsampled to the resolution of its plots.

A trajectory, a log with its measured torques, or a simulated run with those of its controller.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.logs.clean_rows import log_motion
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import Trajectory

_MOST_SAMPLES = 1500  # more than a plot has points; the script interpolates between them
_FEWEST_SAMPLES = 400  # of one of many motions: as many as a small plot has points


@dataclass(frozen=True, eq=False)
class MotionTable:
    """Times t (N,), q (N, nq), qd, qdd (N, nv) and, where `torques` names how they came about, torques (N, nv).

    `reference` (N, nq) is what a simulated run should have followed, `tube` the guaranteed bound of each joint's error.
    """

    title: str
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None
    torques: str = ""
    reference: Array | None = None
    tube: tuple[float, ...] = ()

    @property
    def packed(self) -> str:
        """All numbers as doubles in base64, t first."""
        parts = [p for p in (self.t, self.q, self.qd, self.qdd, self.tau, self.reference) if p is not None]
        return base64.b64encode(b"".join(np.ascontiguousarray(p, dtype="<f8").tobytes() for p in parts)).decode()


@dataclass(frozen=True, eq=False)
class SimulatedRun:
    """A simulated motion with the torques (N, n) of its controller and its reference (N, n), where they were kept, and
    what it is called; `tube` is the guaranteed bound of each joint's error, empty where there is none.
    """

    title: str
    trajectory: Trajectory
    tau: Array | None = None
    reference: Array | None = None
    tube: tuple[float, ...] = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints, in order."""
        return self.trajectory.joints


def motion_table(robot: Robot, motion: Trajectory | Log | SimulatedRun, *, share: int = 1) -> MotionTable:
    """The motion, of the robot's joints in their order; raises `ArgumentError` for other joints or too few rows.

    Where several motions `share` a page, each has fewer samples. Of a log, positions and torques are averaged over a
    tenth of a second, which gives speeds and accelerations.
    """
    if motion.joints != robot.joint_names:
        raise ArgumentError(
            f"the motion is of {', '.join(motion.joints)}, the robot has {', '.join(robot.joint_names)}",
            remedy="give a motion of exactly these joints, in this order",
        )
    if isinstance(motion, Trajectory):
        return motion_table(robot, SimulatedRun("trajectory", motion), share=share)
    if isinstance(motion, SimulatedRun):
        way = motion.trajectory
        rows = _thinned(len(way.t), share)
        tau = None if motion.tau is None else motion.tau[rows]
        values = (way.t[rows], way.q[rows], way.qd[rows], way.qdd[rows], tau)
        reference = None if motion.reference is None else motion.reference[rows]
        return MotionTable(motion.title, *values, "" if tau is None else "simulated", reference, motion.tube)
    found = log_motion(motion)
    if found is None:
        raise ArgumentError(
            "the log has too few whole rows to show a motion",
            where=motion.source,
            remedy="'torquec check-log' says what is wrong with it",
        )
    rows = _thinned(len(found.t), share)
    columns = (found.t[rows], found.q[rows], found.qd[rows], found.qdd[rows], found.tau[rows])
    return MotionTable(PurePath(motion.source).name or "log", *columns, "measured")


def _thinned(count: int, share: int) -> Array:
    """Rows evenly taken, the first and the last among them."""
    most = max(_FEWEST_SAMPLES, _MOST_SAMPLES // share)
    rows: Array = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
    return rows
