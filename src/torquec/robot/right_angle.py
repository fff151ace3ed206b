"""Right angles without rounding: cos(pi/2) is 0 and not 6e-17, so that zeros in the geometry are zeros in the code."""

from __future__ import annotations

import math

from torquec.expr.math import sincos
from torquec.spatial import Matrix3, Scalar

_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # cosine and sine of zero to three quarter turns
_ROUNDING = 1e-15  # of a sine or cosine of a multiple of pi/2, a few units in the last place
_NOISE = 1e-14  # rad: rounding error of a computed angle that is a multiple of pi/2 exactly


def cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact where the angle is the double nearest to a multiple of 90 degrees.

    >>> cos_sin(math.pi / 2)
    (0.0, 1.0)
    """
    quarters = round(angle / (math.pi / 2))
    if math.isclose(angle, quarters * (math.pi / 2), rel_tol=4e-16, abs_tol=0.0):
        return _QUARTERS[quarters % 4]
    return math.cos(angle), math.sin(angle)


def exact_cos_sin(angle: float) -> tuple[float, float]:
    """(cos, sin), exact at multiples of pi/2 up to the rounding error of a computed angle."""
    quarter = round(angle / (math.pi / 2)) % 4
    if abs(math.remainder(angle - quarter * math.pi / 2, 2 * math.pi)) < _NOISE:
        return _QUARTERS[quarter]
    return math.cos(angle), math.sin(angle)


def cos_sin_of(variable: Scalar, constant: float) -> tuple[Scalar, Scalar]:
    """(cos, sin) of variable + constant; constant quarter turns swap and negate them instead of adding."""
    s, c = sincos(variable)
    quarters = {(1.0, 0.0): (c, s), (0.0, 1.0): (-s, c), (-1.0, 0.0): (-c, -s), (0.0, -1.0): (s, -c)}
    found = quarters.get(exact_cos_sin(constant))
    if found is None:
        s, c = sincos(variable + constant)
        return c, s
    return found


def without_rounding(rotation: Matrix3) -> Matrix3:
    """A computed rotation whose entries within rounding error of 0 or +-1 are made exact.

    >>> without_rounding(((1.0, 0.0, 0.0), (0.0, 2e-16, -1.0), (0.0, 1.0, 2e-16)))[1]
    (0.0, 0.0, -1.0)
    """

    def clean(entry: float) -> float:
        nearest = float(round(entry))
        return nearest if abs(entry - nearest) <= _ROUNDING else entry

    x, y, z = ((clean(row[0]), clean(row[1]), clean(row[2])) for row in rotation)
    return (x, y, z)
