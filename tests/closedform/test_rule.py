"""Rules: what is dropped, rounded and kept, and rules that make no sense."""

from __future__ import annotations

import pytest
from tests.closedform.test_polynomial import Q1, Q2

from torquec.closedform.polynomial import constant, single
from torquec.closedform.rule import CLOVER, EXACT, Rule, written
from torquec.errors import ArgumentError

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
