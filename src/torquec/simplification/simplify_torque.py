"""Inverse dynamics within given torque errors, on one page: propose, prune, price, prove, tighten.

(1)  propose: every strategy of `STRATEGIES` gives programs whose errors are within the aims, as far as can be found
(2)  prune: terms of their sums are left out, constants fitted again (:mod:`torquec.simplification.prune`), with
     several seeds, for what goes first decides what can go later, again and again
     (:mod:`torquec.simplification.descents`)
(3)  price: by operations, sines and cosines counted (:attr:`torquec.expr.OperationCount.cost`)
(4)  prove: the cheapest few are proven over the whole box of motions (:func:`torquec.proof.torque.certificate.certify`)
(5)  tighten: where no proof was found, constants are fitted so that the joint concerned errs less; where they cannot
     be, the aims of such joints are lowered, and all is done again; in the end the cheapest exact program remains,
     which errs only by rounding
(6)  under a time limit of the work (:meth:`torquec.foundation.work.Work.limited`) most of it goes to (1) and (2), whose
     searches give what they have when their time is over, the rest to (4) (:mod:`torquec.simplification.time_plan`); a
     proposal that saves much is proven at once. Where time runs out, the cheapest program that is proven is the result,
     or the exact one
(7)  where time is limited, or somebody wants to know of every proven program (`problem.on_proven`), a program of which
     a little is left out is proven to be within the tolerances, no closer, before anything else; where that is not
     possible, the first proposal

A new way to simplify is one file, with a function from a problem and the cheapest program known to a list of programs,
and one row of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from torquec.dynamics.mechanism import mechanism
from torquec.errors import TimeLimitError
from torquec.expr import Function, count_operations
from torquec.foundation.time_limit import TimeLimit
from torquec.proof.accepts import check_provable
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import UnprovenError, certify
from torquec.simplification.check_problem import check_tolerances, rounded_away, snapped
from torquec.simplification.closed_torque import closed_form_with_fewer_terms
from torquec.simplification.descents import pruned_programs
from torquec.simplification.fewer_parameters import fewest_operations, recursion_with_fewer_parameters
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.most_parameters import moments_left_out, recursion_with_most_parameters
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.prune import fitted_within
from torquec.simplification.time_plan import TimePlan, time_plan


@dataclass(frozen=True)
class Strategy:
    """A way to propose programs, and with how many seeds each of them is pruned (0: as it is).

    One that takes long has a `search`, of robot, motions, tolerance and meter: where time is limited a process does it,
    and prunes what it finds, while others prune what is there already (6).
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
"""In the order in which they are tried: a later one knows the cheapest proposal of those before it."""

_PROOFS = 3
"""How many of the cheapest programs are tried to be proven, before aims are lowered."""

_MUCH = 0.85
"""What costs at most this part of what is proven is proven at once (6); where the program of (7) does, tolerances are
wide, and proofs easy."""

_FIRST = 40.0
"""Seconds for the proof of an early program where no time limit is stated (7)."""

_FITTED_TO, _FITS = 0.97, 2
"""What a joint's aim is multiplied by for a fit after a proof that was not found, and how often that is tried."""

_LOWERED, _ATTEMPTS = 0.94, 4
"""What a joint's aim is multiplied by where its error was not proven, and how often all is tried."""


def simplify_torque(problem: SimplificationProblem) -> Certificate:
    """The cheapest program found whose torque errors are proven to stay within the tolerances, with the proof.

    Raises `SpecificationError` with joint and smallest error that can be proven where a tolerance is below the rounding
    of the exact program, and `RobotError` where the torques are no polynomials that a proof can manage.
    """
    check_provable(problem.robot, problem.exact)
    check_tolerances(problem)
    plan = time_plan(problem)
    first: Certificate | None = None
    with problem.work.unlimited(), problem.work.limited(plan.limit):
        if plan.limit.is_stated or problem.on_proven is not None:
            first = _cheaper(problem, [moments_left_out(problem)], None, plan.limit.of_the_rest(plan.first))  # (7)
    if plan.if_easy is not None and first is not None and cost(first.program) <= _MUCH * cost(problem.exact):
        plan = plan.if_easy
    with problem.work.unlimited(), problem.work.limited(plan.limit):
        return _cheapest_proven(problem, plan, first)


