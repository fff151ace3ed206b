"""Starts improved one by one, here or elsewhere: the motion is the same, and so is its history."""

from __future__ import annotations

import numpy as np
import pytest
from tests.posted_executor import PostedExecutor

import torquec as tq
from torquec.foundation.work import Work, silent
from torquec.identification.excitation.excitation import excitation
from torquec.identification.excitation.excitation_options import ExcitationOptions
from torquec.identification.excitation.improve_motion import (
    BestMotion,
    MotionStart,
    excitation_problem,
    improve_motion,
    minimise,
    nearest_within,
)
from torquec.identification.excitation.workspace import Plane


def rosenbrock(x):
    a, b = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    slope = np.zeros_like(x)
    slope[1:] += 200.0 * a
    slope[:-1] += -400.0 * x[:-1] * a - 2.0 * b
    return float((100.0 * a**2 + b**2).sum()), slope


def test_a_narrow_valley():
    found = minimise(rosenbrock, np.full(6, -0.5), evaluations=500)
    assert np.allclose(found.x, 1.0, atol=1e-5)
    assert found.evaluations < 300


def test_a_quadratic_bowl_of_any_curvature():
    curvature = np.logspace(0, 4, 8)
    found = minimise(lambda x: (0.5 * float(x @ (curvature * x)), curvature * x), np.ones(8), evaluations=200)
    assert np.abs(found.x).max() < 1e-4


def test_a_kink_is_reached():
    found = minimise(lambda x: (abs(x[0]) + x[1] ** 2, np.array([np.sign(x[0]), 2 * x[1]])), np.ones(2), evaluations=80)
    assert found.value < 1e-3


@pytest.mark.parametrize("budget", [1, 2, 7, 40])
def test_the_budget_is_kept_and_nothing_gets_worse(budget):
    calls = []

    def counted(x):
        calls.append(1)
        return rosenbrock(x)

    start = np.full(4, 2.0)
    found = minimise(counted, start, evaluations=budget)
    assert len(calls) == found.evaluations <= budget
    assert found.value <= rosenbrock(start)[0]


def test_infinite_values_are_steps_too_far():
    def walled(x):
        return (float("inf"), x) if x[0] < 0.5 else (float(x[0]), np.array([1.0]))

    assert 0.5 <= minimise(walled, np.array([2.0]), evaluations=60).x[0] < 0.51


OPTIONS = ExcitationOptions(evaluations=700, duration=4.0, harmonics=3)


def test_elsewhere_is_the_same_motion():
    robot = tq.classics.planar2r()
    alone = excitation(robot, options=OPTIONS)
    posted = PostedExecutor()
    spread = excitation(robot, options=OPTIONS, work=Work(executor=posted))
    assert posted.done.count("improve_motion") >= 4  # starts, and the very best
    np.testing.assert_array_equal(spread.trajectory.q, alone.trajectory.q)
    assert spread.history == alone.history
    assert spread.condition == alone.condition
    assert spread.shares == alone.shares
    assert alone.limits_kept


def test_what_others_found_later_is_added_in_their_order():
    one, two = BestMotion(), BestMotion()
    for cost in (5.0, 3.0, 4.0):
        one.note(np.array([[cost]]), cost, 0.0)
    for cost, excess in ((6.0, 0.0), (2.0, 0.1), (2.5, 0.0)):
        two.note(np.array([[cost]]), cost, excess)
    after = BestMotion()
    for cost, excess in ((5.0, 0.0), (3.0, 0.0), (4.0, 0.0), (6.0, 0.0), (2.0, 0.1), (2.5, 0.0)):
        after.note(np.array([[cost]]), cost, excess)
    one.add(two)
    assert (one.history, one.done, one.cost) == (after.history, after.done, after.cost)
    assert one.history == [(1, 5.0), (2, 3.0), (6, 2.5)]
    np.testing.assert_array_equal(one.best, [[2.5]])
    worse = BestMotion()
    worse.note(np.array([[9.0]]), 9.0, 0.0)
    one.add(worse)
    assert (one.cost, one.done) == (2.5, 7)
    one.forget()
    assert (one.best, one.history, one.done) == (None, [], 7)


def test_a_start_gets_better_and_spends_what_it_may():
    robot = tq.classics.planar2r()
    problem = excitation_problem(robot, OPTIONS)
    x = 0.2 * problem.basis.random(np.random.default_rng(1), robot.n)
    told: list[float] = []
    found = improve_motion(
        MotionStart(robot, OPTIONS, x, 150, 0.95), meter=lambda done, whole, note="": told.append(done / whole)
    )
    assert found.done <= 150
    assert found.cost < problem.value(x)
    assert found.history[-1][1] == found.cost
    assert told == sorted(told)
    assert float(problem.shares(found.best).max()) <= 0.95 + 0.005
    again = improve_motion(MotionStart(robot, OPTIONS, x, 150, 0.95), meter=silent)
    np.testing.assert_array_equal(again.best, found.best)


def test_a_motion_beyond_its_limits_is_brought_to_them():
    robot = tq.classics.planar2r()
    problem = excitation_problem(robot, OPTIONS)
    x = 3.0 * problem.basis.random(np.random.default_rng(2), robot.n)
    assert float(problem.shares(x).max()) > 1.0
    near = nearest_within(MotionStart(robot, OPTIONS, x, 300, 0.95))
    assert float(problem.shares(near).max()) < 1.0


@pytest.mark.parametrize("rule", [Plane(normal=[0.0, 0.0, 1.0], offset=-9.0)], ids=["a rule with a list in it"])
def test_the_problem_is_made_again_only_where_it_is_another(rule):
    robot = tq.classics.planar2r()
    assert excitation_problem(robot, OPTIONS) is excitation_problem(tq.classics.planar2r(), OPTIONS)
    other = ExcitationOptions(duration=4.0, harmonics=3, rules=(rule,))
    assert excitation_problem(robot, other) is excitation_problem(robot, other)
    assert excitation_problem(robot, OPTIONS) is not excitation_problem(robot, other)
