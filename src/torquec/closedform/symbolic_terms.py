"""Trigonometric simplification of symbolic entries: c12 for the cosine of a sum, s2^2 instead of 1 - c2^2.

Angles of joints with parallel axes can be written in three ways, and each entry takes the one with the fewest terms:

(1)  by the joints themselves:                   l1 lc2 (c1 c2 - s1 s2)
(2)  by their sums from the first one on:        products of c2 and c23, as in the mass matrix of a PUMA
(3)  as cosines and sines of sums only:          l1 lc2 c12, as in the equations of planar arms
(4)  remaining pairs a (1 - c^2) become a s^2
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from torquec.closedform.paths import parallel_groups
from torquec.closedform.symbolic_arm import Polynomial, SymbolicArm

_Harmonic = tuple[str, tuple[int, ...]]
"""A cosine ("c") or sine ("s") of a sum of multiples of the angles of a group; ("c", (0, ..)) is the number 1."""


@dataclass(frozen=True, order=True)
class AngleFactor:
    """The power of a cosine or sine of the sum of these joints' angles; joints count from 1."""

    joints: tuple[int, ...]
    letter: str
    power: int


@dataclass(frozen=True)
class SymbolicTerm:
    """A product: a number, constants, displacements q and speeds v of joints (name, power), cosines and sines."""

    coefficient: Fraction
    constants: tuple[tuple[str, int], ...]
    displacements: tuple[tuple[str, int], ...]
    speeds: tuple[tuple[str, int], ...]
    angles: tuple[AngleFactor, ...]


def symbolic_terms(arm: SymbolicArm, entry: Polynomial) -> list[SymbolicTerm]:
    """The terms of an entry, its angles written in the way that takes the fewest terms (1)-(4)."""
    groups = _runs(arm)
    found: list[SymbolicTerm] = []
    for chosen in itertools.product((_own, _sums_only, _from_the_first), repeat=len(groups)):
        terms = _terms(arm, entry)
        for group, write in zip(groups, chosen, strict=True):
            rewritten = write(terms, group)
            if rewritten is None:
                break
            terms = rewritten
        else:
            listed = _listed(_with_squares_of_sines(terms))
            if not found or _size(listed) < _size(found):
                found = listed
    return found


def _runs(arm: SymbolicArm) -> list[list[int]]:
    """Joints whose angles add up, from 1: runs of parallel axes of the same sense."""
    found = []
    for group in parallel_groups(arm.robot.canonical.links):
        for _, run in itertools.groupby(group.joints, key=lambda each: each[1]):
            joints = [joint + 1 for joint, _ in run]
            if len(joints) > 1:
                found.append(joints)
    return found


def _size(terms: Sequence[SymbolicTerm]) -> tuple[int, int]:
    return len(terms), sum(factor.power for term in terms for factor in term.angles)


@dataclass(frozen=True)
class _Rest:
    """The part of a term besides its number and the angles that are rewritten."""

    constants: tuple[tuple[str, int], ...]
    displacements: tuple[tuple[str, int], ...]
    speeds: tuple[tuple[str, int], ...]


_Terms = Mapping[tuple[_Rest, tuple[AngleFactor, ...]], Fraction]


def _terms(arm: SymbolicArm, entry: Polynomial) -> _Terms:
    """The terms of a polynomial as they are (1)."""
    constants = {symbol.name for symbol in arm.symbols}
    names = list(arm.generators)
    found: dict[tuple[_Rest, tuple[AngleFactor, ...]], Fraction] = {}
    for exponents, coefficient in entry.to_dict().items():
        powers = [(name, int(e)) for name, e in zip(names, exponents, strict=True) if e]
        rest = _Rest(
            tuple(pair for pair in powers if pair[0] in constants),
            tuple(pair for pair in powers if pair[0] not in constants and pair[0][0] == "q"),
            tuple(pair for pair in powers if pair[0] not in constants and pair[0][0] == "v"),
        )
        moving = [pair for pair in powers if pair[0] not in constants and pair[0][0] in "cs"]
        angles = tuple(sorted(AngleFactor((int(name[1:]),), name[0], power) for name, power in moving))
        found[rest, angles] = Fraction(int(coefficient.p), int(coefficient.q))
    return found


