"""Common subexpression elimination for sums: a program for the entries of a closed form that computes shared sums once.

An entry is a sum of (function of q) * (product of speeds and accelerations), each function a sum of harmonics:

(1)  f r + (f + g) s  =  f (r + s) + g s          within an entry, so that the sum r + s can be shared
(2)  of all pairs of terms, the one that occurs in most sums (with the same relative sign) becomes a new term, until no
     pair occurs twice: first among the functions of q, then among sums of rates, then among the entries
(3)  a sum and its opposite are one sum
(4)  multiples of angles are added up before their sine and cosine are taken: the harmonics of an arm are few

A pair that is shared saves an addition each time that it occurs again; rearranging by (1) costs nothing.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from torquec.closedform.fourier import FourierSeries, Multiples, Powers
from torquec.closedform.layouts import Entry
from torquec.errors import ArgumentError
from torquec.expr.math import sincos
from torquec.spatial import Scalar

Sum: TypeAlias = dict[Any, int]
"""Signed terms: term -> +1 or -1."""

Key: TypeAlias = tuple[tuple[Any, int], ...]
"""A sum with normalized signs: a sum and its opposite have the same key (3)."""


@dataclass(frozen=True, order=True)
class _Wave:
    """A positive coefficient times a harmonic: one term of a function of q."""

    coefficient: float
    multiples: Multiples
    sine: bool
    powers: Powers


@dataclass(frozen=True, order=True)
class _Rates:
    """A product of speeds and accelerations; the empty one is 1."""

    speeds: tuple[int, ...]
    accelerations: tuple[int, ...]


@dataclass(frozen=True, order=True)
class _Product:
    """A function of q times a sum of rates."""

    function: Key
    rates: Key


@dataclass(frozen=True, order=True)
class _Shared:
    """A pair of terms that occurs more than once (2)."""

    level: str
    number: int


_Definition: TypeAlias = tuple[_Shared, Any, Any, int]
_ONE = _Rates((), ())


class SharedSums:
    """A program for many entries, by any keys; `values` runs it over any scalar."""

    def __init__(self, entries: Mapping[Hashable, Entry]) -> None:
        grouped = {key: _grouped(entry) for key, entry in entries.items()}
        functions = sorted({f for group in grouped.values() for f in group}, key=repr)
        rates = sorted({_oriented(r)[0] for group in grouped.values() for r in group.values()}, key=repr)
        totals: list[Sum] = []
        for group in grouped.values():
            total: Sum = {}
            for function, sum_of_rates in group.items():
                key, sign = _oriented(sum_of_rates)
                total[_Product(function, key)] = sign
            totals.append(total)
        shorter_functions, first = _share([dict(f) for f in functions], "function")
        shorter_rates, second = _share([dict(r) for r in rates], "rates")
        shorter_totals, third = _share(totals, "entry")
        self._functions = dict(zip(functions, shorter_functions, strict=True))
        self._rates = dict(zip(rates, shorter_rates, strict=True))
        self._totals = dict(zip(grouped, shorter_totals, strict=True))
        self._definitions = (*first, *second, *third)

    def values(self, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[Hashable, Scalar]:
        """Every entry at (q, qd, qdd), (n,) each."""
        run = _Run(self._functions, self._rates, q, qd, qdd)
        for new, a, b, sign in self._definitions:
            run.known[new] = run.term(a) + run.term(b) if sign > 0 else run.term(a) - run.term(b)
        return {key: run.total(terms) for key, terms in self._totals.items()}


class _Run:
    """One evaluation: every term is computed when it is first needed."""

    def __init__(
        self,
        functions: Mapping[Key, Sum],
        rates: Mapping[Key, Sum],
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        qdd: Sequence[Scalar],
    ) -> None:
        self._functions, self._rates = functions, rates
        self._q, self._qd, self._qdd = q, qd, qdd
        self._angles: dict[Multiples, tuple[Scalar, Scalar]] = {}
        self.known: dict[Any, Scalar] = {}

    def total(self, terms: Sum) -> Scalar:
        """A sum, positive terms first."""
        key, sign = _oriented(terms)
        value: Scalar = None
        for term, positive in sorted(key, key=lambda item: (-item[1], repr(item[0]))):
            part = self.term(term)
            value = part if value is None else value + part if positive > 0 else value - part
        return value if sign > 0 else -value

    def term(self, term: Any) -> Scalar:
        """The value of a term of any kind."""
        if term not in self.known:
            if isinstance(term, _Wave):
                self.known[term] = self._wave(term)
            elif isinstance(term, _Rates):
                self.known[term] = self._product_of_rates(term)
            else:
                value = self.total(self._functions[term.function])
                plain = term.rates == ((_ONE, 1),)
                self.known[term] = value if plain else value * self.total(self._rates[term.rates])
        return self.known[term]

    def _wave(self, wave: _Wave) -> Scalar:
        value: Scalar = wave.coefficient
        if wave.multiples:
            value = value * self._sine_cosine(wave.multiples)[0 if wave.sine else 1]
        for joint, power in wave.powers:
            for _ in range(power):
                value = value * self._q[joint]
        return value

    def _sine_cosine(self, multiples: Multiples) -> tuple[Scalar, Scalar]:
        """(4): the common factor of all multiples is taken out, so that 2 (q2 + q3) shares q2 + q3."""
        if multiples not in self._angles:
            common = math.gcd(*(multiple for _, multiple in multiples))
            angle: Scalar = 0.0
            for joint, multiple in multiples:
                times = multiple // common
                part = self._q[joint] if abs(times) == 1 else abs(times) * self._q[joint]
                angle = angle + part if times > 0 else angle - part
            self._angles[multiples] = sincos(angle if common == 1 else common * angle)
        return self._angles[multiples]

    def _product_of_rates(self, rates: _Rates) -> Scalar:
        value: Scalar = 1.0
        for rate in (*(self._qd[k] for k in rates.speeds), *(self._qdd[k] for k in rates.accelerations)):
            value = rate * value
        return value


def _grouped(entry: Entry) -> dict[Key, Sum]:
    """An entry as functions of q, each with the sum of rates that it is multiplied by (1)."""
    rows = [(_waves(part.value), _Rates(part.speeds, part.accelerations)) for part in entry.parts]
    while (found := _contained(rows)) is not None:
        i, j, sign = found
        inner, (outer, rates) = rows[i][0], rows[j]
        rows[j] = ({wave: s for wave, s in outer.items() if wave not in inner}, rates)
        rows.append(({wave: sign * s for wave, s in inner.items()}, rates))
    grouped: dict[Key, Sum] = {}
    for waves, rates in rows:
        key, sign = _oriented(waves)
        grouped.setdefault(key, {})[rates] = sign
    return grouped


def _contained(rows: Sequence[tuple[Sum, _Rates]]) -> tuple[int, int, int] | None:
    """Rows i and j such that the function of i is a part of that of j, up to the sign."""
    for i, (inner, rates) in enumerate(rows):
        for j, (outer, others) in enumerate(rows):
            if i != j and _ONE not in (rates, others) and 0 < len(inner) < len(outer):
                for sign in (1, -1):
                    if all(outer.get(wave) == sign * s for wave, s in inner.items()):
                        return i, j, sign
    return None


def _waves(value: Any) -> Sum:
    if not isinstance(value, FourierSeries):
        raise ArgumentError("only entries in multiple angles can be shared", remedy="use a rule with multiple_angles")
    return {
        _Wave(abs(number), harmonic.multiples, harmonic.sine, harmonic.powers): 1 if number > 0 else -1
        for harmonic, number in value.terms.items()
    }


def _oriented(terms: Sum) -> tuple[Key, int]:
    """The sum with most of its signs positive, and the sign that was taken out (3)."""
    items = tuple(sorted(terms.items(), key=lambda item: repr(item[0])))
    surplus = sum(sign for _, sign in items)
    lead = items[0][1] if surplus == 0 else 1 if surplus > 0 else -1
    return tuple((term, sign * lead) for term, sign in items), lead


def _share(sums: Sequence[Sum], level: str) -> tuple[list[Sum], list[_Definition]]:
    """Sums with their shared pairs as new terms (2)."""
    names: list[Any] = sorted({term for terms in sums for term in terms}, key=repr)
    number = {term: k for k, term in enumerate(names)}
    keys = [_oriented(terms) for terms in sums]
    # Equal and opposite sums count once.
    distinct = {key: {number[term]: sign for term, sign in key} for key, _ in keys}
    pairs = _Pairs(list(distinct.values()))
    definitions: list[_Definition] = []
    while (best := pairs.most_frequent()) is not None:
        a, b, relative = best
        new = _Shared(level, len(definitions))
        definitions.append((new, names[a], names[b], relative))
        names.append(new)
        pairs.replace(best, len(names) - 1)
    shorter = [{names[k]: sign * lead for k, sign in distinct[key].items()} for key, lead in keys]
    return shorter, definitions


class _Pairs:
    """Which pairs of numbered terms occur in which sums, kept up to date while pairs become terms."""

    def __init__(self, sums: list[dict[int, int]]) -> None:
        self._sums = sums
        self._where: dict[tuple[int, int, int], set[int]] = {}
        for k, terms in enumerate(sums):
            for a, b in itertools.combinations(sorted(terms), 2):
                self._where.setdefault((a, b, terms[a] * terms[b]), set()).add(k)
        self._heap = [(-len(found), pair) for pair, found in self._where.items() if len(found) > 1]
        heapq.heapify(self._heap)

    def most_frequent(self) -> tuple[int, int, int] | None:
        """The pair (a, b, relative sign) that occurs in most sums, None where none occurs twice."""
        while self._heap:
            count, pair = heapq.heappop(self._heap)
            now = len(self._where.get(pair, ()))
            if now == -count:
                return pair
            if now > 1:
                heapq.heappush(self._heap, (-now, pair))
        return None

    def replace(self, pair: tuple[int, int, int], new: int) -> None:
        """Put the term `new` in the place of a pair wherever it occurs."""
        a, b, _ = pair
        grown: set[tuple[int, int, int]] = set()
        for k in sorted(self._where.pop(pair)):
            terms = self._sums[k]
            sign, other = terms.pop(a), terms.pop(b)
            for c, third in terms.items():
                self._where[(min(a, c), max(a, c), sign * third)].discard(k)
                self._where[(min(b, c), max(b, c), other * third)].discard(k)
                joined = (c, new, sign * third)
                self._where.setdefault(joined, set()).add(k)
                grown.add(joined)
            terms[new] = sign
        for joined in sorted(grown):
            if len(self._where[joined]) > 1:
                heapq.heappush(self._heap, (-len(self._where[joined]), joined))
