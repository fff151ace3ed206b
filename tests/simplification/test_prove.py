"""Of several proven programs the cheapest is taken whose check fits in the time that is left, and none is lost.

Checks may end a little later, no more, and look at the time between their parts.
"""

from __future__ import annotations

import pkgutil
from dataclasses import replace

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import TimeLimitError
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.model.quantities import trace_quantity
from torquec.proof.inertia.positive_mass_matrix import least_inertia
from torquec.proof.torque.certify import certify
from torquec.simplification import pipeline
from torquec.simplification import prove as module
from torquec.simplification.pipeline import simplify_and_check
from torquec.simplification.problem import SimplificationProblem, Simplified
from torquec.simplification.prove import check_again, proven_round
from torquec.simplification.time_plan import TimePlan


@pytest.fixture(scope="module")
def robot():
    return arm("planar2r")


@pytest.fixture(scope="module")
def proven(robot):
    """A cheap one, which takes long to check, and an early one."""
    exact, simplified = programs(robot, 1, 0.8)
    return [Simplified(certify(robot, exact, program, motions(robot))) for program in (simplified, exact)]


@pytest.fixture(autouse=True)
def without_witness(monkeypatch):
    """No witness of a positive definite M, which a program gets with its check: these tests are about the choice."""
    monkeypatch.setattr(module, "least_inertia", lambda *_, **__: ())


def test_what_is_checked_has_a_witness_of_its_mass_matrix(robot, proven, monkeypatch):
    monkeypatch.setattr(module, "least_inertia", least_inertia)
    found = check_again(robot, proven[:1], Budget(), Work())
    assert found.checked
    assert len(found.certificate.least_inertia) == robot.n
    assert replace(found.certificate, least_inertia=()) == proven[0].certificate


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
    found = check_again(robot, proven, Budget.after(60.0), Work())
    assert found == replace(proven[chosen], checked=True)


def test_a_check_may_take_a_little_longer_and_no_more_and_the_program_is_not_lost(robot, proven, monkeypatch):
    limits = []

    def checked(robot, certificate, *, work):
        limits.append(work.budget)
        raise TimeLimitError("the time limit is reached")

    monkeypatch.setattr(module, "check_certificate", checked)
    limit = Budget.after(60.0)
    assert check_again(robot, proven[:1], limit, Work()) == replace(proven[0], checked=False)
    assert limits[0].seconds == pytest.approx(90.0)


@pytest.mark.parametrize("step", ["evaluating", "going through boxes"])
def test_a_check_looks_at_the_time_between_its_parts(robot, proven, monkeypatch, step):
    """Time that is over in the middle of one part is noticed before the next."""
    work, done = Work(), []
    places = {
        "evaluating": "torquec_check.program_error.difference",
        "going through boxes": "torquec_check.program_error.check_below",
    }
    module_name, _, name = places[step].rpartition(".")
    holder = pkgutil.resolve_name(module_name)
    part = getattr(holder, name)

    def slow(*arguments, **options):
        found = part(*arguments, **options)
        work.budget = Budget(1.0, start=0.0)  # long over
        done.append(step)
        return found

    monkeypatch.setattr(holder, name, slow)
    found = check_again(robot, proven[:1], Budget.after(3600.0), work)
    assert done == [step]
    assert found == replace(proven[0], checked=False)


def test_nothing_is_foreseen_or_checked_when_the_time_is_over(robot, proven, monkeypatch):
    monkeypatch.setattr(module, "CheckTime", None)
    monkeypatch.setattr(module, "check_certificate", None)
    assert check_again(robot, proven, Budget(1.0, start=0.0), Work()) == replace(proven[0], checked=False)


@pytest.fixture
def searched(proven, monkeypatch):
    """A search that proves the early program, then the cheap one; the budgets that it is given."""
    asked = []
    early, cheap = reversed(proven)

    def met(robot, exact, specification, *, work, checked_by, on_proven):
        asked.append((work.budget, checked_by))
        if on_proven is not None:
            on_proven(early)
        return cheap

    monkeypatch.setattr(pipeline, "meet_specification", met)
    return asked


def run(robot, budget, **options):
    work = Work()
    with work.within(budget):
        return simplify_and_check(robot, None, None, work=work, **options)


def test_the_search_has_its_share_and_the_deadline_of_the_check(robot, proven, searched, monkeypatch):
    """Programs that are proven on the way are passed on, and the cheapest is checked."""
    early, cheap = reversed(proven)
    told = []
    foreseen(monkeypatch, proven, (1.0, 1.0))
    budget = Budget.after(60.0)
    found = run(robot, budget, on_proven=told.append)
    assert searched == [(budget.share(0.7), budget)]
    assert told == [early]
    assert found == replace(cheap, checked=True)
    foreseen(monkeypatch, proven, (100.0, 1.0))
    assert run(robot, budget) == replace(early, checked=True)


def test_without_a_check_no_time_is_kept_for_it(robot, proven, searched, monkeypatch):
    monkeypatch.setattr(pipeline, "check_again", None)
    budget = Budget.after(60.0)
    found = run(robot, budget, check=False)
    assert searched == [(budget.share(0.7), None)]
    assert found == replace(proven[0], checked=False)


def test_what_is_no_simpler_is_no_result_where_that_is_asked_for(robot, proven, searched, monkeypatch):
    monkeypatch.setattr(Simplified, "cost", property(lambda found: 10 if found is proven[0] else 20))
    foreseen(monkeypatch, proven, (100.0, 1.0))  # only the early one could be checked in time
    budget = Budget.after(60.0)
    for compared, expected in ((21, proven[1]), (20, proven[0])):
        found = run(robot, budget, simpler_than=compared)
        assert found == replace(expected, checked=True)
    monkeypatch.setattr(pipeline, "check_again", None)
    assert run(robot, budget, simpler_than=10) is None
    assert len(searched) == 3


def test_without_a_deadline_early_programs_are_proven_only_for_the_caller(robot, proven, searched, monkeypatch):
    told = []
    monkeypatch.setattr(module, "CheckTime", None)
    for listener, heard in ((None, []), (told.append, [proven[1]])):
        found = run(robot, Budget(), on_proven=listener)
        assert found == replace(proven[0], checked=True)
        assert told == heard
    assert [budget.is_timed for budget, _ in searched] == [False, False]


def test_without_a_limit_nothing_is_foreseen(robot, proven, monkeypatch):
    monkeypatch.setattr(module, "CheckTime", None)
    assert check_again(robot, proven, Budget(), Work()) == replace(proven[0], checked=True)


def test_of_a_rounds_cheapest_programs_the_one_with_the_smallest_errors_is_proven(monkeypatch):
    robot = arm("planar3r")
    close, far = (programs(robot, 1, part)[1] for part in (0.95, 0.8))
    exact, told = trace_quantity(robot, "inverse_dynamics"), []
    monkeypatch.setattr(module, "operation_cost", lambda program: 140 if program == exact else 114)
    problem = SimplificationProblem(robot, exact, motions(robot), (1e3, 1e3, 1e3), on_proven=told.append)
    plan = TimePlan(Budget.after(3600.0), 0.4, 0.6, 1.25, 0.94)
    best = proven_round(problem, problem, [far, close, exact], None, plan)
    assert best.program == close
    assert told == [best]
    assert proven_round(problem, problem, [far], best, plan) is best  # not cheaper
    strict = replace(problem, tolerance=(1e-9, 1e-9, 1e-9))
    assert proven_round(strict, strict, [far], None, plan) is None
