"""Whole turns of a joint: the one nearest to a reference within the joint's limits.

(1)  q + 2 pi k,   k = round((reference - q)/2 pi)
(2)  round(x) = (x + c) - c with c = 1.5 * 2^52: adding c leaves no room for the fraction (double precision)
(3)  limits less than a turn apart hold one turn at most: the one nearest to their middle is it, whatever the reference
(4)  otherwise the reference is brought within the limits; (1) is then within half a turn of it, and where that is
     beyond a limit, one turn back is within both

Limits hold with a slack of `LIMIT_SLACK`, so that a joint exactly at its limit is within it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.expr.math import absolute, maximum, minimum, select
from torquec.kinematics.angle import smaller
from torquec.robot.robot import Limits
from torquec.spatial import Scalar

LIMIT_SLACK = 1e-9
"""How far beyond a limit [rad or m] still counts as at it."""

_TURN = 2.0 * math.pi  # [rad]
_ROUNDING = 1.5 * 2.0**52  # doubles there are whole numbers: adding it rounds
_CLEARLY = 1e-6  # [rad]: limits that are nearer to a whole turn apart than this may hold two


@dataclass(frozen=True)
class PlacedTurn:
    """A joint's value, and the margin: at least 0 where it is within the limits (and their slack)."""

    value: Scalar
    margin: Scalar


def nearest_turn(q: Scalar, limits: Limits, near: Scalar) -> PlacedTurn:
    """q and whole turns (1): of those within the limits the nearest to `near`; where none is, one next to them."""
    lower, upper = limits.lower, limits.upper
    if upper - lower < _TURN - _CLEARLY:
        middle = 0.5 * (lower + upper)
        value = q + _TURN * whole_turns(middle - q)
        return PlacedTurn(value, (0.5 * (upper - lower) + LIMIT_SLACK) - absolute(value - middle))  # (3)
    # The maxima are of inputs and constants alone: they are computed once for all branches.
    reference = maximum(near, lower) if lower > -math.inf else near
    reference = minimum(reference, upper) if upper < math.inf else reference
    # Half a turn away there are two; the slack says that it is the one above, whatever the rounding.
    value = q + _TURN * whole_turns((reference + LIMIT_SLACK) - q)
    if upper < math.inf:
        value = select((upper + LIMIT_SLACK) - value, value, value - _TURN)  # (4)
    if lower > -math.inf:
        value = select(value - (lower - LIMIT_SLACK), value, value + _TURN)
    return PlacedTurn(value, limits_margin(value, limits))


def limits_margin(q: Scalar, limits: Limits) -> Scalar:
    """At least 0 where q is within the limits (and their slack), negative elsewhere."""
    lower = q - (limits.lower - LIMIT_SLACK) if math.isfinite(limits.lower) else 1.0
    upper = (limits.upper + LIMIT_SLACK) - q if math.isfinite(limits.upper) else 1.0
    return smaller(lower, upper)


def whole_turns(angle: Scalar) -> Scalar:
    """angle/2 pi rounded to an integer (2), for less than 2^51 turns."""
    # The sum is positive: its magnitude only keeps the two constants from being folded into one, which would not round.
    return absolute(angle * (1.0 / _TURN) + _ROUNDING) - _ROUNDING


def flag(margin: Scalar, value: float) -> Scalar:
    """0 where the margin is at least 0, else `value`."""
    return select(margin, 0.0, value)
