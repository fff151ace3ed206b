"""Entries as lists of terms."""

from __future__ import annotations

from tests.closedform.test_polynomial import Q1, Q2, Q23, SLIDE

from torquec.closedform.fourier import fourier_series
from torquec.closedform.layouts import Entry, Matrix, Part
from torquec.closedform.polynomial import Linear, TrigPolynomial, Variable, constant, single
from torquec.closedform.sums import (
    Factor,
    Kind,
    Term,
    broken,
    cumulative_angles,
    entry_summands,
    joined,
    motion_factors,
    printed_terms,
    subscript,
    value_summands,
    weighted,
)
from torquec.closedform.text import TEXT

POLYNOMIAL = constant(0.5) - single(Q23, 1, 1) * 2.0 + single(Q1, 0, 2) * single(SLIDE, 0, 1)


def test_largest_first():
    assert [term.coefficient for term in printed_terms(POLYNOMIAL)] == [-2.0, 1.0, 0.5]


def test_equal_but_for_rounding_keeps_its_order():
    for noise in (1e-15, -1e-15):
        terms = printed_terms(single(Q1, 1, 0) * (1.0 + noise) + single(Q1, 0, 1))
        assert [term.factors[0].kind for term in terms] == [Kind.SHORT_COSINE, Kind.SHORT_SINE]


def test_factors_of_products_and_of_multiple_angles():
    assert printed_terms(POLYNOMIAL)[0].factors == (
        Factor(Kind.SHORT_COSINE, Q23.joints),
        Factor(Kind.SHORT_SINE, Q23.joints),
    )
    series = fourier_series(single(Q23, 1, 1) * single(SLIDE, 0, 2))
    assert printed_terms(series) == [
        Term(0.5, (Factor(Kind.POSITION, ((3, 1),), 2), Factor(Kind.SINE, ((1, 2), (2, 2))))),
    ]


def test_parameters_by_number_of_factors():
    polynomial = TrigPolynomial({((Q1, 1, 0),): Linear({"a": 9.0}), (): Linear({"b": 1.0})})
    assert [len(term.factors) for term in printed_terms(polynomial)] == [0, 1]


def test_speeds_and_accelerations():
    part = Part(POLYNOMIAL, speeds=(1, 1), accelerations=(0,))
    assert motion_factors(part) == (Factor(Kind.ACCELERATION, ((0, 1),)), Factor(Kind.SPEED, ((1, 1),), 2))


def test_sums_of_angles_are_found():
    assert cumulative_angles([POLYNOMIAL, fourier_series(POLYNOMIAL)]) == [Q23]
    assert subscript(Variable(((9, 1), (10, -1))).joints) == "10m11"


def test_parts_with_speeds_stand_in_brackets():
    value = constant(-2.0) + single(Q1, 1, 0)
    entry = Entry(
        Matrix.C, (0, 0), (Part(value, speeds=(0,)), Part(single(Q2, 0, 1) * -1.0, speeds=(1, 1)), Part(value))
    )
    assert joined(entry_summands(entry, TEXT, 6)) == "(-2 + C1)*qd1 - S2*qd2^2 - 2 + C1"


def test_combinations_of_parameters():
    both = Linear({"Izz2": 1.0, "m3": 0.18})
    assert joined(value_summands(single(Q1, 1, 0).mapped(lambda _: both), TEXT, 6)) == "(Izz2 + 0.18*m3)*C1"
    assert joined(value_summands(constant(both), TEXT, 6)) == "Izz2 + 0.18*m3"
    assert joined(value_summands(constant(Linear({"m3": -1.0})), TEXT, 6)) == "-m3"


def test_weights():
    parts = [(1.0, "a"), (-2.5, "b"), (0.0, "c"), (-3.0, "")]
    assert joined(weighted(parts, TEXT, 6)) == "a - 2.5*b - 3"


def test_lines_break_between_summands():
    summands = [(False, "aaaa"), (True, "bbbb"), (False, "cccc")]
    assert broken(summands, first=100, other=100) == ["aaaa - bbbb + cccc"]
    assert broken(summands, first=7, other=7) == ["aaaa", "- bbbb", "+ cccc"]
    assert broken(summands, first=1, other=1) == ["aaaa", "- bbbb", "+ cccc"]
    assert broken([], first=10, other=10) == ["0"]
