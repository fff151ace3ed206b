"""Balls: arrays of doubles with error radii; the exact value always lies in [mid - rad, mid + rad].

With u = 2^-53 and rounding to nearest, |fl(x) - x| <= u |fl(x)| + 2^-1075 for a sum or product x of doubles:

(1)  a + b:  mid = fl(a + b),  rad >= ra + rb + u |mid|
(2)  a b:    mid = fl(a b),    rad >= |a| rb + |b| ra + ra rb + u |mid| + 2^-1075

Radii are computed in doubles too, in at most seven steps: the factor 1 + 2^-49 > (1 + u)^7 covers their rounding, and
`SMALLEST` what underflows. A value that overflows has an infinite or undefined radius, and proves nothing.

Constants that are no doubles (rotations, sines and cosines at the nodes of a grid) come from Arb (Johansson 2017) with
200 bits, by `ball_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import flint
import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

UNIT, SMALLEST = 2.0**-53, 1e-300
_RADIUS = 1.0 + 2.0**-49

UP = 1.0 + 1e-9
"""Times a bound that was made of at most a million sums and products of numbers that are not negative, each rounded."""

flint.ctx.prec = 200


@dataclass(frozen=True, eq=False)
class Ball:
    """Midpoints and radii, arrays that broadcast: one axis per joint, of length one or of its nodes.

    >>> third = ball_of(flint.arb(1) / 3)
    >>> bool(abs((third + third + third).mid - 1.0) <= (third + third + third).rad < 1e-15)
    True
    """

    mid: Array
    rad: Array

    def __add__(self, other: Ball) -> Ball:
        mid = self.mid + other.mid
        return Ball(mid, (self.rad + other.rad + UNIT * np.abs(mid)) * _RADIUS)

    def __sub__(self, other: Ball) -> Ball:
        return self + -other

    def __neg__(self) -> Ball:
        return Ball(-self.mid, self.rad)

    def __mul__(self, other: Ball) -> Ball:
        mid = self.mid * other.mid
        rad = np.abs(self.mid) * other.rad + self.rad * (np.abs(other.mid) + other.rad) + UNIT * np.abs(mid)
        return Ball(mid, rad * _RADIUS + SMALLEST)


def exact(value: float) -> Ball:
    """A double, without error."""
    return Ball(np.asarray(value), np.zeros(()))


def ball_of(*values: Any, shape: tuple[int, ...] = ()) -> Ball:
    """Balls around numbers of Arb, in an array of that shape; those that are doubles exactly have no radius."""
    mids = [float(value.mid()) for value in values]
    off = [value - mid for value, mid in zip(values, mids, strict=True)]
    rads = [0.0 if x == 0 else float(x.abs_upper()) * _RADIUS + SMALLEST for x in off]
    return Ball(np.array(mids).reshape(shape), np.array(rads).reshape(shape))
