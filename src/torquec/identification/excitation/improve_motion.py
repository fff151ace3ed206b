"""Local optimisation of one excitation trajectory: augmented Lagrangians minimised by BFGS; one task of a worker.

(1)  augmented Lagrangians (`motion_basis`) are minimised one after the other, each with the multipliers updated from
     the one before; `powers` smooth the criterion, one per round, the last one in all further rounds
(2)  every motion that keeps its limits is a candidate for the best so far; results of several starts are merged as if
     they had been improved one after the other: the result does not depend on the assignment to workers

BFGS on some hundred variables:

(3)  step = -H g, H the inverse Hessian estimate:  H <- (I - s y'/y's) H (I - y s'/y's) + s s'/y's
(4)  along a step, a length with sufficient decrease and a flatter slope (weak Wolfe conditions) is found by doubling
     and bisection, which also serves functions with kinks (Lewis & Overton, 2013)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter
from torquec.identification.excitation.excitation_options import ExcitationOptions, MotionShape
from torquec.identification.excitation.motion_basis import (
    ExcitationProblem,
    FourierBasis,
    MotionBasis,
    Multipliers,
    SplineBasis,
)
from torquec.identification.excitation.motion_limits import motion_limits
from torquec.identification.excitation.regressor_information import RegressorInformation
from torquec.robot.robot import Robot

_DECREASE = 1e-4  # sufficient decrease (Armijo): usual value
_FLATTER = 0.9  # flatter slope (Wolfe): usual value
_TRIALS = 25  # of a step; two are usual

Function = Callable[[Array], tuple[float, Array]]
"""From x (m,) to a value and its gradient (m,)."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the search ended, the value there, and how many evaluations it took."""

    x: Array
    value: float
    evaluations: int


def minimise(function: Function, x: Array, *, evaluations: int, tolerance: float = 1e-6, step: float = 0.1) -> Minimum:
    """A local minimum near x (m,), (3), (4); ends after `evaluations`, or with a gradient below `tolerance`.

    `step` is the length of the first step tried.

    >>> found = minimise(lambda x: (float(x @ x), 2.0 * x), np.array([3.0, 4.0]), evaluations=20)
    >>> found.value < 1e-12
    True
    """
    value, slope = function(x)
    used, inverse, fresh = 1, np.eye(len(x)), True
    while used < evaluations and np.linalg.norm(slope) > tolerance:
        direction = -inverse @ slope
        descent = float(direction @ slope)
        if not descent < 0.0:
            inverse, fresh, direction, descent = np.eye(len(x)), True, -slope, -float(slope @ slope)
        length = min(1.0, step / float(np.linalg.norm(direction))) if fresh else 1.0
        found, tried = _wolfe(function, x, (value, descent), direction, length, evaluations - used)
        used += tried
        if found is None:
            if fresh:
                break  # no decrease along the negative gradient either
            inverse, fresh = np.eye(len(x)), True
            continue
        moved, value, new_slope = found
        s, y = moved - x, new_slope - slope
        x, slope = moved, new_slope
        curvature = float(s @ y)
        if curvature > 1e-12 * float(np.linalg.norm(s) * np.linalg.norm(y)):
            if fresh:
                inverse = np.eye(len(x)) * (curvature / float(y @ y))
            fresh = False
            hy = inverse @ y
            inverse = (
                inverse
                + np.outer(s, s) * ((curvature + float(y @ hy)) / curvature**2)
                - (np.outer(hy, s) + np.outer(s, hy)) / curvature
            )
    return Minimum(x, value, used)


def _wolfe(
    function: Function, x: Array, start: tuple[float, float], direction: Array, length: float, most: int
) -> tuple[tuple[Array, float, Array] | None, int]:
    """(4): the point, value and gradient, or None, and the evaluations it took."""
    value, descent = start
    low, high = 0.0, np.inf
    best: tuple[Array, float, Array] | None = None
    for trial in range(1, min(_TRIALS, most) + 1):
        moved = x + length * direction
        tried, slope = function(moved)
        if not tried <= value + _DECREASE * length * descent:
            high = length
        else:
            best = (moved, tried, slope)
            if float(slope @ direction) >= _FLATTER * descent:
                return best, trial
            low = length
        length = 0.5 * (low + high) if np.isfinite(high) else 2.0 * length
    return best, min(_TRIALS, most)


INNER = 120
"""Evaluations between two updates of the multipliers: about as many as there are coefficients."""
POWERS = (4.0, 8.0, 16.0, 32.0)
"""Powers p of the smooth criteria, one after the other: the higher, the nearer to the true criterion."""
_SLACK = 0.005  # tolerated excess over the usable share of limits: a tenth of the margin left for the proof
_PENALTY = 20.0  # c of (1) to begin with; it grows where limits are not kept
_STEEPER = 3.0  # growth of the penalty where an update does not halve the excess


