"""Redundancy resolution: the best solution of a pose by distance, manipulability, joint limits or holding torque.

(1)  All branches at values of the free joint over its range; those that meet the pose within limits are compared.
(2)  Around the best value, the grid is refined on its branch.
(3)  Where no value succeeds, the free joint is searched as in `nearest`, which finds narrow intervals.

Arms without a free joint are compared by their branches; of arms that are solved numerically, by the solutions found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.jacobian import jacobian
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array, Indices
from torquec.foundation.choice import chosen
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import InverseKinematics
from torquec.kinematics.free_joint import free_range
from torquec.kinematics.kinematics_task import PoseObjective
from torquec.robot.robot import Robot

_VALUES = 241  # of the free joint over its range (1): 1.5 degrees of a turn apart
_FINER, _ROUNDS = 33, 4
"""Values of one round of (2), and rounds: each narrows the place by 16."""

_BAD = int(BranchStatus.OUT_OF_LIMITS | BranchStatus.OUT_OF_REACH)


@dataclass(frozen=True, eq=False)
class BestPose:
    """The best solution: q (n,), its branch's name, status and error (2,), and the objective's `value` there."""

    q: Array
    name: str
    status: int
    error: Array
    value: float


def best_pose(
    ik: InverseKinematics,
    rotation: Any,
    position: Any,
    *,
    objective: PoseObjective | str = PoseObjective.DISTANCE,
    near: Any = None,
) -> BestPose:
    """The solution of one pose that is best by an objective, within joint limits where there is one.

    `near` (n,) is the reference of distances and turns; zero within limits unless given. Raises `ArgumentError` for an
    unknown objective and for what is no pose.

    >>> from torquec.kinematics.inverse_kinematics import inverse_kinematics
    >>> from torquec.robot import classics
    >>> ik = inverse_kinematics(classics.puma560(), "link6")
    >>> best_pose(ik, [[1, 0, 0], [0, -1, 0], [0, 0, -1]], [0.4, 0.3, 0.5], objective="manipulability").status
    0
    """
    wanted = chosen(PoseObjective, objective, "objective")
    given = ik._default_reference if near is None else near
    turn, place, reference = ik._checked(rotation, position, given)
    if turn.ndim != 2 or place.ndim != 1 or reference.ndim != 1:
        raise ArgumentError("best_pose takes one pose", remedy="give one pose, not a batch")
    search = _Search(ik, turn, place, reference, _cost(ik, wanted, reference))
    if ik.closed.free is None:
        found = search.solved(reference[None])
    else:
        joint = ik.arm.joints[ik.closed.free]
        found = search.over(joint.index, np.linspace(*free_range(joint, ik.arm.reach), _VALUES))
        if np.isfinite(found.cost).any():
            found = search.refined(joint.index, found)
        else:
            found = search.solved(ik._checked(turn, place, None)[2][None])
    k, branch = found.best()
    value = float(_cost(ik, wanted, reference)(found.q[k, branch][None])[0])
    return BestPose(
        found.q[k, branch],
        ik.names[branch],
        int(found.status[k, branch]),
        found.error[k, branch],
        -value if wanted in (PoseObjective.MANIPULABILITY, PoseObjective.LIMITS) else value,
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """Solutions q (K, branches, n) for K references, status, error, and cost (K, branches), infinite out of limits."""

    references: Array
    q: Array
    status: Indices
    error: Array
    cost: Array

    def best(self) -> tuple[int, int]:
        """Reference and branch of the least cost; of the least error where none meets the pose within limits."""
        cost = self.cost if np.isfinite(self.cost).any() else (self.status & _BAD) + self.error.sum(axis=-1)
        k, branch = np.unravel_index(int(np.argmin(cost)), cost.shape)
        return int(k), int(branch)


@dataclass(frozen=True, eq=False)
class _Search:
    """One pose, its reference and what a solution costs."""

    ik: InverseKinematics
    rotation: Array
    position: Array
    reference: Array
    cost: Callable[[Array], Array]

    def solved(self, references: Array) -> _Found:
        """All branches for references (K, n)."""
        count = len(references)
        turns, places = (np.repeat(a[None], count, axis=0) for a in (self.rotation, self.position))
        q, status, error = self.ik._solved(turns, places, np.ascontiguousarray(references))
        flags = np.asarray(status).astype(np.int64)
        cost = np.where(flags & _BAD, np.inf, self.cost(q.reshape(-1, q.shape[-1])).reshape(flags.shape))
        return _Found(references, q, flags, np.asarray(error), cost)

    def over(self, joint: int, values: Array) -> _Found:
        """All branches at values (K,) of a joint, and at that of the reference (1)."""
        references = np.repeat(self.reference[None], len(values) + 1, axis=0)
        references[1:, joint] = values
        return self.solved(references)

    def refined(self, joint: int, found: _Found) -> _Found:
        """(2)."""
        k, branch = found.best()
        values = np.unique(found.references[:, joint])
        width, centre = float(np.diff(values).max()), float(found.references[k, joint])
        for _ in range(_ROUNDS):
            finer = self.over(joint, np.linspace(centre - width, centre + width, _FINER))
            cost = np.full_like(finer.cost, np.inf)
            cost[:, branch] = finer.cost[:, branch]
            better = _Found(finer.references, finer.q, finer.status, finer.error, cost)
            at, _ = better.best()
            if not cost[at, branch] <= found.cost[k, branch]:
                return found
            found, k = better, at
            centre, width = float(finer.references[at, joint]), 2.0 * width / (_FINER - 1)
        return found


def _cost(ik: InverseKinematics, objective: PoseObjective, reference: Array) -> Callable[[Array], Array]:
    """What positions (K, n) cost: less is better."""
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
