"""Proofs in the simplification pipeline: rejection of impossible tolerances, proofs of candidates, independent check.

A tolerance is refused before the search, with a remedy, where it is below the effect of snapped angles, below rounding,
or below the proven error of the exact program. :mod:`torquec.proof.accepts` refuses robots.

Bounds of candidates, and of the exact program where no candidate is proven, are proven over the whole box of motions
(:func:`torquec.proof.torque.certify.certify`). Each of these functions takes its part of the time from a plan
(:mod:`torquec.simplification.time_plan`).

The independent check takes the cheapest proven program that can be checked in the remaining time. The duration of each
check is predicted (:class:`torquec.proof.check_certificate.CheckTime`): the cheapest program whose check fits is
checked; where none fits, the one with the shortest check. A check that is slower than predicted, on a machine that has
become busy, may exceed its deadline (`TimeShares.check`), since the result depends on it. After that it is abandoned:
the program is proven all the same, and `torquec check` can check the proof from its files later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from torquec.codegen.precision import Precision
from torquec.dynamics.mechanism import mechanism
from torquec.errors import SpecificationError, TimeLimitError
from torquec.expr import Function, operation_cost
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.check_certificate import CheckTime, check_certificate
from torquec.proof.inertia.positive_mass_matrix import least_inertia
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import UnprovenError, certify, rounding_of, smallest_bounds
from torquec.proof.torque.snap_bound import snap_bound
from torquec.proof.torque.torque_bounds import error_program, worst_motions
from torquec.robot.robot import Robot
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.problem import SimplificationProblem, Simplified
from torquec.simplification.prune import fitted_within
from torquec.simplification.time_plan import SHARES, TimePlan
from torquec.simplification.tuning import TUNING
from torquec_check.claim import rounded_up


def snapped(problem: SimplificationProblem) -> tuple[float, ...]:
    """The part (n,) of every tolerance that snapped angles use: claims are about the robot's file as written."""
    return snap_bound(problem.robot, problem.motions)


def rounded_away(problem: SimplificationProblem) -> tuple[float, ...]:
    """The part (n,) of every tolerance that rounding of the exact program uses, which has the most operations."""
    return rounding_of(problem.exact, problem.motions, problem.precision)


def check_tolerances(problem: SimplificationProblem) -> None:
    """Raise for tolerances below the provable error of the exact program."""
    for name, snap, allowed in zip(problem.robot.coordinate_names, snapped(problem), problem.tolerance, strict=True):
        if not snap < allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, and snapping angles of the file to right "
                f"angles changes its torque by up to {rounded_up(snap, 3)}",
                where=problem.robot.source,
                remedy=f"read the robot without snapping (--no-snap, load(path, snap=False)), or allow {2 * snap:.2g}",
            )
    smallest = smallest_bounds(problem.robot, problem.exact, problem.motions, precision=problem.precision)
    names, snaps = problem.robot.coordinate_names, snapped(problem)
    for name, bound, snap, rounded, allowed in zip(
        names, smallest, snaps, rounded_away(problem), problem.tolerance, strict=True
    ):
        if problem.precision is not Precision.DOUBLE and not snap + rounded < allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, and {problem.precision} precision may "
                f"change its torque by {rounded:.3g}",
                remedy=f"allow {2 * (snap + rounded):.2g}, state smaller speeds, or leave out precision",
            )
        if not bound <= allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, below the rounding error of exact torques",
                remedy=f"allow at least {rounded_up(bound, 3)}, the smallest error that can be proven",
            )


def proven_early(
    problem: SimplificationProblem,
    proposed: Sequence[Function],
    best: Certificate | None,
    budget: Budget,
    *,
    most: float = 1.0,
) -> Certificate | None:
    """The cheapest proposal, proven at the tolerances without tighter bounds; `best` where that is not possible.

    Its cost must be below the part `most` of the best's, or of the exact program's.
    """
    for program in sorted(proposed, key=operation_cost)[:1]:
        if operation_cost(program) < most * operation_cost(problem.exact if best is None else best.program):
            with suppress(UnprovenError, TimeLimitError), problem.work.within(budget.within(problem.work.budget)):
                require_time(problem)
                best = _proven(problem, program, closer=False)
                if problem.on_proven is not None:
                    problem.on_proven(best)
    return best


def proven_round(
    problem: SimplificationProblem,
    aim: SimplificationProblem,
    ends: Sequence[Function],
    best: Certificate | None,
    plan: TimePlan,
) -> Certificate | None:
    """A program of a round, proven at the tolerances; `best` where none is cheaper, or it is not proven.

    Of those near the cheapest it is the one with the smallest errors relative to the tolerances, whose proof is the
    shortest by far.
    """
    cheapest = min(map(operation_cost, ends))
    near = [program for program in ends if operation_cost(program) <= TUNING.near_price * cheapest]
    program = near[0] if len(near) == 1 else min(near, key=partial(_largest_error, problem))
    if operation_cost(program) < operation_cost(problem.exact if best is None else best.program):
        with suppress(UnprovenError, TimeLimitError):
            best = proven_or_refitted(problem, aim, program, plan, closer=False)
            if problem.on_proven is not None:
                problem.on_proven(best)
    return best


