"""Simplification pipeline: from a specification to a proven and checked program.

(1)  problem: motions and torque tolerances of the specification; impossible ones are refused (`tolerance`,
     `check_problem`)
(2)  plan: how search, proof and check share the time (`time_plan`)
(3)  early proof of a program that leaves out a little, where time is limited or the caller wants early programs
     (`most_parameters`)
(4)  candidates: strategies propose programs; their sums are pruned, their constants fitted (`STRATEGIES`, `descents`,
     `prune`). A new strategy is one file with a function from a problem and the cheapest program known to a list of
     programs, and one row of the table
(5)  proof: the cheapest candidates are proven over the whole box of motions, fitted again where that helps (`prove`)
(6)  tighten: where none is proven, the aims of the unproven joints are lowered, and (4) is repeated. If no program is
     proven after that, the result is the cheapest exact program, whose only error is rounding
(7)  independent check of the cheapest proven program that can be checked in time (`check_again`)

Specifications are of three kinds: torque errors; control requirements (Chang & Lee), which give torque tolerances that
the loops can bear, and fitted coefficients M, c and g besides; a threshold for coefficients (Clover), which takes the
place of (3) to (6) (:mod:`torquec.simplification.meet_coefficients`).

The price of a program is its number of operations, including sines and cosines. With a time limit, searches return
their best so far at their deadline; the result is the cheapest program proven by then. Every pass sets its own part of
the :class:`torquec.foundation.budget.Budget`: a last proof or the check may be late, and other passes are not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from torquec.closedform import closed_form
from torquec.errors import SpecificationError, TimeLimitError
from torquec.expr import Function, count_operations, operation_cost
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work, as_work
from torquec.proof.accepts import check_free_base, check_provable
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import UnprovenError
from torquec.proof.torque.certify_coefficients import check_independent
from torquec.robot.floating_base import Base, base_kind
from torquec.robot.robot import Robot
from torquec.simplification.closed_torque import closed_form_with_fewer_terms
from torquec.simplification.descents import pruned_programs
from torquec.simplification.fewer_parameters import (
    fewest_operations,
    moments_left_out,
    recursion_with_fewer_parameters,
    recursion_with_most_parameters,
)
from torquec.simplification.free_base import limb_problems, whole_certificate
from torquec.simplification.meet_coefficients import coefficients_above, coefficients_within
from torquec.simplification.problem import SimplificationProblem, Simplified
from torquec.simplification.prove import (
    check_again,
    check_tolerances,
    exact_proven,
    made_closer,
    proven_early,
    proven_or_refitted,
    proven_round,
    require_time,
    rounded_away,
    snapped,
)
from torquec.simplification.specification import Specification
from torquec.simplification.specification_text import specification_text
from torquec.simplification.time_plan import SHARES, TimePlan, time_plan
from torquec.simplification.tolerance import torque_budgets
from torquec.simplification.tuning import TUNING


@dataclass(frozen=True)
class Strategy:
    """A strategy that proposes programs, and the number of seeds with which each is pruned (0: not pruned).

    A slow one has a `search`, of robot, motions, tolerance and meter: where time is limited, one process runs it and
    prunes its result, while others prune the programs proposed already.
    """

    name: str
    propose: Callable[[SimplificationProblem, Function], list[Function]]
    prunings: int
    search: Callable[..., Function] | None = None


STRATEGIES = (
    Strategy("recursion with fewer parameters", recursion_with_fewer_parameters, 2, fewest_operations),
    Strategy("recursion with most parameters", recursion_with_most_parameters, 2),
    Strategy("closed form with fewer terms", closed_form_with_fewer_terms, 1),
)
"""All strategies in the order of trial: each gets the cheapest proposal of those before it."""


STOPPED_BY_TIME = "searches that the time limit ended"
"""Topic of `Work.notes`, with the name of the robot or limb that was searched last."""


def candidates(
    problem: SimplificationProblem, aim: SimplificationProblem, best: Certificate | None, plan: TimePlan
) -> tuple[list[Function], Certificate | None]:
    """Candidate programs whose largest errors found are within the aims, and the cheapest program proven so far."""
    programs: list[Function] = []
    ends: list[Function] = []
    prunings: dict[Function, int] = {}
    rounds: Iterator[list[Function]] = iter(())
    timed = plan.budget.is_timed
    searching = plan.budget.share(plan.searching)
    with problem.work.within(searching), suppress(TimeLimitError):
        for strategy in STRATEGIES:
            if strategy.search is not None and timed:
                continue
            proposed = strategy.propose(aim, min([problem.exact, *programs], key=operation_cost))
            programs += proposed
            prunings |= dict.fromkeys(proposed, strategy.prunings)
            if timed:
                best = proven_early(
                    problem, proposed, best, plan.budget.share_of_rest(plan.first), most=TUNING.proven_at_once_price
                )
            elif best is None and problem.on_proven is not None:
                best = proven_early(problem, proposed, best, Budget(SHARES.early_proof_seconds))
        require_time(problem)
        searches = [strategy.search for strategy in STRATEGIES if strategy.search is not None]
        rounds = pruned_programs(aim, prunings, searches, plan.room)
        ends = next(rounds, [])
    if timed and ends:
        began, before = time.time(), best
        best = proven_round(problem, aim, ends, best, plan)
        if best is not before:
            searching = plan.search_after(time.time() - began)
    with problem.work.within(searching), suppress(TimeLimitError):
        for more in rounds:
            ends += more
    if timed and searching.is_over:
        problem.work.notes[STOPPED_BY_TIME] = (problem.robot.name,)
    return programs + ends, best


def simplify_and_check(
    robot: Robot,
    exact: Function,
    specification: Specification,
    *,
    work: Work,
    check: bool = True,
    on_proven: Callable[[Simplified], None] | None = None,
    simpler_than: int | None = None,
) -> Simplified | None:
    """All passes: the cheapest program that is proven, and with `check` also checked, within the work's budget.

    `simpler_than` is the cost of a known program: the result is None where no program found costs less or has
    simplified coefficients. Without a check the search has the same part of the time. `on_proven` and errors raised
    are those of `meet_specification`.
    """
    budget, proven = work.budget, list[Simplified]()

    def collect(found: Simplified) -> None:
        proven.append(found)
        if on_proven is not None:
            on_proven(found)

    # Without a deadline the last program can always be checked: early proofs are only for the caller.
    early = collect if budget.is_timed or on_proven is not None else None
    by = budget if check else None
    with work.within(budget.share(SHARES.model)):
        proven.append(meet_specification(robot, exact, specification, checked_by=by, on_proven=early, work=work))
    proven.reverse()  # among programs of equal cost, the last has the tightest bounds
    proven.sort(key=lambda found: found.cost)
    if simpler_than is not None:
        proven = [found for found in proven if found.cost < simpler_than or found.coefficients is not None]
    if not proven or not check:
        return proven[0] if proven else None
    return check_again(robot, proven, budget, work)  # (7)


def meet_specification(
    robot: Robot,
    exact: Function,
    specification: Specification,
    *,
    checked_by: Budget | None = None,
    on_proven: Callable[[Simplified], None] | None = None,
    work: Work | None = None,
) -> Simplified:
    """The cheapest programs found that meet the specification, proven within the budget of the work.

    `exact` is the program of the robot's inverse dynamics. `on_proven` is called with programs for torque errors that
    are proven before the search is over, each cheaper than the one before. `checked_by` is the budget that includes the
    check of the result: programs for torque errors are then chosen to be checked in time, where that is possible.
    Raises `SpecificationError` with joint, tolerance and smallest achievable error where the specification cannot be
    met, and `RobotError` where the robot has mimic joints and the specification is about coefficients.
    """
    lacking = specification.coefficients or any(joint.torque_error is None for joint in specification.joints)
    if lacking and base_kind(robot) is Base.FLOATING:
        raise SpecificationError(
            f"robot '{robot.name}' has a free base, for which torque errors alone are proven",
            where=specification.source,
            remedy="state torque_error or torque_error_part for every joint",
        )
    if specification.tracks:
        raise SpecificationError(
            "tracking errors are required, which depend on the loop: poles, motion, uncertainty",
            where=specification.source,
            remedy="take tq.simplify_for_tracking with a tq.TrackedLoop, or torquec simplify --trajectory",
        )
    work = as_work(work)
    budget = work.budget
    text = specification_text(robot, specification)
    early = None if on_proven is None else lambda c: on_proven(Simplified(replace(c, specification=text)))
    with work.within(budget.untimed):  # memory and workers; every pass sets its part of the time
        if specification.coefficients is not None:
            found = coefficients_above(robot, exact, specification, specification.coefficients, budget, work)
        elif any(joint.control is not None for joint in specification.joints):
            check_independent(robot)
            form = closed_form(robot)
            tolerance = torque_budgets(form, specification)
            fitted, proven = coefficients_within(robot, exact, form, specification, budget, work)
            problem = SimplificationProblem(robot, exact, specification.motions, tolerance, work, budget=budget)
            found = Simplified(replace(simplify_torque(problem), coefficients=proven), fitted)
        else:
            problem = SimplificationProblem(
                robot,
                exact,
                specification.motions,
                tuple(float(joint.torque_error or 0.0) for joint in specification.joints),
                work,
                precision=specification.precision,
                on_proven=early,
                budget=budget,
                checked_by=checked_by or Budget(),
            )
            found = Simplified(simplify_torque(problem) if base_kind(robot) is Base.FIXED else simplify_limbs(problem))
    return replace(found, certificate=replace(found.certificate, specification=text))


def simplify_limbs(problem: SimplificationProblem) -> Certificate:
    """The same for a robot with a free base, limb by limb (:mod:`torquec.simplification.free_base`)."""
    check_free_base(problem.robot)
    found, problems = list[Certificate](), limb_problems(problem)
    for number, one in enumerate(problems):
        budget = problem.budget.share_of_rest(1.0 / (len(problems) - number))
        with problem.work.step(f"limb {number + 1} of {len(problems)}, {one.robot.bodies[1].name}"):
            found.append(simplify_torque(replace(one, budget=budget)))
    return whole_certificate(problem, found)


def simplify_torque(problem: SimplificationProblem) -> Certificate:
    """The cheapest program found whose torque errors are proven to stay within the tolerances, with the proof.

    Raises `SpecificationError` with joint and smallest provable error where a tolerance is below the rounding of the
    exact program, and `RobotError` where the torques are not polynomials within the limits of proofs.
    """
    check_provable(problem.robot, problem.exact)  # (1)
    check_tolerances(problem)
    plan = time_plan(problem)  # (2)
    best: Certificate | None = None
    if plan.budget.is_timed or problem.on_proven is not None:  # (3)
        best = proven_early(problem, [moments_left_out(problem)], None, plan.budget.share_of_rest(plan.first))
        if (
            plan.if_easy is not None
            and best is not None
            and operation_cost(best.program) <= TUNING.proven_at_once_price * operation_cost(problem.exact)
        ):
            plan = plan.if_easy  # tolerances are wide, and proofs easy
    parts = _parts_of_tolerances(problem, plan)
    for _ in range(TUNING.aim_attempts):
        aim = problem.within(list(parts.values()))
        programs, best = candidates(problem, aim, best, plan)  # (4)
        proven, unproven = _cheapest_proven(problem, aim, programs, best, plan)  # (5)
        if proven is not None:
            return proven
        if plan.budget.share(plan.searching).is_over or (best is not None and not unproven):
            break
        for name in unproven or parts:  # (6)
            parts[name] *= TUNING.lowered_aim
    return exact_proven(problem) if best is None else made_closer(problem, best, plan)


def _parts_of_tolerances(problem: SimplificationProblem, plan: TimePlan) -> dict[str, float]:
    """The part of every joint's tolerance that errors may use: that of the plan, less snapped angles and rounding."""
    taken = zip(problem.robot.coordinate_names, snapped(problem), rounded_away(problem), problem.tolerance, strict=True)
    return {name: plan.part * (1.0 - (snap + rounded) / allowed) for name, snap, rounded, allowed in taken}


def _cheapest_proven(
    problem: SimplificationProblem,
    aim: SimplificationProblem,
    programs: list[Function],
    best: Certificate | None,
    plan: TimePlan,
) -> tuple[Certificate | None, set[str]]:
    """(5): the proof of the cheapest candidate that has one, and the joints whose errors were not proven."""
    unproven: set[str] = set()
    for program in sorted(dict.fromkeys(programs), key=operation_cost)[: TUNING.proven_candidates]:
        if operation_cost(program) >= operation_cost(problem.exact if best is None else best.program):
            break
        try:
            return proven_or_refitted(problem, aim, program, plan), unproven
        except UnprovenError as error:
            unproven.add(error.joint)
        except TimeLimitError:
            with problem.work.step("no time for another proof") as step:
                step.show(note=f"{count_operations(program)} were found, and not proven in time; allow more of it")
            break
    return None, unproven
