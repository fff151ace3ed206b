"""Bounds as text: never on the wrong side of what is proven, and never farther away than the last digit."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from torquec.foundation.rounded_bound import rounded_down, rounded_up


def test_no_text_is_on_the_wrong_side_and_none_is_farther_than_its_last_digit():
    rng = np.random.default_rng(5)
    values = rng.choice([-1.0, 1.0], 4000) * rng.uniform(1.0, 10.0, 4000) * 10.0 ** rng.integers(-300, 300, 4000)
    for value in [*values.tolist(), 0.1, 0.3, 9.995, 999999.5, 1e-5, 1e-300, 0.0]:
        for digits in (1, 2, 3, 4, 6):
            up, down = rounded_up(value, digits), rounded_down(value, digits)
            assert float(down) <= value <= float(up)
            assert Fraction(down) <= Fraction(repr(value)) <= Fraction(up)
            assert Fraction(up) - Fraction(down) <= abs(Fraction(repr(value))) * Fraction(10) ** (1 - digits)


def test_a_number_with_few_digits_is_written_as_it_is():
    assert rounded_up(0.05, 2) == rounded_down(0.05, 2) == "0.05"
    assert rounded_up(1e-9, 3) == "1e-09"


@pytest.mark.parametrize("write", [rounded_up, rounded_down])
def test_what_is_not_finite_stays_so(write):
    assert write(math.inf, 3) == "inf"
    assert write(math.nan, 3) == "nan"
