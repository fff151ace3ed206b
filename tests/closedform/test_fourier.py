"""The multiple-angle form is the same function."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.test_polynomial import Q1, Q2, Q23, random_polynomial

from torquec.closedform import Coefficients, closed_form
from torquec.closedform.fourier import CLOVER, EXACT, FourierSeries, Harmonic, Rule, fourier_series, written
from torquec.closedform.polynomial import constant, single
from torquec.dynamics import parameter_names, parameter_values
from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic


def test_products_of_school():
    """cos x cos y = (cos(x - y) + cos(x + y)) / 2, and sin^2 x = (1 - cos 2x) / 2."""
    product = fourier_series(single(Q1, 1, 0) * single(Q2, 1, 0))
    assert product.terms == {Harmonic(((0, 1), (1, -1))): 0.5, Harmonic(((0, 1), (1, 1))): 0.5}
    assert fourier_series(single(Q1, 0, 2)).terms == {Harmonic(): 0.5, Harmonic(((0, 2),)): -0.5}
    assert fourier_series(single(Q23, 1, 1)).terms == {Harmonic(((1, 2), (2, 2)), sine=True): 0.5}


@pytest.mark.parametrize("seed", range(6))
def test_the_function_and_its_derivatives_stay_the_same(seed):
    rng = np.random.default_rng(seed)
    polynomial, q = random_polynomial(rng), rng.uniform(-3, 3, (30, 4))
    series = fourier_series(polynomial)
    np.testing.assert_allclose(series(q), polynomial(q), atol=1e-11 * np.abs(polynomial(q)).max())
    for joint in range(4):
        expected = polynomial.differentiate(joint)(q)
        np.testing.assert_allclose(series.differentiate(joint)(q), expected, atol=1e-9)


def test_sums_and_multiples():
    a, b = fourier_series(single(Q1, 1, 0)), fourier_series(single(Q1, 0, 2))
    q = np.linspace(-3, 3, 7)[:, None]
    np.testing.assert_allclose((2.0 * a - b)(q), 2.0 * a(q) - b(q), atol=1e-14)
    assert (a - a).terms == {}


def test_an_entry_of_the_puma_has_no_rounding_for_terms():
    form = closed_form(load_classic("puma560"))
    for row in form.mass:
        for entry in row:
            coefficients = [abs(c) for c in fourier_series(entry).terms.values()]
            assert min(coefficients, default=1.0) > 1e-9


def test_parameters_stay_parameters():
    robot = load_classic("planar3r")
    form = closed_form(robot, coefficients=Coefficients.PARAMETERS)
    own = dict(zip(parameter_names(robot), parameter_values(robot), strict=True))
    series = fourier_series(form.M[0, 0])
    bound = FourierSeries({harmonic: value.at(own) for harmonic, value in series.terms.items()})
    q = np.random.default_rng(0).uniform(-3, 3, (10, 3))
    np.testing.assert_allclose(bound(q), form.M[0, 0].bound(own)(q), atol=1e-13)
    with pytest.raises(ArgumentError, match="threshold"):
        series.abbreviated(0.01)


def test_abbreviation_drops_and_rounds():
    series = fourier_series(constant(1.23456) + single(Q1, 1, 0) * 0.009 + single(Q1, 0, 1) * 0.01)
    assert series.abbreviated(0.01, 3).terms == {Harmonic(): 1.23, Harmonic(((0, 1),), sine=True): 0.01}


def test_reads_as_a_formula():
    assert str(fourier_series(single(Q1, 1, 0) * single(Q23, 1, 0))) == "0.5*cos(q1 - q2 - q3) + 0.5*cos(q1 + q2 + q3)"


POLYNOMIAL = constant(1.234567) + single(Q1, 1, 0) * 0.0099 + single(Q1, 0, 1) * single(Q2, 0, 1) * 0.5


def test_exact_is_the_polynomial_itself():
    assert written(POLYNOMIAL, EXACT, added=1.0) is POLYNOMIAL


def test_the_threshold_applies_to_the_form_that_is_written():
    """sin q1 sin q2 / 2 are two cosines with 1/4."""
    assert str(written(POLYNOMIAL, Rule(threshold=0.3))) == "1.23457 + 0.5*S1*S2"
    assert str(written(POLYNOMIAL, Rule(threshold=0.3, multiple_angles=True))) == "1.23457"


def test_clovers_rule():
    assert str(written(POLYNOMIAL, CLOVER)) == "1.235 + 0.25*cos(q1 - q2) - 0.25*cos(q1 + q2)"


def test_what_motors_add_is_neither_compared_nor_rounded():
    """1.234567 are 1.23 of the motor and 0.004567 of the links."""
    assert str(written(constant(1.234567), CLOVER, added=1.23)) == "1.23"
    assert str(written(constant(1.234567), Rule(digits=1), added=1.23)) == "1.235"


@pytest.mark.parametrize("wrong", [{"threshold": -1.0}, {"threshold": float("nan")}, {"digits": 0}, {"digits": 18}])
def test_rules_that_make_no_sense(wrong):
    with pytest.raises(ArgumentError):
        Rule(**wrong)
