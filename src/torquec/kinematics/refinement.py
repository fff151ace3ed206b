"""Damped Newton steps (Levenberg-Marquardt) towards a pose, as a traced program and on many rows at once.

(1)  e = ((p* - p)/L, w),   w = 2 tan(angle/2) axis of the rotation from R to R*, in base axes;   L half the arm's size
(2)  (A'A + (|e|^2/2 + `FLOOR`) 1) step = A'e,   A = J with its upper rows over L
(3)  q := q + step, shortened where a joint would move by more than `LARGEST_STEP`

The damping of (2), proportional to the squared error, keeps the method in bounds next to singularities, lets it end in
the nearest pose where the one asked for is out of reach, and vanishes so fast that convergence stays quadratic (T.
Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE T-RO 27, 2011).

(4)  many rows, each with a start of its own: steps until its error is below `CLOSED`, at most `STEPS`; the best is kept
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.expr.math import absolute, atan2, maximum, minimum, sqrt
from torquec.foundation.arrays import Array, Mask
from torquec.kinematics.angle import over
from torquec.kinematics.arm_geometry import ArmGeometry, ArmJoint
from torquec.kinematics.kinematics_task import KinematicsTask
from torquec.kinematics.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, add, cross, dot, scale, subtract, transpose

LARGEST_STEP = 0.5
"""Largest motion of a joint in one step [rad, or L for a slide]: about the range where the linearization is valid."""

FLOOR = 1e-15
"""Keeps (2) solvable where the arm is singular; negligible compared with the squares of the columns of A."""


def refined(
    robot: Robot,
    frame: str,
    arm: ArmGeometry,
    moving: Sequence[ArmJoint],
    *,
    bounded: bool,
    task: KinematicsTask = KinematicsTask.POSE,
) -> Any:
    """The algorithm q (n,), rotation (3, 3), position (3,) -> moved (n,), error (2,): one step; the error is before it.

    Only the joints `moving` move; `bounded` keeps them within their limits.
    """
    size = 0.5 * arm.reach
    per = 1.0 / size

    def algorithm(q: Any, rotation: Any, position: Any) -> dict[str, Any]:
        pose = frame_pose(robot, frame, q)
        columns = task_columns(jacobian(robot, frame, q), moving, rotation, task)
        columns = [[value * per for value in column[:3]] + column[3:] for column in columns]
        error = task_error(pose, rotation, position, task)
        error = [value * per for value in error[:3]] + error[3:]
        damping = 0.5 * _dot(error, error) + FLOOR
        step = damped_step(columns, error, damping)
        largest: Scalar = 0.0
        for value, joint in zip(step, moving, strict=True):
            largest = maximum(largest, absolute(value) * (per if joint.slides else 1.0))
        share = minimum(1.0, over(LARGEST_STEP, largest))
        new = list(q)
        for value, joint in zip(step, moving, strict=True):
            moved = q[joint.index] + share * value
            if bounded:
                moved = maximum(minimum(moved, joint.limits.upper), joint.limits.lower)
            new[joint.index] = moved
        return {"moved": new, "error": pose_distance(pose, rotation, position, task)}

    return algorithm


def task_columns(
    full: Sequence[Sequence[Scalar]], moving: Sequence[ArmJoint], rotation: Matrix3, task: KinematicsTask
) -> list[list[Scalar]]:
    """Columns of the Jacobian's rows that a task has: six; three; or five, turns about x and y of the target last."""
    columns = [[full[row][joint.index] for row in range(6)] for joint in moving]
    if task is KinematicsTask.POSE:
        return columns
    across = transpose(rotation)[:2] if task is KinematicsTask.AXIS else ()
    return [[*column[:3], *(dot(axis, (column[3], column[4], column[5])) for axis in across)] for column in columns]


def task_error(pose: Pose, rotation: Matrix3, position: Vector3, task: KinematicsTask) -> list[Scalar]:
    """e of (1) before it is scaled, in the rows of `task_columns`."""
    off, turn = pose_error(pose, rotation, position)
    if task is KinematicsTask.POSE:
        return [*off, *turn]
    if task is KinematicsTask.POSITION:
        return [*off]
    x, y, z = transpose(rotation)
    have = transpose(pose.rotation)[2]
    tilt = scale(cross(have, z), over(2.0, maximum(1.0 + dot(have, z), TUNING.half_turn_floor)))
    return [*off, dot(x, tilt), dot(y, tilt)]


def pose_error(pose: Pose, rotation: Matrix3, position: Vector3) -> tuple[Vector3, Vector3]:
    """Errors of position and rotation, (p* - p, w) of (1)."""
    have, want = transpose(pose.rotation), transpose(rotation)
    turn: Vector3 = (0.0, 0.0, 0.0)
    together: Scalar = 1.0
    for a, b in zip(have, want, strict=True):
        turn = add(turn, cross(a, b))  # 2 sin(angle) axis
        together = together + dot(a, b)  # 2 (1 + cos(angle))
    factor = over(2.0, maximum(together, 2.0 * TUNING.half_turn_floor))
    return subtract(position, pose.origin), scale(turn, factor)