def _own(terms: _Terms, group: Sequence[int]) -> _Terms | None:
    del group
    return terms


def _split(angles: Sequence[AngleFactor], group: Sequence[int]) -> tuple[list[AngleFactor], tuple[AngleFactor, ...]]:
    own = [factor for factor in angles if factor.joints[0] in group]
    return own, tuple(factor for factor in angles if factor.joints[0] not in group)


# --- (3) ------------------------------------------------------------------------------------------------------------


def _sums_only(terms: _Terms, group: Sequence[int]) -> _Terms | None:
    """Every product within the group as a sum of cosines and sines; None where a multiple or a difference is left."""
    sums: dict[tuple[_Rest, tuple[AngleFactor, ...], _Harmonic], Fraction] = defaultdict(Fraction)
    for (rest, angles), coefficient in terms.items():
        own, others = _split(angles, group)
        for harmonic, part in _harmonics(own, group).items():
            sums[rest, others, harmonic] += coefficient * part
    found: dict[tuple[_Rest, tuple[AngleFactor, ...]], Fraction] = {}
    for (rest, others, (letter, multiples)), value in sums.items():
        if not value:
            continue
        joints = tuple(joint for joint, multiple in zip(group, multiples, strict=True) if multiple)
        if any(multiple not in (0, 1) for multiple in multiples) or not _is_run(joints, group):
            return None
        new = (AngleFactor(joints, letter, 1),) if joints else ()
        found[rest, tuple(sorted((*others, *new)))] = value
    return found


def _is_run(joints: Sequence[int], group: Sequence[int]) -> bool:
    places = [group.index(joint) for joint in joints]
    return places == list(range(places[0], places[0] + len(places))) if places else True


def _harmonics(factors: Sequence[AngleFactor], group: Sequence[int]) -> dict[_Harmonic, Fraction]:
    """A product of cosines and sines of single joints by cos a cos b = (cos(a - b) + cos(a + b)) / 2, and so on."""
    zero = (0,) * len(group)
    total: dict[_Harmonic, Fraction] = {("c", zero): Fraction(1)}
    for factor in factors:
        place = group.index(factor.joints[0])
        for _ in range(factor.power):
            following: dict[_Harmonic, Fraction] = defaultdict(Fraction)
            for (letter, multiples), coefficient in total.items():
                for sign in (1, -1):
                    moved = tuple(m + sign * (k == place) for k, m in enumerate(multiples))
                    # cos a sin b = (sin(a + b) - sin(a - b)) / 2;   sin a sin b = (cos(a - b) - cos(a + b)) / 2
                    if factor.letter == "c":
                        new, weight = letter, 1
                    elif letter == "c":
                        new, weight = "s", sign
                    else:
                        new, weight = "c", -sign
                    plain, turned = _positive(new, moved)
                    following[plain] += turned * weight * coefficient / 2
            total = {key: value for key, value in following.items() if value and key != ("s", zero)}
    return total


def _positive(letter: str, multiples: tuple[int, ...]) -> tuple[_Harmonic, int]:
    """The same with the first multiple positive: cos(-a) = cos a, sin(-a) = -sin a."""
    leading = next((m for m in multiples if m), 0)
    if leading >= 0:
        return (letter, multiples), 1
    return (letter, tuple(-m for m in multiples)), 1 if letter == "c" else -1


# --- (2) ------------------------------------------------------------------------------------------------------------


