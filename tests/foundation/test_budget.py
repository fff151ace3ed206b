"""Budgets: parts of their time, the tighter of two, what is refused, and what a late search gets."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from torquec.errors import ArgumentError, TimeLimitError
from torquec.foundation.budget import Budget, TimeLeft


@pytest.fixture
def at_5000(monkeypatch):
    monkeypatch.setattr("torquec.foundation.budget.time", SimpleNamespace(time=lambda: 5000.0))


def test_none_is_no_limit():
    budget = Budget.after(None)
    assert not budget.is_timed
    assert budget.share(0.1) == budget.share_of_rest(0.1) == budget
    assert budget.until == budget.remaining == math.inf
    budget.check()


@pytest.mark.usefixtures("at_5000")
def test_shares_count_from_the_start():
    budget = Budget.after(100.0)
    assert (budget.start, budget.until, budget.remaining) == (5000.0, 5100.0, 100.0)
    assert budget.share(0.25).until == 5025.0
    assert budget.share(1.5).until == 5150.0
    assert Budget(100.0, start=4990.0).share(0.25).remaining == 15.0


@pytest.mark.usefixtures("at_5000")
def test_a_share_of_the_rest_counts_from_now():
    assert Budget(400.0, start=4700.0).share_of_rest(0.5).until == 5050.0
    assert Budget(1.0, start=0.0).share_of_rest(0.5).is_over


def test_what_is_over_names_its_seconds():
    with pytest.raises(TimeLimitError, match="the time limit of 20 s is reached"):
        Budget(20.0, start=0.0).check()


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
@pytest.mark.parametrize(("name", "words"), [("seconds", "time limit"), ("memory", "bytes"), ("workers", "workers")])
def test_what_is_not_positive_is_refused(name, words, value):
    with pytest.raises(ArgumentError, match=words):
        Budget.after(**{"seconds": None, name: value})


def test_the_tighter_of_two_has_the_earlier_deadline_less_memory_and_fewer_workers():
    short, wide = Budget(10.0, memory=100, start=0.0), Budget(20.0, memory=200, workers=3, start=0.0)
    assert short.within(wide) == wide.within(short) == Budget(10.0, 100, 3, start=0.0)
    assert Budget(workers=2).within(short) == Budget(10.0, 100, 2, start=0.0)
    assert short.within(Budget()) == short


@pytest.mark.parametrize("part", [lambda b: b.share(0.5), lambda b: b.share_of_rest(0.5), lambda b: b.untimed])
def test_parts_have_the_memory_and_workers_of_the_whole(part):
    found = part(Budget.after(60.0, memory=100, workers=2))
    assert (found.memory, found.workers) == (100, 2)
    assert part(Budget.after(60.0)).is_timed is (found.seconds is not None)


def said(times, limit=None):
    """What is said after each of many equal shares that take these times: (whole time left, said) in pairs."""
    left, ends = TimeLeft(), np.cumsum(times)
    pairs = []
    for k, now in enumerate(ends):
        rest = None if limit is None else max(limit - now, 0.0)
        found = left.update((k + 1) / len(times), now, rest)
        pairs.append((ends[-1] - now, found))
    return pairs


def test_an_even_pace_is_told_exactly_and_from_a_tenth_on():
    pairs = said([0.5] * 200)
    assert [found for _, found in pairs[:19]] == [None] * 19
    for truth, found in pairs[19:-2]:
        assert found.seconds == pytest.approx(truth)
        assert not found.limit
    assert pairs[-1][1] is None


def test_short_steps_say_nothing():
    assert [found for _, found in said([0.01] * 100)] == [None] * 100


@pytest.mark.parametrize("seed", range(20))
def test_what_is_said_never_rises(seed):
    rng = np.random.default_rng(seed)
    pace = np.exp(np.cumsum(rng.normal(0.0, rng.uniform(0.0, 0.3), 200)))  # tasks that get slower or faster for long
    numbers = [found.seconds for _, found in said(pace) if found is not None]
    assert numbers == sorted(numbers, reverse=True)


def test_tasks_that_get_dearer_get_no_number_that_is_far_too_small():
    # Each task takes longer than the last: the mean of the first ones would say a tenth of the truth.
    pairs = said(np.linspace(0.0, 3.0, 100) ** 3)
    far = [(truth, found.seconds) for truth, found in pairs if found is not None and found.seconds < 0.5 * truth]
    assert far == []


def test_a_number_that_turns_out_too_small_is_taken_back():
    pairs = said([1.0] * 40 + [10.0] * 60)
    numbers = [None if found is None else found.seconds for _, found in pairs]
    assert numbers[39] == pytest.approx(60.0)
    assert None in numbers[40:45]  # after four slow tasks at the latest nobody is told 20 s where 560 are left
    again = next(k for k in range(45, 100) if numbers[k] is not None)
    assert numbers[again] <= min(number for number in numbers[:again] if number is not None)
    assert pairs[again][0] == pytest.approx(numbers[again], rel=0.3)


def test_faster_work_lowers_what_is_said():
    pairs = said([2.0] * 30 + [0.5] * 70)
    assert pairs[29][1].seconds == pytest.approx(140.0)
    assert pairs[80][1].seconds < 1.3 * pairs[80][0] + 2.0


def test_a_time_limit_is_said_where_no_estimate_is_smaller():
    left = TimeLeft()
    found = left.update(None, 0.0, 60.0)
    assert (found.seconds, found.limit) == (60.0, True)
    assert left.update(None, 70.0, 0.0) is None
    pairs = said([1.0] * 100, limit=50.0)
    assert all(found.limit for _, found in pairs[:49])
    pairs = said([1.0] * 100, limit=1000.0)
    assert pairs[0][1].limit
    assert not pairs[20][1].limit
    assert left.update(1.0, 70.0, 30.0) is None
