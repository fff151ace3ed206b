"""Radii hold: against exact rational arithmetic, and they are not much larger than they must be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from tests.proof.arms import arm

from torquec.expr import Op, evaluate, trace
from torquec.expr.math import sincos
from torquec.model.quantities import trace_quantity
from torquec.proof.checker.allowances import RADIUS_MARGIN, UNDERFLOW, UNIT
from torquec.proof.checker.rounded_evaluation import PlacedProgram, RoundedArray, evaluate_rounded

SHAPES = dict.fromkeys(("q", "qd", "qdd"), (2,))


def given(values):
    return RoundedArray(np.asarray(values, dtype=float), np.zeros(np.shape(values)))


def test_sums_and_products_against_fractions():
    """(a b - c) a + (a + b)(b - c) with cancellation, in rational numbers."""

    def formula(a, b, c, d):
        return (a * b - c) * a + (a + b) * (b - c) * d - a * a * b

    program = trace("f", lambda q, qd, qdd: {"tau": [formula(qd[0], qd[1], qdd[0], qdd[1]), -qd[0]]}, SHAPES)
    rng = np.random.default_rng(3)
    states = rng.normal(size=(500, 4)) * 10.0 ** rng.uniform(-8, 8, (500, 4))
    found = evaluate_rounded(
        program, {"q": given(np.zeros((500, 2))), "qd": given(states[:, :2]), "qdd": given(states[:, 2:])}
    )
    for row, value, radius in zip(states.tolist(), found.value[:, 0], found.radius[:, 0], strict=True):
        exact = formula(*map(Fraction, row))
        assert abs(Fraction(float(value)) - exact) <= Fraction(float(radius))


def test_radii_of_a_recursion_are_small_and_values_are_those_of_the_program():
    robot = arm("puma560")
    program = trace_quantity(robot, "inverse_dynamics")
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.uniform(-2.0, 2.0, (3, 200, robot.n))
    found = evaluate_rounded(program, {"q": given(q), "qd": given(qd), "qdd": given(qdd)})
    np.testing.assert_allclose(found.value, evaluate(program, {"q": q, "qd": qd, "qdd": qdd})["tau"], atol=1e-12)
    assert np.all(found.radius < 1e-11)
    assert np.all(found.radius > 0.0)


def test_input_radii_are_carried():
    program = trace("f", lambda q, qd, qdd: {"tau": [3.0 * qd[0] - qd[1], qd[0] * qd[1]]}, SHAPES)
    inputs = {"q": given([[0.0, 0.0]]), "qd": RoundedArray(np.array([[2.0, 5.0]]), np.array([[0.1, 0.2]]))}
    found = evaluate_rounded(program, {**inputs, "qdd": given([[0.0, 0.0]])})
    assert found.radius[0, 0] >= 0.5
    assert 0.9 <= found.radius[0, 1] <= 0.95
    assert Op.MUL in {step.op for step in program.operations}
    assert found.radius[0, 0] < 0.5 + 100 * UNIT


def test_radii_by_hand():
    """A sum adds the radii of its terms and half a unit of its result, a product the mixed terms; a little raised."""
    a, b = RoundedArray(np.array([[4.0, 0.0]]), np.array([[0.5, 0.0]])), given([[-8.0, 0.0]])
    rest = {"q": given([[0.0, 0.0]]), "qd": a, "qdd": b}
    cases = (
        (lambda q, qd, qdd: qd[0] + qdd[0], -4.0, 0.5 + 4.0 * UNIT, 0.0),
        (lambda q, qd, qdd: qd[0] - qdd[0], 12.0, 0.5 + 12.0 * UNIT, 0.0),
        (lambda q, qd, qdd: qd[0] * qdd[0], -32.0, 8.0 * 0.5 + 32.0 * UNIT, UNDERFLOW),
        (lambda q, qd, qdd: qd[0] * qd[0], 16.0, 2.0 * 4.0 * 0.5 + 0.25 + 16.0 * UNIT, UNDERFLOW),
    )
    for formula, value, radius, more in cases:
        program = trace("f", lambda q, qd, qdd, made=formula: {"tau": [made(q, qd, qdd), 0.0]}, SHAPES)
        found = evaluate_rounded(program, rest)
        assert found.value[0, 0] == value
        assert found.radius[0, 0] == radius * RADIUS_MARGIN + more


def test_what_is_exactly_zero_takes_the_short_way_and_changes_nothing():
    """At rest and at unit speeds most numbers are zero, and are not carried: sums, differences and products alike."""

    def algorithm(q, qd, qdd):
        a, b = qd[0], qdd[0]  # zero, and not
        return {"tau": [a + b, b + a, a - b, b - a, a * b, b * a, a + a, a - qd[1], b - b, b * b]}

    program = trace("f", algorithm, SHAPES)
    placed = PlacedProgram(program, given(np.zeros((3, 2))))
    known = np.zeros(2)
    found = placed.torques(RoundedArray(np.zeros(2), known), RoundedArray(np.array([2.5, 1.0]), known))
    expected = [2.5, 2.5, -2.5, 2.5, 0.0, 0.0, 0.0, 0.0, 0.0, 6.25]
    np.testing.assert_array_equal(found.value, [expected] * 3)
    assert np.all(found.radius <= 3.0 * UNIT * np.abs(expected) + UNDERFLOW)
    # What is zero but not known to be is carried.
    unsure = placed.torques(RoundedArray(np.zeros(2), np.full(2, 0.5)), RoundedArray(np.array([2.5, 1.0]), known))
    np.testing.assert_allclose(unsure.radius[0, :8], [0.5, 0.5, 0.5, 0.5, 1.25, 1.25, 1.0, 1.0], rtol=1e-12)


def test_one_radius_holds_at_every_state():
    """With the largest numbers among the states: never below that of a state by itself."""
    program = trace("f", lambda q, qd, qdd: {"tau": [(sincos(q[0])[0] * qd[1] - qdd[0]) * qd[0], -qd[0]]}, SHAPES)
    rng = np.random.default_rng(5)
    q, qd, qdd = (RoundedArray(rng.normal(size=(50, 2)), rng.uniform(0.0, 0.1, (50, 2))) for _ in range(3))
    closely, coarsely = (
        PlacedProgram(program, q, one_radius=one_radius).torques(qd, qdd) for one_radius in (False, True)
    )
    np.testing.assert_array_equal(coarsely.value, closely.value)
    assert np.all(coarsely.radius >= closely.radius)
    assert np.all(coarsely.radius == coarsely.radius[0])
    assert coarsely.radius[0, 1] == qd.radius[:, 0].max()


def test_a_number_that_is_none_is_not_lost():
    program = trace("f", lambda q, qd, qdd: {"tau": [qd[0] * qdd[0] + qd[1], qd[1]]}, SHAPES)
    rates = np.array([[np.nan, 1.0], [1.0, 1.0]])
    found = evaluate_rounded(program, {"q": given(np.zeros((2, 2))), "qd": given(rates), "qdd": given(np.ones((2, 2)))})
    assert np.isnan(found.value[0, 0])
    assert np.isnan(found.radius[0, 0])
    assert found.radius[1, 0] < 1e-15
