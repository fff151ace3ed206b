"""Printed entries: terms in order, then signed summands in any notation (text, LaTeX, HTML).

An entry, in products or in multiple angles, is a list of terms, largest first: each a coefficient and its factors.
Text, LaTeX and HTML differ in a `Notation` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from torquec.closedform.fourier import Harmonic, Value
from torquec.closedform.layouts import Entry, Part
from torquec.closedform.polynomial import Coefficient, Linear, Monomial, TrigPolynomial, Variable

Signed: TypeAlias = tuple[bool, str]
"""A summand: whether it is subtracted, and its text without a sign."""


class Kind(StrEnum):
    """Kind of a factor: short sine or cosine of a variable, spelled ones of multiples, or a coordinate."""

    SHORT_COSINE = "C"
    SHORT_SINE = "S"
    COSINE = "cos"
    SINE = "sin"
    POSITION = "q"
    SPEED = "qd"
    ACCELERATION = "qdd"


@dataclass(frozen=True)
class Factor:
    """A power of a function such as sin(2 q1 - q2); its argument is a sum of multiples, (joint, multiple) each."""

    kind: Kind
    joints: tuple[tuple[int, int], ...]
    power: int = 1
    symbol: str = ""
    """Name of a component of a vector or quaternion, in place of the letter and its subscript."""


@dataclass(frozen=True)
class Term:
    """A coefficient and its factors."""

    coefficient: Coefficient
    factors: tuple[Factor, ...] = ()


def printed_terms(value: Value) -> list[Term]:
    """The terms of a polynomial or a series, largest first; parametric ones by their number of factors."""
    if isinstance(value, TrigPolynomial):
        found = [Term(coefficient, _product(monomial)) for monomial, coefficient in value]
    else:
        found = [Term(coefficient, _harmonic(harmonic)) for harmonic, coefficient in value.terms.items()]
    return sorted(found, key=_order)


def motion_factors(part: Part) -> tuple[Factor, ...]:
    """The speeds and accelerations by which a part is multiplied."""
    return (*_counted(Kind.ACCELERATION, part.accelerations), *_counted(Kind.SPEED, part.speeds))


def cumulative_angles(values: Iterable[Value]) -> list[Variable]:
    """The sums of angles that short sines and cosines stand for, in joint order."""
    found = {variable for value in values if isinstance(value, TrigPolynomial) for variable in value.variables}
    return sorted(variable for variable in found if len(variable.joints) > 1)


def subscript(joints: tuple[tuple[int, int], ...]) -> str:
    """The subscript of a variable: '23' for q2 + q3, '2m3' for q2 - q3, '9_10' where digits could mislead.

    >>> subscript(((1, 1), (2, 1))), subscript(((1, 1), (2, -1))), subscript(((8, 1), (9, 1)))
    ('23', '2m3', '9_10')
    """
    wide = any(index >= 9 for index, _ in joints)
    text = ""
    for index, sign in joints:
        text += ("m" if sign < 0 else "_" if wide and text else "") + str(index + 1)
    return text


def _order(term: Term) -> tuple[float, int, tuple[tuple[tuple[tuple[int, int], ...], str, int], ...]]:
    # Coefficients that are equal but for rounding keep one order on every machine.
    size = 0.0 if isinstance(term.coefficient, Linear) else -float(f"{abs(term.coefficient):.9e}")
    return size, len(term.factors), tuple((f.joints, f.kind.value, f.power) for f in term.factors)


def _product(monomial: Monomial) -> tuple[Factor, ...]:
    factors = []
    for variable, a, b in monomial:
        if not variable.is_angle:
            factors.append(Factor(Kind.POSITION, variable.joints, b, variable.symbol))
            continue
        if a:
            factors.append(Factor(Kind.SHORT_COSINE, variable.joints, a))
        if b:
            factors.append(Factor(Kind.SHORT_SINE, variable.joints, b))
    return tuple(factors)


def _harmonic(harmonic: Harmonic) -> tuple[Factor, ...]:
    factors = [Factor(Kind.POSITION, ((joint, 1),), power) for joint, power in harmonic.powers]
    if harmonic.multiples:
        factors.append(Factor(Kind.SINE if harmonic.sine else Kind.COSINE, harmonic.multiples))
    return tuple(factors)


def _counted(kind: Kind, joints: tuple[int, ...]) -> list[Factor]:
    return [Factor(kind, ((joint, 1),), joints.count(joint)) for joint in sorted(set(joints))]


@dataclass(frozen=True)
class Notation:
    """How a language writes numbers (value, digits), factors and parameter names, and the sign between factors."""

    number: Callable[[float, int], str]
    factor: Callable[[Factor], str]
    parameter: Callable[[str], str]
    times: str
    minus: str = "-"


def entry_summands(entry: Entry, notation: Notation, digits: int) -> list[Signed]:
    """The summands of an entry; a part that is multiplied by a speed is put in brackets."""
    found: list[Signed] = []
    for part in entry.parts:
        motion = motion_factors(part)
        if not motion:
            found += value_summands(part.value, notation, digits)
            continue
        terms = printed_terms(part.value)
        if len(terms) == 1:
            found.append(_summand(Term(terms[0].coefficient, (*terms[0].factors, *motion)), notation, digits))
            continue
        inside = value_summands(part.value, notation, digits)
        first, last = inside[0], inside[-1]
        tail = notation.times + notation.times.join(notation.factor(factor) for factor in motion)
        found.append((False, f"({notation.minus if first[0] else ''}{first[1]}"))
        found += [*inside[1:-1], (last[0], f"{last[1]}){tail}")]
    return found


def value_summands(value: Value, notation: Notation, digits: int) -> list[Signed]:
    """The summands of a polynomial or a series, largest first."""
    found: list[Signed] = []
    for term in printed_terms(value):
        if not term.factors and isinstance(term.coefficient, Linear):
            found += _parameters(term.coefficient, notation, digits)
        else:
            found.append(_summand(term, notation, digits))
    return found


def weighted(parts: Iterable[tuple[float, str]], notation: Notation, digits: int) -> list[Signed]:
    """Summands number * text, a number of one left out and zeros dropped; an empty text is a constant."""
    found = []
    for value, text in parts:
        number = notation.number(abs(value), digits)
        if value:
            words = [number] if not text else [text] if number == "1" else [number, text]
            found.append((value < 0.0, notation.times.join(words)))
    return found


def joined(summands: Iterable[Signed], *, minus: str = "-") -> str:
    """Summands on one line.

    >>> joined([(True, "a"), (False, "b"), (True, "c")]), joined([])
    ('-a + b - c', '0')
    """
    text = ""
    for negative, body in summands:
        if text:
            text += f" {minus if negative else '+'} {body}"
        else:
            text = f"{minus}{body}" if negative else body
    return text or "0"


def broken(
    summands: Sequence[Signed], *, first: int, other: int, length: Callable[[str], int] = len, minus: str = "-"
) -> list[str]:
    """A sum in lines of at most `first` and then `other` columns, broken between summands; `length` measures them.

    >>> broken([(True, "aaa"), (False, "bbb"), (True, "ccc")], first=5, other=12)
    ['-aaa', '+ bbb - ccc']
    """
    if not summands:
        return ["0"]
    lines: list[str] = []
    used = 0
    for k, (negative, body) in enumerate(summands):
        piece = f"{minus} {body}" if negative else f"+ {body}"
        if k == 0:
            piece = f"{minus}{body}" if negative else body
        size = length(body) + 2
        if not lines or used + 1 + size > (first if len(lines) == 1 else other):
            lines.append(piece)
            used = size
        else:
            lines[-1] += f" {piece}"
            used += 1 + size
    return lines


def _summand(term: Term, notation: Notation, digits: int) -> Signed:
    negative, number = _coefficient(term.coefficient, notation, digits)
    words = [notation.factor(factor) for factor in term.factors]
    return negative, notation.times.join(words if words and number == "1" else [number, *words])


def _coefficient(coefficient: Coefficient, notation: Notation, digits: int) -> Signed:
    """A number, or a combination of parameters in brackets: `(Izz2 + 0.18*m3)`."""
    if not isinstance(coefficient, Linear):
        return coefficient < 0.0, notation.number(abs(coefficient), digits)
    parts = _parameters(coefficient, notation, digits)
    return parts[0] if len(parts) == 1 else (False, f"({joined(parts, minus=notation.minus)})")


def _parameters(coefficient: Linear, notation: Notation, digits: int) -> list[Signed]:
    return weighted(((value, notation.parameter(name)) for name, value in coefficient.parts.items()), notation, digits)