def _from_the_first(terms: _Terms, group: Sequence[int]) -> _Terms | None:
    """q_k as the sum up to k minus the sum up to the joint before it; squares of sines are replaced."""
    found: dict[tuple[_Rest, tuple[AngleFactor, ...]], Fraction] = defaultdict(Fraction)
    for (rest, angles), coefficient in terms.items():
        own, others = _split(angles, group)
        # Exponents of cosine and sine of each sum.
        products: dict[tuple[int, ...], Fraction] = {(0,) * (2 * len(group)): Fraction(1)}
        for factor in own:
            for _ in range(factor.power):
                products = _times(products, _difference(group.index(factor.joints[0]), factor.letter, len(group)))
        for exponents, part in _without_squares(products).items():
            new = [
                AngleFactor(tuple(group[: k // 2 + 1]), "cs"[k % 2], power)
                for k, power in enumerate(exponents)
                if power
            ]
            found[rest, tuple(sorted((*others, *new)))] += coefficient * part
    return {key: value for key, value in found.items() if value}


def _difference(place: int, letter: str, count: int) -> dict[tuple[int, ...], Fraction]:
    """The cosine or sine of one joint of a group as a polynomial in those of the sums."""

    def at(*places: int) -> tuple[int, ...]:
        return tuple(places.count(k) for k in range(2 * count))

    c, s = 2 * place, 2 * place + 1
    if place == 0:
        return {at(c if letter == "c" else s): Fraction(1)}
    before_c, before_s = c - 2, s - 2
    if letter == "c":
        return {at(c, before_c): Fraction(1), at(s, before_s): Fraction(1)}
    return {at(s, before_c): Fraction(1), at(c, before_s): Fraction(-1)}


def _times(
    a: Mapping[tuple[int, ...], Fraction], b: Mapping[tuple[int, ...], Fraction]
) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for (left, x), (right, y) in itertools.product(a.items(), b.items()):
        found[tuple(i + j for i, j in zip(left, right, strict=True))] += x * y
    return {key: value for key, value in found.items() if value}


def _without_squares(products: Mapping[tuple[int, ...], Fraction]) -> dict[tuple[int, ...], Fraction]:
    waiting, found = dict(products), defaultdict[tuple[int, ...], Fraction](Fraction)
    while waiting:
        exponents, value = waiting.popitem()
        place = next((k for k in range(1, len(exponents), 2) if exponents[k] > 1), None)
        if place is None:
            found[exponents] += value
            continue
        less = [e - 2 * (k == place) for k, e in enumerate(exponents)]
        turned = [e + 2 * (k == place - 1) for k, e in enumerate(less)]
        for key, part in ((tuple(less), value), (tuple(turned), -value)):
            waiting[key] = waiting.get(key, Fraction(0)) + part
    return {key: value for key, value in found.items() if value}


# --- (4) ------------------------------------------------------------------------------------------------------------


def _with_squares_of_sines(terms: _Terms) -> _Terms:
    """a R - a R c^2 = a R s^2, for every such pair."""
    found = dict(terms)
    for (rest, angles), coefficient in terms.items():
        for factor in angles:
            if factor.letter != "c" or factor.power < 2 or (rest, angles) not in found:
                continue
            less = tuple(f for f in angles if f != factor)
            if factor.power > 2:
                less = (*less, AngleFactor(factor.joints, "c", factor.power - 2))
            plain = (rest, tuple(sorted(less)))
            if found.get(plain) != -coefficient:
                continue
            sine = next((f for f in less if f.joints == factor.joints and f.letter == "s"), None)
            others = [f for f in less if f != sine]
            power = 2 + (sine.power if sine else 0)
            new = tuple(sorted((*others, AngleFactor(factor.joints, "s", power))))
            del found[plain], found[rest, angles]
            found[rest, new] = found.get((rest, new), Fraction(0)) - coefficient
    return {key: value for key, value in found.items() if value}


def _listed(terms: _Terms) -> list[SymbolicTerm]:
    return [
        SymbolicTerm(coefficient, rest.constants, rest.displacements, rest.speeds, angles)
        for (rest, angles), coefficient in terms.items()
    ]
