"""Rounds of descents: where each begins, when another place is looked for, and when it is over."""

from __future__ import annotations

import pytest
from tests.proof.arms import arm, motions

from torquec.dynamics.mechanism import mechanism
from torquec.errors import TimeLimitError
from torquec.expr import count_operations, trace
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.simplification import descents
from torquec.simplification.descents import pruned_programs
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.tuning import TUNING


def program(price):
    """A program of that many additions."""

    def algorithm(x):
        total = x[0]
        for term in x[1 : price + 1]:
            total = total + term
        return {"tau": [total]}

    return trace("f", algorithm, {"x": (200,)})


def price(function):
    return count_operations(function).cost


@pytest.fixture
def begun(monkeypatch):
    """What was begun, in order: prices, seeds and whether it was a last look; each ends ten cheaper at first."""
    calls = []

    def prune_within(_exact, start, *_, seed, room, meter):
        calls.append((price(start), seed, False))
        return [start, program(max(price(start) - 10, 60))]

    def last_look(_exact, start, *_, seed, room, meter):
        calls.append((price(start), seed, True))
        return [start]

    monkeypatch.setattr(descents, "prune_within", prune_within)
    monkeypatch.setattr(descents, "last_look", last_look)
    monkeypatch.setattr(descents, "rescaled", lambda function: function)
    return calls


@pytest.fixture
def problem():
    robot = arm("planar3r")
    return SimplificationProblem(robot, torque_program(mechanism(robot)), motions(robot), (1.0, 1.0, 1.0), Work())


def limited(problem):
    return problem.work.within(Budget.after(3600.0))


def test_without_a_limit_there_is_one_round(problem, begun):
    rounds = list(pruned_programs(problem, {program(100): 2, program(90): 1, program(80): 0}, [], None))
    assert [[price(end) for end in ends] for ends in rounds] == [[90, 90, 80]]
    assert begun == [(100, 0, False), (100, 1, False), (90, 0, False)]


def test_programs_that_cost_far_more_are_left_alone_in_limited_time(problem, begun):
    with limited(problem):
        next(pruned_programs(problem, {program(60): 2, program(99): 2, program(80): 1}, [], None))
    assert begun == [(60, 0, False), (80, 0, False)]


def test_searches_are_done_beside_the_cheapest_and_pruned(problem, begun):
    def search(_robot, _motions, _tolerance, *, meter):
        return program(70)

    with limited(problem):
        ends = next(pruned_programs(problem, {program(80): 2, program(90): 2}, [search], None))
    assert begun == [(80, 0, False), (70, 0, False), (90, 0, False)]
    assert [price(end) for end in ends] == [70, 60, 80]


def test_a_search_without_a_result_ends_with_the_exact_program(problem, begun):
    def search(*_, **__):
        raise TimeLimitError("no time")

    with limited(problem):
        ends = next(pruned_programs(problem, {program(80): 2}, [search], None))
    assert ends[1] == problem.exact
    assert len(begun) == 1


def test_later_rounds_begin_at_stages_with_other_seeds_and_look_at_each_end_once(problem, begun):
    with limited(problem):
        rounds = pruned_programs(problem, {program(100): 2}, [], None)
        next(rounds)  # 100, 90
        begun.clear()
        next(rounds)
        assert begun == [(100, 2, False), (100, 3, False), (100, 4, False), (100, 5, False), (90, 6, True)]
        begun.clear()
        next(rounds)
        assert not any(last for *_, last in begun)  # the end is as it was
        assert [seed for _, seed, _ in begun] == [7, 8, 9, 10]


def test_a_last_look_that_helps_is_gone_on_from(problem, begun, monkeypatch):
    monkeypatch.setattr(descents, "last_look", lambda _exact, start, *_, **__: [start, program(price(start) - 3)])
    with limited(problem):
        rounds = pruned_programs(problem, {program(100): 2}, [], None)
        next(rounds)  # 100, 90
        assert min(map(price, next(rounds))) == 87
        assert min(map(price, next(rounds))) == 84


def test_after_rounds_without_gain_another_place_is_begun_and_in_the_end_it_is_over(problem, begun):
    with limited(problem):
        rounds = list(pruned_programs(problem, {program(65): 2, program(70): 1}, [], None))
    shortest = min(price(end) for ends in rounds for end in ends)
    assert shortest == 60
    # The first round leads to 60, which nothing improves: four rounds, another place, and so on.
    places = TUNING.fruitless_restarts
    assert len(rounds) == 1 + places * (TUNING.rounds_before_restart + 1)
    elsewhere = [start for start, _, last in begun[2:] if start in (65, 70) and not last]
    assert {65, 70} <= set(elsewhere)
    seeds = [seed for *_, seed, _ in begun[2:]]
    assert len(set(seeds)) == len(seeds)


def test_a_place_that_is_better_counts(problem, begun, monkeypatch):
    """What another place gains is gone on from, and places are counted anew."""
    lengths = iter([60] * 40 + [55] * 1000)

    def prune_within(_exact, start, *_, seed, room, meter):
        begun.append((price(start), seed, False))
        return [start, program(min(price(start), next(lengths)))]

    monkeypatch.setattr(descents, "prune_within", prune_within)
    with limited(problem):
        rounds = list(pruned_programs(problem, {program(65): 2}, [], None))
    assert min(price(end) for ends in rounds for end in ends) == 55
    assert len(rounds) > 1 + TUNING.fruitless_restarts * (TUNING.rounds_before_restart + 1)
    assert begun[-1][0] == 65  # the last place