def _largest_error(problem: SimplificationProblem, program: Function) -> float:
    """The largest error found of a program, relative to the joint's tolerance."""
    found = worst_motions(error_program(problem.exact, program), problem.motions).found
    return float((found / np.asarray(problem.tolerance)).max())


def proven_or_refitted(
    problem: SimplificationProblem,
    aim: SimplificationProblem,
    program: Function,
    plan: TimePlan,
    *,
    closer: bool = True,
) -> Certificate:
    """The proof of a program; if a joint's error is not proven, constants are fitted to lower it, then again.

    Bounds of products of speeds overestimate by some percent; the amount is known only from a proof. Without `closer`,
    bounds at the tolerances are enough.
    """
    for _ in range(TUNING.refit_attempts):
        try:
            return _proven_in_time(problem, program, plan, closer=closer)
        except UnprovenError as error:
            aim = aim.within(
                [TUNING.refit_target_share if name == error.joint else 1.0 for name in problem.robot.coordinate_names]
            )
            with problem.work.step(f"fitting joint '{error.joint}' more closely"):
                fitted = fitted_within(problem.exact, program, aim.bases, aim.motions, aim.tolerance, room=plan.room)
            if fitted is None:
                raise
            program = fitted
    return _proven_in_time(problem, program, plan, closer=closer)


def made_closer(problem: SimplificationProblem, best: Certificate, plan: TimePlan) -> Certificate:
    """An early proof with its bounds tightened as far as the time allows."""
    try:
        with problem.work.within(plan.budget.share(plan.proving)):
            require_time(problem)
            return _proven(problem, best.program, known=best)
    except (UnprovenError, TimeLimitError):
        return best


def exact_proven(problem: SimplificationProblem) -> Certificate:
    """Proof of the exact program, without a deadline: in the cheaper frames, unless these round too much."""
    carried = torque_program(mechanism(problem.robot))
    if operation_cost(carried) < operation_cost(problem.exact):
        with suppress(UnprovenError):
            return _proven(problem, carried)
    return _proven(problem, problem.exact)


def require_time(problem: SimplificationProblem) -> None:
    """Raise where the time is over: tables of seven joints take seconds before a proof first checks its deadline."""
    if problem.checked_by.is_timed:
        problem.work.budget.check()


def _proven_in_time(problem: SimplificationProblem, program: Function, plan: TimePlan, *, closer: bool) -> Certificate:
    """The proof within its time of the plan; with `check_first`, bounds at the tolerances come before tighter ones."""
    if plan.check_first:
        with problem.work.within(plan.budget):
            require_time(problem)
            found = _proven(problem, program, closer=False)
        return made_closer(problem, found, plan) if closer else found
    with problem.work.within(plan.budget.share(plan.proving)):
        return _proven(problem, program, closer=closer)


def _proven(
    problem: SimplificationProblem, program: Function, *, closer: bool = True, known: Certificate | None = None
) -> Certificate:
    """The certificate; with bounds at the tolerances unless `closer`, none above those `known` already."""
    return certify(
        problem.robot,
        problem.exact,
        program,
        problem.motions,
        limits=problem.tolerance,
        precision=problem.precision,
        closer=closer,
        known=known,
        work=problem.work,
    )


def check_again(robot: Robot, proven: Sequence[Simplified], budget: Budget, work: Work) -> Simplified:
    """Check the first of the programs, cheapest first, whose predicted check fits into the budget, and return it."""
    late = budget.share(SHARES.check)
    chosen = proven[0] if len(proven) == 1 or not budget.is_timed or late.is_over else _chosen(robot, proven, budget)
    chosen = _with_least_inertia(robot, chosen, late)
    try:
        with work.within(late):
            late.check()
            check_certificate(robot, chosen.certificate, work=work)
    except TimeLimitError:
        return chosen
    return replace(chosen, checked=True)


def _with_least_inertia(robot: Robot, chosen: Simplified, late: Budget) -> Simplified:
    """With the witness that M is positive definite, where it is found within its part of the time."""
    record = chosen.certificate
    if record.limbs:
        return chosen
    rest, precision = late.share_of_rest(TUNING.inertia_time_share), record.precision
    found = least_inertia(robot, record.program, record.motions, precision=precision, budget=rest)
    return replace(chosen, certificate=replace(record, least_inertia=found))


def _chosen(robot: Robot, proven: Sequence[Simplified], budget: Budget) -> Simplified:
    predicted = CheckTime(robot, proven[0].certificate.motions)
    needed = []
    for one in proven:
        needed.append(predicted.of(one.certificate))
        if time.time() + needed[-1] <= budget.until:
            return one
    return proven[needed.index(min(needed))]
