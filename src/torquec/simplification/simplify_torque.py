"""Inverse dynamics within given torque errors, on one page: propose, prune, price, prove, tighten.

(1)  propose: every strategy of `STRATEGIES` gives programs whose errors are within the aims, as far as can be found
(2)  prune: terms of their sums are left out, constants fitted again (:mod:`torquec.simplification.prune`), with
     several seeds, for what goes first decides what can go later; then, again and again, from a stage of the shortest
     descent so far, a little way back or farther. Units that save multiplications end it
     (:mod:`torquec.simplification.rescale`)
(3)  price: by operations, sines and cosines counted (:attr:`torquec.expr.OperationCount.cost`)
(4)  prove: the cheapest few are proven over the whole box of motions (:func:`torquec.proof.certificate.certify`)
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

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from torquec.dynamics.mechanism import mechanism
from torquec.errors import TimeLimitError
from torquec.expr import Function, count_operations
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Meter, silent
from torquec.proof.certificate import Certificate
from torquec.proof.certify import UnprovenError, certify
from torquec.robot.robot import Robot
from torquec.simplification.check_problem import check_degrees, check_tolerances, rounded_away, snapped
from torquec.simplification.closed_torque import closed_form_with_fewer_terms
from torquec.simplification.degree_limit import DegreeRoom
from torquec.simplification.fewer_parameters import fewest_operations, recursion_with_fewer_parameters
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.most_parameters import moments_left_out, recursion_with_most_parameters
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.prune import fitted_within, prune_within
from torquec.simplification.rescale import rescaled
from torquec.simplification.time_plan import TimePlan, time_plan
from torquec.trajectory.motion_box import MotionBox


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
"""What costs at most this part of what is proven is proven at once (6)."""

_FIRST = 40.0
"""Seconds for the proof of an early program where no time limit is stated (7)."""

_FAR = 1.6
"""Programs that cost more than this times the cheapest one are not pruned where time is limited: it takes longest, and
never ends below the others."""

_BACK = (1.08, 1.15, 1.3, 1.6)
"""How far descents of a later round begin back, as multiples of the price of the best: a round has one of each."""

_FRUITLESS = 4
"""Later rounds without gain after which there is no other; where no time limit is stated there is none at all."""

_FITTED_TO, _FITS = 0.97, 2
"""What a joint's aim is multiplied by for a fit after a proof that was not found, and how often that is tried."""

_LOWERED, _ATTEMPTS = 0.94, 4
"""What a joint's aim is multiplied by where its error was not proven, and how often all is tried."""


def simplify_torque(problem: SimplificationProblem) -> Certificate:
    """The cheapest program found whose torque errors are proven to stay within the tolerances, with the proof.

    Raises `SpecificationError` with joint and smallest error that can be proven where a tolerance is below the rounding
    of the exact program, and `RobotError` where the torques are no polynomials that a proof can manage.
    """
    check_degrees(problem)
    check_tolerances(problem)
    plan = time_plan(problem)
    with problem.work.unlimited(), problem.work.limited(plan.limit):
        return _cheapest_proven(problem, plan)


def _cheapest_proven(problem: SimplificationProblem, plan: TimePlan) -> Certificate:
    """All of (1) to (7)."""
    parts = {
        name: plan.part * (1.0 - (snap + rounded) / allowed)
        for name, snap, rounded, allowed in zip(
            problem.robot.joint_names, snapped(problem), rounded_away(problem), problem.tolerance, strict=True
        )
    }
    limit, attempts = problem.work.limit, _ATTEMPTS
    best: Certificate | None = None
    if limit.is_stated or problem.on_proven is not None:
        best = _cheaper(problem, [moments_left_out(problem)], None, limit.of_the_rest(plan.first))  # (7)
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
        for descents in _pruned(aim, prunings, plan):
            programs += descents
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
                fitted = fitted_within(
                    problem.exact, program, aim.prismatic, aim.motions, aim.tolerance, room=plan.room
                )
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


def _pruned(
    problem: SimplificationProblem, prunings: Mapping[Function, int], plan: TimePlan
) -> Iterator[list[Function]]:
    """(2), of every program with its seeds, round by round; later rounds begin at stages of the shortest descent.

    Where time is limited the cheapest come first, with one seed each: later rounds have others. Else those that take
    longest do: the others fit in beside them.
    """
    limit = problem.work.limit
    ordered = sorted((p for p, seeds in prunings.items() if seeds), key=cost, reverse=not limit.is_stated)
    first: list[_Start]
    if limit.is_stated:
        first = [(program, 0) for program in ordered if cost(program) <= _FAR * cost(ordered[0])]
        # Second, so that another process begins with it, or this one has pruned something before.
        first[1:1] = [(strategy.search, 0) for strategy in STRATEGIES if strategy.search is not None]
    else:
        first = [(program, seed) for program in ordered for seed in range(prunings[program])]
    if not first:
        return
    seeds = max(prunings.values(), default=1)
    descents = _descents(problem, first, plan)
    yield [descent[-1] for descent in descents]
    best = min(descents, key=lambda descent: cost(descent[-1]))
    seed, fruitless = seeds, 0
    while limit.is_stated and not limit.is_over and fruitless < _FRUITLESS:
        before = cost(best[-1])
        starts = [_stage_before(best, back * cost(best[-1])) for back in _BACK]
        again = _descents(problem, [(best[start], seed + k) for k, start in enumerate(starts)], plan)
        seed += len(starts)
        for start, descent in zip(starts, again, strict=True):
            if cost(descent[-1]) <= cost(best[-1]):
                best = [*best[:start], *descent]
        yield [descent[-1] for descent in again]
        fruitless = 0 if cost(best[-1]) < before else fruitless + 1


def _stage_before(stages: Sequence[Function], price: float) -> int:
    """The last stage that costs as much or more; the first one where none does."""
    return max((k for k, stage in enumerate(stages) if cost(stage) >= price), default=0)


_Start = tuple[Function | Callable[..., Function], int]
"""A program, or the search of a strategy, and a seed."""


def _descents(problem: SimplificationProblem, starts: Sequence[_Start], plan: TimePlan) -> list[list[Function]]:
    """The stages of descents, each with its seed."""
    shared = problem.robot, problem.exact, problem.prismatic, problem.motions, problem.tolerance, plan.room
    tasks = [_Pruning(*shared, start, seed) for start, seed in starts]
    found = problem.work.map(
        "pruning", _prune, tasks, metered=True, note=lambda _, stages: str(count_operations(stages[-1]))
    )
    return list(found)


@dataclass(frozen=True)
class _Pruning:
    """What a process needs to prune one program, or what a search finds."""

    robot: Robot
    exact: Function
    prismatic: tuple[bool, ...]
    motions: MotionBox
    tolerance: tuple[float, ...]
    room: DegreeRoom | None
    start: Function | Callable[..., Function]
    seed: int


def _prune(task: _Pruning, *, meter: Meter = silent) -> list[Function]:
    """The stages of a descent, last in the units in which it is shortest."""
    start = task.start
    if not isinstance(start, Function):
        try:
            start = start(task.robot, task.motions, task.tolerance, meter=meter)
        except TimeLimitError:
            return [task.exact]
    given = task.exact, start, task.prismatic, task.motions, task.tolerance
    stages = prune_within(*given, seed=task.seed, room=task.room, meter=meter)
    return [*stages, rescaled(stages[-1])]


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
