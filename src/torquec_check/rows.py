"""Torques as polynomials in speeds and accelerations, whose coefficients are polynomials in the joint positions.

(1)  tau_i = sum_j M_ij qdd_j + sum_{j <= k} c_ijk qd_j qd_k + g_i      (for j < k, c_ijk counts both orders)

`Rows` holds such a sum, one coefficient per monomial: a `Ball` array on a grid that determines the coefficient,

(2)  2 d + 1 even parts of a turn for polynomials of degree d in cos q and sin q. A displacement between a and b is
     (a + b)/2 + (b - a)/2 sin p, so that polynomials in it are such polynomials in the angle p. What does not depend on
     a joint has length one along its axis
(3)  Degrees follow from the operations, on a grid of one node: exact or too large, since nothing is assumed to cancel

Numbers of a program, and multiples of angles, stay exact fractions until they meet a ball (in doubles
q + 2^54 + 1 - 2^54 is q). Angles occur in sines and cosines only; everything else is sums and products.

A ball is an array of doubles with error radii: the exact value always lies in [mid - rad, mid + rad]. With u = 2^-53
and rounding to nearest, |fl(x) - x| <= u |fl(x)| + 2^-1075 for a sum or product x of doubles:

(4)  a + b:  mid = fl(a + b),  rad >= ra + rb + u |mid|
(5)  a b:    mid = fl(a b),    rad >= |a| rb + |b| ra + ra rb + u |mid| + 2^-1075

Radii are computed in at most seven steps: the factor 1 + 2^-49 > (1 + u)^7 covers their rounding, `SMALLEST` what
underflows. A value that overflows has an infinite or undefined radius, and proves nothing. Constants that are no
doubles (rotations, sines and cosines) come from Arb (Johansson 2017) with 200 bits.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import flint
import numpy as np

from torquec_check.document import RefusedError
from torquec_check.program import Program

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
flint.ctx.prec = 200

UNIT, SMALLEST, _RADIUS = 2.0**-53, 1e-300, 1.0 + 2.0**-49
UP = 1.0 + 1e-9
"""Times a bound that was made of at most a million sums and products of numbers that are not negative, each rounded."""

MOST_MULTIPLES, MOST_BITS, MOST_DEGREE, MOST_POINTS, MOST_WORK = 32, 10_000, 100, 400_000, 2_000_000_000
"""Of an angle in a sine or cosine; of an exact number, which doubles are far below; of one joint; points of the grid:
seven joints of degree two have 5^7, and take 700 MB; operations times 2000 + points: at most a million operations."""
ANGLE = 10**9
Monomial = tuple[int, ...]
"""Sorted: j is the speed of joint j, ~j (that is -1-j) its acceleration, ANGLE + j its angle."""
OPERATORS: dict[str, Any] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg}


@dataclass(frozen=True, eq=False)
class Ball:
    """Midpoints and radii, arrays that broadcast: one axis per joint, of length one or of its nodes."""

    mid: Array
    rad: Array
    degrees: Array | float = 0.0  # (n,) of a polynomial: of a sum the larger ones, of a product their sums

    def __add__(self, other: Ball | Fraction | float) -> Ball:
        other = as_ball(other)
        mid = self.mid + other.mid
        rad = (self.rad + other.rad + UNIT * np.abs(mid)) * _RADIUS
        return Ball(mid, rad, np.maximum(self.degrees, other.degrees))

    def __neg__(self) -> Ball:
        return Ball(-self.mid, self.rad, self.degrees)

    def __sub__(self, other: Ball | Fraction | float) -> Ball:
        return self + -other

    def __mul__(self, other: Ball | Fraction | float) -> Ball:
        other = as_ball(other)
        mid = self.mid * other.mid
        rad = np.abs(self.mid) * other.rad + self.rad * (np.abs(other.mid) + other.rad) + UNIT * np.abs(mid)
        return Ball(mid, rad * _RADIUS + SMALLEST, self.degrees + other.degrees)

    __radd__, __rmul__ = __add__, __mul__


def as_ball(value: Ball | Fraction | float) -> Ball:
    """A ball, or the ball around a number; doubles have no radius."""
    return value if isinstance(value, Ball) else ball_of(arb(Fraction(value)))


def ball_of(*values: Any, shape: tuple[int, ...] = (), degrees: Array | float = 0.0) -> Ball:
    """Balls around numbers of Arb, in an array of that shape; those that are doubles exactly have no radius."""
    mids = [float(value.mid()) for value in values]
    off = [value - mid for value, mid in zip(values, mids, strict=True)]
    rads = [0.0 if x == 0 else float(x.abs_upper()) * _RADIUS + SMALLEST for x in off]
    return Ball(np.array(mids).reshape(shape), np.array(rads).reshape(shape), degrees)


def arb(value: Fraction) -> Any:
    """A fraction in Arb."""
    return flint.arb(value.numerator) / value.denominator


class Rows(dict[Monomial, Any]):
    """A polynomial (1); monomials that are missing have the coefficient zero. Coefficients are balls or fractions."""

    def __add__(self, other: Rows) -> Rows:
        return _collected((*self.items(), *other.items()))

    def __neg__(self) -> Rows:
        return Rows({key: -value for key, value in self.items()})

    def __sub__(self, other: Rows) -> Rows:
        return self + -other

    def __mul__(self, other: Rows) -> Rows:
        return _collected(_product(*left, *right) for left in self.items() for right in other.items())


def _collected(terms: Iterable[tuple[Monomial, Any]]) -> Rows:
    """The sum of terms; fractions that cancel are left out."""
    found = Rows()
    for key, value in terms:
        found[key] = found[key] + value if key in found else value
    return Rows({key: value for key, value in found.items() if value != 0})


def _product(left: Monomial, a: Any, right: Monomial, b: Any) -> tuple[Monomial, Any]:
    key, value = tuple(sorted(left + right)), a * b
    if key[:1] < (ANGLE,) <= key[-1:]:
        raise RefusedError("the program uses an angle itself, not its sine or cosine")
    if len(key) > 2 or (len(key) == 2 and key[0] < 0):
        raise RefusedError("the program has a product of rates, or of angles, that no torque has")
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise RefusedError("the program multiplies numbers too often before it uses them")
    return key, value


@dataclass(frozen=True)
class Grid:
    """Constants, inputs and waves of programs on a grid (2): joints that turn or slide, nodes, ranges, all (n,)."""

    turns: tuple[bool, ...]
    counts: tuple[int, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @property
    def angle_ranges(self) -> list[tuple[float, float]]:
        """Ranges of the angles q and p of (2); half a turn of p has all displacements."""
        ends = zip(self.turns, self.lower, self.upper, strict=True)
        return [(low, high) if turns else (-1.5708, 1.5708) for turns, low, high in ends]

    def constant(self, value: Fraction) -> Rows:
        """A number."""
        return Rows({(): value} if value else {})

    def input(self, port: str, joint: int) -> Rows:
        """An angle, a displacement, or a rate."""
        if port == "q" and not self.turns[joint]:
            low, high = Fraction(self.lower[joint]), Fraction(self.upper[joint])
            return Rows({(): self._ball(joint, 1, flint.arb.sin_pi) * ((high - low) / 2) + (high + low) / 2})
        return Rows({({"q": ANGLE + joint, "qd": joint, "qdd": ~joint}[port],): Fraction(1)})

    def wave(self, op: str, angle: Rows) -> Rows:
        """The sine or cosine of a sum of angles and a number, by the addition theorem."""
        if not all(_is_angle(key, factor) for key, factor in angle.items()):
            such = f"such as a product of angles, a fraction of one, or more than {MOST_MULTIPLES} times one"
            raise RefusedError(f"the program has a sine or cosine of something else than angles, {such}")
        offset = arb(angle.get((), Fraction(0)))
        c, s = ball_of(offset.cos()), ball_of(offset.sin())
        for joint, multiple in ((key[0] - ANGLE, int(factor)) for key, factor in angle.items() if key):
            cj, sj = (self._ball(joint, multiple, wave) for wave in (flint.arb.cos_pi, flint.arb.sin_pi))
            c, s = c * cj - s * sj, s * cj + c * sj
        return Rows({(): s if op == "sin" else c})

    def _ball(self, joint: int, multiple: int, wave: Callable[[Any], Any]) -> Ball:
        """The sine or cosine of multiples of the nodes' angles."""
        count = self.counts[joint]
        shape, degrees = [1] * len(self.counts), np.zeros(len(self.counts))
        shape[joint], degrees[joint] = count, abs(multiple)
        values = (wave(flint.arb(2 * multiple * k) / count) for k in range(count))
        return ball_of(*values, shape=tuple(shape), degrees=degrees)


