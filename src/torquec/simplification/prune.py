"""Pruning of a torque program: greedy removal and replacement of steps within the torque tolerances.

(1)  a term of a sum is left out, a step becomes a number or a multiple of another one, and steps that only it needed
     are removed (:mod:`torquec.simplification.replacements`)
(2)  greedily: of all replacements whose predicted error after a fit of the constants
     (:mod:`torquec.simplification.refit_constants`) stays near the tolerance, the one with most operations saved
     per slack used at all joints; it is tried with a coarse fit before the next one is chosen
(3)  after a few of them the constants are fitted to the worst motions of the new program, which join the pool of
     motions; where errors remain above the tolerance, half of the replacements are undone, and so on
(4)  the order of replacements matters: intermediate programs are stages, from any of which another descent may start,
     with other motions and randomized gains
(5)  at first several replacements that use hardly any slack are tried at once
(6)  the program after a trial is factored again (:mod:`torquec.simplification.refactor`): a heavily pruned recursion is
     seldom in its shortest form
(7)  replacements and fits keep the degrees provable (:mod:`torquec.simplification.degree_limit`)
(8)  predictions are by least squares, and may be far above the error of a minimax fit: a last, slow search on the
     shortest program makes a full fit of every replacement

The program stays linear in the accelerations and quadratic in the speeds, so its error can be bounded like any other.
Its degree in the joints' sines and cosines may rise, because terms that cancel in a whole sum need not cancel in a part
of it; replacements that raise it above the provable limit are not made.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from torquec.errors import TimeLimitError
from torquec.expr import Function, count_operations, operation_cost
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.robot.joints import PositionBasis
from torquec.simplification.degree_limit import DegreeRoom
from torquec.simplification.prune_search import PrunePhase, PruneSearch
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox

_PHASES = (PrunePhase(12, 1.1, together=6, forms=1, patience=1), PrunePhase(4, 1.1), PrunePhase(1, 1.15))
"""Operations saved between fits to the worst motions: many at first, then few, then one; the last phase is repeated
while it helps."""

_LAST_LOOK = PrunePhase(1, 1.0, forms=1, foreseen=2.2, earnest=True, tries=150, tries_of_a_step=4, failures=40)
"""(8). On the iiwa14 and the KR210 all successful replacements were among the first sixty tried."""


def prune_within(
    exact: Function,
    simplified: Function,
    bases: Sequence[PositionBasis],
    motions: MotionBox,
    tolerance: Sequence[float],
    *,
    seed: int = 0,
    room: DegreeRoom | None = None,
    meter: Meter = silent,
) -> list[Function]:
    """Stages of pruning `simplified`, the shortest last; largest errors found against `exact` keep the tolerances.

    Another `seed` may save more, or less (4); a `room` keeps degrees lower (7). When the meter stops it
    (`TimeLimitError`), the stages so far are returned.
    """
    start, done = max(operation_cost(simplified), 1), 0.0
    stages = [simplified]
    with one_thread(), suppress(TimeLimitError):
        meter(done, len(_PHASES))
        search = PruneSearch(
            exact, simplified, bases, motions, np.asarray(tolerance, dtype=np.float64), seed, room=room
        )
        search.look_at_time = lambda: meter(done, len(_PHASES))
        stages.append(search.factored_again(simplified, forms=1))
        for phase in itertools.chain(range(len(_PHASES)), itertools.repeat(len(_PHASES) - 1)):
            before = operation_cost(stages[-1])
            for program in search.stages_after(stages[-1], _PHASES[phase]):
                stages.append(program)
                # Each phase removes less than the one before; the amount is not known in advance.
                done = phase + 1.0 - operation_cost(program) / start
                meter(done, len(_PHASES), str(count_operations(program)))
            if phase == len(_PHASES) - 1:
                stages.append(search.factored_again(stages[-1], TUNING.final_forms))
                if operation_cost(stages[-1]) == before:
                    break
    return stages


def last_look(
    exact: Function,
    program: Function,
    bases: Sequence[PositionBasis],
    motions: MotionBox,
    tolerance: Sequence[float],
    *,
    seed: int = 0,
    room: DegreeRoom | None = None,
    meter: Meter = silent,
) -> list[Function]:
    """A program from `prune_within`, and shorter ones found by the last, slow search (8); the last is the shortest."""
    stages, start, done = [program], max(operation_cost(program), 1), 0.0
    with one_thread(), suppress(TimeLimitError):
        meter(done, 1.0)
        search = PruneSearch(exact, program, bases, motions, np.asarray(tolerance, dtype=np.float64), seed, room=room)
        search.look_at_time = lambda: meter(done, 1.0)
        fitted = search.fitted(program) or program  # also adds its worst motions to the pool
        for shorter in search.stages_after(fitted, _LAST_LOOK):
            stages.append(shorter)
            done = 1.0 - operation_cost(shorter) / start
            meter(done, 1.0, str(count_operations(shorter)))
    return stages


def fitted_within(
    exact: Function,
    program: Function,
    bases: Sequence[PositionBasis],
    motions: MotionBox,
    tolerance: Sequence[float],
    *,
    room: DegreeRoom | None = None,
) -> Function | None:
    """The program with constants fitted so that its largest errors found are within the tolerances, or None."""
    with one_thread():
        search = PruneSearch(exact, program, bases, motions, np.asarray(tolerance, dtype=np.float64), 0, room=room)
        return search.fitted(program)
