"""Search for replacements in a torque program: order of trials, and the pool of motions for fits.

(1)  replacements with predicted errors near the tolerance are tried in the order of operations saved per slack used at
     all joints; constants are fitted to the pool of motions by a coarse or a full fit
(2)  a sequence of shorter and shorter programs is a trail; its last one that can be fitted to its own worst motions is
     a stage

:mod:`torquec.simplification.prune` explains the method and its phases.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, evaluate, operation_cost
from torquec.foundation.arrays import Array
from torquec.proof.torque.torque_bounds import error_program, worst_motions
from torquec.robot.joints import PositionBasis
from torquec.simplification.degree_limit import DegreeLimit, DegreeRoom
from torquec.simplification.refactor import refactored
from torquec.simplification.refit_constants import foresee, refit_by_least_squares, refit_constants, values_at
from torquec.simplification.replacements import Replacement, replaced_together
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox, sampled_motions


@dataclass(frozen=True)
class PrunePhase:
    """Parameters of a pruning phase.

    Constants are fitted to the worst motions after `chunk` saved operations; until then errors may reach `room`
    tolerances. `together` replacements are tried at once. `forms` refactorings with their `patience` follow each fit.
    Replacements are tried if their predicted error is at most `foreseen`, by default `room`; with `earnest` they get a
    full fit. `tries` and `tries_of_a_step` limit consecutive failures: those of one step tend to fail together. After
    `failures` failed fits to the worst motions in a row the next phase begins.
    """

    chunk: int
    room: float
    together: int = 1
    forms: int = 2
    patience: int = 6
    foreseen: float | None = None
    earnest: bool = False
    tries: int = 24
    tries_of_a_step: int = 2
    failures: int = 4


_Place = tuple[int, int | None]


def _no_hurry() -> None:
    """No deadline."""


class PruneSearch:
    """The search's pool of motions, and the exact torques there."""

    def __init__(
        self,
        exact: Function,
        simplified: Function,
        bases: Sequence[PositionBasis],
        motions: MotionBox,
        tolerance: Array,
        seed: int,
        *,
        room: DegreeRoom | None,
    ) -> None:
        self.exact, self.motions, self.tolerance = exact, motions, tolerance
        self.look_at_time = _no_hurry
        self.limit = DegreeLimit(exact, simplified, bases, room)
        self._seed = 1000 * seed + 100
        rng = np.random.default_rng(seed)
        self.states = sampled_motions(motions, TUNING.pool_motions, rng=rng)
        self._chance, self._rng = TUNING.gain_perturbation if seed else 0.0, rng
        self.torques = self._exact_torques(self.states)
        self._largest_error(simplified)

    def _exact_torques(self, states: Array) -> Array:
        return evaluate(self.exact, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]

    def _largest_error(self, program: Function) -> float:
        """The largest error found, relative to the tolerance; its motions join the pool."""
        self._seed += 1
        error = error_program(self.exact, program)
        worst = worst_motions(error, self.motions, seed=self._seed, samples=TUNING.searched_motions)
        states = worst.states[:, : TUNING.worst_per_joint].reshape(-1, *worst.states.shape[2:])
        self.states = np.concatenate([self.states, states])
        self.torques = np.concatenate([self.torques, self._exact_torques(states)])
        return float((worst.found / self.tolerance).max())

    def fitted(self, program: Function) -> Function | None:
        """The program with constants fitted until its largest error is within the tolerance, or None."""
        for _ in range(TUNING.fits_per_trial):
            self.look_at_time()
            trial = refit_constants(
                program, self.states, self.torques, self.tolerance, self.limit.constants_to_fit(program)
            )
            if not self.limit.allows(trial):
                trial = program
            if self._error(trial, values_at(trial, self.states)) > 1.0:
                return None
            if self._largest_error(trial) <= 1.0:
                return trial
            program = trial
        return None

    def longest_fitted(self, trail: Sequence[Function]) -> Function | None:
        """The last program of a trail that can be fitted, found by bisection, or None (2)."""
        at = len(trail) - 1
        while True:
            accepted = self.fitted(trail[at])
            if accepted is not None or at == 0:
                return accepted
            at //= 2

    def factored_again(self, program: Function, forms: int, patience: int = 6) -> Function:
        """The shortest of some forms whose degrees are not harder to prove."""
        most = self.limit.points(program)

        def is_as_easy(trial: Function) -> bool:
            self.look_at_time()  # a large program takes many seconds
            return self.limit.points(trial) <= most

        seeds = self._rng.integers(1 << 30, size=forms)
        found = [refactored(program, seed=int(s), patience=patience, accept=is_as_easy) for s in seeds]
        return min(found, key=operation_cost)

    def stages_after(self, program: Function, phase: PrunePhase) -> Iterator[Function]:
        """Shorter and shorter programs, each fitted to its worst motions, until none is found (2)."""
        failures, failed = 0, set[_Place]()
        while failures < phase.failures and (trail := self.shorter(program, phase, failed)):
            accepted = self.longest_fitted([step for _, step in trail])
            if accepted is None:
                failures += 1
                failed.add(trail[0][0])
            else:
                program = self.factored_again(accepted, phase.forms, phase.patience)
                yield program
                failures = 0
                failed.clear()

    def shorter(self, program: Function, phase: PrunePhase, failed: set[_Place]) -> list[tuple[_Place, Function]]:
        """A trail of shorter programs, each with its (first) replacement, until enough operations are saved."""
        trail: list[tuple[_Place, Function]] = []
        current, enough = program, operation_cost(program) - phase.chunk
        while operation_cost(current) > enough:
            found = self._replaced(current, phase, failed if current is program else set())
            if found is None:
                break
            trail.append(found)
            current = found[1]
        return trail

    def _replaced(self, program: Function, phase: PrunePhase, failed: set[_Place]) -> tuple[_Place, Function] | None:
        """The best replacement whose prediction is confirmed by a fit, or None; others are added to `failed`."""
        self.look_at_time()
        room = phase.room
        states, torques = self._predicted_motions(program)
        here, foreseen = foresee(program, states, torques, self.tolerance, self.limit.constants_to_fit(program))
        most = phase.foreseen or room
        good = [one for one in foreseen if one.largest <= most and one.replacement.place not in failed]
        used = np.array([float(np.maximum(one.errors**2 - here**2, 0.0).sum()) for one in good])
        if phase.earnest:  # rank by the predicted error itself: can it come within the tolerance?
            used = np.array([one.largest for one in good]) - 0.9
        gains = np.array([one.replacement.saved for one in good]) / (np.maximum(used, 0.0) + TUNING.least_slack)
        gains *= np.exp(self._chance * self._rng.standard_normal(len(gains)))
        order = np.argsort(-gains, kind="stable")
        if phase.together > 1:
            harmless = [
                good[row].replacement for row in order[: TUNING.harmless_searched] if used[row] <= TUNING.harmless_slack
            ]
            if (several := self._several_replaced(program, harmless, phase)) is not None:
                return several
        broken: list[int] = []
        for replacement in self._allowed(program, [good[row].replacement for row in order]):
            if broken.count(replacement.step) == phase.tries_of_a_step:
                continue
            trial = replaced_together(program, [replacement])
            if operation_cost(trial) >= operation_cost(program):
                continue
            if (shorter := self._fitted_to_motions_met(trial, phase)) is not None:
                return replacement.place, shorter
            failed.add(replacement.place)
            broken.append(replacement.step)
            if len(broken) == phase.tries:
                break
        return None

    def _several_replaced(
        self, program: Function, harmless: Sequence[Replacement], phase: PrunePhase
    ) -> tuple[_Place, Function] | None:
        """The first replacements of different steps that keep degrees, all at once, or None."""
        chosen: dict[int, Replacement] = {}
        for replacement in self._allowed(program, harmless):
            chosen.setdefault(replacement.step, replacement)
            if len(chosen) == phase.together:
                break
        if len(chosen) < 2:
            return None
        first, *_ = together = list(chosen.values())
        if not all(self.limit.allows_replacing(program, [together])):
            return None
        trial = replaced_together(program, together)
        shorter = self._fitted_to_motions_met(trial, phase) if operation_cost(trial) < operation_cost(program) else None
        return None if shorter is None else (first.place, shorter)

    def _allowed(self, program: Function, chosen: Sequence[Replacement]) -> Iterator[Replacement]:
        """The replacements after which degrees are low enough for a proof."""
        for first in range(0, len(chosen), TUNING.degree_batch):
            some = chosen[first : first + TUNING.degree_batch]
            allowed = self.limit.allows_replacing(program, [[one] for one in some])
            yield from itertools.compress(some, allowed)

    def _fitted_to_motions_met(self, program: Function, phase: PrunePhase) -> Function | None:
        """The program after a coarse or full fit, where its errors stay within `room` of the phase; else None."""
        self.look_at_time()
        for fit in (refit_constants,) if phase.earnest else (refit_by_least_squares, refit_by_least_squares):
            program = fit(program, self.states, self.torques, self.tolerance, self.limit.constants_to_fit(program))
        return program if self._error(program, values_at(program, self.states)) <= phase.room else None

    def _predicted_motions(self, program: Function) -> tuple[Array, Array]:
        """Motions for predictions, and the exact torques there."""
        if len(self.states) <= TUNING.predicted_motions:
            return self.states, self.torques
        values = values_at(program, self.states)
        errors = [np.abs(values[k] - self.torques[:, i]) / self.tolerance[i] for i, k in enumerate(program.results[0])]
        worst = np.argsort(-np.max(errors, axis=0), kind="stable")[: 2 * TUNING.predicted_motions // 3]
        others = np.random.default_rng(len(self.states)).permutation(len(self.states))[: TUNING.predicted_motions // 3]
        rows = np.union1d(worst, others)
        return self.states[rows], self.torques[rows]

    def _error(self, function: Function, values: list[Any]) -> float:
        """The largest error over the pool of motions and all joints, in tolerances."""
        return max(
            float(np.abs(values[k] - self.torques[:, i]).max()) / float(self.tolerance[i])
            for i, k in enumerate(function.results[0])
        )
