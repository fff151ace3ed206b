"""Fewer parameters: cheaper programs whose worst error, found on the exact residual, stays within the tolerance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics.mechanism import mechanism
from torquec.errors import RobotError, TimeLimitError
from torquec.expr import Op, count_operations, evaluate, operation_cost
from torquec.proof.torque.certify import certify
from torquec.proof.torque.torque_bounds import error_program, worst_motions
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives
from torquec.simplification.fewer_parameters import (
    angles_of_one_component,
    fewest_operations,
    moments_left_out,
    recursion_with_most_parameters,
    with_link_turned,
)
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.problem import SimplificationProblem
from torquec.spatial import Inertia
from torquec.trajectory.motion_box import MotionBox, sampled_motions


def test_stanford_wrist_is_left_out():
    robot = replace(load_classic("stanford"), drives=Drives())
    box = MotionBox((-1.0, -1.0, 0.2, -1.0, -1.0, -1.0), (1.0, 1.0, 0.8, 1.0, 1.0, 1.0), (0.5,) * 6, (1.0,) * 6)
    tolerance = (1.0, 3.0, 3.0, 0.4, 0.4, 0.4)
    fewer = fewest_operations(robot, box, tolerance)
    exact = torque_program(mechanism(robot))
    found, whole = count_operations(fewer), count_operations(exact)
    assert found.mul + found.add < 0.8 * (whole.mul + whole.add)
    certificate = certify(robot, exact, fewer, box, limits=tolerance)
    assert all(proof.bound <= limit for proof, limit in zip(certificate.joints.values(), tolerance, strict=True))


def test_nothing_can_be_left_out_of_a_tight_tolerance():
    robot = replace(load_classic("planar2r"), drives=Drives())
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    fewer = fewest_operations(robot, box, (1e-6, 1e-6))
    assert count_operations(fewer) == count_operations(torque_program(mechanism(robot)))


def test_a_tolerance_of_zero_is_refused():
    robot = replace(load_classic("planar2r"), drives=Drives())
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    with pytest.raises(RobotError, match="tolerance"):
        fewest_operations(robot, box, (0.0, 1.0))


def test_a_search_that_is_stopped_among_exchanges_gives_what_was_good_enough_before(monkeypatch):
    robot = replace(load_classic("scara"), drives=Drives())
    box = MotionBox((-1.0, -1.0, 0.0, -1.0), (1.0, 1.0, 0.2, 1.0), (1.0,) * 4, (3.0,) * 4)

    def late(*_):
        raise TimeLimitError("the time limit is reached")

    monkeypatch.setattr("torquec.simplification.moment_search.MomentSearch._swapped", late)
    tolerance = (0.5, 0.5, 2.0, 0.05)
    stopped = fewest_operations(robot, box, tolerance)
    exact = torque_program(mechanism(robot))
    assert operation_cost(stopped) < operation_cost(exact)
    assert np.all(worst_motions(error_program(exact, stopped), box).found <= tolerance)


def test_a_search_that_is_stopped_at_once_has_one_fit():
    def late(*_):
        raise TimeLimitError("the time limit is reached")

    robot = replace(load_classic("planar2r"), drives=Drives())
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    found = fewest_operations(robot, box, (0.5, 0.5), meter=late)
    assert np.all(worst_motions(error_program(torque_program(mechanism(robot)), found), box).found <= 0.5)


def problem_of(robot, tolerance):
    n = robot.n
    box = MotionBox((-2.0,) * n, (2.0,) * n, (1.0,) * n, (3.0,) * n)
    return SimplificationProblem(robot, torque_program(mechanism(robot)), box, tolerance)


@pytest.fixture
def puma():
    return replace(load_classic("puma560"), drives=Drives())


def largest_errors(problem, program):
    states = sampled_motions(problem.motions, 2000, rng=np.random.default_rng(3))
    given = {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))}
    return np.abs(evaluate(program, given)["tau"] - evaluate(problem.exact, given)["tau"]).max(axis=0)


def test_little_is_left_out(puma):
    problem = problem_of(puma, (3.0, 5.0, 2.0, 0.2, 0.2, 0.2))
    program = moments_left_out(problem)
    assert count_operations(program).cost < 0.9 * count_operations(problem.exact).cost
    assert np.all(largest_errors(problem, program) <= 0.5 * np.array(problem.tolerance))
    assert recursion_with_most_parameters(problem, problem.exact) == [program]  # no link of it is worth turning


def test_a_link_is_turned_where_nothing_beyond_it_matters(puma):
    """The wrist's first link with its mass aside of both axes, and a hand without mass beyond it."""
    bodies = list(puma.bodies)
    bodies[4] = replace(bodies[4], inertia=_with_mass_at(2.0, (0.06, 0.05, 0.04)))
    bodies[5] = replace(bodies[5], inertia=_with_mass_at(0.01, (0.0, 0.0, 0.01)))
    problem = problem_of(replace(puma, bodies=tuple(bodies)), (3.0, 5.0, 2.0, 0.3, 0.3, 0.3))
    plain, turned = recursion_with_most_parameters(problem, problem.exact)
    assert count_operations(turned).cost < count_operations(plain).cost
    assert np.all(largest_errors(problem, turned) <= np.array(problem.tolerance))
    offsets = [step for step in turned.operations if step.op in (Op.ADD, Op.SUB) and _is_offset(turned, step)]
    assert len(offsets) == 1


def _with_mass_at(m, at):
    """A point mass with a little inertia of its own, about the frame's origin."""
    x, y, z = at
    own = 1e-4 * m
    squares = (m * (y * y + z * z) + own, m * (x * x + z * z) + own, m * (x * x + y * y) + own)
    return Inertia(
        squares[0], -m * x * y, -m * x * z, squares[1], -m * y * z, squares[2], mx=m * x, my=m * y, mz=m * z, m=m
    )


def _is_offset(program, step):
    """Whether a step is a number added to a joint's angle."""
    reads = [program.operations[a] for a in step.args]
    return {one.op for one in reads} == {Op.CONST, Op.INPUT} and any(one.port == "q" for one in reads)


@pytest.mark.parametrize("seed", range(8))
def test_torques_stay(seed):
    """Every link that rotates, with whatever it carries: trees, mimic joints and motors included."""
    robot = random_robot(seed)
    exact = mechanism(robot)
    rng = np.random.default_rng(seed)
    state = {name: rng.uniform(-1.0, 1.0, (6, robot.n)) for name in ("q", "qd", "qdd")}
    expected = evaluate(torque_program(exact), state)["tau"]
    for link in range(len(exact.links)):
        if not exact.links[link].column.turns:
            continue
        turned = with_link_turned(exact, link, float(rng.uniform(-3.0, 3.0)))
        found = evaluate(torque_program(turned), state)["tau"]
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-11 * np.abs(expected).max())


def test_first_moments_have_one_component():
    exact = mechanism(load_classic("puma560"))
    link = next(k for k, e in enumerate(exact.moments) if e.x != 0.0 and e.y != 0.0)
    size = np.hypot(exact.moments[link].x, exact.moments[link].y)
    along_x, along_y = (
        with_link_turned(exact, link, angle).moments[link] for angle in angles_of_one_component(exact, link)
    )
    assert (along_x.x, along_x.y) == pytest.approx((size, 0.0), abs=1e-15)
    assert (along_y.x, along_y.y) == pytest.approx((0.0, size), abs=1e-15)


def test_nothing_to_turn():
    exact = mechanism(load_classic("planar2r"))
    assert [angles_of_one_component(exact, k) for k in range(2)] == [(), ()]
