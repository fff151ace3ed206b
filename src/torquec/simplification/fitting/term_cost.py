"""What a set of terms costs: how many there are, or the operations that they take.

(1)  operations of a set: a product of letters (C2, S2, q3, ..) for every distinct beginning of its monomials that is
     not there already, one multiplication by each coefficient, one addition between two terms
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torquec.closedform.lower import Word, word_of
from torquec.closedform.polynomial import Monomial


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
    """Multiplications and additions (1); `available` are monomials that other entries compute anyway.

    >>> from torquec.closedform.polynomial import Variable
    >>> q1, q2 = Variable(((0, 1),)), Variable(((1, 1),))
    >>> s1s2 = ((q1, 0, 1), (q2, 0, 1))
    >>> OperationCost().total([s1s2]), OperationCost(available=(s1s2,)).total([s1s2])
    (2.0, 1.0)
    """

    available: tuple[Monomial, ...] = ()

    def total(self, monomials: Sequence[Monomial]) -> float:
        """Operations of the set (1)."""
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