def pose_distance(
    pose: Pose, rotation: Matrix3, position: Vector3, task: KinematicsTask = KinematicsTask.POSE
) -> list[Scalar]:
    """Distance [m] and angle [rad] between two poses; for the axis task the axes' angle, for a position no angle."""
    off = subtract(position, pose.origin)
    if task is KinematicsTask.POSITION:
        return [sqrt(dot(off, off)), 0.0]
    if task is KinematicsTask.AXIS:
        have, want = (transpose(turned)[2] for turned in (pose.rotation, rotation))
        aside = cross(have, want)
        return [sqrt(dot(off, off)), atan2(sqrt(dot(aside, aside)), dot(have, want))]
    turn: Vector3 = (0.0, 0.0, 0.0)
    together: Scalar = -1.0
    for a, b in zip(transpose(pose.rotation), transpose(rotation), strict=True):
        turn, together = add(turn, cross(a, b)), together + dot(a, b)
    return [sqrt(dot(off, off)), atan2(sqrt(dot(turn, turn)), together)]


def damped_step(columns: list[list[Scalar]], right: Sequence[Scalar], damping: Scalar) -> list[Scalar]:
    """The damped least-squares step (2)."""
    return SymmetricFactors(columns, damping).solve([_dot(column, right) for column in columns])


class SymmetricFactors:
    """The factors L D L' of the products of vectors with one another, `damping` added to the diagonal."""

    def __init__(self, vectors: Sequence[Sequence[Scalar]], damping: Scalar) -> None:
        self.lower: list[list[Scalar]] = []
        self.pivots: list[Scalar] = []
        for i, vector in enumerate(vectors):
            row: list[Scalar] = []
            for k in range(i):
                row.append(_dot(vector, vectors[k]) - sum(row[j] * self.lower[k][j] for j in range(k)))
            scaled = [value * pivot for value, pivot in zip(row, self.pivots, strict=True)]
            rest = _dot(vector, vector) + damping - sum(a * b for a, b in zip(row, scaled, strict=True))
            # Rounding may put a singular pivot below the damping, its exact lower bound.
            self.pivots.append(over(1.0, maximum(rest, damping)))
            self.lower.append(scaled)

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """The solution for a right side."""
        x = list(right)
        n = len(x)
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - self.lower[i][k] * x[k]
        x = [value * pivot for value, pivot in zip(x, self.pivots, strict=True)]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - self.lower[k][i] * x[k]
        return x


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), start=a[0] * b[0])


STEPS = 40
"""Largest number of steps: a start that converges takes five to ten; others stall, and are given up."""

APART = 1e-5
"""Positions that differ by less than this [rad or m] in every joint are one branch, whole turns aside."""

CLOSED = 1e-13
"""A row whose error [m, rad] is below this needs no further step."""


@dataclass(frozen=True)
class Iteration:
    """Iteration of an arm: one step on many rows, which joints turn, and the tolerance."""

    step: Callable[[Array, Array, Array], tuple[Array, Array]]
    """q (M, n), rotation (M, 3, 3), position (M, 3) -> q (M, n) and the error (M, 2) before the step."""
    turning: Array
    """(n,), 1 for joints that turn, 0 for slides"""
    moving: Array
    """(n,), 1 for joints that the iteration moves"""
    missed: float
    """Largest error of the position [m]: beyond it a pose is out of reach."""


def solve_rows(iteration: Iteration, q: Array, rotation: Array, position: Array) -> tuple[Array, Array]:
    """Positions and errors of many rows after the steps of (4)."""
    q, best, error = q.copy(), q.copy(), np.full((len(q), 2), np.inf)
    active = np.arange(len(q))
    for _ in range(STEPS):
        new, before = iteration.step(q[active], rotation[active], position[active])
        better = before.sum(axis=1) < error[active].sum(axis=1)
        best[active[better]], error[active[better]] = q[active[better]], before[better]
        q[active] = new
        active = active[before.max(axis=1) > CLOSED]
        if not len(active):
            break
    return best, error


def is_met(iteration: Iteration, error: Array) -> Mask:
    """Whether errors (..., 2) are small enough to count as met."""
    return np.asarray(error.max(axis=-1) <= iteration.missed)


def distance(turning: Array, a: Array, b: Array) -> Array:
    """The largest difference of two positions over the last axis, whole turns aside."""
    apart = a - b
    wrapped = (apart + np.pi) % (2.0 * np.pi) - np.pi
    return np.asarray(np.abs(np.where(turning > 0.0, wrapped, apart)).max(axis=-1))
