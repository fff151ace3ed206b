"""The claim: no torque of the program, as compiled, is further from the robot's than its joint's bound, in the box.

(1)  The error of each joint has the rows dM_j qdd_j, dc_jk qd_j qd_k and dg (`difference`), here with the largest rates
(2)  The program runs in doubles or floats: its rounding errors over the box count in full (`rounding`)
(3)  What is left of the bound is proven over boxes (`boxes`) of the largest torque that rates in [-1, 1] can make,

       h = sum_j |dM_j| + max over |x_j| <= 1 of |Q(x) + dg|,     Q(x) = sum_{j <= k} dc_jk x_j x_k

(4)  h is at most the sum of all magnitudes; at most, with signs s of the speeds and for the larger of both signs +-,
     sum |dM_j| +- dg + sum_j max(0, +-dc_jj) + max_s +-sum_{j<k} dc_jk s_j s_k;
(5)  and, since -x^2 <= t^2 - 2 t |x| for every t, at most the same with tangents in place of squares with negative
     factors. That sum is convex on each side of x_j = 0, so largest where every x_j is -1, 0 or 1. Any t will do: from
     1/2 on, t_j moves a half, a third, .. of the way to where the sum is largest, |x_j|.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec_check.balls import UP, Array, Ball, exact
from torquec_check.boxes import check_below
from torquec_check.difference import Box, Progress, difference
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.robot import Robot
from torquec_check.rounding import Machine, Precision, rounding_errors
from torquec_check.rows import Monomial

_TANGENTS, _MOST_SPEEDS = 4, 8
"""Choices of t in (5), and speeds there: it looks at 3^n of them, (4) at 2^n."""

_FAR, _AT_ONCE = 1.5, 100
"""Where (4) is that far above a limit, (5), which takes longer, is not tried; points taken together, worst first."""


@dataclass(frozen=True)
class TorqueFunctional:
    """h of (3), of rows with these monomials."""

    monomials: tuple[Monomial, ...]

    def __call__(self, rows: Array, limits: Array) -> bool:
        """Whether (4) and (5) all exceed the limits (points,) at a point."""
        sums = np.abs(rows).sum(axis=0)
        left = np.flatnonzero(~(sums <= limits))
        left = left[np.argsort(limits[left] - sums[left])]
        for some in (left[start : start + _AT_ONCE] for start in range(0, len(left), _AT_ONCE)):
            by_signs = self._by_signs(rows[:, some])
            if np.any(by_signs > _FAR * limits[some]):
                return True
            some = some[~(by_signs <= limits[some])]
            if len(some) and not np.all(self._by_tangents(rows[:, some]) <= limits[some]):
                return True
        return False

    def _by_signs(self, rows: Array) -> Array:
        """(4)."""
        inertia, pairs, gravity = self._parts(rows)
        squares = np.array([j == k for j, k in self._pairs], dtype=bool)
        mixed = _speeds(self._pairs, (1.0, -1.0))[1][:, ~squares] @ pairs[~squares]
        rise = np.maximum(pairs[squares], 0.0).sum(axis=0) + np.maximum(mixed.max(axis=0), 0.0)
        fall = np.minimum(pairs[squares], 0.0).sum(axis=0) + np.minimum(mixed.min(axis=0), 0.0)
        return np.asarray(inertia + np.maximum(rise + gravity, -fall - gravity))

    def _by_tangents(self, rows: Array) -> Array:
        """(5)."""
        inertia, pairs, gravity = self._parts(rows)
        moving = sorted({j for pair in self._pairs for j in pair})
        if not 0 < len(moving) <= _MOST_SPEEDS:
            return np.full(rows.shape[1], np.inf)
        speeds, products = _speeds(self._pairs, (1.0, 0.0, -1.0))
        sizes, most = np.abs(speeds), []
        squares = [[row for row, pair in enumerate(self._pairs) if pair == (j, j)] for j in moving]
        for sign in (1.0, -1.0):
            forms = products @ (sign * pairs)
            down = np.array([np.maximum(-sign * pairs[row].sum(axis=0), 0.0) for row in squares])
            least, t = np.full(forms.shape[1], np.inf), np.full(down.shape, 0.5)
            for step in range(_TANGENTS):
                # At x_j = -1, 0, 1: d x^2 - d (2 t |x| - t^2) = d (1 - 2 t) |x| + d t^2.
                raised = forms + sizes @ (down * (1.0 - 2.0 * t))
                least = np.minimum(least, raised.max(axis=0) + (down * t * t).sum(axis=0))
                t = t + (sizes[np.argmax(raised, axis=0)].T - t) / (step + 2.0)
            most.append(least + sign * gravity)
        return np.asarray(inertia + np.maximum(*most))

    def _parts(self, rows: Array) -> tuple[Array, Array, Array]:
        """Sum of the inertial magnitudes, products of speeds (pairs, points), gravity."""
        kinds = np.array([len(key) for key in self.monomials])
        return np.abs(rows[kinds == 1]).sum(axis=0), rows[kinds == 2], rows[kinds == 0].sum(axis=0)

    @property
    def _pairs(self) -> tuple[Monomial, ...]:
        return tuple(key for key in self.monomials if len(key) == 2)


@functools.cache
def _speeds(pairs: tuple[Monomial, ...], values: tuple[float, ...]) -> tuple[Array, Array]:
    """Choices of the speeds (choices, speeds), of opposite ones one only, and their products (choices, pairs)."""
    moving = sorted({j for pair in pairs for j in pair})
    choices = np.array(list(itertools.product(values, repeat=len(moving))))
    choices = choices[: len(choices) // 2 + 1]
    columns = [choices[:, moving.index(j)] * choices[:, moving.index(k)] for j, k in pairs]
    return choices, np.stack(columns, axis=1) if columns else np.zeros((len(choices), 0))


def machine_errors(program: Program, box: Box, precision: Precision) -> list[float]:
    """What rounding may change in every torque of the box (2), (n,)."""
    positions = [max(map(abs, ends)) for ends in zip(box.lower, box.upper, strict=True)]
    return rounding_errors(program, Machine(precision, {"q": positions, "qd": box.velocity, "qdd": box.acceleration}))


def check_torque_errors(
    robot: Robot, program: Program, box: Box, bounds: Sequence[float], precision: Precision, progress: Progress
) -> Mapping[str, float]:
    """Raise `RefusedError` unless every bound (n,) [N m, N] is proven; gives the rounding in each."""
    rounded, errors, slacks = machine_errors(program, box, precision), difference(robot, program, box), {}
    for name, bound, rounding, error in zip(robot.joints, bounds, rounded, errors.error, strict=True):
        rows, keys = [_largest(key, ball, box) for key, ball in error.items()], tuple(error)

        def functional(kept: Sequence[int], keys: Sequence[Monomial] = keys) -> TorqueFunctional:
            return TorqueFunctional(tuple(keys[k] for k in kept))

        report = functools.partial(progress, f"joint '{name}'")
        try:
            if not bound > rounding:
                raise RefusedError(f"rounding may change the torque by {rounding:.6g}")
            left = bound - rounding * UP
            slacks[name] = rounding + check_below(rows, errors.grid, functional, left, report)
        except RefusedError as error:
            raise RefusedError(f"joint '{name}': the bound {bound:.6g} is not proven: {error.found}") from None
    return slacks


def _largest(monomial: Monomial, ball: Ball, box: Box) -> Ball:
    """A row with the largest rates."""
    for k in monomial:
        ball = ball * exact(box.velocity[k] if k >= 0 else box.acceleration[~k])
    return ball
