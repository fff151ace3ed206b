"""Pruning of a torque program: steps replaced by what is there already, where the torques hardly change.

(1)  a term of a sum is left out, a step becomes a number or a multiple of another one, and what only it needed
     disappears with it (:mod:`torquec.simplification.replacements`)
(2)  greedily: of all replacements whose error, after a fit of the constants that is foreseen
     (:mod:`torquec.simplification.foresight`), stays near the tolerance, the one with most operations saved for the
     room that it takes from every joint; it is tried, with a quick fit, before the next one is looked for
(3)  after a few of them the constants are fitted to the worst motions of the new program, which join those met; where
     that does not lead below the tolerance, half of the replacements are taken back, and so on
(4)  what goes first decides what can go later: the programs on the way are stages, from any of which another descent
     may begin, with other motions and gains changed by chance
(5)  at first several replacements that take hardly any room are tried at once
(6)  what is left after a trial is factored again (:mod:`torquec.simplification.refactor`): a recursion of which little
     is left is seldom the shortest form of it
(7)  nothing is replaced or fitted that a proof could not manage (:mod:`torquec.simplification.degree_limit`)

The program stays linear in the accelerations and quadratic in the speeds, so its error can be bounded like any other.
Its degree in the joints' sines and cosines may rise, because what cancelled in a whole sum need not cancel in a part;
replacements that raise it above what a proof can manage are not made.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.errors import TimeLimitError
from torquec.expr import Function, count_operations, evaluate
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.proof.worst_motions import error_program, worst_motions
from torquec.simplification.degree_limit import DegreeLimit, DegreeRoom
from torquec.simplification.foresight import foresee
from torquec.simplification.refactor import refactored
from torquec.simplification.refit_constants import refit_by_least_squares, refit_constants, values_at
from torquec.simplification.replacements import Replacement, replaced_together
from torquec.trajectory.motion_box import MotionBox, sampled_motions

_SAMPLES, _TRIED = 500, 100_000
"""Motions met at first, and tried in each search for the worst."""

_WORST = 12
"""Motions of each joint that join those met, per search for the worst."""


@dataclass(frozen=True)
class _Phase:
    """The operations to save before constants are fitted to the worst motions, how much of the tolerance errors may
    reach until then, how many replacements may be tried at once (5), and how often what is left is factored again after
    a trial, with which patience (6).
    """

    chunk: int
    room: float
    together: int = 1
    forms: int = 2
    patience: int = 6


_PHASES = (_Phase(12, 1.1, together=6, forms=1, patience=1), _Phase(4, 1.1), _Phase(1, 1.15))
"""First replacements that save many operations together, then few, then single ones; the last one again and again while
that helps."""

_LAST_FORMS = 8
"""How often a program is factored again at the end; the shortest form counts (6)."""

_HARMLESS = 0.03
"""Room of a replacement that may be tried with others at once, in tolerances squared (5)."""

_MOST_HARMLESS = 500
"""Replacements that are looked through for those."""

_AT_ONCE = 64
"""Replacements whose degrees are looked at together."""

_FAILURES = 4
"""Trials in a row that may fail before the next phase begins."""

_FITS = 8
"""Fits of the constants for one trial: each is against the worst motions of the one before."""

_LOOKED_AT = 700
"""Motions at which replacements are foreseen, where more are met: two of three are those of the largest errors."""

_BROKEN_PROMISES, _OF_ONE_STEP = 24, 2
"""Replacements that may turn out worse than foreseen, one after the other, before no other one is looked for; and how
many of them may be replacements of the same step, which tend to fail together."""

_CHANCE = 0.4
"""By how much gains of replacements are changed by chance, in their logarithm, in all descents but the first."""

_SMALLEST_USE = 0.02
"""Room that every replacement is taken to use, in tolerances: of those that use none, the one that saves most wins."""


def prune_within(
    exact: Function,
    simplified: Function,
    prismatic: Sequence[bool],
    motions: MotionBox,
    tolerance: Sequence[float],
    *,
    seed: int = 0,
    room: DegreeRoom | None = None,
    meter: Meter = silent,
) -> list[Function]:
    """`simplified` pruned in stages, largest errors against `exact` that can be found below the tolerances; last the
    shortest.

    Another `seed` may save more, or less (4); a `room` keeps degrees lower (7). A meter that stops it
    (`TimeLimitError`) gets what is pruned by then.
    """
    start, done = max(_price(simplified), 1), 0.0
    stages = [simplified]
    with one_thread(), suppress(TimeLimitError):
        meter(done, len(_PHASES))
        search = _Search(
            exact, simplified, prismatic, motions, np.asarray(tolerance, dtype=np.float64), seed, room=room
        )
        search.look_at_time = lambda: meter(done, len(_PHASES))
        stages.append(search.factored_again(simplified, forms=1))
        for phase in itertools.chain(range(len(_PHASES)), itertools.repeat(len(_PHASES) - 1)):
            before, failures, failed = _price(stages[-1]), 0, set[_Place]()
            this = _PHASES[phase]
            while failures < _FAILURES:
                # Each phase removes less than the one before; how much is not known in advance.
                program = stages[-1]
                done = phase + 1.0 - _price(program) / start
                meter(done, len(_PHASES), str(count_operations(program)))
                trail = search.shorter(program, this, failed)
                if not trail:
                    break
                accepted = search.longest_fitted([step for _, step in trail])
                if accepted is None:
                    failures += 1
                    failed.add(trail[0][0])
                else:
                    failures = 0
                    stages.append(search.factored_again(accepted, this.forms, this.patience))
                    failed.clear()
            if phase == len(_PHASES) - 1:
                stages.append(search.factored_again(stages[-1], _LAST_FORMS))
                if _price(stages[-1]) == before:
                    break
    return stages


def fitted_within(
    exact: Function,
    program: Function,
    prismatic: Sequence[bool],
    motions: MotionBox,
    tolerance: Sequence[float],
    *,
    room: DegreeRoom | None = None,
) -> Function | None:
    """The program with constants whose largest errors that can be found are within the tolerances, or None."""
    with one_thread():
        search = _Search(exact, program, prismatic, motions, np.asarray(tolerance, dtype=np.float64), 0, room=room)
        return search.fitted(program)


_Place = tuple[int, int | None]


def _no_hurry() -> None:
    """Nothing stops a search that nobody waits for."""


class _Search:
    """The motions met so far, and what the torques should be there."""

    def __init__(
        self,
        exact: Function,
        simplified: Function,
        prismatic: Sequence[bool],
        motions: MotionBox,
        tolerance: Array,
        seed: int,
        *,
        room: DegreeRoom | None,
    ) -> None:
        self.exact, self.motions, self.tolerance = exact, motions, tolerance
        self.look_at_time = _no_hurry
        self.limit = DegreeLimit(exact, simplified, prismatic, room)
        self._seed = 1000 * seed + 100
        rng = np.random.default_rng(seed)
        self.states = sampled_motions(motions, _SAMPLES, rng=rng)
        self._chance, self._rng = _CHANCE if seed else 0.0, rng
        self.torques = self._exact_torques(self.states)
        self._largest_error(simplified)

    def _exact_torques(self, states: Array) -> Array:
        return evaluate(self.exact, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]

    def _largest_error(self, program: Function) -> float:
        """The largest error found, over the tolerance; its motions join those met (3)."""
        self._seed += 1
        error = error_program(self.exact, program)
        worst = worst_motions(error, self.motions, seed=self._seed, samples=_TRIED)
        states = worst.states[:, :_WORST].reshape(-1, *worst.states.shape[2:])
        self.states = np.concatenate([self.states, states])
        self.torques = np.concatenate([self.torques, self._exact_torques(states)])
        return float((worst.found / self.tolerance).max())

    def fitted(self, program: Function) -> Function | None:
        """The program with constants fitted until its largest error is within the tolerance, or None."""
        for _ in range(_FITS):
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
        """The last of ever shorter programs that can be fitted, as far as halving finds it, or None (3)."""
        at = len(trail) - 1
        while True:
            accepted = self.fitted(trail[at])
            if accepted is not None or at == 0:
                return accepted
            at //= 2

    def factored_again(self, program: Function, forms: int, patience: int = 6) -> Function:
        """The shortest of some forms that are as easy to prove (6)."""
        most = self.limit.points(program)

        def is_as_easy(trial: Function) -> bool:
            self.look_at_time()  # a large program takes many seconds
            return self.limit.points(trial) <= most

        seeds = self._rng.integers(1 << 30, size=forms)
        found = [refactored(program, seed=int(s), patience=patience, accept=is_as_easy) for s in seeds]
        return min(found, key=_price)

    def shorter(self, program: Function, phase: _Phase, failed: set[_Place]) -> list[tuple[_Place, Function]]:
        """Ever shorter programs, each with its (first) replacement, until enough operations are saved (2)."""
        trail: list[tuple[_Place, Function]] = []
        current, enough = program, _price(program) - phase.chunk
        while _price(current) > enough:
            found = self._replaced(current, phase, failed if current is program else set())
            if found is None:
                break
            trail.append(found)
            current = found[1]
        return trail

    def _replaced(self, program: Function, phase: _Phase, failed: set[_Place]) -> tuple[_Place, Function] | None:
        """The best replacement that keeps its promise, or None; what does not is remembered in `failed`."""
        self.look_at_time()
        room = phase.room
        states, torques = self._looked_at(program)
        here, foreseen = foresee(program, states, torques, self.tolerance, self.limit.constants_to_fit(program))
        good = [one for one in foreseen if one.largest <= room and one.replacement.place not in failed]
        used = np.array([float(np.maximum(one.errors**2 - here**2, 0.0).sum()) for one in good])
        gains = np.array([one.replacement.saved for one in good]) / (used + _SMALLEST_USE)
        gains *= np.exp(self._chance * self._rng.standard_normal(len(gains)))  # (4)
        order = np.argsort(-gains, kind="stable")
        if phase.together > 1:
            harmless = [good[row].replacement for row in order[:_MOST_HARMLESS] if used[row] <= _HARMLESS]
            if (several := self._several_replaced(program, harmless, phase)) is not None:
                return several
        broken: list[int] = []
        for replacement in self._allowed(program, [good[row].replacement for row in order]):
            if broken.count(replacement.step) == _OF_ONE_STEP:
                continue
            trial = replaced_together(program, [replacement])
            if _price(trial) >= _price(program):
                continue
            if (shorter := self._fitted_quickly(trial, room)) is not None:
                return replacement.place, shorter
            failed.add(replacement.place)
            broken.append(replacement.step)
            if len(broken) == _BROKEN_PROMISES:
                break
        return None

    def _several_replaced(
        self, program: Function, harmless: Sequence[Replacement], phase: _Phase
    ) -> tuple[_Place, Function] | None:
        """The first replacements of different steps that keep degrees, all at once, or None (5)."""
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
        shorter = self._fitted_quickly(trial, phase.room) if _price(trial) < _price(program) else None
        return None if shorter is None else (first.place, shorter)

    def _allowed(self, program: Function, chosen: Sequence[Replacement]) -> Iterator[Replacement]:
        """Those after which degrees are low enough for a proof (7)."""
        for first in range(0, len(chosen), _AT_ONCE):
            some = chosen[first : first + _AT_ONCE]
            allowed = self.limit.allows_replacing(program, [[one] for one in some])
            yield from itertools.compress(some, allowed)

    def _fitted_quickly(self, program: Function, room: float) -> Function | None:
        """The program after a quick fit, where its errors stay within the room (2)."""
        for _ in range(2):
            constants = self.limit.constants_to_fit(program)
            program = refit_by_least_squares(program, self.states, self.torques, self.tolerance, constants)
        return program if self._error(program, values_at(program, self.states)) <= room else None

    def _looked_at(self, program: Function) -> tuple[Array, Array]:
        """Motions for foresight, and the exact torques there."""
        if len(self.states) <= _LOOKED_AT:
            return self.states, self.torques
        values = values_at(program, self.states)
        errors = [np.abs(values[k] - self.torques[:, i]) / self.tolerance[i] for i, k in enumerate(program.results[0])]
        worst = np.argsort(-np.max(errors, axis=0), kind="stable")[: 2 * _LOOKED_AT // 3]
        others = np.random.default_rng(len(self.states)).permutation(len(self.states))[: _LOOKED_AT // 3]
        rows = np.union1d(worst, others)
        return self.states[rows], self.torques[rows]

    def _error(self, function: Function, values: list[Any]) -> float:
        """The largest error over all motions met and joints, in tolerances."""
        return max(
            float(np.abs(values[k] - self.torques[:, i]).max()) / float(self.tolerance[i])
            for i, k in enumerate(function.results[0])
        )


def _price(function: Function) -> int:
    return count_operations(function).cost
