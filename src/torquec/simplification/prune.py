"""Pruning of a torque program: terms of its sums left out where the torques hardly change, constants fitted again.

(1)  a sum a + b may become a, or b; what only the other term needed disappears with it
(2)  greedily: of all terms whose loss keeps the error at the motions met so far below the tolerance, those with most
     operations saved per error; after a few of them the constants are fitted again, which makes room for more
(3)  then the worst motions of the new program are looked for: where they break the tolerance the terms come back, and
     these motions are among those met when the next ones are chosen

The program stays linear in the accelerations and quadratic in the speeds, so its error can be bounded like any other.
Its degree in the joints' sines and cosines may rise, because what cancelled in a whole sum need not cancel in a part;
terms whose loss raises it above what a proof can manage stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.errors import TimeLimitError
from torquec.expr import Function, Op, count_operations, evaluate
from torquec.expr.ops import SEMANTICS
from torquec.expr.replay import rebuilt
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.proof.torque_tables import HIGHEST_DEGREE, position_degrees, positions_read
from torquec.proof.worst_motions import error_program, worst_motions
from torquec.simplification.refit_constants import refit_constants, values_at
from torquec.trajectory.motion_box import MotionBox, sampled_motions

_MOST_POINTS = 7**3 * 5**3
"""Control points of a box that a proof can manage: degree three in three of six joints."""

_SAMPLES, _TRIED = 500, 100_000
"""Motions met at first, and tried in each search for the worst."""

_WORST = 6
"""Motions of each joint that join those met, per search for the worst."""

_PHASES = ((8, (1.08, 1.0)), (4, (1.08, 1.0)), (1, (1.15,)))
"""First terms that save many operations together, then few, then single ones. Of each phase: the operations to save
before constants are fitted again, and the part of the tolerance that errors may reach until then (the next such part
after a failure)."""

_FAILURES = 4
"""Trials in a row that may fail before the next phase begins."""

_FITS = 3
"""Fits of the constants for one trial: each is against the worst motions of the one before."""


@dataclass(frozen=True)
class _Cut:
    """Step `step` without its argument number `lost`."""

    step: int
    lost: int


def prune_within(
    exact: Function,
    simplified: Function,
    prismatic: Sequence[bool],
    motions: MotionBox,
    tolerance: Sequence[float],
    *,
    seed: int = 0,
    meter: Meter = silent,
) -> Function:
    """`simplified` pruned, its largest error against `exact` that can be found below the tolerances.

    What can go first decides what can go later: another `seed` draws other motions and may save more, or less. A meter
    that stops it (`TimeLimitError`) gets what is pruned by then.
    """
    start = _operations(simplified)
    program = simplified
    with one_thread(), suppress(TimeLimitError):
        meter(0, len(_PHASES))
        search = _Search(exact, simplified, prismatic, motions, np.asarray(tolerance, dtype=np.float64), seed)
        for phase, (chunk, rooms) in enumerate(_PHASES):
            meter(phase, len(_PHASES))
            failures = 0
            search.needed.clear()
            while failures < _FAILURES:
                trial = search.shorter(program, chunk, rooms[min(failures, len(rooms) - 1)])
                if trial is None:
                    break
                accepted = search.fitted(trial)
                if accepted is None:
                    meter(phase + 1.0 - _operations(program) / start, len(_PHASES))
                    failures += 1
                    if chunk == 1:
                        search.needed.add(search.first_cut)
                    continue
                program, failures = accepted, 0
                search.needed.clear()
                # Each phase removes less than the one before; how much is not known in advance.
                meter(phase + 1.0 - _operations(program) / start, len(_PHASES), f"{_operations(program)} operations")
    return program


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
    ) -> None:
        self.exact, self.prismatic, self.motions, self.tolerance = exact, prismatic, motions, tolerance
        self.joints = positions_read(exact) | positions_read(simplified)
        self.needed: set[_Cut] = set()
        """Cuts of the current program that turned out not to be possible."""
        self.first_cut = _Cut(0, 0)
        # What is proven of the program as it comes can be proven of a shorter one of the same degrees.
        self._most_points = max(_MOST_POINTS, self._points(position_degrees(simplified, prismatic)))
        self._seed = 1000 * seed + 100
        self.states = sampled_motions(motions, _SAMPLES, rng=np.random.default_rng(seed))
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
            trial = refit_constants(program, self.states, self.torques, self.tolerance)
            if not self._provable(trial):
                trial = program
            if self._error(trial, values_at(trial, self.states)) > 1.0:
                return None
            if self._largest_error(trial) <= 1.0:
                return trial
            program = trial
        return None

    def shorter(self, program: Function, chunk: int, room: float) -> Function | None:
        """The program with terms left out (2) that save `chunk` operations or more, or None where no term can go."""
        start = _operations(program)
        current = program
        while _operations(current) > start - chunk:
            found = self._best_cut(current, self.needed if current is program else set(), room)
            if found is None:
                break
            if current is program:
                self.first_cut = found[0]
            current = found[1]
        return None if current is program else current

    def _best_cut(self, program: Function, needed: set[_Cut], room: float) -> tuple[_Cut, Function] | None:
        values = values_at(program, self.states)
        here = self._error(program, values)
        cost = _operations(program)
        uses = _uses(program)
        scored: list[tuple[float, _Cut]] = []
        for cut in _cuts(program):
            if cut in needed:
                continue
            error = self._error(program, _rerun(program, values, cut))
            if error <= room:
                scored.append((-_saved(program, uses, cut) / (max(error - here, 0.0) + 0.01), cut))
        for _, cut in sorted(scored, key=lambda entry: entry[0]):
            shorter = _without(program, cut)
            if _operations(shorter) < cost and self._provable(shorter):
                return cut, shorter
        return None

    def _provable(self, program: Function) -> bool:
        """Whether the degrees are low enough for a proof."""
        degrees = position_degrees(program, self.prismatic)
        if max(degrees) > HIGHEST_DEGREE:
            return False
        return self._points(degrees) <= self._most_points

    def _points(self, degrees: Sequence[int]) -> int:
        """Control points of a box: angles have 2 d + 1 values each, displacements d + 1."""
        return math.prod(degrees[j] + 1 if self.prismatic[j] else 2 * degrees[j] + 1 for j in self.joints)

    def _error(self, function: Function, values: list[Any]) -> float:
        """The largest error over all motions met and joints, in tolerances."""
        return max(
            float(np.abs(values[k] - self.torques[:, i]).max()) / float(self.tolerance[i])
            for i, k in enumerate(function.results[0])
        )


def _operations(function: Function) -> int:
    count = count_operations(function)
    return count.mul + count.add


def _cuts(function: Function) -> list[_Cut]:
    return [
        _Cut(k, lost) for k, step in enumerate(function.operations) if step.op in (Op.ADD, Op.SUB) for lost in (0, 1)
    ]


def _uses(function: Function) -> list[int]:
    """How often each step is used."""
    uses = [0] * len(function.operations)
    for step in function.operations:
        for argument in step.args:
            uses[argument] += 1
    for k in function.results[0]:
        uses[k] += 1
    return uses


def _saved(function: Function, uses: list[int], cut: _Cut) -> int:
    """Operations that a cut makes needless: the sum itself, and what only the lost term needed."""
    left: dict[int, int] = {}
    saved = 1
    waiting = [function.operations[cut.step].args[cut.lost]]
    while waiting:
        k = waiting.pop()
        left[k] = left.get(k, uses[k]) - 1
        if left[k] == 0:
            saved += function.operations[k].op in (Op.ADD, Op.SUB, Op.MUL)
            waiting += function.operations[k].args
    return saved


def _rerun(function: Function, values: list[Any], cut: _Cut) -> list[Any]:
    """The values after a cut; only what follows from it is computed again."""
    changed = list(values)
    step = function.operations[cut.step]
    kept = values[step.args[1 - cut.lost]]
    changed[cut.step] = -kept if step.op is Op.SUB and cut.lost == 0 else kept
    touched = {cut.step}
    for k in range(cut.step + 1, len(function.operations)):
        later = function.operations[k]
        if any(a in touched for a in later.args):
            touched.add(k)
            changed[k] = SEMANTICS[later.op].on_arrays(*(changed[a] for a in later.args))
    return changed


def _without(function: Function, cut: _Cut) -> Function:
    """The program after a cut, folded again."""
    step = function.operations[cut.step]
    other = step.args[1 - cut.lost]
    negated = step.op is Op.SUB and cut.lost == 0
    return rebuilt(function, replaced={cut.step: lambda values: -values[other] if negated else values[other]})
