"""How time is shared: a check that waits has its time kept free; long limits, and none, are as they were."""

from __future__ import annotations

import pytest
from tests.proof.arms import arm, motions

from torquec.foundation.budget import Budget
from torquec.model.quantities import trace_quantity
from torquec.simplification import time_plan as module
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.time_plan import SHARES, TimePlan, time_plan


class Foreseen:
    """A check of 15,625 points that takes so many seconds, whatever is checked."""

    seconds, degrees = 10.0, (0, 2, 2, 2, 2, 2)

    def __init__(self, *_, **__):
        pass

    def degrees_of(self, program):
        return self.degrees

    def points(self, degrees):
        return 15_625

    def of_grid(self, points):
        return self.seconds * points / 15_625

    def points_in(self, seconds):
        return int(15_625 * seconds / self.seconds)


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr(module, "CheckTime", Foreseen)
    robot = arm("puma560")

    def plan(limit, checked_by):
        exact = trace_quantity(robot, "inverse_dynamics")
        budgets = {"budget": limit, "checked_by": checked_by}
        return time_plan(SimplificationProblem(robot, exact, motions(robot), (3.0,) * 6, **budgets))

    return plan


def test_without_a_check_or_in_a_long_time_nothing_is_kept_free(asked):
    limit = Budget.after(42.0)
    for checked_by in (Budget(), Budget.after(SHARES.long)):
        plan = asked(limit, checked_by)
        assert (plan.budget, plan.room) == (limit, None)
        assert (plan.first, plan.searching, plan.proving) == (0.4, 0.6, 1.25)
    assert not asked(Budget(), Budget.after(60.0)).budget.is_timed


def test_search_lasts_longer_the_shorter_the_first_proof_was():
    limit = Budget.after(60.0)
    plan = TimePlan(limit, 0.4, 0.7, 1.25, 0.94)
    assert plan.search_after(6.0).seconds == pytest.approx(60.0 - 6.0 * SHARES.proof_reserve)
    assert plan.search_after(0.1) == limit.share(SHARES.latest_search)
    assert plan.search_after(20.0) == limit.share(0.7)


@pytest.mark.parametrize(("seconds", "end"), [(10.0, 60.0 - 15.0), (100.0, 0.5 * 60.0)])
def test_a_check_in_a_short_time_comes_first(asked, monkeypatch, seconds, end):
    """It is given half more than is foreseen; search and proof have their least part however long it takes."""
    monkeypatch.setattr(Foreseen, "seconds", seconds)
    checked_by = Budget.after(60.0)
    plan = asked(Budget.after(42.0), checked_by)
    assert plan.budget.until - checked_by.start == pytest.approx(end)
    assert plan.searching < plan.proving < 1.0
    assert plan.part < asked(Budget.after(42.0), Budget()).part


def test_degrees_follow_from_the_time(asked, monkeypatch):
    """The slower the check, the fewer points; a box of a proof has fewer in less time."""
    checked_by = Budget.after(60.0)
    rooms = []
    for seconds in (1.0, 10.0):
        monkeypatch.setattr(Foreseen, "seconds", seconds)
        rooms.append(asked(Budget.after(42.0), checked_by).room)
    quick, slow = rooms
    assert quick.degrees == slow.degrees == Foreseen.degrees
    assert quick.in_grid > slow.in_grid >= 15_625
    assert quick.in_box > slow.in_box > 0


@pytest.mark.parametrize(("seconds", "is_short"), [(1.0, True), (30.0, False)])
def test_where_the_check_is_short_proofs_that_turn_out_easy_need_no_haste(asked, monkeypatch, seconds, is_short):
    monkeypatch.setattr(Foreseen, "seconds", seconds)
    limit = Budget.after(42.0)
    plan = asked(limit, Budget.after(60.0))
    assert plan.if_easy == (asked(limit, Budget()) if is_short else None)


def test_memory_limits_degrees_with_and_without_a_deadline(asked):
    """Tables of six joints have 6 * 28 numbers of 8 bytes for each point."""
    whole = Budget.after(60.0, memory=1000 * 6 * 28 * 8)
    cases = ((whole.untimed, Budget(), False), (whole, Budget(), False), (whole.share(0.7), whole, True))
    for limit, checked_by, check_first in cases:
        plan = asked(limit, checked_by)
        assert (plan.room.in_box, plan.check_first) == (1000, check_first)
    assert asked(Budget(), Budget()).room is None
