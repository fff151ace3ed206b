"""Rounding errors of a program that runs in doubles or floats, bounded over a whole box of motions.

Beside the largest size s of every value stands the distance r of the machine number from the real number that it stands
for (running error analysis, Higham 2002, section 3.3). u is 2^-53 for doubles, 2^-24 for floats:

(1)  sums:  s = s_a + s_b,  r = r_a + r_b;      products:  s = s_a s_b,  r = s_a r_b + s_b r_a + r_a r_b
(2)  then the result is rounded: r += u (s + r) + t, where t covers results below the normal numbers, which a processor
     may replace by zero. A product that is fused with its sum is rounded once less
(3)  sine and cosine: s = 1, r = r_a + the error of the mathematical library or of the generated code, an assumption
(4)  floats: numbers and inputs are rounded from real numbers. Doubles: numbers are exact, and inputs are doubles

The distance of each torque is a part of the bound of its own joint, not an allowance: a program that cancels large
numbers, such as ((sin q + B) - B) - sin q, has a distance of u B.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from torquec_check.balls import UP
from torquec_check.program import Program
from torquec_check.rows import OPERATORS, evaluate


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
    """Numbers, inputs and waves of a precision; `sizes` are the largest magnitudes of q, qd and qdd (n,) each."""

    precision: Precision
    sizes: Mapping[str, Sequence[float]]

    operators: ClassVar = OPERATORS

    def constant(self, value: Fraction) -> Rounded:
        """A constant (4)."""
        moved = 0.0
        if self.precision is SINGLE:
            with np.errstate(over="ignore"):
                machine = float(np.float32(float(value)))
            moved = float(abs(Fraction(machine) - value)) + SINGLE.smallest if math.isfinite(machine) else math.inf
        return Rounded(abs(float(value)), moved * UP, self.precision)

    def input(self, port: str, element: int) -> Rounded:
        """An input (4)."""
        size = self.sizes[port][element]
        moved = SINGLE.unit * size + SINGLE.smallest if self.precision is SINGLE else 0.0
        return Rounded(size, moved, self.precision)

    def wave(self, _op: str, angle: Rounded) -> Rounded:
        """(3)."""
        p, fits = self.precision, angle.size + angle.distance <= self.precision.largest_angle
        return Rounded(1.0, angle.distance + p.wave_error if fits else math.inf, p)


def rounding_errors(program: Program, machine: Machine) -> list[float]:
    """The distance of every torque (n,) [N m, N]; infinite where a value may overflow."""
    return [each.distance * UP for each in evaluate(program, machine)]
