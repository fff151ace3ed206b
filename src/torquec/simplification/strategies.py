"""Candidate programs: every strategy of `STRATEGIES` proposes some, then their sums are pruned.

A new way to simplify is one file, with a function from a problem and the cheapest program known to a list of programs,
and one row of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from torquec.errors import TimeLimitError
from torquec.expr import Function, operation_cost
from torquec.foundation.budget import Budget
from torquec.proof.torque.certificate import Certificate
from torquec.simplification.closed_torque import closed_form_with_fewer_terms
from torquec.simplification.descents import pruned_programs
from torquec.simplification.fewer_parameters import (
    fewest_operations,
    recursion_with_fewer_parameters,
    recursion_with_most_parameters,
)
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.prove import proven_early, require_time
from torquec.simplification.time_plan import SHARES, TimePlan
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


def candidates(
    problem: SimplificationProblem, aim: SimplificationProblem, best: Certificate | None, plan: TimePlan
) -> tuple[list[Function], Certificate | None]:
    """Candidate programs whose errors found keep the aims, within the search time; and the cheapest proven already."""
    programs: list[Function] = []
    prunings: dict[Function, int] = {}
    timed = plan.budget.is_timed
    with problem.work.within(plan.budget.share(plan.searching)), suppress(TimeLimitError):
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
        for ends in pruned_programs(aim, prunings, searches, plan.room):
            programs += ends
    return programs, best
