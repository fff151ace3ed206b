"""Numbers say how they were obtained, or they are none."""

from __future__ import annotations

import math

import pytest

from torquec.errors import ArgumentError
from torquec.report.provenance import Number, Obtained, Provenance, Statement, assumed, computed, measured, proved


def test_a_number_without_provenance_is_refused():
    with pytest.raises(TypeError):
        Number(1.0)
    for missing in (None, "proved", Obtained.PROVED):
        with pytest.raises(ArgumentError, match="does not say how it was obtained"):
            Number(1.0, missing)


def test_a_statement_without_provenance_is_refused():
    with pytest.raises(ArgumentError, match="does not say how it was obtained"):
        Statement("4 of 12", None)


@pytest.mark.parametrize("source", ["", "  ", None, 3])
def test_a_provenance_rests_on_something(source):
    with pytest.raises(ArgumentError, match="an `Obtained` and a source"):
        Provenance(Obtained.MEASURED, source)
    with pytest.raises(ArgumentError, match="an `Obtained` and a source"):
        Provenance("measured", "a log")


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "1", None])
def test_only_finite_numbers(value):
    with pytest.raises(ArgumentError, match="not a finite number"):
        Number(value, computed("a sum"))


def test_the_four_ways_have_words_and_meanings():
    ways = [make("x") for make in (proved, measured, computed, assumed)]
    assert [way.how.value for way in ways] == ["proved", "measured", "computed", "assumed"]
    assert {way.how for way in ways} == set(Obtained)
    assert all(how.meaning for how in Obtained)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (1234567, "1234567"),
        (0.1 + 0.2, "0.3"),
        (12345.6, "12346"),
        (1.23456e-7, "1.235e-07"),
        (-0.0, "0"),
        (-8.8e-18, "0"),
    ],
)
def test_text(value, text):
    assert Number(value, computed("a sum")).text == text
    assert str(Number(value, computed("a sum"), "kg")) == f"{text} kg"


@pytest.mark.parametrize(
    ("value", "most", "least"),
    [(0.123412, "0.1235", "0.1234"), (0.05, "0.05", "0.05"), (12345.2, "12346", "12345"), (7e-18, "< 1e-14", "0")],
)
def test_what_is_proved_is_rounded_up_and_lower_bounds_down(value, most, least):
    assert Number(value, proved("a certificate")).text == most
    assert Number(value, proved("a certificate"), at_least=True).text == least
    assert Number(value, computed("a sum"), at_least=True).text == least
