"""The shared exponential function against 60-digit decimal arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from torquec.codegen.llvm_text.exponential import (
    EXP_COEFFICIENTS,
    LARGEST_EXPONENT,
    LN2_PARTS,
    LOG2_E,
    SMALLEST_EXPONENT,
)
from torquec.codegen.sincos import ROUND


def exp_reference(exponent):
    """exp of an array of any shape by (1)-(5), rounding like native code without fused products."""
    x = np.minimum(np.maximum(np.asarray(exponent, dtype=np.float64), SMALLEST_EXPONENT), LARGEST_EXPONENT)  # (1)
    k = (x * LOG2_E + ROUND) - ROUND  # (2)
    r = (x - k * LN2_PARTS[0]) - k * LN2_PARTS[1]  # (3)
    rr = r * r
    c = EXP_COEFFICIENTS
    inner = c[10] * rr + (c[8] + c[9] * r)
    for i in (6, 4, 2, 0):
        inner = inner * rr + (c[i] + c[i + 1] * r)
    grown = 1.0 + (rr * inner + r)  # (4)
    whole = np.where(np.isnan(k), 0.0, k).astype(np.int64)
    half = (whole + 2048) // 2 - 1024
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray((grown * _power_of_two(half)) * _power_of_two(whole - half))  # (5)


def _power_of_two(exponent):
    return np.asarray(np.ldexp(1.0, exponent), dtype=np.float64)


def exp_errors(x: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Errors in units of the last place of the exact value."""
    with localcontext() as context:
        context.prec = 60
        exact = [Decimal(value).exp() for value in x.tolist()]
        return np.array(
            [
                abs(float((Decimal(value) - right) / Decimal(float(np.spacing(float(right))))))
                for value, right in zip(found.tolist(), exact, strict=True)
            ]
        )


def test_constants():
    with localcontext() as context:
        context.prec = 60
        assert abs(sum(map(Decimal, LN2_PARTS)) - Decimal(2).ln()) < Decimal("2e-31")
    assert int(LN2_PARTS[0].hex().split(".")[1].split("p")[0], 16) % 2**12 == 0  # 41 bits


@pytest.mark.parametrize("scale", [1e-3, 0.35, 5.0, 100.0, 700.0])
def test_random_exponents_within_one_unit(scale):
    x = np.random.default_rng(5).uniform(-scale, scale, 1500)
    assert exp_errors(x, exp_reference(x)).max() <= 1.0


def test_ties_of_the_reduction_are_no_worse():
    x = (np.arange(-1020, 1020, 7) + 0.5) * np.log(2.0)
    x = np.concatenate([np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf)])
    assert exp_errors(x, exp_reference(x)).max() <= 1.0


def test_results_below_the_normal_numbers_round_once():
    x = np.random.default_rng(6).uniform(-745.1, -708.4, 500)
    assert exp_errors(x, exp_reference(x)).max() <= 1.0


def test_ends():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 709.78, 709.79, 1e300, -745.13, -745.14, -1e300, 5e-324])
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_allclose(exp_reference(x), np.exp(x), rtol=3e-16)
