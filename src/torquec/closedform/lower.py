"""Polynomials as programs: common factors taken out (Horner), sines, cosines and products shared between entries.

(1)  p = x * (terms that contain x, divided by x) + rest,   x the factor that occurs in most terms;  the same again
     inside
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
    """Values of sines, cosines and displacements at a position, each computed once.

    A sum of angles whose parts are known takes four products (addition theorem) instead of another sine and cosine.
    """

    def __init__(self, q: Sequence[Scalar]) -> None:
        self._q = q
        self._values: dict[Letter, Scalar] = {}

    def __getitem__(self, letter: Letter) -> Scalar:
        if letter not in self._values:
            variable = letter[0]
            if variable.is_angle:
                self._values[variable, "S"], self._values[variable, "C"] = self._sine_cosine(variable)
            else:
                self._values[variable, "q"] = variable.value(self._q)
        return self._values[letter]

    def _sine_cosine(self, variable: Variable) -> tuple[Scalar, Scalar]:
        known = [v for v, kind in self._values if kind == "S"]
        for x in known:
            for y in known:
                if x < y and _joined(x, y, 1) == variable.joints:
                    return self._combined(x, y, 1.0)
                if x != y and _joined(x, y, -1) == variable.joints:
                    return self._combined(x, y, -1.0)
        return sincos(variable.value(self._q))

    def _combined(self, x: Variable, y: Variable, sign: float) -> tuple[Scalar, Scalar]:
        """Sine and cosine of x + y or x - y."""
        sx, cx, sy, cy = self[x, "S"], self[x, "C"], self[y, "S"], self[y, "C"]
        if sign > 0:
            return sx * cy + cx * sy, cx * cy - sx * sy
        return sx * cy - cx * sy, cx * cy + sx * sy


def _joined(x: Variable, y: Variable, sign: int) -> tuple[tuple[int, int], ...]:
    """The joints of x + sign y."""
    total = dict(x.joints)
    for index, s in y.joints:
        total[index] = total.get(index, 0) + sign * s
    return tuple(sorted((index, s) for index, s in total.items() if s))


def lowered(polynomial: TrigPolynomial, letters: Letters) -> Scalar:
    """The value of a polynomial as a factored expression over any scalar (1)."""
    return _horner([(word_of(monomial), coefficient) for monomial, coefficient in polynomial], letters)


def lowered_terms(terms: Sequence[tuple[Word, Coefficient]], letters: Letters) -> Scalar:
    """The value of a sum of coefficient * word as a factored expression (1); words may hold any letters known."""
    return _horner(list(terms), letters)


def word_of(monomial: Any) -> Word:
    """The letters of a monomial, repeated as often as they occur."""
    word: list[Letter] = []
    for variable, a, b in monomial:
        word += [(variable, "C")] * a + [(variable, "S" if variable.is_angle else "q")] * b
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
