"""Polynomials as programs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.reference import recursion
from tests.closedform.test_polynomial import Q1, Q2, Q23, random_polynomial
from tests.dynamics.random_robots import PLACEMENTS, random_robot

from torquec.closedform import closed_dynamics
from torquec.closedform.closed_dynamics import Letters, lowered, word_of
from torquec.closedform.polynomial import constant, single
from torquec.expr import count_operations, evaluate, trace
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("seed", range(5))
def test_factored_it_is_the_same_function(seed):
    rng = np.random.default_rng(seed)
    polynomials, q = [random_polynomial(rng, terms=12) for _ in range(3)], rng.uniform(-3, 3, (20, 4))

    def algorithm(q):
        letters = Letters(q)
        return {"y": [lowered(polynomial, letters) for polynomial in polynomials]}

    found = evaluate(trace("f", algorithm, {"q": (4,)}), {"q": q})["y"]
    expected = np.stack([polynomial(q) for polynomial in polynomials], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_over_floats():
    assert lowered(single(Q1, 1, 0) * 2.0 + constant(1.0), Letters([0.0])) == 3.0
    assert lowered(constant(0.0), Letters([])) == 0.0


def test_common_factors_are_taken_out():
    """a x y + b x z + c x = x (a y + b z + c): four products with a, b and the letters, not six."""
    polynomial = single(Q1, 1, 0) * (single(Q2, 1, 0) * 2.0 + single(Q2, 0, 1) * 3.0 + constant(5.0))
    function = trace("f", lambda q: {"y": lowered(polynomial, Letters(q))}, {"q": (2,)})
    assert count_operations(function).mul == 3


def test_a_sum_of_known_angles_takes_no_sine():
    third = single(Q1, 1, 0) + single(Q1, 0, 1)

    def algorithm(q):
        letters = Letters(q)
        plain = [lowered(single(v, 1, 0), letters) for v in (Q2, type(Q2)(((2, 1),)))]
        return {"y": [*plain, lowered(single(Q23, 0, 1), letters), lowered(third, letters)]}

    assert count_operations(trace("f", algorithm, {"q": (3,)})).sincos == 3


def test_words_repeat_letters():
    (monomial,) = (single(Q1, 1, 0) * single(Q1, 0, 2)).terms
    assert [letter for _, letter in word_of(monomial)] == ["C", "S", "S"]


QUANTITIES = {
    "mass_matrix": (closed_dynamics.closed_mass_matrix, ("q",)),
    "gravity_torque": (closed_dynamics.closed_gravity_torque, ("q",)),
    "velocity_torque": (closed_dynamics.closed_velocity_torque, ("q", "qd")),
    "inverse_dynamics": (closed_dynamics.closed_inverse_dynamics, ("q", "qd", "qdd")),
}


def robots():
    apart = tuple(placement for placement in PLACEMENTS if placement != "nearly parallel")
    yield from (load_classic(name) for name in ("puma560", "stanford", "scara", "planar3r"))
    yield from (random_robot(seed, bodies=4, placements=apart) for seed in (1, 2, 3, 101, 102, 107))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_is_the_recursion(quantity):
    algorithm, inputs = QUANTITIES[quantity]
    for robot in robots():
        state = dict(zip(inputs, np.random.default_rng(5).uniform(-2, 2, (len(inputs), 20, robot.n)), strict=True))
        function = trace(
            "f", lambda _robot=robot, **given: {"y": algorithm(_robot, **given)}, dict.fromkeys(inputs, (robot.n,))
        )
        found = evaluate(function, state)["y"]
        expected = recursion(robot, quantity, **state)
        np.testing.assert_allclose(found, expected, atol=1e-11 * max(1.0, np.abs(expected).max()), err_msg=robot.name)
