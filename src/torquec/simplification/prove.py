"""Proofs of candidate programs: early ones, close ones, and the exact program where nothing else is proven.

Bounds are proven over the whole box of motions (:func:`torquec.proof.torque.certify.certify`). Each of these functions
takes its part of the time from a plan (:mod:`torquec.simplification.time_plan`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from torquec.dynamics.mechanism import mechanism
from torquec.errors import TimeLimitError
from torquec.expr import Function, operation_cost
from torquec.foundation.budget import Budget
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import UnprovenError, certify
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.prune import fitted_within
from torquec.simplification.time_plan import TimePlan

_FITTED_TO, _FITS = 0.97, 2
"""What a joint's aim is multiplied by for a fit after a proof that was not found, and how often that is tried."""


def proven_early(
    problem: SimplificationProblem,
    proposed: Sequence[Function],
    best: Certificate | None,
    budget: Budget,
    *,
    most: float = 1.0,
) -> Certificate | None:
    """The cheapest proposal, proven to be within the tolerances and no closer; `best` where that is not possible.

    Its cost must be below this part (`most`) of the best's, or of the exact program's.
    """
    for program in sorted(proposed, key=operation_cost)[:1]:
        if operation_cost(program) < most * operation_cost(problem.exact if best is None else best.program):
            with suppress(UnprovenError, TimeLimitError), problem.work.within(budget.within(problem.work.budget)):
                require_time(problem)
                best = _proven(problem, program, closer=False)
                if problem.on_proven is not None:
                    problem.on_proven(best)
    return best


def proven_or_refitted(
    problem: SimplificationProblem, aim: SimplificationProblem, program: Function, plan: TimePlan
) -> Certificate:
    """The proof of a program; where a joint's error is not proven, of the same with constants that lower this error.

    Bounds of products of speeds are above the truth by some percent; by how many is known only from a proof.
    """
    for _ in range(_FITS):
        try:
            return _proven_in_time(problem, program, plan)
        except UnprovenError as error:
            aim = aim.within([_FITTED_TO if name == error.joint else 1.0 for name in problem.robot.joint_names])
            with problem.work.step(f"fitting joint '{error.joint}' more closely"):
                fitted = fitted_within(problem.exact, program, aim.bases, aim.motions, aim.tolerance, room=plan.room)
            if fitted is None:
                raise
            program = fitted
    return _proven_in_time(problem, program, plan)


def made_closer(problem: SimplificationProblem, best: Certificate, plan: TimePlan) -> Certificate:
    """An early proof with bounds as close as the time allows."""
    try:
        with problem.work.within(plan.budget.share(plan.proving)):
            require_time(problem)
            return _proven(problem, best.program)
    except (UnprovenError, TimeLimitError):
        return best


def exact_proven(problem: SimplificationProblem) -> Certificate:
    """Nothing left out, however late: in the axes with fewer operations, or as it is where that rounds too much."""
    carried = torque_program(mechanism(problem.robot))
    if operation_cost(carried) < operation_cost(problem.exact):
        with suppress(UnprovenError):
            return _proven(problem, carried)
    return _proven(problem, problem.exact)


def require_time(problem: SimplificationProblem) -> None:
    """Tables of seven joints take seconds before a proof first looks at the time: a waiting check needs them."""
    if problem.checked_by.is_timed:
        problem.work.budget.check()


def _proven_in_time(problem: SimplificationProblem, program: Function, plan: TimePlan) -> Certificate:
    """The proof in the time that the plan has for it; where a check waits, within the tolerances first."""
    if plan.check_first:
        with problem.work.within(plan.budget):
            require_time(problem)
            found = _proven(problem, program, closer=False)
        return made_closer(problem, found, plan)
    with problem.work.within(plan.budget.share(plan.proving)):
        return _proven(problem, program)


def _proven(problem: SimplificationProblem, program: Function, *, closer: bool = True) -> Certificate:
    """The certificate; with bounds at the tolerances where no closer ones are asked for."""
    return certify(
        problem.robot,
        problem.exact,
        program,
        problem.motions,
        limits=problem.tolerance,
        precision=problem.precision,
        closer=closer,
        work=problem.work,
    )