@dataclass(eq=False)
class BestMotion:
    """The best motion within limits so far (2); `history` has evaluations and criterion of every improvement."""

    best: Array | None = None
    cost: float = math.inf
    done: int = 0
    history: list[tuple[int, float]] = field(default_factory=list)

    def note(self, x: Array, cost: float, excess: float) -> None:
        """Count a motion, and keep it where it is the best within limits."""
        self.done += 1
        if excess <= _SLACK and cost < self.cost:
            self.best, self.cost = x.copy(), cost
            self.history.append((self.done, cost))

    def add(self, later: BestMotion) -> None:
        """Merge the result of another search, as if it had followed this one."""
        better = [(self.done + number, cost) for number, cost in later.history if cost < self.cost]
        self.history += better
        self.done += later.done
        if better:
            self.best, self.cost = later.best, later.cost

    def forget(self) -> None:
        """Discard the best motion; the number of evaluations is kept."""
        self.best, self.cost = None, math.inf
        self.history.clear()


_LATEST: list[tuple[Robot, ExcitationOptions, ExcitationProblem]] = []
"""Cache of the last problem in this process: compiling its programs takes longer than improving a start."""


def excitation_problem(robot: Robot, options: ExcitationOptions) -> ExcitationProblem:
    """The optimisation problem of a robot and options."""
    for known, asked, made in _LATEST:
        if known == robot and asked == options:
            return made
    problem = ExcitationProblem(
        RegressorInformation(robot, options.friction),
        motion_limits(
            robot,
            acceleration=options.acceleration,
            rules=options.rules,
            effort=options.effort,
            uncertainty=options.uncertainty,
        ),
        _basis(options),
        options.criterion,
    )
    _LATEST[:] = [(robot, options, problem)]
    return problem


@dataclass(frozen=True, eq=False)
class MotionStart:
    """Task of a worker: a motion to improve, x (P, n), the number of evaluations and the usable share of limits."""

    robot: Robot
    options: ExcitationOptions
    x: Array
    evaluations: int
    room: float
    powers: tuple[float, ...] = POWERS


def improve_motion(start: MotionStart, *, meter: Meter) -> BestMotion:
    """Improve a motion from one start (1); `meter` gets the evaluations."""
    with one_thread():
        problem, found = excitation_problem(start.robot, start.options), BestMotion()
        x, budget, room = start.x, start.evaluations, start.room
        multipliers = Multipliers(problem.free(room).values, _PENALTY, room)
        excess = math.inf
        for round_number in range(budget):
            count = min(INNER, budget - 1)
            if count < 2:
                break
            power = start.powers[min(round_number, len(start.powers) - 1)]
            minimum = minimise(_function(problem, multipliers, power, found), x.ravel(), evaluations=count)
            x = minimum.x.reshape(problem.shape)
            budget -= minimum.evaluations + 1
            shares = problem.shares(x)
            before, excess = excess, float(shares.max()) - room
            steeper = _STEEPER if excess > max(0.5 * before, 1e-3) else 1.0
            multipliers = multipliers.updated(shares, multipliers.penalty * steeper)
            _note_within(problem, found, x, shares, room)
            meter(float(found.done), float(start.evaluations))
        return found


def nearest_within(start: MotionStart) -> Array:
    """The motion (P, n) near a start that violates its limits least, without regard to excitation."""
    with one_thread():
        problem = excitation_problem(start.robot, start.options)
        multipliers = Multipliers(problem.free(start.room).values, 1.0, start.room)

        def function(flat: Array) -> tuple[float, Array]:
            found = problem.lagrangian(flat.reshape(problem.shape), multipliers, power=None)
            return found.value, found.gradient.ravel()

        return minimise(function, start.x.ravel(), evaluations=start.evaluations).x.reshape(problem.shape)


def _function(
    problem: ExcitationProblem, multipliers: Multipliers, power: float, best: BestMotion
) -> Callable[[Array], tuple[float, Array]]:
    def function(flat: Array) -> tuple[float, Array]:
        x = flat.reshape(problem.shape)
        found = problem.lagrangian(x, multipliers, power=power)
        best.note(x, found.criterion, found.share - multipliers.room)
        return found.value, found.gradient.ravel()

    return function


def _note_within(problem: ExcitationProblem, best: BestMotion, x: Array, shares: Array, room: float) -> None:
    """Record a motion after scaling every joint toward the middle of its range, until its own limits are kept."""
    n = problem.shape[1]
    uses = shares[:, : 3 * n].max(axis=0).reshape(3, n).max(axis=0)
    drawn = x * np.minimum(1.0, room / np.maximum(uses, room))
    best.note(drawn, problem.value(drawn), float(problem.shares(drawn).max()) - room)


def _basis(options: ExcitationOptions) -> MotionBasis:
    if options.shape is MotionShape.SPLINE:
        return SplineBasis(options.duration, options.waypoints)
    return FourierBasis(options.duration, options.harmonics)
