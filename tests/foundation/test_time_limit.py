"""Time limits: parts of them, what is refused, and what a late search is told."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from torquec.errors import ArgumentError, TimeLimitError
from torquec.foundation.time_limit import TimeLimit


def test_none_is_no_limit():
    limit = TimeLimit.after(None)
    assert not limit.is_stated
    assert limit.part(0.1) == limit
    limit.check()


def test_parts_count_from_the_beginning(monkeypatch):
    monkeypatch.setattr("torquec.foundation.time_limit.time", SimpleNamespace(time=lambda: 5000.0))
    limit = TimeLimit.after(100.0)
    assert limit.until - limit.start == pytest.approx(100.0)
    assert limit.part(0.25).until - limit.start == pytest.approx(25.0)
    assert limit.part(1.5).until > limit.until
    assert limit.start == 5000.0


def test_what_is_over_says_how_long_it_was():
    with pytest.raises(TimeLimitError, match="the time limit of 20 s is reached"):
        TimeLimit(0.0, 20.0).check()


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_no_positive_time_is_refused(seconds):
    with pytest.raises(ArgumentError, match="time limit"):
        TimeLimit.after(seconds)


def test_a_share_of_the_rest_counts_from_now(monkeypatch):
    monkeypatch.setattr("torquec.foundation.time_limit.time", SimpleNamespace(time=lambda: 5000.0))
    limit = TimeLimit(4700.0, 5100.0)
    assert limit.of_the_rest(0.5).until == 5050.0
    assert TimeLimit(0.0, 1.0).of_the_rest(0.5).is_over
    assert TimeLimit().of_the_rest(0.5) == TimeLimit()
