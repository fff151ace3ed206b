"""The shared angle of a point against 200-bit arithmetic."""

from __future__ import annotations

import math

import numpy as np
from flint import arb, ctx

from torquec.codegen.llvm_text.arctangent import ATAN_COEFFICIENTS, NEAR_SLOPE, QUARTER_PI_PARTS


def atan2_reference(y, x):
    """The angles of points by (1)-(4), rounding like native code without fused products."""
    ordinate, abscissa = np.broadcast_arrays(np.asarray(y, np.float64), np.asarray(x, np.float64))
    a, b = np.abs(ordinate), np.abs(abscissa)
    steep = a > b
    least, most = np.where(steep, b, a), np.where(steep, a, b)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        far = ~(least * (1.0 / NEAR_SLOPE) - most <= 0.0)
        even = least == most
        u = np.where(even, 0.0, np.where(far, least - most, least))  # (1)
        v = np.where(even, 1.0, np.where(far, least + most, most))
        t = u / v
        z = t * t
        zz = z * z
        c = ATAN_COEFFICIENTS
        total = c[12] + c[13] * z
        for i in (10, 8, 6, 4, 2, 0):
            total = total * zz + (c[i] + c[i + 1] * z)
        p = (t * z) * total + t  # (2)
        k = np.where(far, 1.0, 0.0)
        k = np.where(steep, 2.0 - k, k)  # (3)
        left = np.signbit(abscissa)
        k = np.where(left, 4.0 - k, k)  # (4)
        signed = np.where(steep != left, -p, p)
        return np.asarray(np.copysign(k * QUARTER_PI_PARTS[0] + (k * QUARTER_PI_PARTS[1] + signed), ordinate))


RNG = np.random.default_rng(5)
DIRECTIONS = RNG.uniform(-np.pi, np.pi, 1500)
SIZES = 10.0 ** RNG.uniform(-8.0, 8.0, 1500)
LOPSIDED = 10.0 ** RNG.uniform(-20.0, 20.0, (2, 1500)) * RNG.choice([-1.0, 1.0], (2, 1500))
# Next to where the reduction changes its mind: equal coordinates, and one half of the other.
SEAMS = np.repeat(RNG.uniform(0.5, 2.0, 60), 5) * (1.0 + np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 60) * 2.3e-16)
BASES = np.repeat(RNG.uniform(0.5, 2.0, 60), 5)
POINTS = np.concatenate(
    [
        [SIZES * np.sin(DIRECTIONS), SIZES * np.cos(DIRECTIONS)],
        LOPSIDED,
        *([BASES * part * sign, SEAMS] for part in (1.0, NEAR_SLOPE, 1.0 / NEAR_SLOPE) for sign in (1.0, -1.0)),
    ],
    axis=1,
)
"""(y, x)"""
ENDS = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2e-308, 8e307, -8e307])
CORNERS = np.stack(np.meshgrid(ENDS, ENDS)).reshape(2, -1)


def atan2_errors(points: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Errors in units of the last place of the exact value."""
    before, ctx.prec = ctx.prec, 200
    try:
        exact = [arb.atan2(arb(y), arb(x)) for y, x in points.T.tolist()]
        return np.array(
            [
                abs(float((arb(value) - right).mid()) / float(np.spacing(abs(float(right.mid())))))
                for value, right in zip(found.tolist(), exact, strict=True)
            ]
        )
    finally:
        ctx.prec = before


def test_constants():
    before, ctx.prec = ctx.prec, 200
    try:
        rest = arb.pi() / 4 - arb(QUARTER_PI_PARTS[0]) - arb(QUARTER_PI_PARTS[1])
        assert abs(float(rest.mid())) < 1e-32
    finally:
        ctx.prec = before
    assert math.frexp(QUARTER_PI_PARTS[0])[0] * 2.0**50 % 1.0 == 0.0  # three zero bits at the end


def test_within_two_units():
    assert atan2_errors(POINTS, atan2_reference(*POINTS)).max() <= 2.0


def test_zeros_infinities_and_nan():
    with np.errstate(under="ignore"):
        np.testing.assert_allclose(atan2_reference(*CORNERS), np.arctan2(*CORNERS), rtol=3e-16)
    sure = ~np.isnan(CORNERS).any(axis=0)
    found, right = atan2_reference(*CORNERS[:, sure]), np.arctan2(*CORNERS[:, sure])
    np.testing.assert_array_equal(np.signbit(found), np.signbit(right))
