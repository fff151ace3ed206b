"""Sine and cosine of one angle (sincos): range reduction and polynomials, constants of all back ends, NumPy reference.

(1)  t = x (2/pi) rounded to the nearest integer by adding and subtracting 1.5 * 2^52
(2)  r = ((x - t P1) - t P2) - t P3,   P1 + P2 + P3 = pi/2,   |r| <= pi/4
(3)  sin r = r + (r z) S(z),  cos r = 1 + z (-1/2 + z C(z)),  z = r^2
(4)  h = t - 4 (t/4 rounded as in (1)), one of -2, ..., 2: the remaining quarter turns. With
     a = cos(h pi/2) = 1 - |h| and b = sin(h pi/2) = h (2 - |h|):
     sin x = a sin r + b cos r,  cos x = a cos r - b sin r,  exactly

No branch, no integer and no table: compilers can vectorize the code as it is.

P1 and P2 hold 37 bits each, so `t P1` and `t P2` are exact for |t| < 2^16, `x - t P1` is exact, and where `t P2`
cancels leading bits, that difference is exact too: r keeps its *relative* accuracy next to the zeros of sine and
cosine. The rest, pi/2 - P1 - P2 - P3, is below 6e-40.

S and C (five powers of z each) are minimax fits of the relative error of sin and cos on |r| <= pi/4 by the exchange
algorithm in 60-digit arithmetic, where each coefficient was rounded to a double before the next ones were fitted. Their
approximation errors are 3.75e-18 (2^-57.9) and 5.7e-20 (2^-63.9). With all roundings, for |x| <= `LARGEST_ANGLE`, the
worst error found is 1.5 ulp, and half an ulp at the doubles next to the multiples of pi/2 (tested exhaustively). A
larger or non-finite x is left to the platform's `sin` and `cos`. The sine of -0.0 is 0.0.

In single precision (`SINGLE_SINCOS`) the same equations have constants of their own: 1.5 * 2^23 rounds in (1), P1 and
P2 hold 12 bits, so that (2) is exact up to |t| < 2^12, and S and C have two powers of z each (errors 4.0e-9 and 1.2e-10
of the sine and cosine). Over 22 million floats |x| <= 4096, the largest error is 1.53 ulp where the result is above
2^-12, and 1.2e-11 next to zeros; beyond 4096 rad the spacing of floats is 5e-4 rad.

`SINGLE_ERROR` is measured, not derived: at every float 2^-13 <= x <= 4096 and, since a compiler may contract a product
and a sum to a fused multiply-add, for every choice of contractions that can change a bit (products with whole numbers
and with P1 and P2 are exact, which leaves t, t P3, three sums of the sine and four of the cosine). The largest error is
8.7731e-8, of a cosine. Below 2^-13 t is zero, sin x is x (1 - x^2 / 6) rounded and cos x is 1, both right to 2^-27;
negative angles give the same with other signs. `tests/codegen/test_sincos.py` measures it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.foundation.arrays import Array

LARGEST_ANGLE = 1e5
"""Largest angle [rad] for which the range reduction is valid: 16,000 turns of a joint."""

TWO_OVER_PI = 0.6366197723675814

ROUND = 6755399441055744.0
"""1.5 * 2^52: adding and subtracting it rounds to the nearest integer."""

HALF_PI_PARTS = (1.5707963267923333, 2.5633441515839558e-12, 1.0562999066987428e-23)
"""P1, P2, P3 of (2)."""

SIN_COEFFICIENTS = (
    -0.1666666666666663,
    0.00833333333332184,
    -0.00019841269829358528,
    2.755731353851466e-06,
    -2.505073438942366e-08,
    1.589543330515239e-10,
)
"""S of (3), the constant term first."""

COS_COEFFICIENTS = (
    0.041666666666666595,
    -0.0013888888888873342,
    2.480158728900208e-05,
    -2.7557314217039046e-07,
    2.0875705396100116e-09,
    -1.1358749246649925e-11,
)
"""C of (3), the constant term first."""


@dataclass(frozen=True)
class SincosTable:
    """The constants of (1)-(3) for one precision."""

    largest_angle: float
    two_over_pi: float
    round: float
    half_pi_parts: tuple[float, float, float]
    sine: tuple[float, ...]
    cosine: tuple[float, ...]


DOUBLE_SINCOS = SincosTable(LARGEST_ANGLE, TWO_OVER_PI, ROUND, HALF_PI_PARTS, SIN_COEFFICIENTS, COS_COEFFICIENTS)
"""The constants in doubles."""

SINGLE_SINCOS = SincosTable(
    largest_angle=4096.0,
    two_over_pi=0.6366197466850281,
    round=12582912.0,
    half_pi_parts=(1.5703125, 0.0004837512969970703, 7.549790126404332e-08),
    sine=(-0.16666655242443085, 0.008332189172506332, -0.00019518291810527444),
    cosine=(0.04166664555668831, -0.0013887309469282627, 2.4432327336398885e-05),
)
"""The constants in floats."""

SINGLE_ERROR = 8.78e-8
"""Largest absolute error of sine and cosine in single precision for |x| <= 4096, with and without fused operations."""


def sincos_reference(angle: npt.ArrayLike) -> tuple[Array, Array]:
    """(sin, cos) of an array of any shape, by (1)-(4), rounding exactly like the generated C without contraction.

    >>> sine, cosine = sincos_reference([0.0, 0.5])
    >>> (sine == np.sin([0.0, 0.5])).all(), cosine[0]
    (np.True_, np.float64(1.0))
    """
    return _by_table(np.asarray(angle, dtype=np.float64), DOUBLE_SINCOS)


def single_sincos_reference(angle: npt.ArrayLike) -> tuple[Array, Array]:
    """(sin, cos) in single precision, as arrays of 32 bits; large and non-finite angles by NumPy's functions.

    >>> sine, cosine = single_sincos_reference([0.0, 0.5])
    >>> sine.dtype, bool((sine == np.sin(np.float32([0.0, 0.5]))).all())
    (dtype('float32'), True)
    """
    return _by_table(np.asarray(angle, dtype=np.float32), SINGLE_SINCOS)


def _by_table(x: Any, table: SincosTable) -> tuple[Any, Any]:
    """(1)-(4) in the type of x."""
    real = x.dtype.type
    near = np.abs(x) <= real(table.largest_angle)
    small = np.where(near, x, real(0.0))
    whole = real(table.round)
    t = (small * real(table.two_over_pi) + whole) - whole  # (1)
    p1, p2, p3 = map(real, table.half_pi_parts)
    r = ((small - t * p1) - t * p2) - t * p3  # (2)
    z = r * r
    sine = r + (r * z) * _polynomial(tuple(map(real, table.sine)), z)  # (3)
    cosine = real(1.0) + z * (real(-0.5) + z * _polynomial(tuple(map(real, table.cosine)), z))
    h = t - real(4.0) * ((t * real(0.25) + whole) - whole)  # (4)
    a, b = real(1.0) - np.abs(h), h * (real(2.0) - np.abs(h))
    with np.errstate(invalid="ignore"):
        return np.where(near, a * sine + b * cosine, np.sin(x)), np.where(near, a * cosine - b * sine, np.cos(x))


def _polynomial(c: tuple[Any, ...], z: Any) -> Any:
    """c0 + c1 z + ... by second-order Horner (pairs of terms): half the dependency depth of Horner's scheme."""
    zz = z * z
    pairs = [c[k] + c[k + 1] * z if k + 1 < len(c) else c[k] for k in range(0, len(c), 2)]
    total = pairs[-1]
    for pair in reversed(pairs[:-1]):
        total = pair + zz * total
    return total
