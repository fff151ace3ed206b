"""Motions that tell the parameters of a robot apart, within everything that it must keep.

(1)  many random motions, each shrunk until it keeps its limits, are ranked by the criterion
(2)  the best of them are improved by minimising augmented Lagrangians with exact gradients, the very best for longest
(3)  what comes out is proved to keep its limits at every instant; where that fails, it is improved again with less room
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError, SpecificationError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, WorkStep, as_work
from torquec.identification.excitation.criterion import Criterion
from torquec.identification.excitation.excitation_problem import ExcitationProblem, Multipliers
from torquec.identification.excitation.limit_proof import LimitProof, limit_proof
from torquec.identification.excitation.motion_basis import FourierBasis, MotionBasis, SplineBasis
from torquec.identification.excitation.motion_limits import motion_limits
from torquec.identification.excitation.quasi_newton import minimise
from torquec.identification.excitation.regressor_information import RegressorInformation, regressor_conditions
from torquec.identification.excitation.workspace import WorkspaceRule
from torquec.identification.torque.torque_columns import FrictionModel
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.trajectory.trajectory import Trajectory, trajectory_of

_ROOMS = (0.95, 0.9, 0.8)
"""Of every limit: how much a motion may use at its samples; less where the proof between them fails."""
_SLACK = 0.005
"""How far beyond the room an iterate may be and still count: a tenth of what the room keeps free for the proof."""
_SCREENED = 40  # random motions, five for each that is improved
_WORTHWHILE = 100
"""With fewer evaluations than this only (1) is done: compiling gradients takes longer."""
_STARTS = 8  # that are improved: maxima are local
_LEAST = 150
"""Evaluations that a start needs at the least: one round of `_INNER`, and some to see whether it helped."""
_INNER = 120  # evaluations between two updates of the multipliers: about as many as there are coefficients
_PENALTY = 20.0  # c of (3) to begin with; it grows where limits are not kept
_STEEPER = 3.0  # times the penalty where an update does not halve the excess
_POWERS = (4.0, 8.0, 16.0, 32.0)  # of smooth criteria, one after the other: the higher, the nearer to the true one
_SHRINK = (1.0, 0.7, 0.5, 0.3, 0.15, 0.05)  # of (1): torques and distances are no multiples of the motion
_SAID_EVERY = 500  # motions between two notes of progress


class MotionShape(StrEnum):
    """What a motion is made of."""

    FOURIER = "fourier"
    SPLINE = "spline"


@dataclass(frozen=True)
class ExcitationOptions:
    """`duration` [s] of the motion, `harmonics` of a Fourier series or `waypoints` of a spline, largest `acceleration`
    [rad/s^2 or m/s^2], friction columns to excite too, `rules` about frames; how many `evaluations`, which `seed`, and
    the sampling `period` [s] of what is returned.
    """

    duration: float = 10.0
    harmonics: int = 5
    acceleration: float = math.inf
    criterion: Criterion = Criterion.CONDITION
    evaluations: int = 3000
    seed: int = 0
    period: float = 0.005
    shape: MotionShape = MotionShape.FOURIER
    waypoints: int = 12
    friction: FrictionModel = FrictionModel.NONE
    rules: tuple[WorkspaceRule, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "criterion", chosen(Criterion, self.criterion, "criterion"))
        object.__setattr__(self, "shape", chosen(MotionShape, self.shape, "shape of motion"))
        object.__setattr__(self, "friction", chosen(FrictionModel, self.friction, "friction model"))


@dataclass(frozen=True, eq=False)
class Excitation:
    """The motion, the condition numbers of its regressor (plain, unit columns), and whether it keeps every limit.

    `limits_kept` is proved for every instant of the motion's formula. `shares`: the largest share of every limit by
    name; `history`: evaluations and the criterion of the best motion so far; `parameters`: what is excited, by name;
    `assumed`: limits that the robot's file does not give.
    """

    trajectory: Trajectory
    condition: float
    unit_condition: float
    limits_kept: bool
    shares: dict[str, float] = field(default_factory=dict)
    history: tuple[tuple[int, float], ...] = ()
    parameters: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


_DEFAULT = ExcitationOptions()


def excitation(source: Robot | Model, *, options: ExcitationOptions = _DEFAULT, work: Work | None = None) -> Excitation:
    """A motion that excites the base parameters of a robot, or of a model of one, at rest where it begins and ends.

    Raises `ArgumentError` for options that cannot be and for a model that follows a program, which has no parameters to
    excite; `SpecificationError`, with the limits that stand in the way, where no motion keeps them all.
    """
    model = as_model(source)
    robot = model.robot
    if model.kind.follows_program:
        raise ArgumentError(
            f"a motion excites parameters of bodies, and this model ({model.kind.value}) is a program without any",
            where=f"robot '{robot.name}'",
            remedy="give the robot: model.robot",
        )
    _check(robot, options)
    problem = ExcitationProblem(
        RegressorInformation(robot, options.friction),
        motion_limits(robot, acceleration=options.acceleration, rules=options.rules),
        _basis(options),
        options.criterion,
    )
    with one_thread(), as_work(work).step("searching a motion", whole=float(options.evaluations)) as step:
        search = _Search(problem, options.evaluations, step)
        x, proof = search.run(np.random.default_rng(options.seed))
        motion = problem.basis.motion(problem.coefficients(x))
        trajectory = trajectory_of(motion, joints=robot.joint_names, period=options.period)
        plain, unit = regressor_conditions(problem.information.rows(trajectory.at(trajectory.t)))
    return Excitation(
        trajectory,
        plain,
        unit,
        proof.kept,
        dict(zip(problem.limits.names, map(float, proof.peaks), strict=True)),
        tuple(search.history),
        problem.information.names,
        problem.limits.assumed,
    )


class _Search:
    """(1)-(3), and the best motion so far: a search remembers."""

    def __init__(self, problem: ExcitationProblem, evaluations: int, step: WorkStep) -> None:
        self.problem, self.left, self.step, self.said = problem, evaluations, step, 0
        self.done = 0
        self.best: Array | None = None
        self.cost = math.inf
        self.history: list[tuple[int, float]] = []

    def run(self, rng: np.random.Generator) -> tuple[Array, LimitProof]:
        """The best motion found, and the proof that it keeps its limits."""
        starts = self._starts(rng)
        if self.best is None:
            starts = self._kept(starts)
        share = max(2 * self.left // (3 * len(starts)), 1)
        for start in starts:
            self._improve(start, min(share, self.left), _ROOMS[0])
        if self.best is not None:
            self._improve(self.best, self.left, _ROOMS[0], powers=_POWERS[-2:])
        broken = self._exceeding(starts[0], _ROOMS[0])
        for room in _ROOMS:
            if self.best is not None:
                x = self.best
                proof = limit_proof(self.problem.basis.motion(self.problem.coefficients(x)), self.problem.limits)
                if proof.kept:
                    return x, proof
                broken = list(proof.broken)
            begin = starts[0] if self.best is None else self.best
            self.best, self.cost = None, math.inf
            self.history.clear()
            self._improve(begin, 5 * _INNER, room - 0.05)
        raise self._refusal(broken)

    def _starts(self, rng: np.random.Generator) -> list[Array]:
        """(1): the best first."""
        ranked: list[tuple[float, float, int, Array]] = []
        for _ in range(_SCREENED if self.left >= _WORTHWHILE else self.left):
            x = self._random(rng)
            excess = float(self.problem.shares(x).max()) - _ROOMS[0]
            cost = self.problem.value(x)
            self._note(x, cost, excess)
            ranked.append((max(excess, 0.0), cost, len(ranked), x))
        ranked.sort(key=lambda entry: entry[:3])
        return [entry[3] for entry in ranked[: min(_STARTS, max(1, self.left // _LEAST))]]

    def _random(self, rng: np.random.Generator) -> Array:
        """A random motion, each joint scaled to its limits, all of them shrunk until the others are kept."""
        problem, n = self.problem, self.problem.shape[1]
        x = problem.basis.random(rng, n)
        state = problem.state(x)
        low, high = (end((state.q - problem.limits.middle) / problem.limits.half, axis=0) for end in (np.min, np.max))
        shares = problem.limits.shares(state)[:, n : 3 * n].max(axis=0).reshape(2, n)
        reach = _ROOMS[0] * rng.uniform(0.6, 1.0, size=n)
        size = reach / np.maximum(np.maximum(0.5 * (high - low), shares.max(axis=0)), 1e-12)
        place = rng.uniform(-1.0, 1.0, size=n)
        moved = x
        for shrink in _SHRINK:
            scale = shrink * size
            room = np.maximum(_ROOMS[0] - 0.5 * scale * (high - low), 0.0)
            moved = problem.basis.shifted(x * scale, place * room - 0.5 * scale * (high + low))
            if float(problem.shares(moved).max()) <= _ROOMS[0]:
                break
        return moved

    def _improve(self, x: Array, budget: int, room: float, *, powers: tuple[float, ...] = _POWERS) -> None:
        """(2), from x, with so many evaluations; `powers` smooth the criterion, one a round, then the last."""
        problem = self.problem
        multipliers = Multipliers(problem.free(room).values, _PENALTY, room)
        excess = math.inf
        for round_number in range(budget):
            count = min(_INNER, budget - 1)
            if count < 2:
                break
            power = powers[min(round_number, len(powers) - 1)]
            found = minimise(self._function(multipliers, power), x.ravel(), evaluations=count)
            x = found.x.reshape(problem.shape)
            budget -= found.evaluations + 1
            shares = problem.shares(x)
            before, excess = excess, float(shares.max()) - room
            steeper = _STEEPER if excess > max(0.5 * before, 1e-3) else 1.0
            multipliers = multipliers.updated(shares, multipliers.penalty * steeper)
            self._note_within(x, shares, room)
            self._tell()

    def _tell(self) -> None:
        """How far the search is and, from time to time, the criterion of the best motion."""
        note = ""
        if self.done - self.said >= _SAID_EVERY and math.isfinite(self.cost):
            self.said = self.done
            determinant = self.problem.criterion is Criterion.DETERMINANT
            note = (
                f"-log det / b {self.cost:.4g}"
                if determinant
                else f"{self.problem.criterion} {math.exp(self.cost):.4g}"
            )
        self.step.show(float(self.done), note=note)

    def _function(self, multipliers: Multipliers, power: float) -> Callable[[Array], tuple[float, Array]]:
        def function(flat: Array) -> tuple[float, Array]:
            x = flat.reshape(self.problem.shape)
            found = self.problem.lagrangian(x, multipliers, power=power)
            self._note(x, found.criterion, found.share - multipliers.room)
            return found.value, found.gradient.ravel()

        return function

    def _note_within(self, x: Array, shares: Array, room: float) -> None:
        """Keep what becomes of a motion beyond its limits once every joint is drawn to its middle as far as needed."""
        n = self.problem.shape[1]
        uses = shares[:, : 3 * n].max(axis=0).reshape(3, n).max(axis=0)
        drawn = x * np.minimum(1.0, room / np.maximum(uses, room))
        self._note(drawn, self.problem.value(drawn), float(self.problem.shares(drawn).max()) - room)

    def _note(self, x: Array, cost: float, excess: float) -> None:
        """Count, and keep the best motion within limits."""
        self.done, self.left = self.done + 1, self.left - 1
        if excess <= _SLACK and cost < self.cost:
            self.best, self.cost = x.copy(), cost
            self.history.append((self.done, cost))

    def _kept(self, starts: list[Array]) -> list[Array]:
        """Motions near these that keep all limits; raises `SpecificationError`, with those in the way, for none."""
        problem = self.problem
        multipliers = Multipliers(problem.free(_ROOMS[0]).values, 1.0, _ROOMS[0])

        def function(flat: Array) -> tuple[float, Array]:
            found = problem.lagrangian(flat.reshape(problem.shape), multipliers, power=None)
            return found.value, found.gradient.ravel()

        nearest = [
            minimise(function, start.ravel(), evaluations=5 * _INNER).x.reshape(problem.shape) for start in starts
        ]
        nearest.sort(key=lambda x: float(problem.shares(x).max()))
        if exceeding := self._exceeding(nearest[0], 1.0):
            raise self._refusal(exceeding)
        for x in nearest:
            self._note(x, problem.value(x), float(problem.shares(x).max()) - _ROOMS[0])
        return nearest

    def _exceeding(self, x: Array, share: float) -> list[str]:
        """The limits of which a motion uses more than a share, and how much, in words."""
        shares = self.problem.shares(x).max(axis=0)
        return [self.problem.limits.excess(int(k), float(shares[k])) for k in np.flatnonzero(shares > share)]

    def _refusal(self, limits: list[str]) -> SpecificationError:
        return SpecificationError(
            f"no motion of {self.problem.basis.duration:g} s was found that keeps {', '.join(limits)}",
            where=self.problem.limits.robot.source,
            remedy="relax what is named, or give a longer duration or more evaluations",
        )


def _basis(options: ExcitationOptions) -> MotionBasis:
    if options.shape is MotionShape.SPLINE:
        return SplineBasis(options.duration, options.waypoints)
    return FourierBasis(options.duration, options.harmonics)


def _check(robot: Robot, options: ExcitationOptions) -> None:
    if robot.n == 0:
        raise ArgumentError(f"robot '{robot.name}' has no joint to move", remedy="give a robot with joints")
    if options.harmonics < 2 or options.waypoints < 4 or options.evaluations < 1:
        raise ArgumentError(
            "an excitation has at least two harmonics, four way-points and one evaluation", remedy="change the options"
        )
    if not (0.0 < options.duration < math.inf and 0.0 < options.period < options.duration):
        raise ArgumentError(
            f"a motion of {options.duration:g} s with a sample every {options.period:g} s",
            remedy="give a positive duration, and a shorter positive period",
        )
    if not options.acceleration > 0.0:
        raise ArgumentError(f"a largest acceleration of {options.acceleration:g}", remedy="give a positive number")
