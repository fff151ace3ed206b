"""Inverse kinematics in closed form: every way for an arm to reach a pose, each with its name and its status.

    ik = inverse_kinematics(robot, "tool")
    ways = ik(rotation, position)              # ways.q (branches, n), ways.status, ways.error
    best = ik.nearest(rotation, position, near=q)
    ik.rates(q, velocity, acceleration)        # qd, qdd

The solution is traced once for the robot's geometry: `ik.function` is a straight-line program with inputs
`rotation` (3, 3), `position` (3,) and `near` (n,), compiled to native code for one pose or a batch, or written as C
like every other `Function`. Which arms have a closed form, and how it goes, is said by
:mod:`torquec.kinematics.arm_family`; another arm is refused with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, trace
from torquec.expr.math import select
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import SINGULAR
from torquec.kinematics.arm_branch import ArmFamily, ClosedArm, PoseTarget
from torquec.kinematics.arm_family import closed_arm
from torquec.kinematics.arm_geometry import ArmGeometry, arm_geometry
from torquec.kinematics.free_interval import FreeIntervals, free_intervals
from torquec.kinematics.free_joint import free_joint_arm
from torquec.kinematics.joint_rates import JointRates, joint_rates_function
from torquec.kinematics.turns import LIMIT_SLACK, flag, limits_margin, nearest_turn
from torquec.robot.payload import hand_frame
from torquec.robot.robot import Robot
from torquec.spatial import matmul, transpose

MISSED = 1e-10
"""More than this missed is out of reach: of the position relative to the arm's size, of the rotation [rad]."""

_ROTATION = 1e-6
"""A matrix whose rows are orthonormal to this is a rotation: six digits in a file are enough."""


class BranchStatus(IntFlag):
    """What holds of a branch; several may."""

    EXACT = 0
    """The pose is met, within limits, away from singularities."""
    SINGULAR = 1
    """Two branches coincide here, or a joint is free and keeps the reference's value."""
    OUT_OF_LIMITS = 2
    """The pose is met, but no turn of some joint is within its limits."""
    OUT_OF_REACH = 4
    """The pose is not met. q solves the arm's equations in turn, each as nearly as can be, and `error` says what is
    missed: the least there is for arms without an offset at the shoulder, close to it for others."""


def status_words(status: int) -> list[str]:
    """A status in words.

    >>> status_words(5)
    ['singular', 'out of reach']
    """
    found = [one for one in BranchStatus if status & one]
    return [str(one.name).lower().replace("_", " ") for one in found] or ["exact"]


@dataclass(frozen=True, eq=False)
class ArmPoses:
    """Every branch for one pose, or for N with an axis in front."""

    names: tuple[str, ...]
    q: Array
    """(branches, n)"""
    status: Indices
    """(branches,), sums of `BranchStatus`"""
    error: Array
    """(branches, 2): what is missed of the position [m] and of the rotation [rad]"""


