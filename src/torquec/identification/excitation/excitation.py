"""Optimal excitation trajectories for identification, within the limits of the robot; simulated logs of them.

(1)  many random motions, each scaled down until it keeps its limits, are ranked by the criterion
(2)  the best of them are improved by minimising augmented Lagrangians with exact gradients (`improve_motion`), each by
     itself, in this process or by the workers of a `Work`; the best one longest
(3)  the result is proved to keep its limits at every instant; where that fails, it is optimised again with a larger
     margin to the limits

`simulated_log` simulates a log with the robot's own model, to test a procedure before the robot moves:

(4)  tau = total torque of the model along a motion, plus white noise whose deviation is a share of each joint's torque
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

from torquec.errors import ArgumentError, SpecificationError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, WorkStep, as_work
from torquec.identification.excitation.excitation_options import Criterion, ExcitationOptions
from torquec.identification.excitation.improve_motion import (
    INNER,
    POWERS,
    BestMotion,
    MotionStart,
    excitation_problem,
    improve_motion,
    nearest_within,
)
from torquec.identification.excitation.motion_limits import LimitProof, limit_proof
from torquec.identification.excitation.regressor_information import regressor_conditions
from torquec.model.model import Model, as_model, compile
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import Trajectory, trajectory_of

_TRIES = 60  # evaluations: enough for an acceptable motion, not the best


def simulated_log(robot: Robot, motion: Trajectory | None = None, *, noise: float = 0.01, seed: int = 0) -> Log:
    """The log (4) of a motion (one that excites the robot unless given); `noise` is relative.

    Raises `ArgumentError` for noise that is negative or not finite, `RobotError` for a robot without inertias.
    """
    if not 0.0 <= noise < np.inf:
        raise ArgumentError(f"noise of {noise}", remedy="give zero or more, as a share of the torques")
    if motion is None:
        options = ExcitationOptions(evaluations=_TRIES, seed=seed, period=0.01)
        motion = excitation(robot, options=options).trajectory
    rng = np.random.default_rng(seed)
    tau = np.asarray(compile(robot).total_torque(motion.q, motion.qd, motion.qdd))
    tau = tau + noise * np.sqrt((tau**2).mean(axis=0)) * rng.normal(size=tau.shape)
    return Log(robot.joint_names, motion.t, motion.q, tau, motion.qd, source="simulated")


_ROOMS = (0.95, 0.9, 0.8)
"""Share of every limit that a motion may use at its samples; a smaller one where the proof between samples fails."""
_SCREENED = 40  # random motions, five for each that is improved
_WORTHWHILE = 100
"""With fewer evaluations than this only (1) is done: compiling gradients takes longer."""
_STARTS = 8  # starts that are improved: optima are local
_LEAST = 150
"""Fewest evaluations per start: one round of `INNER`, and some to see whether it helped."""
_FEWEST = 3  # evaluations below which improving is pointless
_SHRINK = (1.0, 0.7, 0.5, 0.3, 0.15, 0.05)  # scale factors of (1): torques and distances do not scale linearly


@dataclass(frozen=True, eq=False)
class Excitation:
    """Excitation trajectory, condition numbers of its regressor (plain, unit columns), whether it keeps every limit.

    `limits_kept` is proved for every instant of the motion's formula. `shares`: the largest used share of every limit
    by name; `history`: evaluations and criterion of the best motion so far; `parameters`: names of those excited;
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
    """Optimal excitation trajectory for the base parameters of a robot or model, from rest to rest.

    Raises `ArgumentError` for invalid options and for a model that follows a program, which has no parameters to
    excite; `SpecificationError`, with the violated limits, where no motion keeps them all. Starts are
    optimised in parallel on the executor of `work`, with the same result.
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
    work = as_work(work)
    with one_thread(), work.step("searching a motion", whole=float(options.evaluations)) as step:
        problem = excitation_problem(robot, options)
        search = _Search(robot, options, work, step)
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
        tuple(search.found.history),
        problem.information.names,
        problem.limits.assumed,
    )


class _Search:
    """The search (1)-(3), with the best motion so far as state."""

    def __init__(self, robot: Robot, options: ExcitationOptions, work: Work, step: WorkStep) -> None:
        self.robot, self.options, self.work, self.step = robot, options, work, step
        self.problem = excitation_problem(robot, options)
        self.found = BestMotion()

    @property
    def left(self) -> int:
        """Number of remaining evaluations."""
        return self.options.evaluations - self.found.done

    def run(self, rng: np.random.Generator) -> tuple[Array, LimitProof]:
        """The best motion found, and the proof that it keeps its limits."""
        found = self.found
        starts = self._starts(rng)
        if found.best is None:
            starts = self._kept(starts)
        share = max(2 * self.left // (3 * len(starts)), 1)
        if share >= _FEWEST:
            self._improve("improving the best motions", [self._start(x, share) for x in starts])
        if found.best is not None and self.left >= _FEWEST:
            longer = self._start(found.best, self.left, powers=POWERS[-2:])
            self._improve("improving the very best motion", [longer])
        broken = self._exceeding(starts[0], _ROOMS[0])
        for room in _ROOMS:
            if found.best is not None:
                x = found.best
                proof = limit_proof(self.problem.basis.motion(self.problem.coefficients(x)), self.problem.limits)
                if proof.kept:
                    return x, proof
                broken = list(proof.broken)
            begin = starts[0] if found.best is None else found.best
            found.forget()
            again = dataclasses.replace(self._start(begin, 5 * INNER), room=room - 0.05)
            self._improve("improving with more room", [again])
        raise self._refusal(broken)

    def _start(self, x: Array, evaluations: int, *, powers: tuple[float, ...] = POWERS) -> MotionStart:
        return MotionStart(self.robot, self.options, x, evaluations, _ROOMS[0], powers)

    def _improve(self, name: str, starts: list[MotionStart]) -> None:
        """(2): each start by itself, in this process or a worker; results are added in the order of the starts."""
        for later in self.work.map(name, improve_motion, starts, kept=False, metered=True):
            self.found.add(later)
        self.step.show(float(self.found.done), note=self._told())

    def _told(self) -> str:
        """The criterion of the best motion so far, as text."""
        if not math.isfinite(self.found.cost):
            return ""
        if self.problem.criterion is Criterion.DETERMINANT:
            return f"-log det / b {self.found.cost:.4g}"
        return f"{self.problem.criterion} {math.exp(self.found.cost):.4g}"

    def _starts(self, rng: np.random.Generator) -> list[Array]:
        """(1): the best first."""
        ranked: list[tuple[float, float, int, Array]] = []
        for _ in range(_SCREENED if self.left >= _WORTHWHILE else self.left):
            x = self._random(rng)
            excess = float(self.problem.shares(x).max()) - _ROOMS[0]
            cost = self.problem.value(x)
            self.found.note(x, cost, excess)
            ranked.append((max(excess, 0.0), cost, len(ranked), x))
        ranked.sort(key=lambda entry: entry[:3])
        return [entry[3] for entry in ranked[: min(_STARTS, max(1, self.left // _LEAST))]]

    def _random(self, rng: np.random.Generator) -> Array:
        """A random motion, each joint scaled to its own limits, then all joints until the other limits are kept."""
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

    def _kept(self, starts: list[Array]) -> list[Array]:
        """Motions near these that keep all limits; raises `SpecificationError`, with the violated limits, for none."""
        problem = self.problem
        tasks = [self._start(x, 5 * INNER) for x in starts]
        nearest = list(self.work.map("searching for motions within the limits", nearest_within, tasks, kept=False))
        nearest.sort(key=lambda x: float(problem.shares(x).max()))
        if exceeding := self._exceeding(nearest[0], 1.0):
            raise self._refusal(exceeding)
        for x in nearest:
            self.found.note(x, problem.value(x), float(problem.shares(x).max()) - _ROOMS[0])
        return nearest

    def _exceeding(self, x: Array, share: float) -> list[str]:
        """The limits of which a motion uses more than a share, and how much, as text."""
        shares = self.problem.shares(x).max(axis=0)
        return [self.problem.limits.excess(int(k), float(shares[k])) for k in np.flatnonzero(shares > share)]

    def _refusal(self, limits: list[str]) -> SpecificationError:
        return SpecificationError(
            f"no motion of {self.problem.basis.duration:g} s was found that keeps {', '.join(limits)}",
            where=self.problem.limits.robot.source,
            remedy="relax what is named, or give a longer duration or more evaluations",
        )


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
    if not (0.0 < options.effort <= 1.0 and 0.0 <= options.uncertainty < 1.0):
        raise ArgumentError(
            f"an effort of {options.effort:g} with masses and friction {options.uncertainty:.0%} off",
            remedy="give an effort above 0, up to 1, and an uncertainty from 0 to below 1",
        )
    if not options.acceleration > 0.0:
        raise ArgumentError(f"a largest acceleration of {options.acceleration:g}", remedy="give a positive number")
