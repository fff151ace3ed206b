"""The closed form without insignificant terms: its error stays within its part, and pruning takes it further."""

from __future__ import annotations

import numpy as np
from tests.proof.arms import arm, motions, programs

from torquec.closedform import closed_form
from torquec.expr import count_operations, evaluate, trace
from torquec.simplification.closed_torque import closed_form_with_fewer_terms, significant_coefficients
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.prune import prune_within


def errors_of(exact, program, box, count=20_000):
    rng = np.random.default_rng(3)
    q = rng.uniform(box.lower, box.upper, (count, len(box.lower)))
    qd = rng.choice([-1.0, 1.0], q.shape) * box.velocity
    qdd = rng.choice([-1.0, 1.0], q.shape) * box.acceleration
    state = {"q": q, "qd": qd, "qdd": qdd}
    return np.abs(evaluate(exact, state)["tau"] - evaluate(program, state)["tau"]).max(axis=0)


def test_insignificant_terms_use_at_most_half_of_the_error():
    robot = arm("stanford")
    box = motions(robot)
    exact, _ = programs(robot, 0, 1.0)
    tolerance = [4.0, 4.0, 20.0, 1.0, 1.0, 1.0]
    model = significant_coefficients(closed_form(robot), box, tolerance)
    assert np.all(errors_of(exact, model.torque(), box) <= 0.5 * np.array(tolerance))


def test_the_closed_form_keeps_the_error_and_loses_operations():
    robot = arm("scara")
    exact, _ = programs(robot, 0, 1.0)
    problem = SimplificationProblem(robot, exact, motions(robot), (1.0, 0.5, 2.0, 0.2))
    (program,) = closed_form_with_fewer_terms(problem, exact)
    pruned = prune_within(exact, program, problem.bases, problem.motions, problem.tolerance)[-1]
    assert count_operations(pruned).cost < count_operations(exact).cost
    assert np.all(errors_of(exact, pruned, problem.motions) <= problem.tolerance)


def test_what_is_far_from_the_cheapest_program_known_is_not_tried():
    robot = arm("scara")
    exact, _ = programs(robot, 0, 1.0)
    problem = SimplificationProblem(robot, exact, motions(robot), (1.0, 0.5, 2.0, 0.2))
    cheap = trace(
        "inverse_dynamics", lambda q, qd, qdd: {"tau": [2.0 * x for x in qdd]}, dict.fromkeys(("q", "qd", "qdd"), (4,))
    )
    assert closed_form_with_fewer_terms(problem, cheap) == []
