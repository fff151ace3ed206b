"""Pruning descents with restarts: rounds over several programs and seeds, and again from stages of the shortest.

(1)  a first round has one descent of each program, or several with other seeds
(2)  where time is limited there are later rounds, each with descents from earlier stages of the shortest descent so
     far, and a slow search from its last stage (:func:`torquec.simplification.prune.last_look`)
(3)  after some rounds without gain the search restarts elsewhere: descents from the first programs with other seeds,
     and (2) from the shortest of them. It ends after several restarts without gain
(4)  a descent ends with a rescaling that saves multiplications (:mod:`torquec.simplification.rescale`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

from torquec.errors import TimeLimitError
from torquec.expr import Function, count_operations, operation_cost
from torquec.foundation.work import Meter, silent
from torquec.robot.joints import PositionBasis
from torquec.robot.robot import Robot
from torquec.simplification.degree_limit import DegreeRoom
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.prune import last_look, prune_within
from torquec.simplification.rescale import rescaled
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox

Search = Callable[..., Function]
"""From robot, motions, tolerance and meter to a program."""


def pruned_programs(
    problem: SimplificationProblem,
    prunings: Mapping[Function, int],
    searches: Sequence[Search],
    room: DegreeRoom | None,
) -> Iterator[list[Function]]:
    """Final programs of the descents, round by round; `prunings` is the number of seeds of a program in (1).

    Where time is limited the cheapest come first, with one seed each; `searches` run in parallel, and their results are
    pruned; later rounds have other seeds. Otherwise the slowest come first, for load balancing.
    """
    limited = problem.work.budget.is_timed
    ordered = sorted((p for p, seeds in prunings.items() if seeds), key=operation_cost, reverse=not limited)
    first: list[_Start]
    if limited:
        first = [
            _Start(program)
            for program in ordered
            if operation_cost(program) <= TUNING.unpromising_price * operation_cost(ordered[0])
        ]
        # In second place: another process starts it at once; a single process prunes a program before it.
        first[1:1] = [_Start(search) for search in searches]
    else:
        first = [_Start(program, seed) for program in ordered for seed in range(prunings[program])]
    if first:
        rounds = _Rounds(problem, room, seed=max(prunings.values(), default=1))
        yield rounds.begun(first)
        while limited and not problem.work.budget.is_over and rounds.worthwhile:
            yield rounds.next()


@dataclass(frozen=True)
class _Start:
    """A program or a search, a seed, and whether the slow last search is run instead of pruning."""

    what: Function | Search
    seed: int = 0
    last: bool = False


@dataclass
class _Rounds:
    """State of the rounds: stages of the shortest descent since the last restart, initial programs, and past gains."""

    problem: SimplificationProblem
    room: DegreeRoom | None
    seed: int
    _stages: list[Function] = field(default_factory=list)
    _programs: list[Function] = field(default_factory=list)
    _refactored: Function | None = None
    _fruitless: int = 0
    _places: int = 0
    _best: int = 0

    @property
    def worthwhile(self) -> bool:
        """Whether another round is worthwhile."""
        return self._places < TUNING.fruitless_restarts

    def begun(self, first: Sequence[_Start]) -> list[Function]:
        """(1)."""
        descents = self._descents(first)
        cheapest = min(operation_cost(descent[0]) for descent in descents)
        self._programs = [
            descent[0] for descent in descents if operation_cost(descent[0]) <= TUNING.unpromising_price * cheapest
        ]
        self._stages = min(descents, key=_last_price)
        self._best = _last_price(self._stages)
        return _ends(descents)

    def next(self) -> list[Function]:
        """(2), or (3) after several rounds without gain."""
        return self._restarts() if self._fruitless == TUNING.rounds_before_restart else self._from_stages()

    def _from_stages(self) -> list[Function]:
        before = _last_price(self._stages)
        back = [self._stage_before(far * before) for far in TUNING.resumed_prices]
        starts = [_Start(self._stages[k], self._next_seed()) for k in back]
        end = self._stages[-1]
        if end != self._refactored:
            back.append(len(self._stages) - 1)
            starts.append(_Start(end, self._next_seed(), last=True))
            self._refactored = end
        again = self._descents(starts)
        for start, descent in zip(back, again, strict=True):
            if _last_price(descent) <= _last_price(self._stages):
                self._stages = [*self._stages[:start], *descent]
        self._fruitless = 0 if _last_price(self._stages) < before else self._fruitless + 1
        self._note_best()
        return _ends(again)

    def _restarts(self) -> list[Function]:
        starts = [
            _Start(program, self._next_seed()) for program in islice(cycle(self._programs), len(TUNING.resumed_prices))
        ]
        descents = self._descents(starts)
        self._stages = min(descents, key=_last_price)
        self._fruitless = 0
        self._places += 1
        self._note_best()
        return _ends(descents)

    def _note_best(self) -> None:
        if _last_price(self._stages) < self._best:
            self._best, self._places = _last_price(self._stages), 0

    def _stage_before(self, price: float) -> int:
        """The last stage that costs as much or more; the first one where none does."""
        return max((k for k, stage in enumerate(self._stages) if operation_cost(stage) >= price), default=0)

    def _next_seed(self) -> int:
        self.seed += 1
        return self.seed - 1

    def _descents(self, starts: Sequence[_Start]) -> list[list[Function]]:
        """The stages of each descent."""
        p = self.problem
        shared = p.robot, p.exact, p.bases, p.motions, p.tolerance, self.room
        tasks = [_Pruning(*shared, start) for start in starts]
        note = lambda _, stages: str(count_operations(stages[-1]))  # noqa: E731
        return list(p.work.map("pruning", _prune, tasks, metered=True, note=note))


@dataclass(frozen=True)
class _Pruning:
    """Input of a process that prunes one program, or the result of a search."""

    robot: Robot
    exact: Function
    bases: tuple[PositionBasis, ...]
    motions: MotionBox
    tolerance: tuple[float, ...]
    room: DegreeRoom | None
    start: _Start


def _prune(task: _Pruning, *, meter: Meter = silent) -> list[Function]:
    """The stages of a descent, the last one rescaled (4)."""
    program = task.start.what
    if not isinstance(program, Function):
        try:
            program = program(task.robot, task.motions, task.tolerance, meter=meter)
        except TimeLimitError:
            return [task.exact]
    given = task.exact, program, task.bases, task.motions, task.tolerance
    prune = last_look if task.start.last else prune_within
    stages = prune(*given, seed=task.start.seed, room=task.room, meter=meter)
    return [*stages, rescaled(stages[-1])]


def _ends(descents: Sequence[Sequence[Function]]) -> list[Function]:
    return [descent[-1] for descent in descents]


def _last_price(stages: Sequence[Function]) -> int:
    return operation_cost(stages[-1])
