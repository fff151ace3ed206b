"""Joint paths from poses of a frame, by inverse kinematics along a spline; and paths from CSV files (`read_path`).

(1)  Positions [m] and unit quaternions form one natural cubic spline of seven columns
     (:mod:`torquec.planning.joint_path`). Each quaternion has the sign nearest to the one before and is scaled by
     `_METRES_PER_UNIT`; the spline's quaternions are normalized.
(2)  Inverse kinematics is solved at samples of (1), all on one branch; the joint path is the spline through the
     solutions. The number of samples doubles until the frame stays within tolerance of (1) between them.
(3)  A file has a row per waypoint: joint positions (as in trajectory files; times, speeds and torques are not read), or
     x,y,z,qw,qx,qy,qz of a frame. The timing of a recorded or planned motion is replaced.
(4)  Dense files are thinned: a row closer than 1/200 of the path length to the last one kept is left out. A motion that
     starts from rest has rows close together, and a spline through them would follow their rounding errors.
"""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.model.model import Model, as_model
from torquec.planning.joint_path import JointPath, joint_path
from torquec.planning.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.spatial import quaternion_rotation
from torquec.spatial.rotation import rotation_quaternion
from torquec.trajectory.csv_file import has_poses, read_pose_waypoints, read_positions
from torquec.trajectory.trajectory import Trajectory

_METRES_PER_UNIT = 0.5
"""A turn by a small angle changes a unit quaternion by half of it: a radian counts as a quarter of a metre."""

_PROJECTIONS = 3  # onto the tangent: each squares the error of s


def cartesian_path(
    source: Robot | Model,
    positions: npt.ArrayLike,
    quaternions: npt.ArrayLike,
    *,
    frame: str | None = None,
    near: npt.ArrayLike | None = None,
    tolerance: float = 1e-5,
) -> JointPath:
    """The joint path that takes a frame through positions (m, 3) and quaternions (m, 4), scalar first.

    `frame` is by default the hand; `near` (n,) selects the branch at the first pose. Between poses the frame stays
    within `tolerance` [m and rad] of the spline (1). Raises `ArgumentError`, with the place, if a pose is out of reach,
    the branch ends, or the tolerance is not met.
    """
    model = as_model(source)
    p, w = np.asarray(positions, dtype=np.float64), np.asarray(quaternions, dtype=np.float64)
    if (
        p.ndim != 2
        or p.shape[1:] != (3,)
        or w.shape != (len(p), 4)
        or not (np.isfinite(p).all() and w.any(axis=1).all())
    ):
        raise ArgumentError(
            f"positions of shape {p.shape} and quaternions of shape {w.shape}",
            remedy="give (m, 3) and (m, 4), finite and not zero",
        )
    w = w / np.linalg.norm(w, axis=1)[:, None]
    for k in range(1, len(w)):
        w[k] = -w[k] if w[k] @ w[k - 1] < 0.0 else w[k]
    poses = joint_path(np.concatenate([p, _METRES_PER_UNIT * w], axis=1))
    solver = inverse_kinematics(model.robot, frame)
    count = TUNING.first_places
    while True:
        s = _places(poses, count)
        rotation, position = _poses(poses, s)
        tracked = solver.track(rotation, position, start=near)
        _check_reached(poses, s, tracked.status, tracked.error, solver.frame)
        if len(tracked.jumps):
            raise ArgumentError(
                "the joints jump: the path leaves its branch, or passes a singular configuration",
                where=_where(poses, float(s[int(tracked.jumps[0])])),
                remedy="start on another branch with near, or move the waypoints",
            )
        path = joint_path(tracked.q, joints=model.robot.joint_names)
        missed = _deviation(model, solver.frame, path, poses, s)
        if missed <= tolerance:
            return path
        count *= 2
        if count > TUNING.most_places:
            raise ArgumentError(
                f"the joint path misses the frame's path by {missed:.3g} m or rad",
                remedy="allow a larger tolerance, or keep the path away from singular configurations",
            )


