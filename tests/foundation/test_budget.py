"""Budgets: parts of their time, the tighter of two, what is refused, and what a late search gets."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from torquec.errors import ArgumentError, TimeLimitError
from torquec.foundation.budget import Budget


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
