"""Paths from CSV files: waypoints of joints or of a frame, and recorded or planned motions whose timing is replaced.

(1)  A row per waypoint: joint positions (as in trajectory files; times, speeds and torques are not read), or
     x,y,z,qw,qx,qy,qz of a frame.
(2)  Dense files are thinned: a row closer than 1/200 of the path length to the last one kept is left out. A motion that
     starts from rest has rows close together, and a spline through them would follow their rounding errors.
"""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.planning.cartesian_path import cartesian_path
from torquec.planning.joint_path import JointPath, joint_path
from torquec.planning.tuning import TUNING
from torquec.trajectory.csv_file import has_poses, read_pose_waypoints, read_positions
from torquec.trajectory.trajectory import Trajectory


def read_path(
    model: Model,
    file: str | os.PathLike[str],
    *,
    dense: bool = False,
    frame: str | None = None,
    near: npt.ArrayLike | None = None,
) -> JointPath:
    """The path of a CSV file: the spline through all rows (1), or with `dense` through some of them (2).

    `frame` and `near` are for poses, as in `cartesian_path`. Raises `ArgumentError` with file, line and remedy for a
    file that is none, and as `joint_path` and `cartesian_path` do.
    """
    if has_poses(file):
        positions, quaternions = read_pose_waypoints(file)
        rows = _spaced(positions) if dense else np.arange(len(positions))
        return cartesian_path(model, positions[rows], quaternions[rows], frame=frame, near=near)
    q = read_positions(file, joints=model.robot.joint_names)
    return joint_path(q[_spaced(q)] if dense else q, joints=model.robot.joint_names)


def path_through(motion: Trajectory) -> JointPath:
    """The path of a motion, without its timing (2)."""
    return joint_path(motion.q[_spaced(motion.q)], joints=motion.joints)


def _spaced(rows: Array) -> Array:
    """Numbers of the rows that are kept (2), the first and the last among them."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=1))])
    step = way[-1] / TUNING.path_knots
    kept = [0]
    for k in range(1, len(rows)):
        if way[k] - way[kept[-1]] >= step:
            kept.append(k)
    if kept[-1] != len(rows) - 1 and len(kept) > 1 and way[-1] - way[kept[-1]] < 0.5 * step:
        kept.pop()
    if kept[-1] != len(rows) - 1:
        kept.append(len(rows) - 1)
    return np.array(kept)
