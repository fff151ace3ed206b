"""Inverse kinematics by iteration: calibrated arms next to a closed form, and arms without one.

Near: the closed form of the nominal arm (`near_arm`) gives a start for every branch. From there
damped Newton steps on the true arm converge to rounding, and the branch keeps its name. Further solutions near
singularities are searched for (`near_branches`) and follow the named ones.

Numeric: one solution within limits, from the reference or from points over the joint ranges; the number of other
solutions is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import folds_apart
from torquec.kinematics.arm_geometry import ArmFamily, ArmGeometry, ArmJoint, ClosedArm, PoseTarget
from torquec.kinematics.arm_poses import (
    MISSED,
    ArmPoses,
    BranchStatus,
    NearestPose,
    branch_cost,
    branch_status,
    place_joints,
)
from torquec.kinematics.closed_kinematics import InverseKinematics, KinematicsMethod
from torquec.kinematics.joint_rates import NearestMotion, manipulability_and_pivot
from torquec.kinematics.kinematics_task import KinematicsTask
from torquec.kinematics.line_elimination import DEGREE, LineElimination
from torquec.kinematics.native_elimination import clearest_elimination, native_elimination
from torquec.kinematics.near_arm import pose_difference
from torquec.kinematics.near_branches import MOST_SOLUTIONS, NearSearch, branch_names, solve_near
from torquec.kinematics.quick_poses import ROTATION, check_reusable, made_poses
from torquec.kinematics.refinement import Iteration, pose_distance, refined, solve_rows, task_columns
from torquec.kinematics.solution_curve import Curves, curve_start, curve_step
from torquec.kinematics.tuning import TUNING
from torquec.spatial import Scalar, matmul, transpose

WIDEST = 4.0
"""Largest pose error along a curve of solutions, as a multiple of the difference from the nominal arm."""

FREE_TRIALS = 4
"""Number of values of a free joint tried on a calibrated arm, the nominal arm's best first; then all joints move."""

NUMERIC_STARTS = (1, 7, 24, 96)
"""Numbers of starts, tried in groups until one reaches the pose: the reference first."""


