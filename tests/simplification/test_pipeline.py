"""Torques within given errors: strategies propose, the cheapest program is proven; what cannot be is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import RobotError, SpecificationError, TimeLimitError
from torquec.expr import count_operations, trace
from torquec.foundation.budget import Budget
from torquec.model.quantities import trace_quantity
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certify import UnprovenError, certify
from torquec.robot.robot import Mimic
from torquec.simplification import pipeline, prove
from torquec.simplification.pipeline import STRATEGIES, Strategy, candidates, simplify_torque
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.time_plan import SHARES, TimePlan
from torquec.simplification.tuning import TUNING

SHAPES = {"q": (2,), "qd": (2,), "qdd": (2,)}


def problem(name, tolerance):
    robot = arm(name)
    exact, _ = programs(robot, 0, 1.0)
    return SimplificationProblem(robot, exact, motions(robot), tuple(tolerance))


def test_the_cheaper_strategy_is_taken_and_proven(monkeypatch):
    both = problem("planar2r", [4.0, 2.0])
    best = simplify_torque(both)
    check_certificate(both.robot, best)
    assert all(proof.bound <= allowed for proof, allowed in zip(best.joints.values(), both.tolerance, strict=True))
    for strategy in STRATEGIES:
        monkeypatch.setattr(pipeline, "STRATEGIES", (strategy,))
        other = simplify_torque(both)
        assert count_operations(best.program).cost <= count_operations(other.program).cost
        assert count_operations(other.program).cost <= count_operations(both.exact).cost


def test_a_strategy_is_one_row_and_its_program_is_proven_like_all_others(monkeypatch):
    asked = problem("planar2r", [4.0, 2.0])
    seen = []

    def nothing_but_zero(given, cheapest):
        seen.append((given.tolerance, cheapest))
        return [trace("inverse_dynamics", lambda q, qd, qdd: {"tau": [0.0 * x for x in q]}, SHAPES)]

    monkeypatch.setattr(pipeline, "STRATEGIES", (*STRATEGIES, Strategy("zero", nothing_but_zero, 0)))
    found = simplify_torque(asked)  # zero is cheapest, and not proven: the next one is
    check_certificate(asked.robot, found)
    assert 0 < count_operations(found.program).cost < count_operations(asked.exact).cost
    tolerance, cheapest = seen[0]
    assert all(0.0 < aim < allowed for aim, allowed in zip(tolerance, asked.tolerance, strict=True))
    assert count_operations(cheapest).cost < count_operations(asked.exact).cost


def test_who_asks_is_told_of_proven_programs_early_each_cheaper(monkeypatch):
    monkeypatch.setattr(pipeline, "STRATEGIES", tuple(replace(strategy, prunings=1) for strategy in STRATEGIES))
    told = []
    asked = replace(problem("planar2r", [4.0, 2.0]), on_proven=told.append)
    found = simplify_torque(asked)
    costs = [count_operations(certificate.program).cost for certificate in told]
    assert costs == sorted(costs, reverse=True)
    assert count_operations(found.program).cost <= costs[0] < count_operations(asked.exact).cost
    for certificate in told:
        check_certificate(asked.robot, certificate)
    assert found.program.content_hash == simplify_torque(problem("planar2r", [4.0, 2.0])).program.content_hash


def test_under_a_time_limit_a_program_of_which_little_is_left_out_is_proven_first(monkeypatch):
    told = []
    monkeypatch.setattr(pipeline, "STRATEGIES", ())
    robot = arm("puma560")
    exact = trace_quantity(robot, "inverse_dynamics")
    asked = SimplificationProblem(robot, exact, motions(robot), (3.0,) * 6, on_proven=told.append)
    found = simplify_torque(replace(asked, budget=Budget.after(3600.0)))
    assert [certificate.program for certificate in told] == [found.program]
    assert count_operations(found.program).cost < 0.9 * count_operations(exact).cost
    assert all(proof.bound <= 3.0 for proof in found.joints.values())
    check_certificate(robot, found)


@pytest.mark.parametrize("limit", [Budget(1.0, start=0.0), Budget.after(3600.0)])
def test_under_a_time_limit_what_is_returned_is_proven(limit, monkeypatch):
    monkeypatch.setattr("torquec.simplification.descents.TUNING", replace(TUNING, fruitless_restarts=0))
    monkeypatch.setattr(pipeline, "STRATEGIES", tuple(replace(strategy, prunings=1) for strategy in STRATEGIES))
    asked = problem("planar2r", [4.0, 2.0])
    found = simplify_torque(replace(asked, budget=limit))
    assert (pipeline.STOPPED_BY_TIME in asked.work.notes) == limit.is_over
    check_certificate(asked.robot, found)
    assert all(proof.bound <= allowed for proof, allowed in zip(found.joints.values(), asked.tolerance, strict=True))
    late, exact = count_operations(found.program).cost, count_operations(asked.exact).cost
    # Also when time is over: a program that amplitudes show to be good enough may be there.
    assert late <= exact if limit.is_over else late < exact


def zero(robot, motions, tolerance, *, meter):
    """A search that finds a program without any operation."""
    meter(0, 1)
    assert robot.n == len(motions.lower) == len(tolerance)
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": [0.0 * q[0], 0.0 * qd[0] * qdd[0]]}, SHAPES)


def out_of_time(robot, motions, tolerance, *, meter):
    raise TimeLimitError("the time limit is reached")


@pytest.mark.parametrize(("search", "operations"), [(zero, 0), (out_of_time, None)])
def test_a_search_that_takes_long_is_done_beside_others_where_time_is_limited(search, operations, monkeypatch):
    """What it finds counts like any proposal; where it finds nothing in time, the others do."""
    never = Strategy("searched for", lambda *_: pytest.fail("it is not proposed"), 1, search)
    others = tuple(replace(strategy, prunings=1) for strategy in STRATEGIES if strategy.search is None)
    monkeypatch.setattr(pipeline, "STRATEGIES", (never, *others))
    monkeypatch.setattr("torquec.simplification.descents.TUNING", replace(TUNING, fruitless_restarts=0))
    asked = problem("planar2r", [400.0, 200.0] if operations == 0 else [4.0, 2.0])
    found = simplify_torque(replace(asked, budget=Budget.after(20.0)))
    check_certificate(asked.robot, found)
    assert count_operations(found.program).cost < count_operations(asked.exact).cost
    assert operations is None or count_operations(found.program).cost == operations


def test_a_joint_that_is_not_proven_is_fitted_more_closely(monkeypatch):
    """The same operations with other constants: its largest error is below the lowered aim."""
    monkeypatch.setattr(pipeline, "STRATEGIES", tuple(replace(strategy, prunings=1) for strategy in STRATEGIES))
    asked = problem("planar2r", [4.0, 2.0])
    tried, proven = [], prove._proven_in_time
    first = asked.robot.joint_names[0]

    def not_at_once(given, program, plan, *, closer):
        tried.append(program)
        if len(tried) == 1:
            raise UnprovenError(first)
        return proven(given, program, plan, closer=closer)

    monkeypatch.setattr(prove, "_proven_in_time", not_at_once)
    found = simplify_torque(asked)
    check_certificate(asked.robot, found)
    assert len(tried) == 2
    assert found.program == tried[1] != tried[0]
    assert count_operations(tried[1]) == count_operations(tried[0])
    assert found.joints[first].found <= 0.97 * 0.98 * 4.0


def test_a_proof_that_is_cut_short_is_none(monkeypatch):
    """The search is in time, no proof is: a program with all terms is the answer, and it is proven."""
    asked = problem("planar2r", [4.0, 2.0])
    monkeypatch.setattr(pipeline, "STRATEGIES", tuple(replace(strategy, prunings=0) for strategy in STRATEGIES))
    monkeypatch.setattr("torquec.simplification.descents.TUNING", replace(TUNING, fruitless_restarts=0))
    certified = prove.certify

    def without_time(*proven, work=None, **more):
        if work.budget.is_timed:
            raise TimeLimitError("the time limit is reached")
        return certified(*proven, work=work, **more)

    monkeypatch.setattr(prove, "certify", without_time)
    found = simplify_torque(replace(asked, budget=Budget.after(3600.0)))
    assert count_operations(found.program).cost <= count_operations(asked.exact).cost
    assert all(proof.bound < 1e-6 for proof in found.joints.values())
    check_certificate(asked.robot, found)


@pytest.fixture
def one_pruning(monkeypatch):
    """Programs pruned with one seed instead of eight: quicker, and what is proven is proven alike."""
    monkeypatch.setattr(pipeline, "STRATEGIES", tuple(replace(strategy, prunings=1) for strategy in STRATEGIES))


@pytest.mark.usefixtures("one_pruning")
def test_where_nothing_can_go_the_exact_program_stays():
    asked = problem("planar2r", [1e-5] * 2)
    found = simplify_torque(asked)
    assert count_operations(found.program).cost <= count_operations(asked.exact).cost
    check_certificate(asked.robot, found)


def test_less_than_rounding_is_refused_with_the_smallest_error():
    with pytest.raises(SpecificationError, match="joint 'joint2' is allowed a torque error of 1e-15") as caught:
        simplify_torque(problem("planar3r", [1.0, 1e-15, 1.0]))
    assert "the smallest error that can be proven" in caught.value.remedy


def with_follower(name, body, leader, multiplier):
    robot = arm(name)
    bodies = list(robot.bodies)
    bodies[body] = replace(bodies[body], joint=replace(bodies[body].joint, mimic=Mimic(leader, multiplier, 0.1)))
    return replace(robot, bodies=tuple(bodies))


@pytest.mark.parametrize(
    ("name", "body", "leader", "multiplier"),
    [("planar3r", 2, "joint2", 0.5), ("planar3r", 2, "joint2", 1.5), ("puma560", 2, "joint2", 3.0)],
)
def test_followers_whose_torques_are_no_polynomials_are_refused_with_a_way_out(name, body, leader, multiplier):
    """sin(q/2) is no polynomial in sin q and cos q, and sin(3 q) of too high a degree beside other factors."""
    robot = with_follower(name, body, leader, multiplier)
    exact = trace_quantity(robot, "inverse_dynamics")
    asked = SimplificationProblem(robot, exact, motions(robot), (1.0,) * robot.n)
    pattern = "degree 8 .*followed by 'joint3' with a multiplier of 3"
    if multiplier < 3.0:
        pattern = rf"'joint3' follows joint '{leader}' with a multiplier of {multiplier:g}: torques are no polynomials"
    with pytest.raises(RobotError, match=pattern) as caught:
        simplify_torque(asked)
    assert "lock" in caught.value.remedy
    assert ("let 'joint2' mimic 'joint3' with a multiplier of 2" in caught.value.remedy) == (multiplier == 0.5)
    with pytest.raises(RobotError, match="bounds are proven up to degree 6"):
        certify(robot, exact, exact, motions(robot))


@pytest.mark.usefixtures("one_pruning")
@pytest.mark.parametrize(
    ("name", "body", "leader", "multiplier"),
    [
        ("planar3r", 2, "joint2", -1.0),
        pytest.param("planar3r", 2, "joint2", 3.0, marks=pytest.mark.slow),
        ("planar3r", 1, "joint3", 2.0),  # half as far, the other way round
        pytest.param("puma560", 4, "joint4", 2.0, marks=pytest.mark.slow),  # degree six
    ],
)
def test_followers_whose_torques_are_polynomials_are_simplified(name, body, leader, multiplier):
    robot = with_follower(name, body, leader, multiplier)
    exact = trace_quantity(robot, "inverse_dynamics")
    found = simplify_torque(
        SimplificationProblem(robot, exact, motions(robot), (4.0, 3.0) if robot.n == 2 else (0.5,) * 5)
    )
    check_certificate(robot, found)
    assert count_operations(found.program).cost < count_operations(exact).cost


def test_what_remains_when_nothing_is_proposed_is_the_cheapest_exact_program(monkeypatch):
    monkeypatch.setattr(pipeline, "STRATEGIES", ())
    monkeypatch.setattr(pipeline, "moments_left_out", lambda given: given.exact)
    robot = arm("puma560")
    asked = SimplificationProblem(robot, trace_quantity(robot, "inverse_dynamics"), motions(robot), (1.0,) * 6)
    found = simplify_torque(replace(asked, budget=Budget(1.0, start=0.0)))
    assert count_operations(found.program).cost < count_operations(asked.exact).cost
    assert all(proof.bound < 1e-6 for proof in found.joints.values())


def test_where_a_check_waits_no_proof_is_begun_after_its_time(monkeypatch):
    """Its tables alone would take seconds: what was proven early is the result, and the check can begin."""
    robot = arm("puma560")
    exact = trace_quantity(robot, "inverse_dynamics")
    told = []
    asked = SimplificationProblem(
        robot, exact, motions(robot), (3.0,) * 6, on_proven=told.append, checked_by=Budget.after(60.0)
    )
    begun, certified, plan = [], prove.certify, TimePlan(Budget.after(3600.0), 0.8, 0.0, 0.0, 0.8)

    def counted(*given, **more):
        begun.append(given)
        return certified(*given, **more)

    monkeypatch.setattr(prove, "certify", counted)
    monkeypatch.setattr(pipeline, "time_plan", lambda _: plan)  # all time is over but that of the first proof
    found = simplify_torque(asked)
    assert len(begun) == len(told) == 1
    assert found == told[0]
    assert count_operations(found.program).cost < 0.9 * count_operations(exact).cost


def test_the_best_program_of_the_first_round_is_proven_before_further_rounds(monkeypatch):
    """It is the result where nothing else is proven, and the shorter its proof, the longer the search."""
    robot = arm("puma560")
    exact = trace_quantity(robot, "inverse_dynamics")
    problem = SimplificationProblem(robot, exact, motions(robot), (3.0,) * 6)
    short = pipeline.moments_left_out(problem)
    plan, until = TimePlan(Budget.after(3600.0), 0.4, 0.2, 1.25, 0.94), []

    def rounds(aim, *_):
        until.append(aim.work.budget.until)
        yield [short]
        until.append(aim.work.budget.until)
        yield [exact]

    monkeypatch.setattr(pipeline, "STRATEGIES", ())
    monkeypatch.setattr(pipeline, "pruned_programs", rounds)
    programs, best = candidates(problem, problem, None, plan)
    assert programs == [short, exact]
    assert best.program == short
    assert [end - plan.budget.start for end in until] == pytest.approx([0.2 * 3600.0, SHARES.latest_search * 3600.0])
    monkeypatch.setattr(pipeline, "proven_round", lambda _problem, _aim, _ends, best, _plan: best)
    until.clear()
    assert candidates(problem, problem, None, plan)[1] is None
    assert [end - plan.budget.start for end in until] == pytest.approx([0.2 * 3600.0] * 2)  # not proven: less time