def _cheapest_proven(problem: SimplificationProblem, plan: TimePlan, best: Certificate | None) -> Certificate:
    """(1) to (6), with the program of (7)."""
    parts = {
        name: plan.part * (1.0 - (snap + rounded) / allowed)
        for name, snap, rounded, allowed in zip(
            problem.robot.joint_names, snapped(problem), rounded_away(problem), problem.tolerance, strict=True
        )
    }
    limit, attempts = problem.work.limit, _ATTEMPTS
    while True:
        aim = problem.within(list(parts.values()))
        programs, best = _programs(problem, aim, best, plan)
        unproven = set()
        for program in sorted(dict.fromkeys(programs), key=cost)[:_PROOFS]:
            if cost(program) >= cost(problem.exact if best is None else best.program):
                break
            try:
                return _proven_or_fitted_again(problem, aim, program, plan)
            except UnprovenError as error:
                unproven.add(error.joint)
            except TimeLimitError:
                with problem.work.step("no time for another proof") as step:
                    step.show(note=f"{count_operations(program)} were found, and not proven in time; allow more of it")
                break
        attempts -= 1
        if not attempts or limit.part(plan.searching).is_over or (best is not None and not unproven):
            break
        for name in unproven or parts:
            parts[name] *= _LOWERED
    return _all_kept(problem) if best is None else _made_closer(problem, best, plan)


def _made_closer(problem: SimplificationProblem, best: Certificate, plan: TimePlan) -> Certificate:
    """What was proven at once (7), with bounds as close as the time allows."""
    try:
        with problem.work.unlimited(), problem.work.limited(plan.limit.part(plan.proving)):
            _require_time(problem)
            return _proven(problem, best.program)
    except (UnprovenError, TimeLimitError):
        return best


def _all_kept(problem: SimplificationProblem) -> Certificate:
    """Nothing left out (5): in the axes that need fewer operations, or as it is where that rounds too much."""
    carried = torque_program(mechanism(problem.robot))
    with problem.work.unlimited():
        if cost(carried) < cost(problem.exact):
            with suppress(UnprovenError):
                return _proven(problem, carried)
        return _proven(problem, problem.exact)


def _programs(
    problem: SimplificationProblem, aim: SimplificationProblem, best: Certificate | None, plan: TimePlan
) -> tuple[list[Function], Certificate | None]:
    """(1) of all strategies, then (2), as far as the time allows (6); and the cheapest that is proven already."""
    programs: list[Function] = []
    prunings: dict[Function, int] = {}
    limit = problem.work.limit
    with problem.work.limited(limit.part(plan.searching)), suppress(TimeLimitError):
        for strategy in STRATEGIES:
            if strategy.search is not None and limit.is_stated:
                continue
            proposed = strategy.propose(aim, min([problem.exact, *programs], key=cost))
            programs += proposed
            prunings |= dict.fromkeys(proposed, strategy.prunings)
            if limit.is_stated:
                best = _cheaper(problem, proposed, best, limit.of_the_rest(plan.first), most=_MUCH)
            elif best is None and problem.on_proven is not None:
                best = _cheaper(problem, proposed, best, TimeLimit.after(_FIRST))
        _require_time(problem)
        searches = [strategy.search for strategy in STRATEGIES if strategy.search is not None]
        for ends in pruned_programs(aim, prunings, searches, plan.room):
            programs += ends
    return programs, best


def _cheaper(
    problem: SimplificationProblem,
    proposed: Sequence[Function],
    best: Certificate | None,
    limit: TimeLimit,
    *,
    most: float = 1.0,
) -> Certificate | None:
    """The cheapest proposal, proven, where its cost is below this part of the best's and its proof within the limit."""
    for program in sorted(proposed, key=cost)[:1]:
        if cost(program) < most * cost(problem.exact if best is None else best.program):
            with suppress(UnprovenError, TimeLimitError), problem.work.limited(limit):
                _require_time(problem)
                best = _proven(problem, program, closer=False)
                if problem.on_proven is not None:
                    problem.on_proven(best)
    return best


def _proven_or_fitted_again(
    problem: SimplificationProblem, aim: SimplificationProblem, program: Function, plan: TimePlan
) -> Certificate:
    """(4), and where a joint's error is not proven, of the same program with constants that let this joint err less.

    Bounds of products of speeds are above the truth by some percent, by how many is seen in a proof only.
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


def _proven_in_time(problem: SimplificationProblem, program: Function, plan: TimePlan) -> Certificate:
    """(4), in the time that the plan has for it; where that is short, within the tolerances first."""
    if plan.room is not None:
        with problem.work.unlimited(), problem.work.limited(plan.limit):
            _require_time(problem)
            found = _proven(problem, program, closer=False)
        return _made_closer(problem, found, plan)
    with problem.work.unlimited(), problem.work.limited(plan.limit.part(plan.proving)):
        return _proven(problem, program)


def _require_time(problem: SimplificationProblem) -> None:
    """Tables of seven joints take seconds before a proof first looks at the time, which somebody may wait for."""
    if problem.checked_by.is_stated:
        problem.work.limit.check()


def cost(program: Function) -> int:
    """The price of a program (3)."""
    return count_operations(program).cost


def _proven(problem: SimplificationProblem, program: Function, *, closer: bool = True) -> Certificate:
    """(4); with bounds at the tolerances where no closer ones are asked for."""
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
