"""The claims: no torque of a program, as compiled, is further from the robot's than a bound, and no coefficient is.

(1)  robot - program is a polynomial with the coefficients dM_j, dc_jk and dg for each joint, in balls on a grid. Its
     degrees are those of the program by its operations (`rows`) and of the robot by theory (`recursion`), the larger
(2)  The program runs in doubles or floats: its rounding errors over the box count in full (`rounding`)
(3)  What is left of a torque's bound is proven over boxes (`boxes`). Coefficients are multiplied by the largest rates:

       h = sum_j |dM_j| + max over |x_j| <= 1 of |Q(x) + dg|,     Q(x) = sum_{j <= k} dc_jk x_j x_k

(4)  Since -x^2 <= t^2 - 2 t |x| for every t, Q with tangents in place of squares with negative factors is a bound. It
     is convex on each side of x_j = 0, so largest where every x_j is -1, 0 or 1. Any t will do: from 0 on, t_j moves a
     half, a third, .. of the way to where the sum is largest, |x_j|
(5)  Coefficients M_ij, H_ijk and g_i: H_ijk = c_ijk, half of it for j < k. A bound of M_ij holds for M_ji too. Rounding
     is that at unit rates. Absolute: h = |error| <= bound. Relative: h = |error| - bound times the robot's coefficient
     <= 0. Those that are not named, also where both have none, are within one bound of their joint, c_ijk whole
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from torquec_check.boxes import Exceeds, Report, check_below
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.recursion import robot_degrees, robot_torques
from torquec_check.robot import Box, Robot
from torquec_check.rounding import DOUBLE, Precision, rounding_errors, unit_errors
from torquec_check.rows import UP, Array, Ball, Grid, Monomial, Rows, as_ball, grid_of, program_degrees, program_torques

_TANGENTS, _MOST_SPEEDS, _FAR, _AT_ONCE = 8, 8, 1.5, 100
"""Choices of t in (4); speeds, 3^n choices; how far above a limit no t but 0 is tried; points together, worst first."""
Row: TypeAlias = tuple[int, Monomial]
Floats: TypeAlias = Sequence[float]
Progress = Callable[[str, float], None]
"""A coefficient, by joint and monomial; numbers; a function that is called with a step and the part of it done."""


@dataclass(frozen=True)
class Difference:
    """Torques (n,) of the robot, and of robot minus program, in balls on a grid."""

    grid: Grid
    robot: list[Rows]
    error: list[Rows]


@functools.lru_cache(maxsize=1)
def difference(robot: Robot, program: Program, box: Box) -> Difference:
    """Robot minus program over the positions of a box; raises `RefusedError` where it is too large to check."""
    degrees = list(map(max, robot_degrees(robot), program_degrees(program, robot.turns)))
    grid = grid_of(robot.turns, degrees, box.lower, box.upper)
    own = robot_torques(robot, grid)
    return Difference(grid, own, [a - b for a, b in zip(own, motion_torques(program, grid), strict=True)])


def motion_torques(program: Program, grid: Grid) -> list[Rows]:
    """The torques of a program; raises `RefusedError` where one is of first degree in a speed."""
    torques = program_torques(program, grid)
    if any(len(key) == 1 and key[0] >= 0 for rows in torques for key in rows):
        raise RefusedError("a torque of the program is of first degree in a speed")
    return torques


@dataclass(frozen=True)
class CoefficientClaim:
    """A bound of one coefficient: family M, H or g, its indices from zero, absolute or relative."""

    family: str
    index: tuple[int, ...]
    relative: bool
    bound: float

    @property
    def name(self) -> str:
        """'M[1,2]', 'H[1,1,2]', 'g[2]', counted from one."""
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"

    def rows(self) -> list[Row]:
        """The rows that it is about, by joint and monomial; M[i,j] is about two."""
        first, *rest = self.index
        return list({(first, (~rest[0],)), (rest[0], (~first,))}) if self.family == "M" else [(first, tuple(rest))]


def check_torque_errors(
    robot: Robot, program: Program, box: Box, bounds: Floats, precision: Precision, progress: Progress
) -> Mapping[str, float]:
    """Raise `RefusedError` unless every bound (n,) [N m, N] is proven; gives the rounding in each."""
    rounded = rounding_errors(program, box, precision)
    return check_torques(robot.joints, difference(robot, program, box), box, bounds, rounded, progress)


def check_torques(
    joints: Sequence[str], errors: Difference, box: Box, bounds: Floats, rounded: Floats, progress: Progress
) -> Mapping[str, float]:
    """The same of torques with these errors and this rounding."""
    slacks = {}
    for name, bound, rounding, error in zip(joints, bounds, rounded, errors.error, strict=True):
        what, report = f"joint '{name}': the bound {bound:.6g}", functools.partial(progress, f"joint '{name}'")
        rates = {key: [Fraction(box.velocity[k] if k >= 0 else box.acceleration[~k]) for k in key] for key in error}
        rows = {key: ball * math.prod(rates[key], start=Fraction(1)) for key, ball in error.items()}
        slacks[name] = check_error(what, rows, errors.grid, bound, rounding, torque_exceeds, report)
    return slacks


def check_coefficients(
    robot: Robot, program: Program, box: Box, claims: Sequence[CoefficientClaim], others: Floats, progress: Progress
) -> None:
    """Raise `RefusedError` unless every claim is proven, and all other coefficients within the bound of their joint."""
    rounded, errors = unit_errors(program, box, DOUBLE), difference(robot, program, box)
    report, zero = functools.partial(progress, "coefficients"), as_ball(0.0)
    every = {(), *((~j,) for j in range(robot.n)), *itertools.combinations_with_replacement(range(robot.n), 2)}
    named = [(row, claim) for claim in claims for row in claim.rows()]
    for row, claim in named:
        check_claim(claim, errors, row, rounded[row[0]], report)
    for joint, rows in enumerate(errors.error):
        for key in (every | rows.keys()) - {key for (named_joint, key), _ in named if named_joint == joint}:
            name = f"{'gMH'[len(key)]}[{','.join(str(max(k, ~k) + 1) for k in (joint, *key))}]"
            what = f"{name} has no bound of its own, and that of its joint, {others[joint]:.6g},"
            error = {"error": rows.get(key, zero)}
            check_error(what, error, errors.grid, others[joint], rounded[joint], _row_exceeds, report)


def check_claim(claim: CoefficientClaim, errors: Difference, row: Row, rounding: float, report: Report) -> None:
    """(5) of one row; raises `RefusedError`."""
    joint, key = row
    part = 0.5 if len(key) == 2 and key[0] != key[1] else 1.0
    error, own = (rows[joint].get(key, as_ball(0.0)) * part for rows in (errors.error, errors.robot))
    what = f"{claim.name}: the bound {claim.bound:.6g}"
    rows = {"error": error, "allowed": own * claim.bound} if claim.relative else {"error": error}
    bound = 0.0 if claim.relative else claim.bound
    check_error(what, rows, errors.grid, bound, rounding, _row_exceeds, report)


def check_error(
    what: str, rows: Mapping[Any, Ball], grid: Grid, bound: float, rounding: float, exceeds: Exceeds, report: Report
) -> float:
    """Raise `RefusedError` unless h of the rows and rounding are at most the bound; gives rounding and noise in it."""
    try:
        return rounding + check_below(rows, grid, exceeds, bound - rounding * UP, report)
    except RefusedError as error:
        raise RefusedError(f"{what} is not proven: {error.found}; rounding may change it by {rounding:.6g}") from None


def _row_exceeds(keys: Sequence[str], rows: Array, limits: Array) -> bool:
    """Whether |error|, or |error| - bound coefficient (5), exceeds a limit (points,)."""
    terms = (np.abs(row) if key == "error" else -row for key, row in zip(keys, rows, strict=True))
    return not np.all(sum(terms) <= limits)


def torque_exceeds(monomials: Sequence[Monomial], rows: Array, limits: Array) -> bool:
    """Whether the sum of all magnitudes and (4), bounds of h of (3), both exceed the limits (points,) at a point."""
    sums = np.abs(rows).sum(axis=0)
    left = np.flatnonzero(~(sums <= limits))
    left = left[np.argsort(limits[left] - sums[left])]
    for some in (left[start : start + _AT_ONCE] for start in range(0, len(left), _AT_ONCE)):
        quick = by_tangents(monomials, rows[:, some], (1.0, -1.0), 1)
        if np.any(quick > _FAR * limits[some]):
            return True
        some = some[~(quick <= limits[some])]
        if len(some) and not np.all(by_tangents(monomials, rows[:, some]) <= limits[some]):
            return True
    return False


def by_tangents(
    monomials: Sequence[Monomial], rows: Array, speeds: Sequence[float] = (1.0, 0.0, -1.0), tangents: int = _TANGENTS
) -> Array:
    """(4); for one tangent, t = 0, which bends nothing at x_j = 0, the speeds -1 and 1 are enough."""
    kinds, keys = np.array([len(key) for key in monomials]), tuple(key for key in monomials if len(key) == 2)
    inertia, pairs, gravity = np.abs(rows[kinds == 1]).sum(axis=0), rows[kinds == 2], rows[kinds == 0].sum(axis=0)
    moving = sorted({j for pair in keys for j in pair})
    if len(moving) > _MOST_SPEEDS:
        return np.full(rows.shape[1], np.inf)
    sizes, products = _speeds(keys, tuple(speeds))
    squares, most = np.reshape([float(pair == (j, j)) for j in moving for pair in keys], (len(moving), len(keys))), []
    for signed in (pairs, -pairs):
        raised = forms = products @ signed
        down = np.maximum(squares @ -signed, 0.0)
        least, t = np.full(rows.shape[1], np.inf), np.zeros(down.shape)
        for step in range(tangents):
            t = t + (sizes[np.argmax(raised, axis=0)].T - t) / (step + 1.0) if step else t
            # At x_j = -1, 0, 1: d x^2 - d (2 t |x| - t^2) = d (1 - 2 t) |x| + d t^2.
            raised = forms + sizes @ (down * (1.0 - 2.0 * t))
            least = np.minimum(least, raised.max(axis=0) + (down * t * t).sum(axis=0))
        most.append(least)
    return np.asarray(inertia + np.maximum(most[0] + gravity, most[1] - gravity))


@functools.cache
def _speeds(pairs: tuple[Monomial, ...], values: tuple[float, ...]) -> tuple[Array, Array]:
    """Choices of the speeds, of opposite ones one only: magnitudes (choices, speeds), products of pairs."""
    moving = sorted({j for pair in pairs for j in pair})
    choices = np.array(list(itertools.product(values, repeat=len(moving))))
    choices = choices[: len(choices) // 2 + 1]
    products = [choices[:, moving.index(j)] * choices[:, moving.index(k)] for j, k in pairs]
    return np.abs(choices), np.array(products).reshape(len(pairs), len(choices)).T