def _is_angle(key: Monomial, factor: Any) -> bool:
    """Whether a term is a number, or a whole multiple of an angle."""
    whole = isinstance(factor, Fraction) and factor.denominator == 1 and abs(factor) <= MOST_MULTIPLES
    return (len(key) == 1 and key[0] >= ANGLE and whole) if key else isinstance(factor, Fraction)


def grid_of(turns: tuple[bool, ...], degrees: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> Grid:
    """The grid (2) of these degrees over ranges of the positions, all (n,)."""
    counts = tuple(2 * degree + 1 for degree in degrees)
    if max(degrees) > MOST_DEGREE or math.prod(counts) > MOST_POINTS:
        most = f"too many to be checked: beyond {MOST_DEGREE}, or {MOST_POINTS} nodes together"
        raise RefusedError(f"the program has the degrees {[*degrees]} in the joint positions: {most}")
    return Grid(turns, counts, tuple(lower), tuple(upper))


def point_degrees(turns: tuple[bool, ...], torques: Callable[[Grid], list[Rows]]) -> tuple[int, ...]:
    """The degrees (n,) of all coefficients of torques in the joint positions (3)."""
    none = (0,) * len(turns)
    balls = [ball for rows in torques(grid_of(turns, none, none, none)) for ball in rows.values()]
    largest = functools.reduce(np.maximum, (ball.degrees for ball in balls), np.zeros(len(turns)))
    return tuple(int(min(degree, MOST_POINTS)) for degree in largest)


def program_degrees(program: Program, turns: tuple[bool, ...]) -> tuple[int, ...]:
    """The degrees (n,) of all coefficients of a program in the joint positions (3)."""
    return point_degrees(turns, lambda grid: program_torques(program, grid))


def program_torques(program: Program, grid: Grid) -> list[Rows]:
    """The torques of a program, or its first output, as polynomials in the rates, on a grid."""
    if len(program.operations) * (math.prod(grid.counts) + 2000 + 40 * len(grid.turns) ** 2) > MOST_WORK:
        raise RefusedError(f"the program has {len(program.operations)} operations: too many for its degrees")
    torques: list[Rows] = evaluate(program, grid)
    if any(key[-1:] >= (ANGLE,) for rows in torques for key in rows):
        raise RefusedError("the program uses an angle itself, not its sine or cosine")
    return [Rows({key: as_ball(value) for key, value in rows.items()}) for rows in torques]


def evaluate(program: Program, algebra: Any) -> list[Any]:
    """The first output of a program of sums and products in an algebra, which has constants, inputs and waves."""
    last = {k: position for position, step in enumerate(program.operations) for k in step.args}
    last.update(dict.fromkeys(program.results[0], len(program.operations)))
    values: dict[int, Any] = {}
    for position, step in enumerate(program.operations):
        given = [values[k] for k in step.args]
        if step.op == "const":
            values[position] = algebra.constant(Fraction(step.value))
        elif step.op == "input":
            values[position] = algebra.input(step.port, step.element)
        elif step.op in ("sin", "cos"):
            values[position] = algebra.wave(step.op, given[0])
        elif step.op in OPERATORS:
            values[position] = OPERATORS[step.op](*given)
        else:
            raise RefusedError(f"the program has the operation '{step.op}': it is no polynomial in sines and cosines")
        for k in {*step.args}:
            if last[k] == position:  # its last use
                del values[k]
    return [values[k] for k in program.results[0]]