@dataclass(frozen=True, eq=False, repr=False)
class IterativeKinematics(InverseKinematics):
    """The inverse of an arm that has no closed form itself; `tidy` is the nominal arm, which `closed` solves."""

    tidy: ArmGeometry | None = None
    task: KinematicsTask = KinematicsTask.POSE
    """Task: full pose, or a part of it with the numeric method."""
    elimination: LineElimination | None = None
    """The eliminant of an arm that is not near a closed form."""

    @property
    def method(self) -> KinematicsMethod:
        """The method by which branches are found."""
        return KinematicsMethod.NUMERIC if self.tidy is None else KinematicsMethod.NEAR

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every branch, in the order of the results.

        Calibrated arms may have solutions next to singularities that no branch of the nominal arm leads to: `further`
        ones, numbered as they are found.
        """
        if not self.is_traced:
            return self.closed.names
        more = MOST_SOLUTIONS - len(self.closed.names)
        return (*self.closed.names, *(f"further {k + 1}" for k in range(more)))

    @property
    def has_program(self) -> bool:
        """No: an iteration is no straight-line program."""
        return False

    @property
    def is_traced(self) -> bool:
        """Whether solutions are searched along curves: of calibrated arms with six joints that move."""
        return self.tidy is not None and len(self._moving) == 6

    @cached_property
    def function(self) -> Function:
        """There is none: an iteration is no straight-line program. Raises `RobotError`."""
        raise RobotError(
            f"the inverse kinematics of robot '{self.robot.name}' is an iteration, not a single program",
            remedy="call ik(...) or ik.nearest(...); as C it is written by write_kinematics_package",
        )

    @cached_property
    def nearest_function(self) -> Function:
        """There is none, as for `function`."""
        return self.function

    @cached_property
    def start_function(self) -> Function:
        """The branches of the nominal arm, held apart at folds: rotation, position, near -> q (branches, n)."""
        assert self.tidy is not None

        def algorithm(rotation: Any, position: Any, near: Any) -> dict[str, Any]:
            assert self.tidy is not None
            kept = tuple(near[joint.index] for joint in self.arm.joints)
            turn = matmul(rotation, transpose(self.tidy.tool.rotation))
            branches = self.closed.solve(PoseTarget(turn, position, kept))
            return {"q": [place_joints(self.arm.joints, branch.values, near).q for branch in branches]}

        with folds_apart(TUNING.smallest_discriminant):
            return trace(f"{self._word}_start", algorithm, self._inputs)

    @cached_property
    def step_function(self) -> Function:
        """One damped Newton step: q (n,), rotation, position -> moved (n,), error (2,) before the step."""
        bounded = self.method is KinematicsMethod.NUMERIC
        algorithm = refined(self.robot, self.frame, self.arm, self._moving, bounded=bounded, task=self.task)
        return trace(f"{self._word}_step", algorithm, self._row_inputs)

    @cached_property
    def finish_function(self) -> Function:
        """q (n,), rotation, position, near (n,) -> placed (n,), status (), error (2,), all as measured on the arm."""
        return trace(f"{self._word}_finish", self.finish_algorithm, {**self._row_inputs, "near": (self.robot.n,)})

    def finish_algorithm(self, q: Any, rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        """`finish_function` over any scalar."""
        placed = place_joints(self.arm.joints, [q[joint.index] for joint in self.arm.joints], near)
        error = pose_distance(frame_pose(self.robot, self.frame, q), rotation, position, self.task)
        columns = task_columns(jacobian(self.robot, self.frame, q), self._moving, rotation, self.task)
        # With more joints than equations, the equations must be independent, and not the joints.
        rows = [list(row) for row in zip(*columns, strict=True)]
        _, pivot = manipulability_and_pivot(columns if len(columns) <= len(rows) else rows)
        status = branch_status(placed.outside, error, pivot, self.arm.reach)
        return {"placed": placed.q, "status": status, "error": error}

    @cached_property
    def curve_start_function(self) -> Function:
        """q (n,), rotation, position -> border (6,), tangent (n + 1,), gap (), least (): see `solution_curve`."""
        algorithm = curve_start(self.robot, self.frame, self.arm, self._moving)
        return trace(f"{self._word}_curve_start", algorithm, self._row_inputs)

    @cached_property
    def curve_step_function(self) -> Function:
        """point (n + 1,), tangent, border (6,), rotation, position -> moved, along (n + 1,), missed ()."""
        n = self.robot.n
        algorithm = curve_step(self.robot, self.frame, self.arm, self._moving)
        inputs = {"point": (n + 1,), "tangent": (n + 1,), "border": (6,), "rotation": (3, 3), "position": (3,)}
        return trace(f"{self._word}_curve_step", algorithm, inputs)

    @cached_property
    def difference(self) -> float:
        """Largest difference between poses of the arm and of the nominal one: see `pose_difference`."""
        assert self.tidy is not None
        return pose_difference(self.arm, self.tidy)

    @cached_property
    def search(self) -> NearSearch:
        """How the branches of a calibrated arm are found."""
        curves = None
        if self.is_traced:
            start, step = compile_function(self.curve_start_function), compile_function(self.curve_step_function)
            curves = Curves(start.call, step.call, self._iteration.turning, WIDEST * self.difference)
        return NearSearch(
            self._iteration, self._start_native.call, curves, self.difference, 0.5 * self.arm.reach, len(self.names)
        )

    @cached_property
    def _natives(self) -> tuple[NativeFunction, NativeFunction]:
        return compile_function(self.step_function), compile_function(self.finish_function)

    @cached_property
    def _start_native(self) -> NativeFunction:
        return compile_function(self.start_function)

    @property
    def _row_inputs(self) -> dict[str, tuple[int, ...]]:
        return {"q": (self.robot.n,), "rotation": (3, 3), "position": (3,)}

    @property
    def moving_joints(self) -> tuple[ArmJoint, ...]:
        """The joints that the iteration moves: all of the arm but the free one."""
        return tuple(self._moving)

    @property
    def missed(self) -> float:
        """Largest position [m] or rotation [rad] error at which a pose counts as met."""
        return self._iteration.missed

    @cached_property
    def _moving(self) -> list[ArmJoint]:
        """The joints that the iteration moves: all of the arm but the free one."""
        return [joint for k, joint in enumerate(self.arm.joints) if k != self.closed.free]

    @cached_property
    def _iteration(self) -> Iteration:
        turning, moving = np.ones(self.robot.n), np.zeros(self.robot.n)
        for joint in self._moving:
            turning[joint.index], moving[joint.index] = 0.0 if joint.slides else 1.0, 1.0
        return Iteration(self._natives[0].call, turning, moving, MISSED * min(1.0, self.arm.reach))

    def _solved(self, rotation: Array, position: Array, near: Array) -> tuple[Array, Array, Array]:
        return self._iterated(rotation, position, near, every=True)

    def _iterated(self, rotation: Array, position: Array, near: Array, *, every: bool) -> tuple[Array, Array, Array]:
        """q, status, error of every branch; without `every`, nothing is searched for where a branch meets the pose."""
        single = rotation.ndim == 2
        turn, place, reference = (a[None] if single else a for a in (rotation, position, near))
        if self.tidy is None:
            q = self._numeric(turn, place, reference)
        else:
            q = solve_near(self.search, turn, place, reference, every=every)
        placed, status, error = self._finished(q, turn, place, reference)
        return (placed[0], status[0], error[0]) if single else (placed, status, error)

    def _finished(self, q: Array, rotation: Array, position: Array, near: Array) -> tuple[Array, Array, Array]:
        """Whole turns, status and error of positions (N, branches, n)."""
        count, branches, n = q.shape
        rows = [np.repeat(a, branches, axis=0) for a in (rotation, position, near)]
        placed, status, error = self._natives[1].call(q.reshape(-1, n), *rows)
        return placed.reshape(q.shape), status.reshape(count, branches), error.reshape(count, branches, 2)

    @cached_property
    def eliminant(self) -> LineElimination | None:
        """`elimination`; of a calibrated arm with six joints its own eliminant, where that is regular."""
        return clearest_elimination(self.arm) if self.elimination is None and self.is_traced else self.elimination

    def solution_values(self, root: Any, powers: Any, rotation: Any, position: Any, near: Any) -> list[Scalar]:
        """q (n,) from a root of the eliminant and a null vector of M there; joints that do not move as in `near`."""
        assert self.eliminant is not None
        values = self.eliminant.joints(powers, root, rotation, position)
        return place_joints(self.arm.joints, values, near).q

    @cached_property
    def _quick_all(self) -> Callable[..., Any]:
        """All solutions in one native call."""
        assert self.eliminant is not None
        return native_elimination(
            self.eliminant, self.step_function, self.solution_values, self.finish_algorithm, self.missed
        )

    def all(self, rotation: Any, position: Any, *, near: Any = None) -> ArmPoses:
        """The solutions of one pose, as for closed forms; for a calibrated arm by elimination where that decides."""
        quick = None
        if self.eliminant is not None:
            quick = self._quickly(rotation, position, self._default_reference if near is None else near)
        return super().all(rotation, position, near=near) if quick is None else quick

    def _quickly(self, rotation: Any, position: Any, near: Any) -> ArmPoses | None:
        """All solutions by one native call; None where it gives up, or an input is to be refused."""
        try:
            q, rest = self._quick_all(rotation, position, near)
        except ArgumentError:
            return None
        if rest.ndim != 2:
            return None
        defect, count, whole = rest[-1].tolist()
        if not (whole and defect <= ROTATION):
            return None
        q = q[: int(count)]
        names = self._solution_names(q, rotation, position, near)
        return made_poses({"names": names, "q": q, "rest": rest, "complete": True, "degree": DEGREE})

    def _solution_names(self, q: Array, rotation: Any, position: Any, near: Any) -> tuple[str, ...]:
        """Names of solutions (k, n), from the nominal arm's branches at which Newton's method would start."""
        return branch_names(self._iteration, q, self._start_native.call(rotation, position, near), self.closed.names)

    def nearest(self, rotation: Any, position: Any, *, near: Any = None, out: NearestPose | None = None) -> NearestPose:
        """The branch with the smallest sum of squared distances to `near`, of those with the best status."""
        turn, place, reference = self._checked(rotation, position, near)
        check_reusable(out, type(None))
        q, status, error = self._iterated(turn, place, reference, every=False)
        apart = ((q - reference[..., None, :]) ** 2).sum(axis=-1)
        best = np.argmin(branch_cost(status, apart), axis=-1)

        def taken(a: Array) -> Array:
            index = best[..., None] if a.ndim == best.ndim + 1 else best[..., None, None]
            return np.take_along_axis(a, index, axis=best.ndim).squeeze(best.ndim)

        return NearestPose(taken(q), best, taken(status).astype(np.int64), taken(error))

    def _rotation(self, rotation: Any) -> Any:
        """The rotation of a call; may be None if the task is the position alone."""
        return np.eye(3) if rotation is None and self.task is KinematicsTask.POSITION else rotation

    @cached_property
    def _tidy_kinematics(self) -> InverseKinematics:
        """The closed form of the nominal arm by itself."""
        assert self.tidy is not None
        return InverseKinematics(self.robot, self.frame, self.tidy, self.closed)

    def _searched_reference(self, rotation: Array, position: Array) -> Array:
        """As for closed forms: the best values for the nominal arm, one after the other, until the pose is reached.

        If none of the first values reaches it, the numeric inverse is tried, which moves the free joint too, then all
        other values, and the middles of the nominal arm's intervals.
        """
        values, cost = self._tidy_kinematics._free_costs(rotation, position)
        assert self.closed.free is not None
        joint = self.arm.joints[self.closed.free].index
        found = np.repeat(self._default_reference[None], len(rotation), axis=0)
        order = np.argsort(cost, axis=1)
        found[:, joint] = values[order[:, 0]]
        open_: Indices = np.arange(len(rotation))

        def tried(trial: Array) -> Indices:
            """The poses that are left after trying values (K,) of the free joint, one for each."""
            references = found[open_].copy()
            references[:, joint] = trial
            _, status, _ = self._iterated(rotation[open_], position[open_], references, every=False)
            reached = status.min(axis=1) < float(BranchStatus.OUT_OF_LIMITS)
            found[open_[reached]] = references[reached]
            return np.asarray(open_[~reached])

        for k in range(len(values)):
            if k == FREE_TRIALS and len(open_):
                numeric = IterativeKinematics(self.robot, self.frame, self.arm, numeric_arm())
                best = numeric.nearest(rotation[open_], position[open_], near=self._default_reference)
                reached = best.status < BranchStatus.OUT_OF_LIMITS
                found[open_[reached]] = best.q[reached]
                open_ = open_[~reached]
            if not len(open_):
                return found
            open_ = tried(values[order[open_, k]])
        for one in open_.tolist():
            intervals = self._tidy_kinematics.free_intervals(rotation[one], position[one], near=found[one]).intervals
            open_ = np.array([one])
            for middle in [0.5 * (low + high) for branch in intervals for low, high in branch]:
                if not len(tried(np.array([middle]))):
                    break
        return found

    def _motion(self, inputs: list[Array]) -> NearestMotion:
        best = self.nearest(*inputs[:2], near=inputs[2])
        rates = self.rates(best.q, *inputs[3:])
        pair = rates.qd, rates.qdd, rates.manipulability, rates.pivot
        return NearestMotion(best.q, best.branch, best.status, best.error, *pair)

    def _numeric(self, rotation: Array, position: Array, near: Array) -> Array:
        """q (N, 1, n): for every pose the first solution that reaches it, or the result with the least error."""
        best, error = near.copy(), np.full((len(near), 2), np.inf)
        open_ = np.arange(len(near))
        spread = self._spread_starts()
        first = 0
        for size in NUMERIC_STARTS:
            begins = near[open_][:, None] if first == 0 else self._about(near[open_], spread[first : first + size])
            first += size
            poses = np.repeat(open_, size)
            q, missed = solve_rows(self._iteration, begins.reshape(-1, self.robot.n), rotation[poses], position[poses])
            total = missed.sum(axis=1).reshape(-1, size)
            pick = np.argmin(total, axis=1)
            rows = np.arange(len(open_)) * size + pick
            better = missed[rows].sum(axis=1) < error[open_].sum(axis=1)
            best[open_[better]], error[open_[better]] = q[rows[better]], missed[rows[better]]
            open_ = open_[error[open_].max(axis=1) > self._iteration.missed]
            if not len(open_):
                break
        return best[:, None]

    def _spread_starts(self) -> Array:
        """(starts, joints): values between 0 and 1, the same in every run."""
        return np.random.default_rng(0).uniform(size=(sum(NUMERIC_STARTS), len(self._moving)))

    def _about(self, near: Array, share: Array) -> Array:
        """Starts (N, size, n): the moving joints anywhere within their limits, or one turn (1 m) about `near`."""
        starts = np.repeat(near[:, None], len(share), axis=1)
        for k, joint in enumerate(self._moving):
            half = self.arm.reach if joint.slides else np.pi
            at = near[:, joint.index]
            lower = np.maximum(joint.limits.lower, at - half)
            upper = np.minimum(joint.limits.upper, at + half)
            starts[:, :, joint.index] = lower[:, None] + share[:, k] * np.maximum(upper - lower, 0.0)[:, None]
        return starts


def numeric_arm() -> ClosedArm:
    """Placeholder of the closed form for numeric arms: one branch."""

    def solve(target: PoseTarget) -> list[Any]:
        raise NotImplementedError("a numeric inverse has no closed form")

    return ClosedArm(ArmFamily.NONE, "damped least squares", ("numeric",), solve)
