"""The exponential function: the constants that native code uses, and a reference in NumPy.

(1)  x is taken between -746 and 710: beyond, the result is 0 or infinity anyway
(2)  k = x log2(e) rounded to the nearest whole number, by adding and taking away 1.5 * 2^52
(3)  r = (x - k L1) - k L2,   L1 + L2 = ln 2,   |r| <= ln(2)/2
(4)  exp r = 1 + (r + r^2 E(r))
(5)  exp x = (exp r 2^a) 2^b,   a + b = k, each about half of it: neither power leaves the normal numbers, and only the
     last product rounds below them

There is no branch and no table in it, so that it becomes vector code as it stands. NaN passes through (3) to the end.

L1 holds 41 bits, so `k L1` is exact for |k| < 2^12 and `x - k L1` is exact; where a*b + c is rounded once, ln 2 itself
serves as L1. E (powers up to ten) is a weighted least-squares fit in 60-digit arithmetic, where each coefficient was
rounded to a double before the next ones were fitted; its error is 7e-20 of exp r. With all roundings the worst error
found is 1.0 ulp, subnormal results included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.codegen.sincos import ROUND, SINGLE_SINCOS
from torquec.foundation.arrays import Array, Indices

SMALLEST_EXPONENT = -746.0
"""exp of it and of everything below is nearer to 0 than to the smallest double."""

LARGEST_EXPONENT = 710.0
"""exp of it and of everything above is beyond the largest double."""

LOG2_E = 1.4426950408889634

LN2_PARTS = (0.693147180559663, 2.8235290563031577e-13)
"""L1 and L2 of (3)."""

EXP_COEFFICIENTS = (
    0.5,
    0.16666666666666685,
    0.041666666666666685,
    0.008333333333315955,
    0.001388888888887332,
    0.00019841269898657093,
    2.4801587349060595e-05,
    2.7557232875898035e-06,
    2.755725199229993e-07,
    2.511265401198411e-08,
    2.0921702372435563e-09,
)
"""E of (4), the constant term first."""


@dataclass(frozen=True)
class ExpTable:
    """The constants of (1)-(4) for one precision, and how its bits hold a power of two."""

    smallest: float
    largest: float
    log2_e: float
    ln2_parts: tuple[float, float]
    coefficients: tuple[float, ...]
    round: float
    mantissa_bits: int
    bias: int
    raise_by: int
    """An even number that no k is below the negative of: with it, half of k needs no signed shift."""


DOUBLE_EXP = ExpTable(SMALLEST_EXPONENT, LARGEST_EXPONENT, LOG2_E, LN2_PARTS, EXP_COEFFICIENTS, ROUND, 52, 1023, 2048)
"""The constants in doubles."""

SINGLE_EXP = ExpTable(
    smallest=-104.0,
    largest=89.0,
    log2_e=1.4426950216293335,
    ln2_parts=(0.693145751953125, 1.428606765330187e-06),
    coefficients=(
        0.4999999403953552,
        0.1666652113199234,
        0.041668277233839035,
        0.008368686772882938,
        0.001381982583552599,
    ),
    round=SINGLE_SINCOS.round,
    mantissa_bits=23,
    bias=127,
    raise_by=256,
)
"""The constants in floats: L1 holds 15 bits, and the fit's error is 3.1e-9 of exp r."""


def exp_reference(exponent: npt.ArrayLike) -> Array:
    """exp of an array of any shape by (1)-(5), rounding like native code without fused products.

    >>> np.allclose(exp_reference([0.0, 1.0, -800.0]), [1.0, np.e, 0.0], rtol=3e-16, atol=0.0)
    True
    """
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


def _power_of_two(exponent: Indices) -> Array:
    return np.asarray(np.ldexp(1.0, exponent), dtype=np.float64)
