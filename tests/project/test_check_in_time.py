"""Of several proven programs the cheapest is taken whose check fits in the time that is left, and none is lost.

Checks may end a little later, no more, and look at the time between their parts.
"""

from __future__ import annotations

import pkgutil

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import TimeLimitError
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Work
from torquec.project import check_in_time as module
from torquec.project.check_in_time import CheckedInTime, checked_in_time, simplified_in_time
from torquec.project.simplification import MODEL_SHARE
from torquec.proof.torque.certify import certify
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
    found = checked_in_time(robot, proven, TimeLimit.after(60.0), Work())
    assert found.program is proven[chosen]
    assert found.checked


def test_a_check_may_take_a_little_longer_and_no_more_and_the_program_is_not_lost(robot, proven, monkeypatch):
    limits = []

    def checked(robot, certificate, *, work):
        limits.append(work.limit)
        raise TimeLimitError("the time limit is reached")

    monkeypatch.setattr(module, "check_certificate", checked)
    limit = TimeLimit.after(60.0)
    assert checked_in_time(robot, proven[:1], limit, Work()) == CheckedInTime(proven[0], checked=False)
    assert limits[0].until - limits[0].start == pytest.approx(90.0)


@pytest.mark.parametrize("step", ["evaluating", "comparing", "going through boxes"])
def test_a_check_looks_at_the_time_between_its_parts(robot, proven, monkeypatch, step):
    """Time that is over in the middle of one part is noticed before the next."""
    work, done = Work(), []
    places = {
        "evaluating": "torquec.proof.checker.check_certificate.grid_samples",
        "comparing": "torquec.proof.checker.check_certificate._table",
        "going through boxes": "torquec.proof.checker.check_boxes.LeafChecker._check_along",
    }
    module_name, _, name = places[step].rpartition(".")
    holder = pkgutil.resolve_name(module_name)
    part = getattr(holder, name)

    def slow(*arguments, **options):
        found = part(*arguments, **options)
        work.limit = TimeLimit(0.0, 1.0)  # long over
        done.append(step)
        return found

    monkeypatch.setattr(holder, name, slow)
    found = checked_in_time(robot, proven[:1], TimeLimit.after(3600.0), work)
    assert done == [step]
    assert found == CheckedInTime(proven[0], checked=False)


def test_nothing_is_foreseen_or_checked_when_the_time_is_over(robot, proven, monkeypatch):
    monkeypatch.setattr(module, "CheckTime", None)
    monkeypatch.setattr(module, "check_certificate", None)
    assert checked_in_time(robot, proven, TimeLimit(0.0, 1.0), Work()) == CheckedInTime(proven[0], checked=False)


def test_the_search_knows_when_the_check_has_to_be_done(robot, proven, monkeypatch):
    """It has its share of the time; programs that are proven on the way are told, and the cheapest is checked."""
    asked, told = [], []
    early, cheap = reversed(proven)

    def met(robot, exact, specification, *, work, on_proven, checked_by):
        asked.append((work.limit, checked_by))
        on_proven(early)
        return cheap

    monkeypatch.setattr(module, "meet_specification", met)
    foreseen(monkeypatch, proven, (1.0, 1.0))
    found = simplified_in_time(robot, None, 60.0, Work(), on_proven=told.append)
    ((limit, checked_by),) = asked
    assert checked_by.until - checked_by.start == pytest.approx(60.0)
    assert limit.until - checked_by.start == pytest.approx(60.0 * MODEL_SHARE)
    assert told == [early]
    assert found == CheckedInTime(cheap, checked=True)
    foreseen(monkeypatch, proven, (100.0, 1.0))
    assert simplified_in_time(robot, None, 60.0, Work()) == CheckedInTime(early, checked=True)


def test_without_a_limit_nothing_is_foreseen(robot, proven, monkeypatch):
    monkeypatch.setattr(module, "CheckTime", None)
    assert checked_in_time(robot, proven, TimeLimit(), Work()) == CheckedInTime(proven[0], checked=True)
