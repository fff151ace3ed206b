"""Candidate terms for a simplified coefficient (Chang & Lee, section II).

(6)  inertia and velocity coefficients: products over the variables of one of {1, C, S, S^2, C S} or {1, q, q^2} each
(7)  gravity coefficients: one of {1, C, S} or {1, q} each
(8)  own terms: those of the exact coefficient, and what remains of each when some of its factors are left out; they
     grow with the coefficient and not with the number of products
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from torquec.closedform.polynomial import Factor, Monomial, TrigPolynomial, Variable
from torquec.errors import ArgumentError

_ANGLE = {1: ((0, 0), (1, 0), (0, 1)), 2: ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1))}
_DISPLACEMENT = {1: ((0, 0), (0, 1)), 2: ((0, 0), (0, 1), (0, 2))}
"""Powers (a, b) of C^a S^b and of q^b, by degree (6), (7)."""

MOST_CANDIDATES = 20_000
"""More products than this are refused."""


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
            remedy="use the coefficient's own terms",
        )
    ordered = sorted(zip(variables, powers, strict=True))
    found = []
    for chosen in itertools.product(*(p for _, p in ordered)):
        factors = ((v, a, b) for (v, _), (a, b) in zip(ordered, chosen, strict=True))
        found.append(tuple(factor for factor in factors if factor[1] or factor[2]))
    return tuple(found)


def own_terms(target: TrigPolynomial) -> tuple[Monomial, ...]:
    """(8): the terms, then what is left of them without some factors, fewest factors missing first."""
    found: dict[Monomial, None] = dict.fromkeys(target.terms)
    most = max((len(monomial) for monomial in target.terms), default=0)
    for missing in range(1, most + 1):
        for monomial in target.terms:
            for kept in itertools.combinations(monomial, len(monomial) - missing) if missing <= len(monomial) else ():
                part: tuple[Factor, ...] = kept
                found.setdefault(part, None)
    return tuple(found)
