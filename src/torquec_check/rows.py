"""Torques as polynomials in speeds and accelerations, whose coefficients are polynomials in the joint positions.

(1)  tau_i = sum_j M_ij qdd_j + sum_{j <= k} c_ijk qd_j qd_k + g_i      (for j < k, c_ijk counts both orders)

`Rows` holds such a sum, one coefficient per monomial. Robot and program are evaluated in the same arithmetic, so that
(1) is taken apart without cancellation: in `Ball` arrays on a grid that determines the coefficients,

(2)  2 d + 1 even parts of a turn for polynomials of degree d in cos q and sin q. A displacement between a and b is
     (a + b)/2 + (b - a)/2 sin p, so that polynomials of degree d in it are such polynomials in the angle p. What does
     not depend on a joint has length one along its axis
(3)  The degrees of a program follow from its operations: sums have the larger degree, products the sum. That is exact
     or too large, never too small: nothing is assumed to cancel

A program may add angles, numbers and whole multiples of them, which are kept as fractions (in doubles
q + 2^54 + 1 - 2^54 is q), and use them in sines and cosines only. Everything else is sums and products.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import flint
import numpy as np

from torquec_check.balls import Ball, ball_of
from torquec_check.document import RefusedError
from torquec_check.program import Program

MOST_MULTIPLES, MOST_BITS = 32, 10_000
"""Of an angle in a sine or cosine; of an exact number beside angles, which doubles are far below."""

MOST_POINTS = 400_000
"""Points of the grid: seven joints of degree two have 5^7; of 10^5, values of a seven-joint arm take 700 MB."""

Monomial = tuple[int, ...]
"""Of the rates, sorted: j is the speed of joint j, ~j (that is -1-j) its acceleration."""

OPERATORS: dict[str, Any]
OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg}


class Rows(dict[Monomial, Any]):
    """A polynomial (1); monomials that are missing have the coefficient zero."""

    def __add__(self, other: Rows) -> Rows:
        terms = type(self)(self)
        for key, value in other.items():
            terms[key] = terms[key] + value if key in terms else value
        return terms

    def __neg__(self) -> Rows:
        return type(self)({key: -value for key, value in self.items()})

    def __sub__(self, other: Rows) -> Rows:
        return self + -other

    def __mul__(self, other: Rows) -> Rows:
        terms = type(self)()
        for left, a in self.items():
            for right, b in other.items():
                key = tuple(sorted(left + right))
                if len(key) > 2 or (len(key) == 2 and key[0] < 0):
                    raise RefusedError("the program has a product of rates, or of angles, that no torque has")
                terms[key] = terms[key] + a * b if key in terms else a * b
        return terms


class Angles(Rows):
    """A sum of angles and a number, in exact fractions: here the monomial (j,) is the angle of joint j, not a speed."""

    def __mul__(self, other: Rows) -> Rows:
        terms = super().__mul__(other)
        if any(max(x.numerator.bit_length(), x.denominator.bit_length()) > MOST_BITS for x in terms.values()):
            raise RefusedError("the program multiplies numbers too often before it uses them")
        return terms

    def multiples(self) -> dict[int, int]:
        """Whole multiples of joint angles, without the number; raises `RefusedError` where there are others."""
        found = {key: factor for key, factor in self.items() if key and factor}
        if any(len(key) > 1 or factor.denominator > 1 for key, factor in found.items()):
            raise RefusedError("the program has a sine or cosine of a product of angles, or of a fraction of one")
        if any(abs(factor) > MOST_MULTIPLES for factor in found.values()):
            raise RefusedError(f"the program has more than {MOST_MULTIPLES} times an angle")
        return {key[0]: int(factor) for key, factor in found.items()}

    def number(self) -> Fraction:
        """The number, where there are no angles; otherwise raises `RefusedError`."""
        if any(key and factor for key, factor in self.items()):
            raise RefusedError("the program uses an angle itself, not its sine or cosine")
        return Fraction(self.get((), 0))


def evaluate(program: Program, algebra: Any) -> list[Any]:
    """The torques of a program (n,) in an algebra, which has the numbers, inputs and waves that programs are made of.

    Values are dropped after their last use. Raises `RefusedError` unless the program is one of sums and products.
    """
    last = {k: position for position, step in enumerate(program.operations) for k in step.args}
    last.update(dict.fromkeys(program.results[0], len(program.operations)))
    values: dict[int, Any] = {}

    def plain(given: list[Any]) -> list[Any]:
        return [algebra.number(value.number()) if isinstance(value, Angles) else value for value in given]

    for position, step in enumerate(program.operations):
        given = [values[k] for k in step.args]
        if step.op == "const":
            values[position] = algebra.constant(Fraction(step.value))
        elif step.op == "input":
            values[position] = algebra.input(step.port, step.element)
        elif step.op in ("sin", "cos"):
            values[position] = algebra.wave(step.op, given[0])
        elif step.op in OPERATORS and all(isinstance(value, Angles) for value in given):
            values[position] = OPERATORS[step.op](*given)
        elif step.op in OPERATORS:
            values[position] = algebra.operators[step.op](*plain(given))
        else:
            raise RefusedError(f"the program has the operation '{step.op}': it is no polynomial in sines and cosines")
        for k in {*step.args}:
            if last[k] == position:
                del values[k]
    return plain([values[k] for k in program.results[0]])


@dataclass(frozen=True)
class DegreeCount:
    """Numbers, inputs and waves in degrees (3), arrays (n,), of joints that turn or slide (n,)."""

    turns: tuple[bool, ...]

    operators: ClassVar[Any] = {"add": np.maximum, "sub": np.maximum, "mul": np.add, "neg": np.positive}

    def constant(self, value: Fraction) -> Any:
        """A number, exact as long as it may be one beside angles."""
        return Angles({(): value})

    def input(self, port: str, joint: int) -> Any:
        """A rate, a displacement, or an angle."""
        if port == "q":
            return Angles({(joint,): Fraction(1)}) if self.turns[joint] else self.position(joint)
        return self.number(1.0, (joint if port == "qd" else ~joint,))

    def wave(self, op: str, angle: Any) -> Any:
        """The sine or cosine of a sum of angles."""
        if not isinstance(angle, Angles):
            raise RefusedError("the program has a sine or cosine of something else than angles")
        return self.turned(angle)[op == "sin"]

    def number(self, value: Fraction | float, monomial: Monomial = ()) -> Any:  # noqa: ARG002
        """A constant, or a constant times rates."""
        return self._degrees({})

    def position(self, joint: int) -> Any:
        """The displacement of a joint that slides."""
        return self._degrees({joint: 1})

    def turned(self, angle: Angles) -> tuple[Any, Any]:
        """Cosine and sine of a sum of angles."""
        return (self._degrees(angle.multiples()),) * 2

    def _degrees(self, degrees: Mapping[int, int]) -> Any:
        return np.array([abs(degrees.get(joint, 0)) for joint in range(len(self.turns))], dtype=object)


def program_degrees(program: Program, turns: tuple[bool, ...]) -> tuple[int, ...]:
    """The degrees (n,) of all coefficients of a program in the joint positions (3)."""
    return tuple(map(max, zip(*evaluate(program, DegreeCount(turns)), strict=True)))


@dataclass(frozen=True)
class Grid(DegreeCount):
    """The same in balls (2): `counts` nodes in each joint, ranges of the positions; all (n,)."""

    counts: tuple[int, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    operators: ClassVar[Any] = OPERATORS

    @property
    def angle_ranges(self) -> list[tuple[float, float]]:
        """Ranges of the angles q and p of (2); half a turn of p has all displacements."""
        ends = zip(self.turns, self.lower, self.upper, strict=True)
        return [(low, high) if turns else (-1.5708, 1.5708) for turns, low, high in ends]

    def number(self, value: Fraction | float, monomial: Monomial = ()) -> Rows:
        """A constant, or a constant times rates; the number zero has no terms."""
        return Rows({monomial: ball_of(arb(Fraction(value)))} if value else {})

    def position(self, joint: int) -> Rows:
        """The displacements of a joint that slides."""
        low, high = Fraction(self.lower[joint]), Fraction(self.upper[joint])
        sines = [turn.sin_pi() for turn in self._nodes(joint, 1)]
        return Rows({(): self._ball(joint, [arb((high + low) / 2) + arb((high - low) / 2) * sine for sine in sines])})

    def turned(self, angle: Angles) -> tuple[Rows, Rows]:
        """Cosine and sine of a sum of angles, by the addition theorem."""
        offset = arb(Fraction(angle.get((), 0)))
        c, s = ball_of(offset.cos()), ball_of(offset.sin())
        for joint, multiple in angle.multiples().items():
            nodes = self._nodes(joint, multiple)
            cj, sj = (self._ball(joint, map(wave, nodes)) for wave in (flint.arb.cos_pi, flint.arb.sin_pi))
            c, s = c * cj - s * sj, s * cj + c * sj
        return Rows({(): c}), Rows({(): s})

    def _nodes(self, joint: int, multiple: int) -> list[Any]:
        """Multiples of the nodes' angles, in half turns."""
        return [flint.arb(2 * multiple * k) / self.counts[joint] for k in range(self.counts[joint])]

    def _ball(self, joint: int, values: Iterable[Any]) -> Ball:
        return ball_of(*values, shape=tuple(count if j == joint else 1 for j, count in enumerate(self.counts)))


def grid_of(turns: tuple[bool, ...], degrees: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> Grid:
    """The grid (2) of these degrees over ranges of the positions, all (n,)."""
    counts = [2 * degree + 1 for degree in degrees]
    if max(degrees) > 1 and math.prod(counts) > MOST_POINTS:
        raise RefusedError(f"the program has the degrees {[*degrees]} in the joint positions: too many to be checked")
    return Grid(turns, tuple(counts), tuple(lower), tuple(upper))


def arb(value: Fraction) -> Any:
    """A fraction in Arb."""
    return flint.arb(value.numerator) / value.denominator
