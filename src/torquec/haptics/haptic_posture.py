"""Initial configuration of a haptic experiment: away from limits and singularities, with the whole path in reach.

(1)  of `TRIALS` random configurations within the limits, seeded, the one with the largest of
     min(pivot over the arm's size or 1, half the distance to the nearest limit in radians or arm's sizes)
(2)  a path of poses is followed from it by the inverse kinematics; the next one is tried where it misses a pose,
     comes nearer to a limit than `ROOM`, or needs more than `PACE` of the speed limit of a joint
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.errors import RobotError
from torquec.foundation.arrays import Array
from torquec.haptics.virtual_object import rotation_of
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import InverseKinematics, KinematicsMethod
from torquec.kinematics.joint_rates import manipulability_and_pivot
from torquec.spatial import Pose

TRIALS = 200
"""Number of random configurations (1)."""

PACE = 0.8
"""Fraction of a joint's speed limit that a path may need (2), a margin for the inexact hand."""

ROOM = 0.15
"""Margin between a path and a joint limit [rad, or half the arm's size] (2), within which the arm brakes."""

_ENDS = ("lower", "upper")
_TRIED = 60  # candidates whose path is tracked: if the 60 best fail, the path is too long or too fast
_ASKED = 5  # configurations tested for missing motions: what none of five can do, the arm cannot
_TRIED_BY_ITERATION = 8  # where each pose takes a hundred times as long
_SAMPLES = 64  # poses of the path that are tracked
_NO_LIMIT = 0.75 * math.pi  # range of a joint without limits [rad]: more only turns the arm around
_NO_END = 0.5  # and of a slide without limits [m]


def default_posture(
    kinematics: InverseKinematics, paths: Array, *, duration: float, needs: tuple[str, ...] = ()
) -> Array:
    """Choose an initial configuration q (n,) for a path of the frame.

    `paths` (N, 7), relative to the frame: displacement [m] and quaternion. The path takes `duration` seconds and
    `needs` motions in the words of `unrendered`.

    Raises `RobotError` where none is found.
    """
    robot, ranked = kinematics.robot, _ranked(kinematics)
    check_rendered(kinematics, [unrendered(kinematics, q) for q in ranked[:_ASKED]], needs)
    tried = _TRIED if kinematics.method is KinematicsMethod.ANALYTIC else _TRIED_BY_ITERATION
    for q in ranked[:tried]:
        if follows(kinematics, q, paths, duration=duration):
            return q
    raise RobotError(
        f"no posture of robot '{robot.name}' was found from which '{kinematics.frame}' can do this motion",
        remedy="give a posture or another frame, or a slower pace where its joints are slow",
    )


def check_rendered(kinematics: InverseKinematics, lacking: Sequence[Sequence[str]], needs: tuple[str, ...]) -> None:
    """Raise `RobotError` where a needed motion is impossible at all of some configurations."""
    missing = [word for word in needs if all(word in words for words in lacking)]
    if missing:
        raise RobotError(
            f"'{kinematics.frame}' of robot '{kinematics.robot.name}' cannot render this: it lacks "
            f"{' and '.join(missing)}",
            remedy="choose an experiment that it can do, another frame, or an arm with six joints",
        )


def follows(kinematics: InverseKinematics, q: Array, paths: Array, *, duration: float) -> bool:
    """Whether the arm follows a path relative to the frame's pose at q, without a jump and fast enough (2)."""
    start = frame_pose(kinematics.robot, kinematics.frame, [float(x) for x in q])
    turn: Array = np.array(start.rotation)
    origin: Array = np.array(start.origin)
    picked = paths[np.linspace(0, len(paths) - 1, min(_SAMPLES, len(paths))).astype(int)]
    turns = np.array([turn @ _rotation(row[3:]) for row in picked])
    tracked = kinematics.track(turns, origin + picked[:, :3] @ turn.T, start=q)
    wrong = tracked.status & BranchStatus.OUT_OF_LIMITS
    if len(kinematics.arm.joints) >= 6:  # with fewer, the arm may lack the rotation
        wrong = wrong | (tracked.status & BranchStatus.OUT_OF_REACH)
    speed = np.abs(np.diff(tracked.q, axis=0)).max(axis=0) * (len(picked) - 1) / duration
    fast = speed > PACE * np.array([joint.limits.velocity for joint in kinematics.robot.joints])
    if wrong.any() or len(tracked.jumps) or (tracked.error[:, 0] > 1e-6).any() or fast.any():
        return False
    lower, upper = (np.array([getattr(joint.limits, end) for joint in kinematics.robot.joints]) for end in _ENDS)
    return bool((_room(kinematics, np.minimum(tracked.q - lower, upper - tracked.q)) >= ROOM).all())


def _room(kinematics: InverseKinematics, room: Array) -> Array:
    """Distances to limits (.., n) of the joints that move the frame, prismatic ones in halves of the arm's size."""
    size = 0.5 * kinematics.arm.reach
    parts = [room[..., joint.index] / (size if joint.slides else 1.0) for joint in kinematics.arm.joints]
    return np.stack(parts, axis=-1)


def unrendered(kinematics: InverseKinematics, q: Array, tolerance: float = 1e-6) -> list[str]:
    """Impossible motions of the frame at q: words for its axes along or about which it cannot move."""
    pose: Pose = frame_pose(kinematics.robot, kinematics.frame, [float(x) for x in q])
    J = np.array(jacobian(kinematics.robot, kinematics.frame, [float(x) for x in q]), dtype=np.float64)
    turn: Array = np.array(pose.rotation)
    own = np.vstack([turn.T @ J[:3] / (0.5 * kinematics.arm.reach), turn.T @ J[3:]])
    u, sizes, _ = np.linalg.svd(own)
    rank = int((sizes > tolerance).sum())
    reachable = u[:, :rank]
    words = [f"moving along {axis}" for axis in "xyz"] + [f"turning about {axis}" for axis in "xyz"]
    lost = 1.0 - (reachable**2).sum(axis=1)
    return [word for word, share in zip(words, lost, strict=True) if share > tolerance]


def _ranked(kinematics: InverseKinematics) -> list[Array]:
    """Random configurations, best first (1)."""
    robot, arm = kinematics.robot, kinematics.arm
    rng = np.random.default_rng(0)
    lower, upper = [], []
    for joint in robot.coordinates:
        far = _NO_LIMIT if joint.turns else _NO_END
        lower.append(max(joint.limits.lower, -far) if joint.limits.upper > -far else joint.limits.lower)
        upper.append(min(joint.limits.upper, far) if joint.limits.lower < far else joint.limits.upper)
    low, high = np.array(lower), np.array(upper)
    moving = [joint.index for k, joint in enumerate(arm.joints) if k != kinematics.closed.free]
    size = 0.5 * arm.reach
    scored = []
    for q in low + (high - low) * rng.random((TRIALS, robot.n)):
        J = jacobian(robot, kinematics.frame, [float(x) for x in q])
        columns = [[J[row][k] / (size if row < 3 else 1.0) for row in range(6)] for k in moving]
        pivot = manipulability_and_pivot(columns)[1]
        room = _room(kinematics, np.minimum(q - low, high - q))
        scored.append((min(float(pivot), 0.5 * float(room.min())), q))
    scored.sort(key=lambda pair: -pair[0])
    return [q for _, q in scored]


def _rotation(e: Array) -> Array:
    w, x, y, z = (float(value) for value in e)
    return np.array(rotation_of((w, x, y, z)))
