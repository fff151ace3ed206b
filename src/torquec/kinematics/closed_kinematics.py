"""Inverse kinematics in closed form: all branches of a pose, each with its name and its status.

    ik = inverse_kinematics(robot, "tool")
    ways = ik(rotation, position)              # ways.q (branches, n), ways.status, ways.error
    best = ik.nearest(rotation, position, near=q)
    ik.rates(q, velocity, acceleration)        # qd, qdd

The solution is traced once for the robot's geometry: `ik.function` is a straight-line program with inputs
`rotation` (3, 3), `position` (3,) and `near` (n,), compiled to native code for one pose or a batch, or written as C
like every other `Function`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, trace
from torquec.expr.math import select
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import LIMIT_SLACK
from torquec.kinematics.arm_geometry import ArmFamily, ArmGeometry, ClosedArm, PoseTarget
from torquec.kinematics.arm_poses import (
    SEVERE,
    ArmPoses,
    BranchStatus,
    NearestPose,
    TrackedPath,
    batch_together,
    branch_cost,
    branch_status,
    call_array,
    place_joints,
)
from torquec.kinematics.free_joint import FreeIntervals, free_costs, free_intervals, free_range
from torquec.kinematics.joint_rates import (
    JointRates,
    NearestMotion,
    damped_rates,
    joint_rates_function,
    nearest_motion_function,
)
from torquec.kinematics.quick_poses import (
    ROTATION,
    QuickArmPoses,
    QuickCall,
    check_reusable,
    checked_algorithm,
    quick_call,
)
from torquec.robot.robot import Robot
from torquec.spatial import matmul, transpose


class KinematicsMethod(StrEnum):
    """Method by which branches of inverse kinematics are found."""

    ANALYTIC = "analytic"
    """In closed form."""
    NEAR = "near"
    """By Newton's method from the closed form of an arm that is nearly the same."""
    ELIMINATION = "elimination"
    """By the roots of an eliminant, then Newton's method: all solutions of a six-joint arm."""
    NUMERIC = "numeric"
    """By damped least squares from the reference and elsewhere: one solution."""


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """The inverse of one arm, made by `inverse_kinematics`."""

    robot: Robot
    frame: str
    arm: ArmGeometry
    closed: ClosedArm

    def __repr__(self) -> str:
        return (
            f"InverseKinematics('{self.robot.name}', '{self.frame}', {self.method.value}, {self.family.value}, "
            f"{len(self.names)} branches)"
        )

    @property
    def method(self) -> KinematicsMethod:
        """The method by which branches are found."""
        return KinematicsMethod.ANALYTIC

    @property
    def family(self) -> ArmFamily:
        """Family of the arm, or of the nominal arm next to it, that has the closed form."""
        return self.closed.family

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every branch, in the order of the results."""
        return self.closed.names

    @property
    def free(self) -> str | None:
        """The redundant joint, whose value is that of the reference; None for arms that are not redundant."""
        return None if self.closed.free is None else self.arm.joints[self.closed.free].name

    @cached_property
    def function(self) -> Function:
        """rotation (3, 3), position (3,), near (n,) -> q (branches, n), status (branches,), error (branches, 2)."""
        return trace(f"{self._word}_inverse_kinematics", self._all, self._inputs)

    @cached_property
    def nearest_function(self) -> Function:
        """rotation (3, 3), position (3,), near (n,) -> q (n,), branch (), status (), error (2,)."""
        return trace(f"{self._word}_nearest_pose", self.nearest_algorithm, self._inputs)

    @cached_property
    def rates_function(self) -> Function:
        """q (n,), velocity (6,), acceleration (6,) -> qd (n,), qdd (n,), manipulability (), pivot ()."""
        return joint_rates_function(self.robot, self.frame, [joint.index for joint in self.arm.joints])

    @cached_property
    def motion_native(self) -> NativeFunction:
        """`nearest_motion_function` as native code."""
        return compile_function(nearest_motion_function(self, f"{self._word}_nearest_motion"))

    @cached_property
    def native(self) -> NativeFunction:
        """`function` as native code."""
        return compile_function(self.function)

    @cached_property
    def nearest_native(self) -> NativeFunction:
        """`nearest_function` as native code."""
        return compile_function(self.nearest_function)

    @cached_property
    def rates_native(self) -> NativeFunction:
        """`rates_function` as native code."""
        return compile_function(self.rates_function)

    def __call__(self, rotation: Any, position: Any, *, near: Any = None, out: ArmPoses | None = None) -> ArmPoses:
        """Every branch for a pose of the frame in the base: rotation (3, 3) and position (3,), or N of them.

        The reference `near` (n,) or (N, n) selects the turn of each joint, the value of a free joint and of joints that
        do not move the frame; by default zero, or the limit nearest to zero. `out` is a result of an earlier call,
        whose arrays are overwritten. Raises `ArgumentError` for wrong shapes, numbers that are not finite, or a matrix
        that is not a rotation.
        """
        if (quick := self._quick_poses) is not None and (found := quick(rotation, position, near, out)) is not None:
            return found  # type: ignore[no-any-return]
        made = self._carefully(rotation, position, near)
        check_reusable(out, type(None))
        return made

    def _carefully(self, rotation: Any, position: Any, near: Any) -> ArmPoses:
        q, status, error = self._solved(*self._checked(rotation, position, near))
        return ArmPoses(self.names, q, status.astype(np.int64), error)

    @property
    def _quick_reference(self) -> Array | None:
        """The reference of a call that gives none; None if the value of a free joint must be searched."""
        return self._default_reference if self.closed.free is None else None

    @property
    def has_program(self) -> bool:
        """Whether the inverse has a straight-line program, `function`."""
        return True

    @cached_property
    def _quick_poses(self) -> QuickCall | None:
        """The call of all branches; None without a program."""
        call = self._compiled_with_check("checked_inverse_kinematics", self._all)
        return None if call is None else quick_call(call, self._quick_reference, self.names)

    @cached_property
    def _quick_nearest(self) -> QuickCall | None:
        """The call of the nearest branch; None without a program."""
        call = self._compiled_with_check("checked_nearest_pose", self.nearest_algorithm)
        return None if call is None else quick_call(call, self._quick_reference)

    def _compiled_with_check(self, word: str, algorithm: Callable[..., Mapping[str, Any]]) -> Callable[..., Any] | None:
        if not self.has_program:
            return None
        return compile_function(trace(f"{self._word}_{word}", checked_algorithm(algorithm), self._inputs)).call

    def all(self, rotation: Any, position: Any, *, near: Any = None) -> ArmPoses:
        """The branches that meet one pose, within limits or not. Raises as the call does.

        `complete` is false where some may be missing: next to a singular configuration. Equal branches count once.
        """
        found = self(rotation, position, near=near)
        if found.q.ndim != 2:
            raise ArgumentError("all() takes one pose", remedy="give one pose, not a batch")
        if isinstance(found, QuickArmPoses):
            return found.met(len(self.closed.names))
        met = np.flatnonzero(found.status < int(BranchStatus.OUT_OF_REACH))
        names, status = tuple(found.names[k] for k in met.tolist()), found.status[met]
        complete = not (status & int(BranchStatus.SINGULAR)).any()
        return ArmPoses(names, found.q[met], status, found.error[met], bool(complete), len(self.closed.names))

    def nearest(self, rotation: Any, position: Any, *, near: Any = None, out: NearestPose | None = None) -> NearestPose:
        """The branch with the smallest sum of squared distances to `near`, of those with the best status.

        Branches that meet the pose come first, then limits count, then distance. `out` is a result of an earlier call,
        whose arrays are overwritten. Raises as the call does.
        """
        if (quick := self._quick_nearest) is not None and (found := quick(rotation, position, near, out)) is not None:
            return found  # type: ignore[no-any-return]
        q, branch, status, error = self.nearest_native.call(*self._checked(rotation, position, near))
        check_reusable(out, type(None))
        return NearestPose(q, np.asarray(branch).astype(np.int64), np.asarray(status).astype(np.int64), error)

    def motion(
        self, rotation: Any, position: Any, velocity: Any, acceleration: Any = None, *, near: Any = None
    ) -> NearestMotion:
        """Results of `nearest`, and of `rates` at that branch, in one call; faster than two. Raises as they do."""
        turn, place, kept = self._checked(rotation, position, near)
        speeds = call_array("velocity", velocity, (6,))
        given = np.zeros(speeds.shape) if acceleration is None else call_array("acceleration", acceleration, (6,))
        return self._motion(batch_together((turn, 2), (place, 1), (kept, 1), (speeds, 1), (given, 1)))

    def _motion(self, inputs: list[Array]) -> NearestMotion:
        *found, certain = self.motion_native.call(*inputs)
        if not np.all(np.asarray(certain) > 0.0):  # for some pose another branch may be nearer
            rows = np.asarray(certain) <= 0.0 if inputs[0].ndim == 3 else ...
            q, branch, status, error = self.nearest_native.call(*(a[rows] for a in inputs[:3]))
            again = (q, branch, status, error, *self.rates_native.call(q, *(a[rows] for a in inputs[3:])))
            found = [np.asarray(a) for a in found]
            for whole, part in zip(found, again, strict=True):
                whole[rows] = part
        q, branch, status, *rest = found
        return NearestMotion(q, np.asarray(branch).astype(np.int64), np.asarray(status).astype(np.int64), *rest)

    def track(self, rotation: Any, position: Any, *, start: Any = None, largest_step: float = 0.5) -> TrackedPath:
        """The joints along N poses, each the branch nearest to the one before; the first is nearest to `start` (n,).

        A joint that moves by more than `largest_step` [rad, m] between two poses is a jump. Raises as the call does.
        """
        turns, places = call_array("rotation", rotation, (3, 3)), call_array("position", position, (3,))
        if turns.ndim != 3 or places.ndim != 2 or len(turns) != len(places) or not len(turns):
            raise ArgumentError("a path is a sequence of poses", remedy="give rotations (N, 3, 3) and positions (N, 3)")
        if not largest_step > 0.0:
            raise ArgumentError(f"the largest step is {largest_step}", remedy="give a positive number [rad, m]")
        self._checked(turns, places, self._default_reference)  # every pose is checked before the first is solved
        found: list[NearestPose] = []
        for turn, place in zip(turns, places, strict=True):
            found.append(self.nearest(turn, place, near=found[-1].q if found else start))
        q = np.array([one.q for one in found])
        moved = np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0)
        return TrackedPath(
            q,
            np.array([one.branch for one in found]),
            np.array([one.status for one in found]),
            np.array([one.error for one in found]),
            1 + np.flatnonzero(moved > largest_step),
        )

    def free_intervals(self, rotation: Any, position: Any, *, near: Any = None) -> FreeIntervals:
        """The values of the free joint for which each branch reaches the pose within all limits.

        `near` selects the turn of each joint. Raises `RobotError` for an arm without a free joint.
        """
        if self.closed.free is None:
            raise RobotError(f"robot '{self.robot.name}' has no free joint", remedy="ask for the branches: ik(...)")
        turn, place, reference = self._checked(rotation, position, near)
        if turn.ndim != 2 or place.ndim != 1 or reference.ndim != 1:
            raise ArgumentError("free_intervals takes one pose", remedy="give one pose, not a batch")
        joint = self.arm.joints[self.closed.free]
        others = [one for one in self.arm.joints if one is not joint]
        lower, upper = (np.array([getattr(one.limits, end) for one in others]) for end in ("lower", "upper"))
        columns = [one.index for one in others]

        def score(values: Array, branch: Indices) -> Array:
            references = np.tile(reference, (len(values), 1))
            references[:, joint.index] = values
            turns, places = (np.tile(a, (len(values), *[1] * a.ndim)) for a in (turn, place))
            q, status, error = self._solved(turns, places, references)
            rows = np.arange(len(values))
            q, missed = q[rows, branch][:, columns], error[rows, branch].sum(axis=1)
            inside = np.minimum(q - lower, upper - q).min(axis=1, initial=np.inf) + LIMIT_SLACK
            out = (status[rows, branch].astype(np.int64) & BranchStatus.OUT_OF_REACH) != 0
            return np.asarray(np.where(out, -missed, inside))

        found = free_intervals(score, len(self.closed.names), *free_range(joint, self.arm.reach))
        return FreeIntervals(joint.name, self.closed.names, tuple(map(tuple, found)))

    def rates(self, q: Any, velocity: Any, acceleration: Any = None, *, damping: float | None = None) -> JointRates:
        """Joint speeds and accelerations (n,) from the frame's velocity and acceleration (6,), linear before angular.

        With `damping` (0.05 suits most arms) speeds stay bounded near singular configurations, and `missed` is the
        velocity error. Raises `ArgumentError` for wrong shapes and a damping that is not positive.
        """
        q, velocity = call_array("q", q, (self.robot.n,)), call_array("velocity", velocity, (6,))
        given = np.zeros(velocity.shape) if acceleration is None else call_array("acceleration", acceleration, (6,))
        inputs = batch_together((q, 1), (velocity, 1), (given, 1))
        if damping is None:
            return JointRates(*self.rates_native.call(*inputs))
        return damped_rates(self.robot, self.frame, self.arm, inputs, damping)

    def _solved(self, rotation: Array, position: Array, near: Array) -> tuple[Array, Array, Array]:
        """q, status, error of every branch."""
        return self.native.call(rotation, position, near)  # type: ignore[no-any-return]

    @property
    def _word(self) -> str:
        """The robot's name as a valid identifier in every target language."""
        return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in self.robot.name)

    @property
    def _inputs(self) -> dict[str, tuple[int, ...]]:
        return {"rotation": (3, 3), "position": (3,), "near": (self.robot.n,)}

    def _all(self, rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        """The program over any scalar."""
        kept = tuple(near[joint.index] for joint in self.arm.joints)
        turn = matmul(rotation, transpose(self.arm.tool.rotation))
        rows, status, error = [], [], []
        for branch in self.closed.solve(PoseTarget(turn, position, kept)):
            placed = place_joints(self.arm.joints, branch.values, near)
            missed = [branch.position_miss, branch.rotation_miss]
            rows.append(placed.q)
            status.append(branch_status(placed.outside, missed, branch.margin, self.arm.reach))
            error.append(missed)
        return {"q": rows, "status": status, "error": error}

    def nearest_algorithm(self, rotation: Any, position: Any, near: Any) -> Mapping[str, Any]:
        """`nearest_function` over any scalar."""
        found = self._all(rotation, position, near)
        best: list[Any] = []
        cost: Any = None
        for k, (row, status, error) in enumerate(zip(found["q"], found["status"], found["error"], strict=True)):
            this = branch_cost(status, sum((a - b) * (a - b) for a, b in zip(row, near, strict=True)))
            values = [*row, float(k), status, *error]
            if cost is None:
                cost, best = this, values
            else:
                nearer = this - cost
                best = [select(nearer, old, new) for old, new in zip(best, values, strict=True)]
                cost = select(nearer, cost, this)
        n = self.robot.n
        return {"q": best[:n], "branch": best[n], "status": best[n + 1], "error": best[n + 2 :]}

    def _checked(self, rotation: Any, position: Any, near: Any) -> list[Array]:
        turn = call_array("rotation", self._rotation(rotation), (3, 3))
        place = call_array("position", position, (3,))
        kept = self._default_reference if near is None else call_array("near", near, (self.robot.n,))
        off = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
        wrong = np.atleast_1d((off > ROTATION) | (np.linalg.det(turn) < 0.0))
        if wrong.any():
            which = f"rotation {int(np.argmax(wrong))}" if turn.ndim == 3 else "the rotation"
            raise ArgumentError(
                f"{which} is not a rotation matrix: its rows are not orthonormal and right-handed",
                remedy=f"give rows of length 1 at right angles (to {ROTATION:g}) with determinant +1",
            )
        turn, place, kept = batch_together((turn, 2), (place, 1), (kept, 1))
        if near is None and self.closed.free is not None:
            kept = self._searched_reference(turn.reshape(-1, 3, 3), place.reshape(-1, 3))
            kept = kept.reshape(*turn.shape[:-2], self.robot.n)
        return [turn, place, kept]

    def _rotation(self, rotation: Any) -> Any:
        """The rotation of a call as it is given."""
        return rotation

    def _searched_reference(self, rotation: Array, position: Array) -> Array:
        """References (N, n) for poses that have none: the free joint at a value that reaches the pose within limits.

        Among some values (`free_costs`) the one with the nearest solution is taken; if none reaches the pose, the
        middle of an interval of `free_intervals`.
        """
        values, cost = self._free_costs(rotation, position)
        best = np.argmin(cost, axis=1)
        assert self.closed.free is not None
        joint = self.arm.joints[self.closed.free].index
        found = np.tile(self._default_reference, (len(rotation), 1))
        home, found[:, joint] = self._default_reference[joint], values[best]
        for k in np.flatnonzero(cost[np.arange(len(best)), best] >= SEVERE):
            intervals = self.free_intervals(rotation[k], position[k], near=found[k]).intervals
            middles = [0.5 * (low + high) for branch in intervals for low, high in branch]
            found[k, joint] = min(middles, key=lambda x: abs(x - home), default=found[k, joint])
        return found

    def _free_costs(self, rotation: Array, position: Array) -> tuple[Array, Array]:
        """Values of the free joint (K,), and the cost of the nearest solution with each, (N, K)."""
        assert self.closed.free is not None
        joint, near = self.arm.joints[self.closed.free], self._default_reference
        return free_costs(self.nearest_native.call, joint, self.arm.reach, near, (rotation, position))

    @cached_property
    def _default_reference(self) -> Array:
        """The default reference: zero, or for each joint the limit nearest to zero."""
        limits = [joint.limits for joint in self.robot.joints]
        return np.clip(np.zeros(self.robot.n), [one.lower for one in limits], [one.upper for one in limits])
