"""Candidate terms of a coefficient, and the cost of a set of them.

Candidate terms for a simplified coefficient (Chang & Lee, section II).

(6)  inertia and velocity coefficients: products over the variables of one of {1, C, S, S^2, C S} or {1, q, q^2} each
(7)  gravity coefficients: one of {1, C, S} or {1, q} each
     compact: the same products over the variables and the powers that the exact coefficient has, which is what its
     functional dependence leaves
     own: the terms of the exact coefficient, and what remains of each when some of its factors are left out; this one
     grows with the coefficient and not with the number of products

What a set of terms costs: how many there are, or the operations that they take.

(8)  operations of a set: a product of letters (C2, S2, q3, ..) for every distinct beginning of its monomials that is
     not there already, one multiplication by each coefficient, one addition between two terms
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from torquec.closedform.closed_dynamics import Word, word_of
from torquec.closedform.polynomial import Factor, Monomial, TrigPolynomial, Variable
from torquec.errors import ArgumentError

_ANGLE = {1: ((0, 0), (1, 0), (0, 1)), 2: ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1))}
_DISPLACEMENT = {1: ((0, 0), (0, 1)), 2: ((0, 0), (0, 1), (0, 2))}
"""Powers (a, b) of C^a S^b and of q^b, by degree (6), (7)."""

MOST_CANDIDATES = 20_000
"""More products than this are refused."""


class CandidateSet(StrEnum):
    """Which terms may stand for a coefficient."""

    FULL = "full"
    COMPACT = "compact"
    OWN = "own"


def candidate_basis(
    target: TrigPolynomial, *, choice: CandidateSet = CandidateSet.COMPACT, degree: int = 2
) -> tuple[Monomial, ...]:
    """Candidates for a coefficient: all products of its variables (6), (7), the compact ones, or its own terms.

    `degree` is 2 for inertia and velocity coefficients and 1 for gravity; it matters for the full set only. Raises
    `ArgumentError` for a set of more than `MOST_CANDIDATES`.

    >>> from torquec.robot.joints import PositionBasis
    >>> q2, d3 = Variable(((1, 1),)), Variable(((2, 1),), PositionBasis.POLYNOMIAL)
    >>> target = TrigPolynomial({((q2, 0, 2), (d3, 0, 1)): 5.0})          # 5 S2^2 q3
    >>> [len(candidate_basis(target, choice=c)) for c in ("full", "compact", "own")]
    [15, 4, 4]
    """
    choice = CandidateSet(choice)
    if choice is CandidateSet.FULL:
        return product_basis(target.variables, degree=degree)
    if choice is CandidateSet.COMPACT:
        return _products(target.variables, [_powers_used(target, v) for v in target.variables])
    return _own_terms(target)


def product_basis(variables: Sequence[Variable], *, degree: int = 2) -> tuple[Monomial, ...]:
    """All products (6), or (7) for a degree of one, over the variables given.

    >>> from torquec.robot.joints import PositionBasis
    >>> len(product_basis([Variable(((0, 1),)), Variable(((1, 1),), PositionBasis.POLYNOMIAL)], degree=1))
    6
    """
    if degree not in _ANGLE:
        raise ArgumentError(f"candidates of degree {degree}", remedy="give 1 for gravity and 2 for all others")
    return _products(variables, [(_ANGLE if v.is_angle else _DISPLACEMENT)[degree] for v in variables])


def set_product(left: Sequence[Monomial], right: Sequence[Monomial]) -> tuple[Monomial, ...]:
    """All products of a term of one set and a term of the other (definition 5); they share no variable."""
    return tuple(dict.fromkeys(tuple(sorted((*a, *b))) for a in left for b in right))


def _products(variables: Sequence[Variable], powers: Sequence[Sequence[tuple[int, int]]]) -> tuple[Monomial, ...]:
    count = math.prod(len(p) for p in powers)
    if count > MOST_CANDIDATES:
        raise ArgumentError(
            f"{count} products of {len(variables)} variables are too many candidates",
            remedy="use the coefficient's own terms (CandidateSet.OWN)",
        )
    ordered = sorted(zip(variables, powers, strict=True))
    found = []
    for chosen in itertools.product(*(p for _, p in ordered)):
        factors = ((v, a, b) for (v, _), (a, b) in zip(ordered, chosen, strict=True))
        found.append(tuple(factor for factor in factors if factor[1] or factor[2]))
    return tuple(found)


def _powers_used(target: TrigPolynomial, variable: Variable) -> list[tuple[int, int]]:
    """The powers of a variable in the terms of a coefficient; none at all is always among them."""
    used = {(a, b) for monomial in target.terms for v, a, b in monomial if v == variable}
    return sorted(used | {(0, 0)})


def _own_terms(target: TrigPolynomial) -> tuple[Monomial, ...]:
    """The terms, then what is left of them without some factors, fewest factors missing first."""
    found: dict[Monomial, None] = dict.fromkeys(target.terms)
    most = max((len(monomial) for monomial in target.terms), default=0)
    for missing in range(1, most + 1):
        for monomial in target.terms:
            for kept in itertools.combinations(monomial, len(monomial) - missing) if missing <= len(monomial) else ():
                part: tuple[Factor, ...] = kept
                found.setdefault(part, None)
    return tuple(found)


class TermCost(Protocol):
    """The cost of a set of terms; it must not fall when a term is added."""

    def total(self, monomials: Sequence[Monomial]) -> float:
        """The cost of the whole set."""
        ...


@dataclass(frozen=True)
class TermCount:
    """The number of terms, as Chang & Lee count."""

    def total(self, monomials: Sequence[Monomial]) -> float:
        """Their number."""
        return float(len(monomials))


@dataclass(frozen=True)
class OperationCost:
    """Multiplications and additions (8); `available` are monomials that other entries compute anyway.

    >>> from torquec.closedform.polynomial import Variable
    >>> q1, q2 = Variable(((0, 1),)), Variable(((1, 1),))
    >>> s1s2 = ((q1, 0, 1), (q2, 0, 1))
    >>> OperationCost().total([s1s2]), OperationCost(available=(s1s2,)).total([s1s2])
    (2.0, 1.0)
    """

    available: tuple[Monomial, ...] = ()

    def total(self, monomials: Sequence[Monomial]) -> float:
        """Operations of the set (8)."""
        there = _beginnings(self.available)
        needed = _beginnings(monomials) - there
        weighted = sum(1 for monomial in monomials if monomial)
        return float(len(needed) + weighted + max(len(monomials) - 1, 0))


def _beginnings(monomials: Sequence[Monomial]) -> set[Word]:
    """Products of two letters and more with which the monomials begin, themselves included."""
    found: set[Word] = set()
    for monomial in monomials:
        word = word_of(monomial)
        found.update(word[:length] for length in range(2, len(word) + 1))
    return found
