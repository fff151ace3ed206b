"""Best solution of a pose, or of any pose within a tolerance, by distance, manipulability, limits or holding torque.

Solutions are searched over the coordinates of the tolerance and the free joint of a redundant arm
(:mod:`torquec.kinematics.pose_search`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.jacobian import jacobian
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.kinematics.closed_kinematics import InverseKinematics
from torquec.kinematics.free_joint import free_range
from torquec.kinematics.iterative_kinematics import IterativeKinematics
from torquec.kinematics.kinematics_task import TOLERANCE_AXES, KinematicsTask, PoseObjective, PoseTolerance
from torquec.kinematics.pose_search import PoseSearch
from torquec.robot.robot import Robot

_FARTHEST = 2.0  # largest free displacement, as a multiple of the arm's size


@dataclass(frozen=True, eq=False)
class BestPose:
    """The best solution: q (n,), its branch's name, status and error (2,), and the objective's `value` there.

    `offset` (6,) is its place in the tolerance: x, y, z [m], rx, ry, rz [rad]. `decided` is false if a search found no
    solution, though one may exist. If it is true for a failure, no solution exists within the limits, to the resolution
    of exact intervals.
    """

    q: Array
    name: str
    status: int
    error: Array
    value: float
    offset: Array = field(default_factory=lambda: np.zeros(6))
    decided: bool = True


def best_pose(
    ik: InverseKinematics,
    rotation: Any,
    position: Any,
    *,
    objective: PoseObjective | str = PoseObjective.DISTANCE,
    near: Any = None,
    tolerance: PoseTolerance | None = None,
) -> BestPose:
    """The solution of one pose, or of any pose within a tolerance, that is best by an objective, within joint limits.

    `near` (n,) is the reference of distances and turns; by default zero, moved within limits. With a `tolerance` a
    rotation of None is any rotation, and x, y, z are along the base's axes. Raises `ArgumentError` for an unknown
    objective, for an invalid pose, and for a tolerance about axes of a rotation that is not given.

    >>> from torquec.kinematics.inverse_kinematics import inverse_kinematics
    >>> from torquec.robot import classics
    >>> ik = inverse_kinematics(classics.puma560(), "link6")
    >>> best_pose(ik, [[1, 0, 0], [0, -1, 0], [0, 0, -1]], [0.4, 0.3, 0.5], objective="manipulability").status
    0
    >>> about_z = best_pose(ik, [[1, 0, 0], [0, -1, 0], [0, 0, -1]], [0.4, 0.3, 0.5], tolerance=PoseTolerance(rz=0.5))
    >>> about_z.status, bool(abs(about_z.offset[5]) <= 0.5)
    (0, True)
    """
    wanted = chosen(PoseObjective, objective, "objective")
    given = ik._default_reference if near is None else near
    if tolerance is not None and isinstance(ik, IterativeKinematics) and ik.task is not KinematicsTask.POSE:
        raise ArgumentError(
            f"a tolerance with the task '{ik.task}'", remedy="make the inverse of whole poses, and free axes with inf"
        )
    bounds = None if tolerance is None else tolerance.bounds
    if tolerance is not None and rotation is None:
        bounds = _any_rotation(tolerance)
        rotation = np.eye(3)
    turn, place, reference = ik._checked(rotation, position, given)
    if turn.ndim != 2 or place.ndim != 1 or reference.ndim != 1:
        raise ArgumentError("best_pose takes one pose", remedy="give one pose, not a batch")
    cost = _cost(ik, wanted, reference)
    search = PoseSearch(ik, turn, place, reference, cost, *_ranges(ik, bounds))
    found = search.found()
    k, branch = found.best
    q = found.q[k, branch]
    value = float(cost(q[None])[0])
    return BestPose(
        q,
        found.names[branch],
        int(found.status[k, branch]),
        found.error[k, branch],
        -value if wanted in (PoseObjective.MANIPULABILITY, PoseObjective.LIMITS) else value,
        found.z[k, :6],
        search.decides or found.succeeds,
    )


def _any_rotation(tolerance: PoseTolerance) -> Array:
    """Bounds with rotations free; raises `ArgumentError` where one of them is limited."""
    bounds = tolerance.bounds
    angles = list(zip(TOLERANCE_AXES[3:], bounds[3:], strict=True))
    limited = [
        name for name, (lower, upper) in angles if (lower, upper) != (0.0, 0.0) and upper - lower < 2.0 * math.pi
    ]
    if limited:
        raise ArgumentError(
            f"a tolerance of {limited[0]} without a rotation", remedy="give the target's rotation, or leave it out"
        )
    bounds[3:] = -math.pi, math.pi
    return bounds


def _ranges(ik: InverseKinematics, bounds: Array | None) -> tuple[Array, Array | None]:
    """Ranges (7, 2) of offsets and of the free joint, and the bounds of a tolerance."""
    whole = np.zeros((7, 2))
    if bounds is not None:
        whole[:6] = bounds
        whole[:3] = np.clip(whole[:3], -_FARTHEST * ik.arm.reach, _FARTHEST * ik.arm.reach)
    if ik.closed.free is not None:
        joint = ik.arm.joints[ik.closed.free]
        whole[6] = free_range(joint, ik.arm.reach)
    return whole, None if bounds is None else whole[:6]


def _cost(ik: InverseKinematics, objective: PoseObjective, reference: Array) -> Callable[[Array], Array]:
    """Cost of positions (K, n): less is better."""
    limits = [coordinate.limits for coordinate in ik.robot.coordinates]
    moving = [joint.index for joint in ik.arm.joints]
    match objective:
        case PoseObjective.DISTANCE:
            return lambda q: np.linalg.norm((q - reference)[:, moving], axis=1)
        case PoseObjective.MANIPULABILITY:
            jacobians = _jacobian(ik.robot, ik.frame)

            def lost(q: Array) -> Array:
                J = np.asarray(jacobians.call(np.ascontiguousarray(q)))[:, :, moving]
                square = J @ np.swapaxes(J, 1, 2) if len(moving) >= J.shape[1] else np.swapaxes(J, 1, 2) @ J
                size: Array = np.sqrt(np.maximum(np.linalg.det(square), 0.0))
                return -size

            return lost
        case PoseObjective.LIMITS:
            lower, upper = (np.array([getattr(limits[k], side) for k in moving]) for side in ("lower", "upper"))
            bounded = np.isfinite(upper - lower)
            half = np.where(bounded, 0.5 * (upper - lower), 1.0)

            def near_limits(q: Array) -> Array:
                with np.errstate(invalid="ignore"):
                    room = np.minimum(q[:, moving] - lower, upper - q[:, moving]) / half
                found: Array = np.where(bounded, room, np.inf).min(axis=1)
                return -np.where(np.isfinite(found), found, 1.0)

            return near_limits
        case PoseObjective.TORQUE:
            torques = _torque_at_rest(ik.robot)
            effort = np.array([limit.effort for limit in limits])

            def load(q: Array) -> Array:
                tau = np.abs(np.asarray(torques.call(np.ascontiguousarray(q))))
                found: Array = (tau / effort).max(axis=1) if np.isfinite(effort).any() else np.linalg.norm(tau, axis=1)
                return found

            return load


@lru_cache(maxsize=16)
def _jacobian(robot: Robot, frame: str) -> NativeFunction:
    return compile_function(trace("objective_jacobian", lambda q: {"J": jacobian(robot, frame, q)}, {"q": (robot.n,)}))


@lru_cache(maxsize=16)
def _torque_at_rest(robot: Robot) -> NativeFunction:
    def algorithm(q: Any) -> dict[str, Any]:
        still = [0.0] * robot.n
        return {"tau": inverse_dynamics(robot, q, still, still)}

    return compile_function(trace("torque_at_rest", algorithm, {"q": (robot.n,)}))
