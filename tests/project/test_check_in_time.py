"""Of several proven programs the cheapest is taken whose check fits in the time that is left, and none is lost."""

from __future__ import annotations

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import TimeLimitError
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Work
from torquec.project import check_in_time as module
from torquec.project.check_in_time import checked_in_time
from torquec.proof.certify import certify
from torquec.simplification.meet_specification import Simplified


@pytest.fixture(scope="module")
def robot():
    return arm("planar2r")


@pytest.fixture(scope="module")
def proven(robot):
    """A cheap one, which takes long to check, and an early one."""
    exact, simplified = programs(robot, 1, 0.8)
    return [Simplified(certify(robot, exact, program, motions(robot))) for program in (simplified, exact)]


def foreseen(monkeypatch, proven, seconds):
    class Foreseen:
        def __init__(self, *_, **__):
            pass

        def of(self, certificate):
            return next(s for one, s in zip(proven, seconds, strict=True) if one.certificate is certificate)

    monkeypatch.setattr(module, "CheckTime", Foreseen)


@pytest.mark.parametrize(
    ("seconds", "chosen"),
    [((10.0, 1.0), 0), ((100.0, 1.0), 1), ((300.0, 200.0), 1), ((200.0, 300.0), 0)],
    ids=["it fits", "the early one fits", "none fits: the soonest", "none fits: the first is the soonest"],
)
def test_the_cheapest_that_fits_is_checked(robot, proven, monkeypatch, seconds, chosen):
    foreseen(monkeypatch, proven, seconds)
    assert checked_in_time(robot, proven, TimeLimit.after(60.0), Work()) is proven[chosen]


def test_a_check_may_take_a_little_longer_and_no_more(robot, proven, monkeypatch):
    limits = []

    def checked(robot, certificate, *, work):
        limits.append(work.limit)
        raise TimeLimitError("the time limit is reached")

    monkeypatch.setattr(module, "check_certificate", checked)
    limit = TimeLimit.after(60.0)
    assert checked_in_time(robot, proven[:1], limit, Work()) is None
    assert limits[0].until - limits[0].start == pytest.approx(90.0)


def test_without_a_limit_nothing_is_foreseen(robot, proven, monkeypatch):
    monkeypatch.setattr(module, "CheckTime", None)
    assert checked_in_time(robot, proven, TimeLimit(), Work()) is proven[0]
