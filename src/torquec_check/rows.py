"""Torques as polynomials in speeds and accelerations, whose coefficients are polynomials in the joint positions.

(1)  tau_i = sum_j M_ij qdd_j + sum_{j <= k} c_ijk qd_j qd_k + g_i      (for j < k, c_ijk counts both orders)

`Rows` holds such a sum, one coefficient per monomial, over any coefficients with + and x. Robot and program are
evaluated in the same arithmetic, so that (1) is taken apart without cancellation. Coefficients are one of

(2)  `Degrees` in every joint position: of cos q and sin q, or of a displacement. Sums have the larger degree, products
     the sum. It is exact or too large, never too small: nothing is assumed to cancel.
(3)  `Ball` arrays on a grid that determines polynomials of these degrees: 2 d + 1 even parts of a turn, or d + 1 even
     parts of a displacement's range. A coefficient that does not depend on a joint has length one along its axis.

A program may add angles, numbers and whole multiples of them, which are kept as fractions (in doubles
q + 2^54 + 1 - 2^54 is q), and use them in sines and cosines only. Everything else is sums and products.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from torquec_check.balls import Ball, ball_of, exact
from torquec_check.document import RefusedError
from torquec_check.program import Program

MOST_MULTIPLES = 32
"""Of an angle in a sine or cosine."""

MOST_POINTS = 400_000
"""Points of the grid: seven joints of degree two have 5^7; of 10^5, values of a seven-joint arm take 700 MB."""

_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}

Monomial = tuple[int, ...]
"""Of the rates, sorted: j is the speed of joint j, ~j (that is -1-j) its acceleration."""


class Rows(dict[Monomial, Any]):
    """A polynomial (1); monomials that are missing have the coefficient zero."""

    def __add__(self, other: Rows) -> Rows:
        terms = Rows(self)
        for key, value in other.items():
            terms[key] = terms[key] + value if key in terms else value
        return terms

    def __neg__(self) -> Rows:
        return Rows({key: -value for key, value in self.items()})

    def __sub__(self, other: Rows) -> Rows:
        return self + -other

    def __mul__(self, other: Rows) -> Rows:
        terms = Rows()
        for left, a in self.items():
            for right, b in other.items():
                key = tuple(sorted(left + right))
                if len(key) > 2 or (len(key) == 2 and key[0] < 0):
                    raise RefusedError("the program has a product of rates that no torque has")
                terms[key] = terms[key] + a * b if key in terms else a * b
        return terms


@dataclass(frozen=True)
class AngleSum:
    """A sum of whole multiples of joint angles and a number, exactly; a number has no multiples."""

    multiples: Mapping[int, int]
    offset: Fraction

    def __post_init__(self) -> None:
        if any(abs(multiple) > MOST_MULTIPLES for multiple in self.multiples.values()):
            raise RefusedError(f"the program has more than {MOST_MULTIPLES} times an angle")

    def __add__(self, other: AngleSum) -> AngleSum:
        if not self.multiples and not other.multiples:
            raise RefusedError("the program combines numbers with numbers: torquec folds them")
        joints = {*self.multiples, *other.multiples}
        multiples = {j: self.multiples.get(j, 0) + other.multiples.get(j, 0) for j in joints}
        return AngleSum({j: multiple for j, multiple in multiples.items() if multiple}, self.offset + other.offset)

    def __neg__(self) -> AngleSum:
        return AngleSum({j: -multiple for j, multiple in self.multiples.items()}, -self.offset)

    def __sub__(self, other: AngleSum) -> AngleSum:
        return self + -other

    def __mul__(self, other: AngleSum) -> AngleSum:
        number, angle = (self, other) if other.multiples else (other, self)
        if number.multiples or not angle.multiples or number.offset.denominator != 1:
            raise RefusedError("the program has a product of angles, of numbers, or of an angle and a fraction")
        factor = int(number.offset)
        multiples = {j: factor * multiple for j, multiple in angle.multiples.items() if factor}
        return AngleSum(multiples, factor * angle.offset)


def evaluate(program: Program, algebra: Any) -> list[Any]:
    """The torques of a program (n,) in an algebra, which has the numbers, inputs and waves that programs are made of.

    Values are dropped after their last use. Raises `RefusedError` unless the program is one of sums and products.
    """
    last = {k: position for position, step in enumerate(program.operations) for k in step.args}
    last.update(dict.fromkeys(program.results[0], len(program.operations)))
    values: dict[int, Any] = {}

    def as_number(value: Any) -> Any:
        return algebra.number(value) if isinstance(value, AngleSum) else value

    for position, step in enumerate(program.operations):
        given = [values[k] for k in step.args]
        if step.op == "const":
            values[position] = AngleSum({}, Fraction(step.value))
        elif step.op == "input":
            values[position] = algebra.input(step.port, step.element)
        elif step.op in ("sin", "cos"):
            values[position] = algebra.wave(step.op, given[0])
        elif step.op in _OPERATORS:
            if not all(isinstance(value, AngleSum) for value in given):
                given = [as_number(value) for value in given]
            values[position] = _OPERATORS[step.op](*given)
        else:
            raise RefusedError(f"the program has the operation '{step.op}': it is no polynomial in sines and cosines")
        for k in {*step.args}:
            if last[k] == position:
                del values[k]
    return [as_number(values[k]) for k in program.results[0]]


def _number(value: AngleSum) -> float:
    if value.multiples or Fraction(float(value.offset)) != value.offset:
        raise RefusedError("the program uses an angle itself, not its sine or cosine, or a number that is no double")
    return float(value.offset)


class Degrees(tuple[int, ...]):
    """Degrees in the joint positions (n,), (2)."""

    __slots__ = ()

    def __add__(self, other: tuple[int, ...]) -> Degrees:  # type: ignore[override]
        return Degrees(map(max, self, other))

    def __mul__(self, other: tuple[int, ...]) -> Degrees:  # type: ignore[override]
        return Degrees(map(operator.add, self, other))

    def __neg__(self) -> Degrees:
        return self


@dataclass(frozen=True)
class Positions:
    """Numbers, inputs and waves in degrees (2), of joints that turn or slide (n,)."""

    turns: tuple[bool, ...]

    def number(self, value: AngleSum) -> Rows:
        """A constant; the number zero has no terms."""
        return self.scaled((), _number(value))

    def input(self, port: str, joint: int) -> Any:
        """A rate, a displacement, or an angle."""
        if port != "q":
            return self.scaled((joint if port == "qd" else ~joint,), 1.0)
        return AngleSum({joint: 1}, Fraction(0)) if self.turns[joint] else Rows({(): self.position(joint)})

    def wave(self, op: str, angle: Any) -> Rows:
        """The sine or cosine of a sum of angles."""
        if not isinstance(angle, AngleSum):
            raise RefusedError("the program has a sine or cosine of something else than angles")
        return Rows({(): self.turned(angle)[op == "sin"]})

    def scaled(self, monomial: Monomial, factor: float) -> Rows:
        """A monomial times a number."""
        return Rows({monomial: self._degrees({})} if factor else {})

    def position(self, joint: int) -> Any:
        """The displacement of a joint that slides."""
        return self._degrees({joint: 1})

    def turned(self, angle: AngleSum) -> tuple[Any, Any]:
        """Cosine and sine of a sum of angles."""
        return (self._degrees(angle.multiples),) * 2

    def _degrees(self, degrees: Mapping[int, int]) -> Degrees:
        return Degrees(abs(degrees.get(joint, 0)) for joint in range(len(self.turns)))


def program_degrees(program: Program, turns: tuple[bool, ...]) -> Degrees:
    """The degrees (n,) of all coefficients of a program in the joint positions (2)."""
    highest = Degrees([0] * len(turns))
    for rows in evaluate(program, Positions(turns)):
        for degrees in rows.values():
            highest = highest + degrees
    return highest


@dataclass(frozen=True)
class Grid(Positions):
    """The same in balls (3). Nodes are exact: angles as parts of a turn, displacements as fractions."""

    nodes: tuple[tuple[Fraction, ...], ...]

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.turns)

    def scaled(self, monomial: Monomial, factor: float) -> Rows:
        """A monomial times a number."""
        return Rows({monomial: exact(factor)} if factor else {})

    def position(self, joint: int) -> Ball:
        """The displacements of a joint that slides."""
        return ball_of(*map(arb, self.nodes[joint]), shape=self._shape(joint))

    def turned(self, angle: AngleSum) -> tuple[Ball, Ball]:
        """Cosine and sine of a sum of angles, by the addition theorem."""
        c, s = ball_of(arb(angle.offset).cos()), ball_of(arb(angle.offset).sin())
        for joint, multiple in angle.multiples.items():
            halves, shape = [arb(2 * multiple * node) for node in self.nodes[joint]], self._shape(joint)
            cj, sj = (ball_of(*map(wave, halves), shape=shape) for wave in (flint.arb.cos_pi, flint.arb.sin_pi))
            c, s = c * cj - s * sj, s * cj + c * sj
        return c, s

    def _shape(self, joint: int) -> tuple[int, ...]:
        return tuple(len(nodes) if j == joint else 1 for j, nodes in enumerate(self.nodes))


def grid_of(turns: tuple[bool, ...], degrees: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> Grid:
    """The grid (3) of these degrees over ranges of the positions, all (n,)."""
    if max(degrees) > 1 and math.prod(d + d * turn + 1 for turn, d in zip(turns, degrees, strict=True)) > MOST_POINTS:
        raise RefusedError(f"the program has the degrees {[*degrees]} in the joint positions: too many to be checked")
    nodes = []
    for turn, degree, low, high in zip(turns, degrees, map(Fraction, lower), map(Fraction, upper), strict=True):
        count = 2 * degree + 1 if turn else degree + 1
        parts = (Fraction(k, count if turn else max(degree, 1)) for k in range(count))
        nodes.append(tuple(part if turn else low + (high - low) * part for part in parts))
    return Grid(turns, tuple(nodes))


def arb(value: Fraction) -> Any:
    """A fraction in Arb."""
    return flint.arb(value.numerator) / value.denominator
