"""Polynomials: a ring with derivatives, each law against plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.closedform.polynomial import Linear, TrigPolynomial, Variable, constant, single
from torquec.errors import ArgumentError
from torquec.robot.joints import PositionBasis

Q1, Q2, Q3 = (Variable(((i, 1),)) for i in range(3))
Q23 = Variable(((1, 1), (2, 1)))
SLIDE = Variable(((3, 1),), PositionBasis.POLYNOMIAL)


def random_polynomial(rng, terms=6, degree=2):
    """Any product of powers of four variables, sums of angles among them."""
    total = TrigPolynomial()
    for _ in range(terms):
        term = constant(float(rng.normal()))
        for variable in (Q1, Q2, Q23, SLIDE):
            a = int(rng.integers(0, 2)) if variable.is_angle else 0
            term = term * single(variable, a, int(rng.integers(0, degree + 1)))
        total = total + term
    return total


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_a_textbook_product():
    cosine, sine = single(Q1, 1, 0), single(Q1, 0, 1)
    assert cosine * cosine == constant(1.0) - sine * sine
    assert (cosine + sine) * (cosine + sine) == constant(1.0) + 2.0 * cosine * sine


def test_names_of_variables():
    assert [Q1.name, Q23.name, Variable(((1, 1), (2, -1))).name] == ["q1", "q23", "q2-3"]
    assert Variable(((8, 1), (9, 1))).name == "q9_10"


@pytest.mark.parametrize("seed", range(5))
def test_sums_and_products_are_those_of_the_values(seed):
    rng = np.random.default_rng(seed)
    a, b, q = random_polynomial(rng), random_polynomial(rng), rng.uniform(-3, 3, (20, 4))
    np.testing.assert_allclose((a + b)(q), a(q) + b(q), atol=1e-10)
    np.testing.assert_allclose((a - b)(q), a(q) - b(q), atol=1e-10)
    np.testing.assert_allclose((a * b)(q), a(q) * b(q), atol=1e-9)
    np.testing.assert_allclose((-a * 2.5)(q), -2.5 * a(q), atol=1e-10)
    assert a - a == TrigPolynomial()
    assert _small(a * b - b * a)


def _small(polynomial):
    return all(abs(c) < 1e-12 for c in polynomial.terms.values())


@pytest.mark.parametrize("joint", range(4))
def test_derivatives_are_those_of_the_values(rng, joint):
    """Along one joint a polynomial is a smooth function: five-point differences are exact to 1e-10 of it."""
    polynomial, q, h = random_polynomial(rng), rng.uniform(-2, 2, (20, 4)), 1e-3

    def at(steps):
        return polynomial(q + steps * h * np.eye(4)[joint])

    expected = (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h)
    np.testing.assert_allclose(polynomial.differentiate(joint)(q), expected, atol=1e-8)


def test_derivative_of_a_product(rng):
    a, b = random_polynomial(rng), random_polynomial(rng)
    for joint in range(4):
        left = (a * b).differentiate(joint)
        assert _small(left - (a.differentiate(joint) * b + a * b.differentiate(joint)))


def test_dependence_lists_every_joint_of_a_sum():
    assert (single(Q23, 1, 0) * single(SLIDE, 0, 2)).depends_on == (1, 2, 3)
    assert constant(2.0).depends_on == ()


def test_value_over_floats_and_batches():
    polynomial = single(Q23, 0, 1) * single(SLIDE, 0, 2) * 3.0
    q = [0.1, 0.2, 0.3, 2.0]
    assert polynomial(q) == pytest.approx(12.0 * math.sin(0.5))
    np.testing.assert_allclose(polynomial(np.array([q, q])), [polynomial(q)] * 2)
    assert constant(2.0)(np.zeros((3, 4))).shape == (3,)


def test_parameters_are_bound_to_numbers():
    polynomial = TrigPolynomial({(): Linear({"m": 2.0}), ((Q1, 1, 0),): Linear({"m": 1.0, "I": -1.0})})
    bound = polynomial.bound({"m": 3.0, "I": 3.0})
    assert bound == constant(6.0)
    derivative = polynomial.differentiate(0)
    assert derivative == TrigPolynomial({((Q1, 0, 1),): Linear({"m": -1.0, "I": 1.0})})


def test_products_of_parameters_are_refused():
    parametric = constant(Linear({"m": 1.0}))
    with pytest.raises(ArgumentError, match="not linear"):
        _ = parametric * parametric


def test_reads_as_a_formula():
    assert str(constant(1.0) - single(Q23, 1, 1) * 0.5) == "1 - 0.5*C23*S23"
    assert str(TrigPolynomial()) == "0"
