"""Polynomials as programs: common factors taken out (Horner), sines, cosines and products shared between entries.

(1)  p = x * (terms that contain x, divided by x) + rest,   x the factor that occurs in most terms;  the same again inside
(2)  equal parts of different entries become one node of the graph
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from torquec.closedform.polynomial import Coefficient, TrigPolynomial, Variable
from torquec.expr.math import sincos
from torquec.spatial import Scalar

Letter: TypeAlias = tuple[Variable, str]
"""('C' or 'S' or 'q') of a variable: what products are made of."""

Word: TypeAlias = tuple[Letter, ...]


class Letters:
    """Values of sines, cosines and displacements at a position, each computed once."""

    def __init__(self, q: Sequence[Scalar]) -> None:
        self._q = q
        self._values: dict[Letter, Scalar] = {}

    def __getitem__(self, letter: Letter) -> Scalar:
        if letter not in self._values:
            variable = letter[0]
            angle = variable.value(self._q)
            if variable.prismatic:
                self._values[variable, "q"] = angle
            else:
                self._values[variable, "S"], self._values[variable, "C"] = sincos(angle)
        return self._values[letter]


def lowered(polynomial: TrigPolynomial, letters: Letters) -> Scalar:
    """The value of a polynomial as a factored expression over any scalar (1)."""
    return _horner([(word_of(monomial), coefficient) for monomial, coefficient in polynomial], letters)


def word_of(monomial: Any) -> Word:
    """The letters of a monomial, repeated as often as they occur."""
    word: list[Letter] = []
    for variable, a, b in monomial:
        word += [(variable, "C")] * a + [(variable, "q" if variable.prismatic else "S")] * b
    return tuple(word)


def _horner(terms: list[tuple[Word, Coefficient]], letters: Letters) -> Scalar:
    counts = Counter(letter for word, _ in terms for letter in set(word))
    if not counts:
        return sum((coefficient for _, coefficient in terms), 0.0)
    most = max(counts.values())
    if most == 1:
        total: Scalar = 0.0
        for word, coefficient in sorted(terms, key=lambda term: term[0]):
            total = total + _product(word, coefficient, letters)
        return total
    letter = min(letter for letter, count in counts.items() if count == most)
    inside, outside = [], []
    for word, coefficient in terms:
        if letter in word:
            k = word.index(letter)
            inside.append((word[:k] + word[k + 1 :], coefficient))
        else:
            outside.append((word, coefficient))
    value = letters[letter] * _horner(inside, letters)
    return value + _horner(outside, letters) if outside else value


def _product(word: Word, coefficient: Coefficient, letters: Letters) -> Scalar:
    """Letters multiplied first, so that entries with other coefficients share the product."""
    product: Scalar = None
    for letter in word:
        product = letters[letter] if product is None else product * letters[letter]
    return coefficient if product is None else coefficient * product
