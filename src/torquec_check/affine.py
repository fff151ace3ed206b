"""Affine numbers: enclosures that keep what they owe to the first order of some deviations, over many boxes at once.

A number is mid + sum_k lin_k e_k + r with every deviation |e_k| <= 1 and |r| <= rad (Comba & Stolfi 1993). The arrays
are mid, rad (N,) and lin (m, N), for N boxes. With A = sum |lin_k| of a, and u = 2^-53,

(1)  a + b:  mid and lin are added,            rad >= ra + rb + u (|mid| + A + B)
(2)  a b:    mid = a b,  lin = a lin_b + b lin_a,
             rad >= |a| rb + |b| ra + (A + ra)(B + rb) + u (|mid| + 2 |a| B + 2 |b| A)
(3)  sin x = sin c + cos c (x - c) + s,  |s| <= r^2/2,  r the radius of x about c; the cosine likewise. The values at c
     come from Arb
(4)  `Dual`: a value and its derivative in a direction, (a, a') (b, b') = (a b, a' b + a b')

The factor `UP` on radii covers their own rounding, `SMALLEST` what underflows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np

from torquec_check.rows import SMALLEST, UNIT, UP, Array, Ball, Rows, arb, as_ball, ball_of


@dataclass(frozen=True, eq=False)
class Affine(Ball):
    """An affine number over N boxes: mid, rad (N,) and lin (m, N)."""

    lin: Array = field(default_factory=lambda: np.zeros((0, 1)))

    @cached_property
    def size(self) -> Array:
        """A: the sum of the magnitudes of lin."""
        return np.asarray(np.abs(self.lin).sum(axis=0))

    def magnitude(self) -> Array:
        """The largest |x| (N,)."""
        return np.asarray((np.abs(self.mid) + self.size + self.rad) * UP)

    def __add__(self, other: Ball | Fraction | float) -> Affine:
        """(1)."""
        other = as_ball(other)
        mid, lin, size = self.mid + other.mid, self.lin, self.size
        if isinstance(other, Affine):
            lin, size = lin + other.lin, size + other.size
        return Affine(mid, (self.rad + other.rad + UNIT * (np.abs(mid) + size)) * UP, lin=lin)

    def __neg__(self) -> Affine:
        return Affine(-self.mid, self.rad, lin=-self.lin)

    def __mul__(self, other: Ball | Fraction | float) -> Affine:
        """(2)."""
        b = as_ball(other)
        mid, at, to = self.mid * b.mid, np.abs(self.mid), np.abs(b.mid)
        if not isinstance(b, Affine):
            rad = to * self.rad + b.rad * (at + self.size + self.rad) + UNIT * (np.abs(mid) + to * self.size)
            return Affine(mid, rad * UP + SMALLEST, lin=self.lin * b.mid)
        rad = at * b.rad + to * self.rad + (self.size + self.rad) * (b.size + b.rad)
        rad = rad + UNIT * (np.abs(mid) + 2.0 * (at * b.size + to * self.size))
        return Affine(mid, rad * UP + SMALLEST, lin=self.mid * b.lin + b.mid * self.lin)

    __radd__, __rmul__ = __add__, __mul__

    def waves(self) -> tuple[Affine, Affine]:
        """Sine and cosine (3)."""
        r = (self.size + self.rad) * UP
        at = [flint.arb(x) for x in self.mid.tolist()]
        sine, cosine = (ball_of(*map(wave, at), shape=self.mid.shape) for wave in (flint.arb.sin, flint.arb.cos))
        around = Affine(0.0 * self.mid, self.rad, lin=self.lin)
        beyond = Ball(0.0 * r, r * r * (0.5 * UP) + SMALLEST)
        return around * cosine + sine + beyond, around * -sine + cosine + beyond


@dataclass(frozen=True, eq=False)
class Dual(Ball):
    """A number with its derivative (4); `slope` is None where it is zero."""

    value: Any = None
    slope: Any = None

    @staticmethod
    def of(value: Ball, slope: Ball | None) -> Dual:
        """The number with this value and derivative."""
        return Dual(value.mid, value.rad, value=value, slope=slope)

    def __add__(self, other: Ball | Fraction | float) -> Dual:
        if not isinstance(other, Dual):
            return Dual.of(self.value + other, self.slope)
        return Dual.of(self.value + other.value, _sum(self.slope, other.slope))

    def __neg__(self) -> Dual:
        return Dual.of(-self.value, None if self.slope is None else -self.slope)

    def __mul__(self, other: Ball | Fraction | float) -> Dual:
        if not isinstance(other, Dual):
            return Dual.of(self.value * other, None if self.slope is None else self.slope * other)
        left = None if self.slope is None else self.slope * other.value
        right = None if other.slope is None else self.value * other.slope
        return Dual.of(self.value * other.value, _sum(left, right))

    __radd__, __rmul__ = __add__, __mul__

    def waves(self) -> tuple[Dual, Dual]:
        """Sine and cosine."""
        s, c = self.value.waves()
        t = self.slope
        return Dual.of(s, None if t is None else c * t), Dual.of(c, None if t is None else -s * t)


def _sum(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


@dataclass(frozen=True)
class Boxes:
    """Joint positions, rates and accelerations over boxes, as `robot_torques` reads them from a grid.

    None stands for zero. Without accelerations these stay symbols: the torques have one coefficient for each, column of
    the mass matrix.
    """

    q: tuple[Any, ...]
    qd: tuple[Any, ...]
    qdd: tuple[Any, ...] | None

    def constant(self, value: Fraction) -> Rows:
        """A number."""
        return Rows({(): value} if value else {})

    def input(self, port: str, joint: int) -> Rows:
        """A position, rate or acceleration."""
        values = {"q": self.q, "qd": self.qd, "qdd": self.qdd}[port]
        if values is None:
            return Rows({(~joint,): Fraction(1)})
        return Rows({} if values[joint] is None else {(): values[joint]})

    def wave(self, op: str, angle: Rows) -> Rows:
        """The sine or cosine of an angle."""
        x = angle.get((), Fraction(0))
        if isinstance(x, Fraction):
            return Rows({(): ball_of(arb(x).sin() if op == "sin" else arb(x).cos())})
        return Rows({(): x.waves()[op == "cos"]})
