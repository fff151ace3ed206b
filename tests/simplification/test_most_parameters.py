"""Recursions of which little is left out: close to the exact torques, cheaper, and cheaper yet with a turned link."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torquec.dynamics.mechanism import mechanism
from torquec.expr import Op, count_operations, evaluate
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.most_parameters import moments_left_out, recursion_with_most_parameters
from torquec.simplification.problem import SimplificationProblem
from torquec.spatial import Inertia
from torquec.trajectory.motion_box import MotionBox, sampled_motions


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
