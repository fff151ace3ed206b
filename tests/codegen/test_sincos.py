"""The shared sine and cosine against 60-digit decimal arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from torquec.codegen.sincos import HALF_PI_PARTS, LARGEST_ANGLE, ROUND, sincos_reference

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
