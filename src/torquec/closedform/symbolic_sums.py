"""Factored symbolic entries: sums with brackets, as in textbooks, for any notation.

(1)  masses are factored out of the mass matrix:      I1 + m2 (l1^2 + lc2^2 + 2 l1 lc2 c2)
(2)  cosines and sines out of gravity:                (m1 lc1 + m2 l1) g c1
(3)  the same for velocity torques, where sums of speeds are kept:     -m2 l1 lc2 s2 (2 v1 v2 + v2^2)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import reduce

from torquec.closedform.sums import Signed, joined
from torquec.closedform.symbolic_terms import AngleFactor, SymbolicTerm

_Powers = tuple[tuple[str, int], ...]  # names with their powers

_ORDER = "mINJ"  # masses and inertias go before lengths, gravity last


class SymbolicKind(StrEnum):
    """Kind of an entry, which decides what is factored out of its terms."""

    MASS_MATRIX = "M"
    VELOCITY_TORQUE = "h"
    GRAVITY_TORQUE = "g"


@dataclass(frozen=True)
class SymbolicNotation:
    """How a language writes a symbol, a displacement or speed of a joint, an angle, a power, and a number."""

    symbol: Callable[[str], str]
    displacement: Callable[[str], str]
    speed: Callable[[str], str]
    angle: Callable[[str, tuple[int, ...]], str]
    power: Callable[[str, int], str]
    number: Callable[[Fraction], str]
    times: str


def symbolic_summands(terms: Sequence[SymbolicTerm], kind: SymbolicKind, notation: SymbolicNotation) -> list[Signed]:
    """The summands of an entry, (1)-(3)."""
    ordered = sorted(terms, key=_place)
    match kind:
        case SymbolicKind.MASS_MATRIX:
            return _by_masses(ordered, notation)
        case SymbolicKind.GRAVITY_TORQUE:
            return _by_angles(ordered, notation)
        case SymbolicKind.VELOCITY_TORQUE:
            return _by_speeds(ordered, notation)


def _place(term: SymbolicTerm) -> tuple[object, ...]:
    """Terms without angles first, then by their angles; inertias before masses, squares before products."""
    count = sum(factor.power for factor in term.angles)
    first = min((_rank(name) for name, _ in term.constants), default=(9, 0, ""))
    return (count > 0, [f.joints for f in term.angles], [f.letter for f in term.angles], len(term.constants), first)


def _rank(name: str) -> tuple[int, int, str]:
    letter = _ORDER.find(name[0])
    kind = letter if letter >= 0 else (9 if name[0] == "g" else 5)
    digits = "".join(c for c in name if c.isdigit())
    return kind, int(digits or 0), name


def _by_masses(terms: Sequence[SymbolicTerm], notation: SymbolicNotation) -> list[Signed]:
    plain = [term for term in terms if _mass(term) is None]
    found = [_signed(term.coefficient, _factors(term, notation), notation) for term in plain]
    for mass in sorted({name for term in terms if (name := _mass(term)) is not None}, key=_rank):
        own = [term for term in terms if _mass(term) == mass]
        if len(own) == 1:
            found.append(_signed(own[0].coefficient, _factors(own[0], notation), notation))
            continue
        content = _content(term.coefficient for term in own)
        inner = [_signed(term.coefficient / content, _factors(term, notation, without=mass), notation) for term in own]
        found.append(_bracketed(content, notation.symbol(mass) + notation.times, inner, "", notation))
    return found


def _mass(term: SymbolicTerm) -> str | None:
    return next((name for name, _ in term.constants if name[0] == "m"), None)


def _by_angles(terms: Sequence[SymbolicTerm], notation: SymbolicNotation) -> list[Signed]:
    groups: dict[tuple[object, ...], list[SymbolicTerm]] = {}
    for term in terms:
        gravity = tuple(pair for pair in term.constants if pair[0][0] == "g")
        groups.setdefault((gravity, term.displacements, term.angles), []).append(term)
    found = []
    for own in groups.values():
        if len(own) == 1:
            found.append(_signed(own[0].coefficient, _factors(own[0], notation), notation))
            continue
        content = _content(term.coefficient for term in own)
        inner = [_signed(t.coefficient / content, _constants(t, notation, but="g"), notation) for t in own]
        down = [_powered(name, power, notation.symbol, notation) for name, power in own[0].constants if name[0] == "g"]
        tail = notation.times.join([*down, *_moving(own[0], notation)])
        found.append(_bracketed(content, "", inner, notation.times + tail if tail else "", notation))
    return found


def _by_speeds(terms: Sequence[SymbolicTerm], notation: SymbolicNotation) -> list[Signed]:
    """(3): constants that multiply the same sum of speeds, with the same angles, share it."""
    groups: dict[tuple[_Powers, tuple[AngleFactor, ...]], dict[_Powers, dict[_Powers, Fraction]]] = {}
    for term in terms:
        own_speeds = groups.setdefault((term.displacements, term.angles), {}).setdefault(term.constants, {})
        own_speeds[term.speeds] = term.coefficient
    found = []
    for (displacements, angles), by_constants in groups.items():
        still = SymbolicTerm(Fraction(1), (), displacements, (), angles)
        shared: dict[tuple[tuple[_Powers, Fraction], ...], list[tuple[Fraction, SymbolicTerm]]] = {}
        for constants, speeds in by_constants.items():
            content = _content(speeds.values())
            primitive = tuple(sorted((speed, value / content) for speed, value in speeds.items()))
            own = SymbolicTerm(content, constants, (), (), ())
            shared.setdefault(primitive, []).append((content, own))
        for primitive, owners in shared.items():
            found.append(_shared(primitive, owners, _moving(still, notation), notation))
    return found


def _shared(
    primitive: Sequence[tuple[_Powers, Fraction]],
    owners: Sequence[tuple[Fraction, SymbolicTerm]],
    moving: Sequence[str],
    notation: SymbolicNotation,
) -> Signed:
    speeds = [
        _signed(value, [_powered(name, power, notation.speed, notation) for name, power in speed], notation)
        for speed, value in primitive
    ]
    single = len(speeds) == 1 and not speeds[0][0]
    rates = speeds[0][1] if single else f"({joined(speeds)})"
    tail = notation.times.join([*moving, rates])
    if len(owners) == 1:
        ((content, own),) = owners
        return _signed(content, [*_constants(own, notation), tail], notation)
    shared = _content(content for content, _ in owners)
    inner = [_signed(content / shared, _constants(own, notation), notation) for content, own in owners]
    return _bracketed(shared, "", inner, notation.times + tail, notation)


def _content(values: Iterable[Fraction]) -> Fraction:
    """The greatest common factor that leaves integers, with the sign of the first value."""
    listed = list(values)
    shared = Fraction(
        reduce(math.gcd, (abs(v.numerator) for v in listed)), reduce(math.lcm, (v.denominator for v in listed))
    )
    return -shared if listed[0] < 0 else shared


def _bracketed(
    content: Fraction, before: str, inner: Sequence[Signed], after: str, notation: SymbolicNotation
) -> Signed:
    """`content` times the sum in brackets."""
    number = "" if abs(content) == 1 else notation.number(abs(content)) + notation.times
    return content < 0, f"{number}{before}({joined(inner)}){after}"


def _signed(coefficient: Fraction, factors: Sequence[str], notation: SymbolicNotation) -> Signed:
    size = abs(coefficient)
    words = list(factors) if size == 1 and factors else [notation.number(size), *factors]
    return coefficient < 0, notation.times.join(words)


def _factors(term: SymbolicTerm, notation: SymbolicNotation, *, without: str = "") -> list[str]:
    return [*_constants(term, notation, but=without), *_moving(term, notation)]


def _constants(term: SymbolicTerm, notation: SymbolicNotation, *, but: str = "") -> list[str]:
    """Constants, masses first; `but` is a symbol, or the letter of gravity, that stands elsewhere."""
    left = [pair for pair in term.constants if pair[0] != but and not (but == "g" and pair[0][0] == "g")]
    return [_powered(name, power, notation.symbol, notation) for name, power in sorted(left, key=lambda p: _rank(p[0]))]


def _moving(term: SymbolicTerm, notation: SymbolicNotation) -> list[str]:
    places = [_powered(name, power, notation.displacement, notation) for name, power in term.displacements]
    angles = [_angle(factor, notation) for factor in sorted(term.angles, key=lambda f: (f.joints, f.letter))]
    speeds = [_powered(name, power, notation.speed, notation) for name, power in term.speeds]
    return [*places, *angles, *speeds]


def _angle(factor: AngleFactor, notation: SymbolicNotation) -> str:
    text = notation.angle(factor.letter, factor.joints)
    return text if factor.power == 1 else notation.power(text, factor.power)


def _powered(name: str, power: int, write: Callable[[str], str], notation: SymbolicNotation) -> str:
    return write(name) if power == 1 else notation.power(write(name), power)


def angle_sums(entries: Iterable[Sequence[SymbolicTerm]]) -> list[tuple[int, ...]]:
    """The sums of angles that occur in entries, shortest first."""
    found = {factor.joints for terms in entries for term in terms for factor in term.angles}
    return sorted(found, key=lambda joints: (len(joints), joints))


def index_text(joints: Sequence[int]) -> str:
    """The index of a sum of angles: 12, or 9,10 where a joint has two digits."""
    return ("," if any(joint > 9 for joint in joints) else "").join(map(str, joints))


def plain_notation(names: Mapping[str, str]) -> SymbolicNotation:
    """The notation of plain text; `names` are other names for some of the symbols."""
    return SymbolicNotation(
        symbol=lambda name: names.get(name, name),
        displacement=lambda name: name,
        speed=lambda name: f"qd{name[1:]}",
        angle=lambda letter, joints: letter + index_text(joints),
        power=lambda text, power: f"{text}^{power}",
        number=str,
        times="*",
    )