@dataclass(frozen=True, eq=False)
class NearestPose:
    """The branch nearest to the reference among the best ones, for one pose or for N with an axis in front."""

    q: Array
    """(n,)"""
    branch: Indices
    """(), which of the names"""
    status: Indices
    error: Array
    """(2,): what is missed of the position [m] and of the rotation [rad]"""


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """The inverse of one arm, made by `inverse_kinematics`."""

    robot: Robot
    frame: str
    arm: ArmGeometry
    closed: ClosedArm

    def __repr__(self) -> str:
        return (
            f"InverseKinematics('{self.robot.name}', '{self.frame}', {self.family.value}, {len(self.names)} branches)"
        )

    @property
    def family(self) -> ArmFamily:
        """What makes the arm's inverse closed."""
        return self.closed.family

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every branch, in the order of the results."""
        return self.closed.names

    @property
    def free(self) -> str | None:
        """The joint whose value the reference gives, where the arm has one more than a pose needs."""
        return None if self.closed.free is None else self.arm.joints[self.closed.free].name

    @cached_property
    def function(self) -> Function:
        """rotation (3, 3), position (3,), near (n,) -> q (branches, n), status (branches,), error (branches, 2)."""
        return trace(f"{_word(self.robot.name)}_inverse_kinematics", self._all, self._inputs)

    @cached_property
    def nearest_function(self) -> Function:
        """rotation (3, 3), position (3,), near (n,) -> q (n,), branch (), status (), error (2,)."""
        return trace(f"{_word(self.robot.name)}_nearest_pose", self._nearest, self._inputs)

    @cached_property
    def rates_function(self) -> Function:
        """q (n,), velocity (6,), acceleration (6,) -> qd (n,), qdd (n,), manipulability (), pivot ()."""
        return joint_rates_function(self.robot, self.frame, [joint.index for joint in self.arm.joints])

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

    def __call__(self, rotation: Any, position: Any, *, near: Any = None) -> ArmPoses:
        """Every branch for a pose of the frame in the base: rotation (3, 3) and position (3,), or N of them.

        `near` (n,) or (N, n) says which turn of a joint is wanted, what a free joint keeps and where joints that do not
        move the frame stand; without it, zero, or the limit that is nearest to zero.
        Raises `ArgumentError` for wrong shapes, numbers that are not finite, or a matrix that is no rotation.
        """
        q, status, error = self.native.call(*self._checked(rotation, position, near))
        return ArmPoses(self.names, q, status.astype(np.int64), error)

    def nearest(self, rotation: Any, position: Any, *, near: Any = None) -> NearestPose:
        """The branch with the smallest sum of squared distances to `near`, of those with the best status.

        A pose that is met counts before one that is not, and limits before distance. Raises as the call does.
        """
        q, branch, status, error = self.nearest_native.call(*self._checked(rotation, position, near))
        return NearestPose(q, np.asarray(branch).astype(np.int64), np.asarray(status).astype(np.int64), error)

    def free_intervals(self, rotation: Any, position: Any, *, near: Any = None) -> FreeIntervals:
        """The values of the free joint for which each branch reaches the pose within all limits.

        `near` says which turns are wanted. Raises `RobotError` for an arm without a free joint.
        """
        if self.closed.free is None:
            raise RobotError(f"robot '{self.robot.name}' has no free joint", remedy="ask for the branches: ik(...)")
        turn, place, reference = self._checked(rotation, position, near)
        if turn.ndim != 2 or place.ndim != 1 or reference.ndim != 1:
            raise ArgumentError("the intervals are of one pose", remedy="give one pose, not a batch")
        joint = self.arm.joints[self.closed.free]
        others = [one for one in self.arm.joints if one is not joint]
        lower, upper = (np.array([getattr(one.limits, end) for one in others]) for end in ("lower", "upper"))
        columns = [one.index for one in others]

        def score(values: Array, branch: Indices) -> Array:
            references = np.tile(reference, (len(values), 1))
            references[:, joint.index] = values
            poses = (np.broadcast_to(a, (len(values), *a.shape)) for a in (turn, place))
            q, status, error = self.native.call(*map(np.ascontiguousarray, poses), references)
            rows = np.arange(len(values))
            q, missed = q[rows, branch][:, columns], error[rows, branch].sum(axis=1)
            inside = np.minimum(q - lower, upper - q).min(axis=1, initial=np.inf) + LIMIT_SLACK
            out = (status[rows, branch].astype(np.int64) & BranchStatus.OUT_OF_REACH) != 0
            return np.asarray(np.where(out, -missed, inside))

        low, high = max(joint.limits.lower, -np.pi), min(joint.limits.upper, np.pi)
        if np.isfinite(joint.limits.lower) and np.isfinite(joint.limits.upper):
            low, high = joint.limits.lower, joint.limits.upper
        found = free_intervals(score, len(self.names), low, high)
        return FreeIntervals(joint.name, self.names, tuple(map(tuple, found)))

    def rates(self, q: Any, velocity: Any, acceleration: Any = None) -> JointRates:
        """Joint speeds and accelerations (n,) from the frame's velocity and acceleration (6,), linear before angular.

        Raises `ArgumentError` for wrong shapes.
        """
        q, velocity = _numbers("q", q, (self.robot.n,)), _numbers("velocity", velocity, (6,))
        given = np.zeros(velocity.shape) if acceleration is None else _numbers("acceleration", acceleration, (6,))
        return JointRates(*self.rates_native.call(*_together((q, 1), (velocity, 1), (given, 1))))

    @property
    def _inputs(self) -> dict[str, tuple[int, ...]]:
        return {"rotation": (3, 3), "position": (3,), "near": (self.robot.n,)}

    def _all(self, rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        """The program over any scalar."""
        kept = tuple(near[joint.index] for joint in self.arm.joints)
        turn = matmul(rotation, transpose(self.arm.tool.rotation))
        rows, status, error = [], [], []
        for branch in self.closed.solve(PoseTarget(turn, position, kept)):
            row, within = list(near), 0.0
            for joint, value, reference in zip(self.arm.joints, branch.values, kept, strict=True):
                placed = value if joint.prismatic else nearest_turn(value, joint.limits, reference)
                row[joint.index] = placed
                within = select(limits_margin(placed, joint.limits), within, float(BranchStatus.OUT_OF_LIMITS))
            rows.append(row)
            met = select(MISSED * self.arm.reach - branch.position_miss, MISSED - branch.rotation_miss, -1.0)
            out = flag(met, float(BranchStatus.OUT_OF_REACH))
            status.append(flag(branch.margin - SINGULAR, float(BranchStatus.SINGULAR)) + within + out)
            error.append([branch.position_miss, branch.rotation_miss])
        return {"q": rows, "status": status, "error": error}

    def _nearest(self, rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        """The program that keeps one branch."""
        found = self._all(rotation, position, near)
        best: list[Any] = []
        cost: Any = None
        for k, (row, status, error) in enumerate(zip(found["q"], found["status"], found["error"], strict=True)):
            # To be singular is no reason against a branch.
            severe = select(status - float(BranchStatus.OUT_OF_LIMITS), status, 0.0)
            distance = sum((a - b) * (a - b) for a, b in zip(row, near, strict=True))
            this = distance + _SEVERE * severe
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
        turn = _numbers("rotation", rotation, (3, 3))
        place = _numbers("position", position, (3,))
        kept = self._default_reference if near is None else _numbers("near", near, (self.robot.n,))
        off = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
        wrong = np.atleast_1d((off > _ROTATION) | (np.linalg.det(turn) < 0.0))
        if wrong.any():
            which = f"rotation {int(np.argmax(wrong))}" if turn.ndim == 3 else "the rotation"
            raise ArgumentError(
                f"{which} is no rotation matrix: its rows are not orthonormal and right-handed",
                remedy=f"give rows of length 1 at right angles (to {_ROTATION:g}) with determinant +1",
            )
        return _together((turn, 2), (place, 1), (kept, 1))

    @cached_property
    def _default_reference(self) -> Array:
        """Zero, or the limit nearest to it."""
        limits = [joint.limits for joint in self.robot.joints]
        return np.clip(np.zeros(self.robot.n), [one.lower for one in limits], [one.upper for one in limits])


_SEVERE = 1e6
"""What a status costs beside squared distances [rad^2, m^2] in the choice of the nearest branch."""


def inverse_kinematics(robot: Robot, frame: str | None = None, *, free: str | None = None) -> InverseKinematics:
    """The inverse kinematics of a robot's frame (of its hand, unless one is named); a model's robot serves too.

    `free` names the joint whose value is given where the arm has one more than a pose needs; without it one is chosen.
    Raises `ArgumentError` for an unknown frame or joint, and `RobotError` for an arm without a closed form that is
    known here.

    >>> from torquec.robot import classics
    >>> inverse_kinematics(classics.puma560(), "link6").names[0]
    'shoulder left, elbow up, wrist no flip'
    """
    robot = getattr(robot, "robot", robot)
    if not isinstance(robot, Robot):
        raise ArgumentError(
            f"inverse kinematics is of a robot, not of {type(robot).__name__}", remedy="give a robot or a model"
        )
    frame = hand_frame(robot) if frame is None else frame
    arm = arm_geometry(robot, frame)
    found: ClosedArm | list[str] | str = closed_arm(arm) if free is None else []
    if isinstance(found, list):
        reasons, found = found, free_joint_arm(arm, free)
    if isinstance(found, ClosedArm):
        return InverseKinematics(robot, frame, arm, found)
    raise RobotError(
        f"no closed form is known for the inverse kinematics of '{frame}' of robot '{robot.name}' ({arm.letters}): "
        + "; ".join([*reasons, found]),
        remedy="lock the joints that are too many, or name a frame of an arm with a spherical wrist, three parallel "
        "axes (UR) or a Scara",
    )


def _word(name: str) -> str:
    """A name that every target language takes."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)


def _numbers(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """The array of one, or of N; raises `ArgumentError`."""
    try:
        array = np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is no array of numbers", remedy=f"give shape {shape}") from error
    if array.shape[-len(shape) :] != shape or array.ndim > len(shape) + 1:
        raise ArgumentError(
            f"{name} has the shape {array.shape}", remedy=f"give {shape}, or (N, {', '.join(map(str, shape))})"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds numbers that are not finite", remedy="give finite numbers")
    return array


def _together(*arrays: tuple[Array, int]) -> list[Array]:
    """Arrays, each with the axes that a single one has: where one is a batch, single ones are repeated."""
    batches = {array.shape[0] for array, axes in arrays if array.ndim > axes}
    if len(batches) > 1:
        raise ArgumentError(
            f"batches of {' and '.join(map(str, sorted(batches)))} were given", remedy="give as many of each, or one"
        )
    if not batches:
        return [array for array, _ in arrays]
    (size,) = batches
    return [
        array if array.ndim > axes else np.ascontiguousarray(np.broadcast_to(array, (size, *array.shape)))
        for array, axes in arrays
    ]
