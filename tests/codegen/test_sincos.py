"""The shared sine and cosine against 60-digit decimal arithmetic."""

from __future__ import annotations

import dataclasses
import math
import shutil
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from tests.codegen.every_float import largest_error

from torquec.codegen.sincos import (
    DOUBLE_SINCOS,
    HALF_PI_PARTS,
    LARGEST_ANGLE,
    ROUND,
    SINGLE_ERROR,
    SINGLE_SINCOS,
    sincos_reference,
    single_sincos_reference,
)

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")


def sincos_decimal(x: float) -> tuple[Decimal, Decimal]:
    """Taylor series after an exact reduction; good to more than 50 digits."""
    with localcontext() as context:
        context.prec = 75
        turns = (Decimal(x) / (PI / 2)).to_integral_value()
        r = Decimal(x) - turns * (PI / 2)
        sine, cosine, term = Decimal(0), Decimal(0), Decimal(1)
        for k in range(60):
            if k % 2:
                sine += term if k % 4 == 1 else -term
            else:
                cosine += term if k % 4 == 0 else -term
            term *= r / (k + 1)
        return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[int(turns) % 4]


def worst_ulp(x: np.ndarray) -> float:
    worst = 0.0
    for angle, *found in zip(x.tolist(), *(array.tolist() for array in sincos_reference(x)), strict=True):
        for value, exact in zip(found, sincos_decimal(angle), strict=True):
            worst = max(worst, abs(float((Decimal(value) - exact) / Decimal(float(np.spacing(abs(float(exact))))))))
    return worst


def test_constants():
    exact = sum(map(Decimal, HALF_PI_PARTS))
    assert abs(exact - PI / 2) < Decimal("6e-40")
    for part in HALF_PI_PARTS[:2]:
        assert int(part.hex().split(".")[1].split("p")[0], 16) % 2**16 == 0  # 37 bits
    assert ROUND == 1.5 * 2**52


@pytest.mark.parametrize("scale", [0.78, 3.2, 100.0, LARGEST_ANGLE])
def test_random_angles_within_1_5_ulp(scale):
    assert worst_ulp(np.random.default_rng(5).uniform(-scale, scale, 1500)) <= 1.5


def test_doubles_next_to_multiples_of_half_pi_are_rounded_right():
    k = np.random.default_rng(6).integers(1, int(LARGEST_ANGLE / np.pi * 2), 500)
    k = np.concatenate([np.arange(1, 300), k])
    assert worst_ulp(np.array([float(int(number) * PI / 2) for number in k])) <= 0.502


def test_ties_of_the_rounding_are_no_worse():
    odd = np.arange(1, 801, 2) * (np.pi / 4)
    assert worst_ulp(np.concatenate([np.nextafter(odd, 0), odd, np.nextafter(odd, np.inf)])) <= 1.5


@pytest.mark.parametrize("angle", [0.0, -0.0, 5e-324, -2.2e-308, 1e-20, 1e-9])
def test_tiny_angles_are_their_own_sine(angle):
    sine, cosine = sincos_reference(angle)
    assert sine == angle
    assert cosine == 1.0


