"""Falsification of a tracking guarantee: search for the uncertain plant with the largest simulated error.

(1)  up to half of the runs are aligned with a joint, an instant and a sign (:mod:`torquec.simulation.attacked_loop`):
     body parameters at the vertex of their set, or the point of their ellipsoid, with the largest effect to first
     order, the payload likewise, every disturbance with the sign of the impulse response
(2)  half of the other runs draw everything at random, the rest change some choices of the worst run of a joint

Motions that come to rest are continued at rest, as the guarantee is. The ratio of the largest error to the proven bound
is below one where the guarantee holds; a ratio above one contradicts the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from torquec.control.controller import Controller
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.control.uncertainty import Uncertainty
from torquec.control.uncertainty_sets import payload_columns
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.foundation.work import Work, as_work
from torquec.robot.robot import Robot
from torquec.simulation.attacked_loop import WIDTH, AttackChoices, AttackedLoop, point_mass_parameters, unit_rows
from torquec.simulation.simulation_result import SimulationResult
from torquec.simulation.tuning import TUNING
from torquec.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class Attack:
    """The worst run: ratio of its largest error to the bound, joint, number of the run, and the plant.

    `errors`: the largest of that run by joint [rad or m]; `ratios`: the largest ratio of any run by joint,
    `sticking_ratios`: of those without presliding; `plant`: the choices in words; `result`: the run itself.
    """

    ratio: float
    joint: str
    run: int
    runs: int
    seed: int
    errors: dict[str, float]
    plant: dict[str, Any]
    ratios: dict[str, float]
    sticking_ratios: dict[str, float]
    result: SimulationResult = field(compare=False, repr=False)

    def to_document(self) -> dict[str, Any]:
        """As JSON values, without the run."""
        return {name: value for name, value in vars(self).items() if name != "result"}


def worst_plant(
    robot: Robot,
    law: Controller,
    motion: Trajectory,
    guarantee: TrackingGuarantee,
    uncertainty: Uncertainty,
    *,
    runs: int,
    seed: int = 0,
    work: Work | None = None,
) -> Attack:
    """Search the sets for the plant whose simulated error comes closest to the guaranteed bound, (1) and (2).

    `robot` is the nominal one, `law` computed torque for it. Raises `ArgumentError` without a valid guarantee, for no
    runs, and for speeds that are measured at some joints and differences at others.
    """
    if not guarantee.valid:
        raise ArgumentError(f"there is no guarantee to attack: {guarantee.reason}", remedy="state smaller sets")
    if runs < 1:
        raise ArgumentError(f"{runs} runs", remedy="give a positive whole number")
    if law.period is None:
        raise ArgumentError("the law has no sampling interval", remedy="give its period")
    bounds = np.array([bound.position for bound in guarantee.joints])
    longer = _continued(motion, law.period, guarantee)
    attacked = AttackedLoop(_with_efforts(robot, guarantee), law, longer, uncertainty, guarantee)
    search = _Search(attacked, np.random.default_rng(seed), runs)
    largest, sticking, worst, number = np.zeros(robot.n), np.zeros(robot.n), 0, 0
    with as_work(work).step("searching the sets for the worst robot") as step:
        for choices in search.groups():
            errors = np.divide(attacked.errors(choices), bounds)
            if errors.max() > largest.max():
                row, worst = (int(k) for k in np.unravel_index(int(np.argmax(errors)), errors.shape))
                found, number = choices.rows([row]), search.done + row
            search.learn(choices, errors)
            largest = np.maximum(largest, errors.max(axis=0))
            sticking = np.maximum(sticking, errors[choices.presliding == 0.0].max(axis=0, initial=0.0))
            step.show(search.done, runs, f"{largest.max():.2g} of the bound")
        result = attacked.result(found)
    names = robot.joint_names
    ratios, sticks = (dict(zip(names, each.tolist(), strict=True)) for each in (largest, sticking))
    plant, reached = attacked.words(found), float(largest.max())
    return Attack(reached, names[worst], number, runs, seed, result.max_error, plant, ratios, sticks, result)


@dataclass(eq=False)
class _Search:
    """The runs of (1) and (2), in groups; `best` is the worst run of each joint so far."""

    attacked: AttackedLoop
    rng: np.random.Generator
    runs: int
    done: int = 0
    best: list[AttackChoices | None] = field(default_factory=list)
    reached: Array = field(default_factory=lambda: np.zeros(0))

    def groups(self) -> Iterator[AttackChoices]:
        """Choices of all runs."""
        n, count = self.attacked.robot.n, len(self.attacked.loop[1]) - 1
        self.best, self.reached = [None] * n, np.zeros(n)
        stops = np.linspace(0, count, TUNING.aimed_instants + 1, dtype=int)[1:]
        aims = np.array([(j, k, sign) for k in stops for j in range(n) for sign in (1.0, -1.0)])
        aims = aims[self.rng.permutation(len(aims))]
        aimed = min(-(-self.runs // 2), 2 * len(aims))
        size = max(1, min(TUNING.runs_per_call, -(-self.runs // 4)))
        while self.done < self.runs:
            many = min(size, self.runs - self.done)
            if self.done < aimed:
                index = np.arange(self.done, self.done + many)
                yield self._aligned(aims[index % len(aims)], sticking=index >= len(aims))
            else:
                yield AttackChoices.joined([self._climbed() if k % 2 else self._random(1) for k in range(many)])
            self.done += many

    def learn(self, choices: AttackChoices, ratios: Array) -> None:
        """Keep the worst runs."""
        for j in range(len(self.best)):
            row = int(np.argmax(ratios[:, j]))
            if ratios[row, j] > self.reached[j]:
                self.best[j], self.reached[j] = choices.rows([row]), ratios[row, j]

    def _random(self, many: int) -> AttackChoices:
        a, rng = self.attacked, self.rng
        n, count = a.robot.n, len(a.loop[1]) - 1
        columns, ellipsoid = a.body_columns
        bodies = rng.choice([-1.0, 1.0], (many, columns.shape[1]))
        if ellipsoid:
            bodies = unit_rows(rng.normal(size=bodies.shape))
        friction, offset, start, speed = rng.choice([-1.0, 1.0], (4, many, n))
        aim = np.stack(
            [rng.integers(0, n, many), rng.integers(1, count + 1, many), rng.choice([-1.0, 1.0], many)], axis=1
        )
        centre, moments = unit_rows(rng.normal(size=(many, 3))), rng.choice([0.0, 1.0], (many, 3))
        mass = rng.choice([-1.0, 1.0], many)
        presliding = rng.choice([0.0, 1.0], many)
        return AttackChoices(bodies, mass, centre, moments, friction, presliding, offset, start, speed, aim)

    def _aligned(self, aims: Array, *, sticking: Mask) -> AttackChoices:
        """(1); where `sticking`, friction is at its largest throughout."""
        a, found = self.attacked, self._random(len(aims))
        columns, ellipsoid = a.body_columns
        for r, (joint, stop, sign) in enumerate(aims.tolist()):
            cost = sign * a.costs(int(joint), int(stop))
            ways = columns.T @ cost
            found.bodies[r] = unit_rows(ways[None])[0] if ellipsoid else np.where(ways < 0.0, -1.0, 1.0)
            if a.sets.payload is not None:
                found.mass[r], found.centre[r], found.moments[r] = self._payload(cost)
        signs = np.where(aims[:, 2:] < 0.0, -1.0, 1.0) * np.ones(a.robot.n)
        friction = np.where(sticking[:, None], np.ones_like(signs), 0.0)
        return replace(found, aim=aims, friction=friction, offset=signs, start=signs, speed=signs)

    def _payload(self, cost: Array) -> tuple[float, Array, Array]:
        """The end of the mass, the direction of the centre and the moments with the largest effect."""
        payload = self.attacked.sets.payload
        assert payload is not None
        carried = payload_columns(self.attacked.robot, payload)
        own = carried.units.T @ cost[WIDTH * carried.body : WIDTH * (carried.body + 1)]
        centre, moments = unit_rows(own[None, 6:9])[0], (own[[0, 3, 5]] > 0.0).astype(np.float64)
        effects = [
            float(point_mass_parameters(np.array([m]), payload.centre_within * centre[None])[0] @ own)
            for m in payload.mass
        ]
        return (1.0 if effects[1] >= effects[0] else -1.0), centre, moments

    def _climbed(self) -> AttackChoices:
        """The worst run of a joint with some choices changed; a random one where there is none."""
        joint = int(self.rng.integers(len(self.best)))
        parent, other, rng = self.best[joint], self._random(1), self.rng
        if parent is None:
            return other
        mixed = {}
        for item in fields(AttackChoices):
            old, new = getattr(parent, item.name), getattr(other, item.name)
            if item.name in ("centre", "aim") or (item.name == "bodies" and self.attacked.body_columns[1]):
                step = unit_rows(old + 0.5 * new) if item.name != "aim" else new
                mixed[item.name] = step if rng.random() < TUNING.changed_choices else old
            else:
                mixed[item.name] = np.where(rng.random(old.shape) < TUNING.changed_choices, new, old)
        return AttackChoices(**mixed)


def _continued(motion: Trajectory, period: float, guarantee: TrackingGuarantee) -> Trajectory:
    """The motion at the samples, and some time at rest after it where the guarantee covers that."""
    sampled = motion.sampled(period)
    count = math.ceil(TUNING.rest_part * (len(sampled) - 1)) if math.isinf(guarantee.end) else 0
    t = np.concatenate([sampled.t, sampled.t[-1] + period * np.arange(1, count + 1)])
    rest = np.zeros((count, sampled.n))
    q = np.concatenate([sampled.q, np.repeat(sampled.q[-1:], count, axis=0)])
    return Trajectory(sampled.joints, t, q, np.concatenate([sampled.qd, rest]), np.concatenate([sampled.qdd, rest]))


def _with_efforts(robot: Robot, guarantee: TrackingGuarantee) -> Robot:
    """The robot with the effort limits of the guarantee, which may differ from those of its file."""
    efforts = {bound.joint: bound.effort for bound in guarantee.joints}
    bodies = []
    for body in robot.bodies:
        effort = efforts.get(body.joint.name, body.joint.limits.effort)
        limits = replace(body.joint.limits, effort=effort)
        bodies.append(replace(body, joint=replace(body.joint, limits=limits)))
    return replace(robot, bodies=tuple(bodies))
