"""Torques within given errors: the closed form and the recursion, the cheaper one proven."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs

from torquec.closedform import closed_form
from torquec.errors import SpecificationError
from torquec.expr import count_operations, evaluate
from torquec.proof.checker.check_certificate import check_certificate
from torquec.simplification import certified_torque as routes
from torquec.simplification.certified_torque import certified_torque
from torquec.simplification.closed_torque import closed_torque, significant_coefficients


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
    box = motions(robot)
    exact, _ = programs(robot, 0, 1.0)
    tolerance = [1.0, 0.5, 2.0, 0.2]
    program = closed_torque(robot, exact, box, tolerance, 10_000)
    assert count_operations(program).cost < count_operations(exact).cost
    assert np.all(errors_of(exact, program, box) <= tolerance)
    assert closed_torque(robot, exact, box, tolerance, 1) is None  # too long to be worth it


def test_the_cheaper_way_is_taken_and_proven(monkeypatch):
    robot = arm("planar2r")
    box = motions(robot)
    exact, _ = programs(robot, 0, 1.0)
    tolerance = [4.0, 2.0]
    best = certified_torque(robot, exact, box, tolerance)
    check_certificate(robot, best)
    assert all(proof.bound <= allowed for proof, allowed in zip(best.joints.values(), tolerance, strict=True))
    monkeypatch.setattr(routes, "_closed", lambda *_: None)
    other = certified_torque(robot, exact, box, tolerance)
    assert count_operations(best.program).cost <= count_operations(other.program).cost
    assert count_operations(other.program).cost <= count_operations(exact).cost


def test_where_nothing_can_go_the_exact_program_stays():
    robot = arm("planar2r")
    exact, _ = programs(robot, 0, 1.0)
    found = certified_torque(robot, exact, motions(robot), [1e-5] * 2)
    assert count_operations(found.program).cost <= count_operations(exact).cost
    check_certificate(robot, found)


def test_less_than_rounding_is_refused_with_the_smallest_error():
    robot = arm("planar3r")
    exact, _ = programs(robot, 0, 1.0)
    with pytest.raises(SpecificationError, match="joint 'joint2' is allowed a torque error of 1e-15") as caught:
        certified_torque(robot, exact, motions(robot), [1.0, 1e-15, 1.0])
    assert "the smallest error that can be proven" in caught.value.remedy
