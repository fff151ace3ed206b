"""Rounding errors of a program that runs in doubles or floats, bounded over a whole box of motions.

Beside the largest size s of every value stands the distance r of the machine number from the real number that it stands
for (running error analysis, Higham 2002, section 3.3). u is 2^-53 for doubles, 2^-24 for floats:

(1)  sums:  s = s_a + s_b,  r = r_a + r_b;      products:  s = s_a s_b,  r = s_a r_b + s_b r_a + r_a r_b
(2)  then the result is rounded: r += u (s + r) + t, where t covers results below the normal numbers, which a processor
     may replace by zero. A product that is fused with its sum is rounded once less
(3)  sine and cosine: s = 1, r = r_a + the error of the mathematical library or of the generated code, an assumption
(4)  floats: numbers and inputs are rounded from real numbers. Doubles: numbers are exact, and inputs are doubles
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from torquec_check.program import Program
from torquec_check.robot import Box
from torquec_check.rows import UP, evaluate


@dataclass(frozen=True)
class Precision:
    """u and t of (2), the error of sine and cosine (3), the largest angle of these, the largest number."""

    name: str
    unit: float
    smallest: float
    wave_error: float
    largest_angle: float
    largest: float


DOUBLE = Precision("double", 2.0**-53 * (1.0 + 2.0**-10), 1e-300, 2.0**-50, 2.0**40, 1e300)
"""1 + 2^-10: rounding twice, by wider registers. The sine of a mathematical library is right to 8 u: assumed."""
SINGLE = Precision("single", 2.0**-24, 2.0**-126, 8.8e-8, 4096.0, 3e38)
"""8.8e-8: the sine that Torquec generates, *measured* for all floats up to 4096, not derived."""
PRECISIONS = {each.name: each for each in (DOUBLE, SINGLE)}


@dataclass(frozen=True)
class Rounded:
    """The largest size of a value, and the distance of the machine number that stands for it."""

    size: float
    distance: float
    precision: Precision

    def __add__(self, other: Rounded) -> Rounded:
        return self._rounded(self.size + other.size, self.distance + other.distance)

    __sub__ = __add__

    def __neg__(self) -> Rounded:
        return self

    def __mul__(self, other: Rounded) -> Rounded:
        distance = self.size * other.distance + other.size * self.distance + self.distance * other.distance
        return self._rounded(self.size * other.size, distance)

    def _rounded(self, size: float, distance: float) -> Rounded:
        """(2); a value that may overflow has an infinite distance."""
        p = self.precision
        distance += p.unit * (size + distance) + p.smallest
        return Rounded(size, distance if size + distance <= p.largest else math.inf, p)


@dataclass(frozen=True)
class Machine:
    """Constants, inputs and waves of programs in a precision, over the motions of a box."""

    precision: Precision
    box: Box

    def constant(self, value: Fraction) -> Rounded:
        """A constant (4)."""
        size, moved = abs(float(value)), 0.0
        if self.precision is SINGLE:
            fits = size <= SINGLE.largest
            moved = float(abs(Fraction(float(np.float32(size))) - abs(value))) + SINGLE.smallest if fits else math.inf
        return Rounded(size, moved * UP, self.precision)

    def input(self, port: str, element: int) -> Rounded:
        """An input (4)."""
        sides = {"q": (self.box.lower, self.box.upper), "qd": (self.box.velocity,), "qdd": (self.box.acceleration,)}
        size = max(abs(side[element]) for side in sides[port])
        moved = SINGLE.unit * size + SINGLE.smallest if self.precision is SINGLE else 0.0
        return Rounded(size, moved, self.precision)

    def wave(self, _op: str, angle: Rounded) -> Rounded:
        """(3)."""
        p, fits = self.precision, angle.size + angle.distance <= self.precision.largest_angle
        return Rounded(1.0, angle.distance + p.wave_error if fits else math.inf, p)


def rounding_errors(program: Program, box: Box, precision: Precision) -> list[float]:
    """The distance of every torque (n,) [N m, N] over the box; infinite where a value may overflow."""
    return [each.distance * UP for each in evaluate(program, Machine(precision, box))]


def unit_errors(program: Program, box: Box, precision: Precision) -> list[float]:
    """The same at unit rates."""
    ones = (1.0,) * len(box.lower)
    return rounding_errors(program, replace(box, velocity=ones, acceleration=ones), precision)
