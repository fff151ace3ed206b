"""Pruning of a torque program: steps replaced by what is there already, where the torques hardly change.

(1)  a term of a sum is left out, a step becomes a number or a multiple of another one, and what only it needed
     disappears with it (:mod:`torquec.simplification.replacements`)
(2)  greedily: of all replacements whose error, after a fit of the constants that is foreseen
     (:mod:`torquec.simplification.refit_constants`), stays near the tolerance, the one with most operations saved
     for the room that it takes from every joint; it is tried, with a quick fit, before the next one is looked for
(3)  after a few of them the constants are fitted to the worst motions of the new program, which join those met; where
     that does not lead below the tolerance, half of the replacements are taken back, and so on
(4)  what goes first decides what can go later: the programs on the way are stages, from any of which another descent
     may begin, with other motions and gains changed by chance
(5)  at first several replacements that take hardly any room are tried at once
(6)  what is left after a trial is factored again (:mod:`torquec.simplification.refactor`): a recursion of which little
     is left is seldom the shortest form of it
(7)  nothing is replaced or fitted that a proof could not manage (:mod:`torquec.simplification.degree_limit`)
(8)  what is foreseen is by least squares, and may be far above what a fit to the worst motions reaches: a last look at
     a program that is as short as it gets this way fits every replacement in earnest, which takes long

The program stays linear in the accelerations and quadratic in the speeds, so its error can be bounded like any other.
Its degree in the joints' sines and cosines may rise, because what cancelled in a whole sum need not cancel in a part;
replacements that raise it above what a proof can manage are not made.
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
from torquec.trajectory.motion_box import MotionBox

_PHASES = (PrunePhase(12, 1.1, together=6, forms=1, patience=1), PrunePhase(4, 1.1), PrunePhase(1, 1.15))
"""First replacements that save many operations together, then few, then single ones; the last one again and again while
that helps."""

_LAST_LOOK = PrunePhase(1, 1.0, forms=1, foreseen=2.2, earnest=True, tries=150, tries_of_a_step=4, failures=40)
"""(8). On the iiwa14 and the KR210 what came within the tolerance was among the first sixty tried."""

_LAST_FORMS = 8
"""How often a program is factored again at the end; the shortest form counts (6)."""


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
    """`simplified` pruned in stages, largest errors against `exact` that can be found below the tolerances; last the
    shortest.

    Another `seed` may save more, or less (4); a `room` keeps degrees lower (7). A meter that stops it
    (`TimeLimitError`) gets what is pruned by then.
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
                # Each phase removes less than the one before; how much is not known in advance.
                done = phase + 1.0 - operation_cost(program) / start
                meter(done, len(_PHASES), str(count_operations(program)))
            if phase == len(_PHASES) - 1:
                stages.append(search.factored_again(stages[-1], _LAST_FORMS))
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
    """A program that `prune_within` leads to, and ever shorter ones that a last look finds (8); last the shortest."""
    stages, start, done = [program], max(operation_cost(program), 1), 0.0
    with one_thread(), suppress(TimeLimitError):
        meter(done, 1.0)
        search = PruneSearch(exact, program, bases, motions, np.asarray(tolerance, dtype=np.float64), seed, room=room)
        search.look_at_time = lambda: meter(done, 1.0)
        fitted = search.fitted(program) or program  # which meets motions that are worth a look
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
    """The program with constants whose largest errors that can be found are within the tolerances, or None."""
    with one_thread():
        search = PruneSearch(exact, program, bases, motions, np.asarray(tolerance, dtype=np.float64), 0, room=room)
        return search.fitted(program)
