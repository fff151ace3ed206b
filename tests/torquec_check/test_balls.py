"""Balls enclose: exact fractions of the same operations lie in every ball."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np

from torquec_check.rows import Ball, as_ball, ball_of


def _holds(ball, value):
    return abs(Fraction(float(ball.mid)) - value) <= Fraction(float(ball.rad))


def test_sums_and_products_enclose_exact_ones():
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e-160, 1e150):
        for _ in range(300):
            mids = [float(x) for x in rng.normal(size=3) * scale]
            rads = [float(abs(x)) for x in rng.normal(size=3) * scale * 1e-17]
            balls = [Ball(np.asarray(m), np.asarray(r)) for m, r in zip(mids, rads, strict=True)]
            ends = [Fraction(m) + int(rng.choice([-1, 1])) * Fraction(r) for m, r in zip(mids, rads, strict=True)]
            assert _holds(balls[0] + balls[1], ends[0] + ends[1])
            assert _holds(balls[0] - balls[1], ends[0] - ends[1])
            if scale < 1e100:
                assert _holds(balls[0] * balls[1] + balls[2], ends[0] * ends[1] + ends[2])


def test_a_radius_is_of_the_size_of_rounding():
    found = as_ball(0.1) * as_ball(0.1)
    assert 0.0 < float(found.rad) < 4.0 * 2.0**-53 * 0.01


def test_constants_of_arb_that_are_doubles_have_no_radius():
    assert float(ball_of(flint.arb(3) / 4).rad) == 0.0
    assert 0.0 < float(ball_of(flint.arb(1) / 3).rad) <= 2.0**-54


def test_an_overflow_proves_nothing():
    with np.errstate(all="ignore"):
        found = as_ball(1e300) * as_ball(1e300)
    assert not float(found.rad) < 1e308


def test_radii_of_wide_balls_enclose_their_corners():
    """Where radii are as large as midpoints, the product of both radii counts."""
    a, b = Ball(np.asarray(1.0), np.asarray(2.0)), Ball(np.asarray(-3.0), np.asarray(4.0))
    for x in (-1, 3):
        for y in (-7, 1):
            assert _holds(a * b, Fraction(x * y))
            assert _holds(a + b, Fraction(x + y))
            assert _holds(a - b, Fraction(x - y))
    assert float((a * b).rad) < 18.0 * (1.0 + 1e-12)


def test_what_is_no_double_has_a_radius_however_small():
    assert ball_of(flint.arb(5e-324) / 2).rad > 0.0
    assert ball_of(flint.arb(5e-324)).rad == 0.0
