"""Sine and cosine of one angle together: the constants that the back ends share, and a reference in NumPy.

(1)  t = x (2/pi) rounded to the nearest whole number, by adding and taking away 1.5 * 2^52
(2)  r = ((x - t P1) - t P2) - t P3,   P1 + P2 + P3 = pi/2,   |r| <= pi/4
(3)  sin r = r + (r z) S(z),  cos r = 1 + z (-1/2 + z C(z)),  z = r^2
(4)  h = t - 4 (t/4 rounded as in (1)), one of -2, ..., 2: the quarter turns that are left. With
     a = cos(h pi/2) = 1 - |h| and b = sin(h pi/2) = h (2 - |h|):
     sin x = a sin r + b cos r,  cos x = a cos r - b sin r,  exactly

There is no branch, no integer and no table in it, so that it becomes vector code as it stands.

P1 and P2 hold 37 bits each, so `t P1` and `t P2` are exact for |t| < 2^16, `x - t P1` is exact, and where `t P2`
cancels leading bits that difference is exact too: r keeps its *relative* accuracy next to the zeros of sine and cosine.
The rest, pi/2 - P1 - P2 - P3, is below 6e-40.

S and C (five powers of z each) are minimax fits of the relative error of sin and cos on |r| <= pi/4 by the exchange
algorithm in 60-digit arithmetic, where each coefficient was rounded to a double before the next ones were fitted. Their
approximation errors are 3.75e-18 (2^-57.9) and 5.7e-20 (2^-63.9). With all roundings, for |x| <= `LARGEST_ANGLE`, the
worst error found is 1.5 ulp, and half an ulp at the doubles next to the multiples of pi/2 (all of them were tried). A
larger or non-finite x is left to the platform's `sin` and `cos`. The sine of -0.0 is 0.0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.foundation.arrays import Array

LARGEST_ANGLE = 1e5
"""The reduction holds up to here; 1e5 rad is 16,000 turns of a joint."""

TWO_OVER_PI = 0.6366197723675814

ROUND = 6755399441055744.0
"""1.5 * 2^52: adding it leaves no room for a fraction."""

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


def sincos_reference(angle: npt.ArrayLike) -> tuple[Array, Array]:
    """(sin, cos) of an array of any shape, by (1)-(4), rounding exactly like the generated C without contraction.

    >>> sine, cosine = sincos_reference([0.0, 0.5])
    >>> (sine == np.sin([0.0, 0.5])).all(), cosine[0]
    (np.True_, np.float64(1.0))
    """
    x = np.asarray(angle, dtype=np.float64)
    near = np.abs(x) <= LARGEST_ANGLE
    small = np.where(near, x, 0.0)
    t = (small * TWO_OVER_PI + ROUND) - ROUND  # (1)
    p1, p2, p3 = HALF_PI_PARTS
    r = ((small - t * p1) - t * p2) - t * p3  # (2)
    z = r * r
    sine = r + (r * z) * _polynomial(SIN_COEFFICIENTS, z)  # (3)
    cosine = 1.0 + z * (-0.5 + z * _polynomial(COS_COEFFICIENTS, z))
    h = t - 4.0 * ((t * 0.25 + ROUND) - ROUND)  # (4)
    a, b = 1.0 - np.abs(h), h * (2.0 - np.abs(h))
    with np.errstate(invalid="ignore"):
        return np.where(near, a * sine + b * cosine, np.sin(x)), np.where(near, a * cosine - b * sine, np.cos(x))


def _polynomial(c: tuple[float, ...], z: Any) -> Any:
    """c0 + c1 z + ... + c5 z^5 in pairs, which is half as deep as Horner's scheme."""
    zz = z * z
    return (c[0] + c[1] * z) + zz * ((c[2] + c[3] * z) + zz * (c[4] + c[5] * z))
