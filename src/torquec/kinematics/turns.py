"""Whole turns of a joint: the one nearest to a reference within the joint's limits.

(1)  q + 2 pi k,   k = round((reference - q)/2 pi), brought between the k that the limits allow
(2)  round(x) = (x + c) - c with c = 1.5 * 2^52: adding c leaves no room for the fraction (double precision)

Limits hold with a slack of `LIMIT_SLACK`, so that a joint exactly at its limit is within it.
"""

from __future__ import annotations

import math

from torquec.expr.math import maximum, minimum, select
from torquec.robot.robot import Limits
from torquec.spatial import Scalar

LIMIT_SLACK = 1e-9
"""How far beyond a limit [rad or m] still counts as at it."""

_TURN = 2.0 * math.pi  # [rad]
_ROUNDING = 1.5 * 2.0**52  # doubles there are whole numbers: adding it rounds
_MOST = 2.0**51  # beyond it the sum would leave them
_SLACK = LIMIT_SLACK / _TURN


def nearest_turn(q: Scalar, limits: Limits, near: Scalar) -> Scalar:
    """q and whole turns (1): of those within the limits, or of all where none is, the nearest to `near`."""
    # Half a turn away there are two; the slack says that it is the one above, whatever the rounding.
    wanted = nearest_integer((near - q) * (1.0 / _TURN) + _SLACK)
    # The smallest and largest k that the limits allow: ceil(x) = round(x + 1/2) and floor(x) = round(x - 1/2).
    least = nearest_integer((limits.lower - q) * (1.0 / _TURN) + (0.5 - _SLACK)) if limits.lower > -math.inf else None
    most = nearest_integer((limits.upper - q) * (1.0 / _TURN) - (0.5 - _SLACK)) if limits.upper < math.inf else None
    allowed = wanted if least is None else maximum(wanted, least)
    allowed = allowed if most is None else minimum(allowed, most)
    if least is not None and most is not None:
        allowed = select(most - least, allowed, wanted)
    return q + _TURN * allowed


def limits_margin(q: Scalar, limits: Limits) -> Scalar:
    """At least 0 where q is within the limits (and their slack), negative elsewhere."""
    lower = q - (limits.lower - LIMIT_SLACK) if math.isfinite(limits.lower) else 1.0
    upper = (limits.upper + LIMIT_SLACK) - q if math.isfinite(limits.upper) else 1.0
    return minimum(lower, upper)


def nearest_integer(x: Scalar) -> Scalar:
    """Rounded to an integer (2), for |x| below 2^51."""
    # The maxima change nothing; they keep constants on either side from being folded into the one that rounds.
    return maximum(maximum(x, -_MOST) + _ROUNDING, 0.0) - _ROUNDING


def flag(margin: Scalar, value: float) -> Scalar:
    """0 where the margin is at least 0, else `value`."""
    return select(margin, 0.0, value)