def test_far_and_non_finite_angles_are_left_to_the_platform():
    x = np.array([1.0001e5, -1e22, np.inf, -np.inf, np.nan])
    sine, cosine = sincos_reference(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(sine, np.sin(x))
        np.testing.assert_array_equal(cosine, np.cos(x))


def test_keeps_the_shape():
    assert sincos_reference(np.zeros((2, 3)))[1].shape == (2, 3)


@pytest.mark.parametrize(("table", "unit"), [(DOUBLE_SINCOS, Fraction(1, 2**53)), (SINGLE_SINCOS, Fraction(1, 2**24))])
def test_results_are_proven_to_lie_between_minus_one_and_one(table, unit):
    """The contract that static analysis of generated C relies on, in exact fractions, for angles that are not large.

    With u the rounding of one operation and |x| <= L:

    (a)  the computed x (2/pi) is wrong by at most L (|c - 2/pi| + u c), c the stored 2/pi; its nearest whole number t
         has |t| <= L c (1 + u) + 1/2, and so |x (2/pi) - t| <= 1/2 + that
    (b)  t P1 and t P2 are exact, as P1 and P2 have few bits; three differences and one product round, each of them
         at most |x| large in its terms: |r| <= (1/2 + d) pi/2 + |t| (|P1+P2+P3 - pi/2| + u P3) + 3 u (that and 1)
    (c)  cos r is 1 + z (-1/2 + z C): with 0 <= z C < 1/2 the product is between -1/2 z and 0 even when rounded, and
         so the sum is at most 1; |sin r| <= |r| (1 + z |S|) with five roundings
    (d)  the quarter turns h are whole, one of -2 .. 2: (a, b) has one entry of size 1 and one 0, and nothing rounds
    """
    with localcontext() as context:
        context.prec = 60
        pi = Fraction(PI)
    largest, stored = Fraction(table.largest_angle), Fraction(table.two_over_pi)
    wrong = largest * (abs(stored - 2 / pi) + unit * stored)  # (a)
    turns = largest * stored * (1 + unit) + Fraction(1, 2)
    assert turns < Fraction(table.round) / 3  # adding 1.5 2^p rounds to whole numbers
    p1, p2, p3 = map(Fraction, table.half_pi_parts)
    for part in (p1, p2):
        assert (part.numerator.bit_length() + math.ceil(turns).bit_length()) <= (53 if unit < 2**-40 else 24)  # exact
    lost = turns * (abs(p1 + p2 + p3 - pi / 2) + unit * p3)
    reduced = ((Fraction(1, 2) + wrong) * pi / 2 + lost) * (1 + 4 * unit) + 4 * unit  # (b)
    assert reduced < Fraction(7860, 10000)
    z = reduced * reduced * (1 + unit)

    def size(coefficients):
        return sum(abs(Fraction(value)) * z**k for k, value in enumerate(coefficients)) * (1 + unit) ** 8

    assert z * size(table.cosine) * (1 + unit) < Fraction(1, 2)  # (c): the bracket is negative
    assert Fraction(table.cosine[0]) > 0
    assert reduced * (1 + z * size(table.sine)) * (1 + unit) ** 5 < 1
    for h in (-2, -1, 0, 1, 2):
        assert sorted(map(abs, (1 - abs(h), h * (2 - abs(h))))) == [0, 1]  # (d)


def test_single_precision_is_right_to_its_last_digits():
    rng = np.random.default_rng(4)
    angles = np.concatenate(
        [rng.uniform(-4096, 4096, 20000), rng.uniform(-4, 4, 20000), np.arange(-2600, 2600) * np.pi / 2]
    )
    x = angles.astype(np.float32)
    for found, exact in zip(
        single_sincos_reference(x), (np.sin(x.astype(float)), np.cos(x.astype(float))), strict=True
    ):
        assert found.dtype == np.float32
        error = np.abs(found - exact)
        unit = np.spacing(np.maximum(np.abs(exact), 2.0**-12).astype(np.float32))
        assert (error / unit).max() < 1.6
        assert error.max() < 1e-7
        assert np.abs(found).max() <= 1.0


needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")


@needs_gcc
def test_the_error_of_floats_is_the_stated_one_at_a_sample_of_them(tmp_path):
    found = largest_error(tmp_path, SINGLE_SINCOS, stride=1009)
    assert 0.9 * SINGLE_ERROR < found <= SINGLE_ERROR
    # A coefficient that is wrong in its fifth digit is seen, and a third part of pi/2 that is wrong in its third.
    wrong = dataclasses.replace(SINGLE_SINCOS, cosine=(SINGLE_SINCOS.cosine[0] * (1 + 1e-5), *SINGLE_SINCOS.cosine[1:]))
    assert largest_error(tmp_path, wrong, stride=10007) > SINGLE_ERROR
    worse = dataclasses.replace(SINGLE_SINCOS, half_pi_parts=(*SINGLE_SINCOS.half_pi_parts[:2], 7.54e-8))
    assert largest_error(tmp_path, worse, stride=10007) > SINGLE_ERROR


@needs_gcc
@pytest.mark.slow
def test_the_error_of_floats_is_the_stated_one_at_all_of_them(tmp_path):
    assert 0.999 * SINGLE_ERROR < largest_error(tmp_path, SINGLE_SINCOS) <= SINGLE_ERROR


def test_floats_below_those_that_were_measured_are_as_good():
    x = np.float32(2.0) ** -np.arange(13, 149, dtype=np.float32)
    sine, cosine = single_sincos_reference(x)
    assert np.abs(sine.astype(float) - np.sin(x.astype(float))).max() <= 2.0**-27
    assert np.abs(cosine.astype(float) - np.cos(x.astype(float))).max() <= 2.0**-27
