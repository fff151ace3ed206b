"""Inverse kinematics by elimination: all solutions, up to sixteen, of six-joint arms without a closed form.

(1)  the eliminant of the pose, sampled over the hidden joint; its real roots on the circle (`eliminant_roots`)
(2)  the other joints from every root (`line_elimination`), Newton steps on the arm, equal solutions taken once
(3)  `complete` is false where two roots nearly coincide (a singular configuration is near) or where a root led to no
     solution of its own; a pose without solutions gets the numeric result with the least error
(4)  two solutions with the same hidden joint, which need not be singular, are a double root with a null plane;
     starts all around that plane lead to both
(5)  poses that are not complete are searched by Newton's method from many starts as well

One native call does (1) to (3) for most poses (`native_elimination`); where it cannot decide, this module does (1) to
(4). Solutions are numbered by the hidden joint, from -pi on. A number does not follow a solution from pose to pose:
`nearest` and `track` do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction
from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array, Indices, Mask
from torquec.kinematics.arm_poses import ArmPoses, BranchStatus
from torquec.kinematics.closed_kinematics import KinematicsMethod
from torquec.kinematics.eliminant_roots import GRID, GRID_ANGLES, circle_roots
from torquec.kinematics.householder import determinant, null_vector
from torquec.kinematics.iterative_kinematics import IterativeKinematics
from torquec.kinematics.line_elimination import DEGREE, SIZE
from torquec.kinematics.native_elimination import cached_native
from torquec.kinematics.refinement import APART, distance, is_met, solve_rows
from torquec.kinematics.tuning import TUNING

_AT_ONCE = 32
"""Number of poses whose sampled matrices, 0.3 MB each, are in memory at once."""


_STARTS = 64
"""Number of Newton starts of a pose that is not complete: about one start in ten reaches a given solution."""


@dataclass(frozen=True, eq=False, repr=False)
class EliminatedKinematics(IterativeKinematics):
    """The inverse of a six-joint arm of general geometry; made by `inverse_kinematics`."""

    @property
    def method(self) -> KinematicsMethod:
        """The method by which branches are found."""
        return KinematicsMethod.ELIMINATION

    @cached_property
    def names(self) -> tuple[str, ...]:
        """`solution 1` to `solution 16`: as many as there may be."""
        return tuple(f"solution {k + 1}" for k in range(DEGREE))

    @cached_property
    def eliminant_function(self) -> Function:
        """rotation (3, 3), position (3,) -> matrices (3, 12, 12) over 1, cos and sin of the hidden joint."""
        assert self.elimination is not None
        made = self.elimination.eliminant
        inputs = {"rotation": (3, 3), "position": (3,)}
        return trace(
            f"{self._word}_eliminant", lambda rotation, position: {"matrices": made(rotation, position)}, inputs
        )

    @cached_property
    def determinant_function(self) -> Function:
        """matrix (12, 12) -> determinant (), up to the sign."""
        return trace("eliminant_value", lambda matrix: {"value": determinant(matrix)}, {"matrix": (SIZE, SIZE)})

    @cached_property
    def solution_function(self) -> Function:
        """matrix (12, 12) at a root, root (), rotation, position, near (n,) -> q (n,)."""

        def algorithm(matrix: Any, root: Any, rotation: Any, position: Any, near: Any) -> dict[str, Any]:
            return {"q": self.solution_values(root, null_vector(matrix), rotation, position, near)}

        inputs: dict[str, tuple[int, ...]] = {"matrix": (SIZE, SIZE), "root": ()}
        return trace(f"{self._word}_solution", algorithm, inputs | self._inputs)

    @cached_property
    def _elimination_natives(self) -> tuple[NativeFunction, NativeFunction, NativeFunction]:
        return (
            cached_native(self.eliminant_function),
            cached_native(self.determinant_function),
            cached_native(self.solution_function),
        )

    def all(self, rotation: Any, position: Any, *, near: Any = None) -> ArmPoses:
        """The solutions of one pose, within limits or not; see `complete` and `degree`. Raises as the call does."""
        quick = self._quickly(rotation, position, self._default_reference if near is None else near)
        if quick is not None:
            return quick
        turn, place, reference = self._checked(rotation, position, near)
        if turn.ndim != 2:
            raise ArgumentError("all() takes one pose", remedy="give one pose, not a batch")
        q, found, complete = self._solutions(turn[None], place[None], reference[None])
        placed, status, error = self._finished(q[:, found[0]], turn[None], place[None], reference[None])
        names = self.names[: placed.shape[1]]
        return ArmPoses(names, placed[0], status[0].astype(np.int64), error[0], bool(complete[0]), DEGREE)

    def _solution_names(self, q: Array, rotation: Any, position: Any, near: Any) -> tuple[str, ...]:  # noqa: ARG002 - by number
        return self.names[: len(q)]

    def _iterated(self, rotation: Array, position: Array, near: Array, *, every: bool) -> tuple[Array, Array, Array]:  # noqa: ARG002 - all are found at once
        single = rotation.ndim == 2
        turn, place, reference = (a[None] if single else a for a in (rotation, position, near))
        q, found, _ = self._solutions(turn, place, reference)
        none = np.flatnonzero(~found.any(axis=1))
        if len(none):
            q[none, 0] = self._numeric(turn[none], place[none], reference[none])[:, 0]
        placed, status, error = self._finished(q, turn, place, reference)
        status[~found] = status[~found].astype(np.int64) | int(BranchStatus.OUT_OF_REACH)
        if len(none):
            _, again, _ = self._finished(q[none, :1], turn[none], place[none], reference[none])
            status[none, 0] = again[:, 0]
        return (placed[0], status[0], error[0]) if single else (placed, status, error)

    def _solutions(self, rotation: Array, position: Array, near: Array) -> tuple[Array, Mask, Mask]:
        """q (N, 16, n), which of them are solutions (N, 16), and whether they are all (N,)."""
        q, rest = self._quick_all(*map(np.ascontiguousarray, (rotation, position, near)))
        complete = rest[:, -1, 2] > 0.0
        found = complete[:, None] & (np.arange(DEGREE) < rest[:, -1, 1, None])
        q = np.where(found[:, :, None], q, near[:, None])
        left = np.flatnonzero(~complete)
        for first in range(0, len(left), _AT_ONCE):
            some = left[first : first + _AT_ONCE]
            q[some], found[some], complete[some] = self._carefully_solved(rotation[some], position[some], near[some])
        return q, found, complete

    def _carefully_solved(self, rotation: Array, position: Array, near: Array) -> tuple[Array, Mask, Mask]:
        """The results of `_solutions` by (1) to (4), with f evaluated directly."""
        assert self.elimination is not None
        eliminant, value, solution = self._elimination_natives
        count = len(rotation)
        parts = np.asarray(eliminant.call(rotation, position)).reshape(count, 3, SIZE * SIZE)

        def at(row: Indices, angle: Array) -> Array:
            """M of poses at angles."""
            turns = _turns(angle)
            found = turns @ parts[0] if count == 1 else np.einsum("ka,kam->km", turns, parts[row])
            return np.ascontiguousarray(found).reshape(-1, SIZE, SIZE)

        on_grid = np.asarray(value.call((_turns(GRID_ANGLES) @ parts).reshape(-1, SIZE, SIZE)))
        roots = circle_roots(on_grid.reshape(count, GRID), lambda row, angle: np.asarray(value.call(at(row, angle))))
        row, angle = roots.row, roots.angle
        q, found = np.repeat(near[:, None], DEGREE, axis=1), np.zeros((count, DEGREE), dtype=bool)
        complete = ~roots.doubtful
        if not len(row):
            return q, found, complete
        start = np.asarray(solution.call(at(row, angle), angle, rotation[row], position[row], near[row]))
        wanted = np.bincount(row, minlength=count)
        if roots.doubtful.any():
            again, more, matrices = _planes(at, row[roots.doubtful[row]], angle[roots.doubtful[row]])
            if len(again):
                others = np.asarray(solution.call(matrices, more, rotation[again], position[again], near[again]))
                row, start = np.concatenate([row, again]), np.concatenate([start, others])
        usable = np.isfinite(start).all(axis=1)
        start[~usable] = near[row[~usable]]
        better, error = solve_rows(self._iteration, start, rotation[row], position[row])
        met = is_met(self._iteration, error) & usable
        complete[row[~met]] = False  # starts of (4) belong to poses that are not complete anyway
        for pose in np.unique(row[met]):
            solutions = self._distinct(better[met & (row == pose)])
            complete[pose] &= len(solutions) == wanted[pose]
            solutions = solutions[:DEGREE]
            q[pose, : len(solutions)], found[pose, : len(solutions)] = solutions, True
        for pose in np.flatnonzero(~complete):
            have, more = q[pose][found[pose]], self._searched(rotation[pose], position[pose], near[pose])
            apart = distance(self._iteration.turning, more[:, None], have).min(axis=1, initial=np.inf)
            # A curve of solutions holds more than fit: those of the roots come first.
            fresh = self._distinct(more[apart > APART])[: DEGREE - len(have)]
            solutions = self._distinct(np.concatenate([have, fresh]))
            q[pose, : len(solutions)], found[pose, : len(solutions)] = solutions, True
        return q, found, complete

    def _searched(self, rotation: Array, position: Array, near: Array) -> Array:
        """Solutions (K, n) that Newton's method finds from `_STARTS` points over the joints' ranges (5)."""
        share = np.random.default_rng(0).uniform(size=(_STARTS, len(self._moving)))
        starts = self._about(near[None], share)[0]
        rows = [np.repeat(a[None], _STARTS, axis=0) for a in (rotation, position)]
        better, error = solve_rows(self._iteration, starts, *rows)
        return np.asarray(better[is_met(self._iteration, error)])

    def _distinct(self, q: Array) -> Array:
        """Solutions (K, n) without duplicates, sorted by the hidden joint."""
        assert self.elimination is not None
        hidden = self.arm.joints[self.elimination.place].index
        turning = self._iteration.turning > 0.0
        wrapped = np.where(turning, (q + np.pi) % (2.0 * np.pi) - np.pi, q)
        order = np.argsort(wrapped[:, hidden])
        kept: list[int] = []
        for k in order:
            apart = np.abs(wrapped[kept] - wrapped[k])
            apart = np.where(turning, np.minimum(apart, 2.0 * np.pi - apart), apart)
            if not kept or apart.max(axis=1).min() > APART:
                kept.append(int(k))
        return q[kept]


def _planes(at: Callable[[Indices, Array], Array], row: Indices, angle: Array) -> tuple[Indices, Array, Array]:
    """For every root with a null plane (4), matrices whose null vectors spread over the plane; row and root of each."""
    matrices = at(row, angle)
    left, size, right = np.linalg.svd(matrices)
    plane = np.flatnonzero(size[:, -2] < TUNING.plane_ratio * size[:, -3])
    turn = np.pi * np.arange(TUNING.tried_null_vectors) / TUNING.tried_null_vectors
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    found = []
    for k in plane:
        # Both directions are turned in the plane: the first keeps a singular value, the second becomes the null vector.
        kept = c * right[k, -2] + s * right[k, -1]
        whole = (left[k, :, :-2] * size[k, :-2]) @ right[k, :-2]
        found.append(whole + size[k, -3] * left[k, :, -2, None] * kept[:, None, :])
    if not found:
        return row[:0], angle[:0], matrices[:0]
    return (
        np.repeat(row[plane], TUNING.tried_null_vectors),
        np.repeat(angle[plane], TUNING.tried_null_vectors),
        np.concatenate(found),
    )


def _turns(angle: Array) -> Array:
    """(1, cos, sin) of angles, (K, 3)."""
    return np.stack([np.ones(len(angle)), np.cos(angle), np.sin(angle)], axis=1)