def _places(poses: JointPath, count: int) -> Array:
    """About `count` places along the path, every waypoint among them."""
    parts = np.maximum(2, np.rint(count * np.diff(poses.knots) / poses.length).astype(int))
    pieces = [np.linspace(a, b, k + 1)[:-1] for a, b, k in zip(poses.knots[:-1], poses.knots[1:], parts, strict=True)]
    return np.concatenate([*pieces, [poses.length]])


def _poses(poses: JointPath, s: Array) -> tuple[Array, Array]:
    """Rotations (N, 3, 3) and positions (N, 3) of (1)."""
    values = poses.at(s)[0]
    return np.array([quaternion_rotation(*map(float, one)) for one in values[:, 3:]]), values[:, :3]


def _check_reached(poses: JointPath, s: Array, status: Indices, error: Array, frame: str) -> None:
    out = np.flatnonzero(status & int(BranchStatus.OUT_OF_REACH | BranchStatus.OUT_OF_LIMITS))
    if not len(out):
        return
    k = int(out[0])
    reached = not int(status[k]) & BranchStatus.OUT_OF_REACH
    what = (
        "beyond the joints' limits" if reached else f"out of reach: {error[k, 0]:.3g} m, {error[k, 1]:.3g} rad missed"
    )
    raise ArgumentError(
        f"the pose of frame '{frame}' is {what}",
        where=_where(poses, float(s[k])),
        remedy="move the waypoints, or start on another branch with near",
    )


def _deviation(model: Model, frame: str, path: JointPath, poses: JointPath, s: Array) -> float:
    """How far the frame is from the curve (1) midway between places [m or rad], by projection onto its tangent."""
    rotation, position = model.frame_pose(frame)(path.at(0.5 * (path.knots[:-1] + path.knots[1:]))[0])
    found = np.concatenate([position, [rotation_quaternion(one) for one in rotation.tolist()]], axis=1)
    nearest = 0.5 * (s[:-1] + s[1:])
    for _ in range(_PROJECTIONS):
        values, tangent, _ = poses.at(nearest)
        apart = _apart(found, values)
        nearest = nearest + (apart * tangent).sum(axis=1) / (tangent * tangent).sum(axis=1)
    missed = _apart(found, poses.at(np.clip(nearest, 0.0, poses.length))[0])
    turn = 2.0 / _METRES_PER_UNIT * np.linalg.norm(missed[:, 3:], axis=1)
    return float(max(np.linalg.norm(missed[:, :3], axis=1).max(), turn.max()))


def _apart(found: Array, values: Array) -> Array:
    """Differences (N, 7) of positions and quaternions from those of (1), normalized and with the nearer signs."""
    wanted = values[:, 3:] / np.linalg.norm(values[:, 3:], axis=1)[:, None]
    own = found[:, 3:] * np.where((found[:, 3:] * wanted).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    return np.concatenate([found[:, :3] - values[:, :3], _METRES_PER_UNIT * (own - wanted)], axis=1)


def _where(poses: JointPath, s: float) -> str:
    k = int(np.argmin(np.abs(poses.knots - s)))
    return f"path of the frame at {s / poses.length:.1%} of its length, near waypoint {k + 1}"


def read_path(
    model: Model,
    file: str | os.PathLike[str],
    *,
    dense: bool = False,
    frame: str | None = None,
    near: npt.ArrayLike | None = None,
) -> JointPath:
    """The path of a CSV file: the spline through all rows (3), or with `dense` through some of them (4).

    `frame` and `near` are for poses, as in `cartesian_path`. Raises `ArgumentError` with file, line and remedy for a
    file that is not a path, and as `joint_path` and `cartesian_path` do.
    """
    if has_poses(file):
        positions, quaternions = read_pose_waypoints(file)
        rows = _spaced(positions) if dense else np.arange(len(positions))
        return cartesian_path(model, positions[rows], quaternions[rows], frame=frame, near=near)
    q = read_positions(file, joints=model.robot.joint_names)
    return joint_path(q[_spaced(q)] if dense else q, joints=model.robot.joint_names)


def path_through(motion: Trajectory) -> JointPath:
    """The path of a motion, without its timing (4)."""
    return joint_path(motion.q[_spaced(motion.q)], joints=motion.joints)


def _spaced(rows: Array) -> Array:
    """Indices of the rows that are kept (4), including the first and the last."""
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
