"""Coefficients of torque programs: the closed form again by another way, simplified programs, what changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.arms import gripper
from tests.proof.arms import arm, motions, programs

import torquec as tq
from torquec.closedform.layouts import Matrix, entries
from torquec.closedform.text import polynomial_text
from torquec.errors import RobotError
from torquec.expr import evaluate, math, trace
from torquec.model.quantities import trace_quantity
from torquec.simplification.torque_coefficients import term_changes, torque_coefficients


def exact(robot):
    return torque_coefficients(robot, trace_quantity(robot, "inverse_dynamics"))


def test_the_textbook_arm_is_known():
    found = exact(arm("planar2r"))
    assert found.terms == {"M": 7, "B": 1, "D": 2, "g": 3}
    texts = {key: polynomial_text(polynomial) for key, polynomial in found.entries.items()}
    assert texts[Matrix.M, (0, 0)] == "1.66667 + C2"
    assert texts[Matrix.M, (1, 1)] == "0.333333"
    assert texts[Matrix.B, (0, 0, 1)] == "-S2"
    assert texts[Matrix.G_TORQUE, (0,)] == "14.715*C1 + 4.905*C12"


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford", "puma560"])
def test_it_is_the_closed_form(name):
    """The closed form comes from M and U and is differentiated, these coefficients come from torques."""
    robot = arm(name)
    found, form = exact(robot), tq.closed_form(robot)
    for matrix in (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE):
        for entry in entries(form, matrix):
            polynomial = found.entries[matrix, entry.index]
            assert len(polynomial) == len(entry)
            for monomial, coefficient in entry.parts[0].value:
                assert polynomial.terms[monomial] == pytest.approx(coefficient, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_coefficients_reproduce_a_simplified_program(name):
    robot = arm(name)
    _, simplified = programs(robot, 1, 0.7)
    found = torque_coefficients(robot, simplified, like=exact(robot))
    q, qd, qdd = np.random.default_rng(3).uniform(-1.0, 1.0, (3, 200, robot.n))
    torque = np.zeros_like(q)
    for (matrix, index), polynomial in found.entries.items():
        value = polynomial(q)
        if matrix is Matrix.M:
            value = value * qdd[:, index[1]]
        elif matrix is not Matrix.G_TORQUE:
            value = value * qd[:, index[1]] * qd[:, index[-1]]
        torque[:, index[0]] += value
    expected = evaluate(simplified, {"q": q, "qd": qd, "qdd": qdd})["tau"]
    assert np.allclose(torque, expected, rtol=0.0, atol=1e-9)


def test_degree_three_and_products_without_symmetry():
    robot = arm("planar2r")

    def algorithm(q, qd, qdd):
        s, c = math.sincos(q[1])
        return {"tau": [s * s * s * qdd[1] + c * qd[0] * qd[0], 2.0 * qdd[1]]}

    program = trace("inverse_dynamics", algorithm, dict.fromkeys(("q", "qd", "qdd"), (2,)))
    found = torque_coefficients(robot, program)
    assert found.terms == {"M": 2, "B": 0, "D": 1, "g": 0}
    assert polynomial_text(found.entries[Matrix.M, (0, 1)]) == "S2^3"
    assert (Matrix.M, (1, 0)) not in found.entries
    assert set(found.of_joint(1)) == {(Matrix.M, (1, 1))}


def test_changes_say_what_was_dropped_and_what_it_can_do():
    robot = arm("planar2r")
    before = exact(robot)
    after = replace(before, entries={key: p for key, p in before.entries.items() if key[0] is not Matrix.D})
    box = motions(robot)
    changes = term_changes(before, after, box)
    assert [(change.matrix, change.index, change.dropped) for change in changes] == [
        (Matrix.D, (0, 1), True),
        (Matrix.D, (1, 0), True),
    ]
    # D12 = -S2/2 with |qd2| <= 1.1.
    assert changes[0].torque == pytest.approx(0.5 * 1.1**2)
    assert term_changes(before, before, box) == []
    assert not term_changes(after, before, box)[0].dropped


def test_displacements_count_at_their_limits():
    robot = arm("scara")
    before = exact(robot)
    assert any(not variable.is_angle for p in before.entries.values() for variable in p.variables) is False
    robot = arm("stanford")
    before = exact(robot)
    after = replace(before, entries={key: p for key, p in before.entries.items() if key != (Matrix.M, (0, 0))})
    squares = [c for c in term_changes(before, after, motions(robot)) if any(not v.is_angle for v, _, _ in c.monomial)]
    change = next(c for c in squares if sum(b for v, _, b in c.monomial if not v.is_angle) == 2)
    assert change.torque == pytest.approx(abs(change.before) * motions(robot).acceleration[0] * 0.6**2)


def test_joints_that_follow_others_are_refused():
    robot = gripper()
    with pytest.raises(RobotError, match="joints that follow others"):
        torque_coefficients(robot, trace_quantity(robot, "inverse_dynamics"))


def test_what_is_no_polynomial_is_refused():
    robot = arm("planar2r")
    program = trace(
        "inverse_dynamics",
        lambda q, qd, qdd: {"tau": [math.sincos(4.0 * q[0])[0] * qdd[0], qdd[1]]},
        dict.fromkeys(("q", "qd", "qdd"), (2,)),
    )
    with pytest.raises(RobotError, match="not a polynomial of degree three"):
        torque_coefficients(robot, program)
