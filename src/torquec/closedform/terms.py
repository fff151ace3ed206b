"""What printers print: any entry as a list of terms, each a coefficient and the factors that multiply it.

Both forms of an entry, products and multiple angles, come out alike, with the largest terms first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from torquec.closedform.fourier import Harmonic
from torquec.closedform.layouts import Part
from torquec.closedform.polynomial import Coefficient, Linear, Monomial, TrigPolynomial, Variable
from torquec.closedform.rule import Value


class Kind(StrEnum):
    """What a factor is: the short sine and cosine of a variable, the spelled ones of multiples, or a coordinate."""

    SHORT_COSINE = "C"
    SHORT_SINE = "S"
    COSINE = "cos"
    SINE = "sin"
    POSITION = "q"
    SPEED = "qd"
    ACCELERATION = "qdd"


@dataclass(frozen=True)
class Factor:
    """A power of a function of a sum of multiples of coordinates, (joint, multiple) each."""

    kind: Kind
    joints: tuple[tuple[int, int], ...]
    power: int = 1


@dataclass(frozen=True)
class Term:
    """A coefficient and what multiplies it."""

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
    """The speeds and accelerations that a part is multiplied with."""
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
            factors.append(Factor(Kind.POSITION, variable.joints, b))
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
