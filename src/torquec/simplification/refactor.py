"""Refactoring of a torque program: sums expanded and factored again, where that takes fewer operations.

A recursion rotates vectors from link to link. After pruning, the rows of M(q) qdd + c(q, qd) + g(q), or forms between
the two, may be shorter.

(1)  expand: a maximal sum is a polynomial in inputs, sines, cosines and shared steps
(2)  factor: the factor of most terms (randomly another one) is taken out, then recursively inside and outside of the
     bracket (Horner's rule in many variables)
(3)  products of two factors that are computed anyway are reused; a term with a constant may use an existing multiple of
     a value instead of the value
(4)  randomly, one of the shared steps is expanded as well
(5)  every form with no more operations is accepted: forms of equal price lead to shorter ones. A form with a higher
     estimated price (:mod:`torquec.simplification.form_price`) is not built

Forms differ by rounding alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.expr import Function, Op, operation_cost
from torquec.expr.replay import rebuilt
from torquec.simplification.form_price import FormPrices
from torquec.simplification.replacements import angle_steps
from torquec.simplification.tuning import TUNING

_SUMS = (Op.ADD, Op.SUB, Op.NEG)
_SIGNS = {Op.ADD: (1.0, 1.0), Op.SUB: (1.0, -1.0), Op.NEG: (-1.0,)}


_Factors = tuple[int, ...]
_Term = tuple[float, _Factors]
"""A coefficient and its factors, by step."""


def refactored(
    program: Function, *, seed: int = 0, patience: int = 6, accept: Callable[[Function], bool] = lambda _: True
) -> Function:
    """The program in the form with the fewest operations found.

    The search ends after `patience` forms per sum, on average, without gain; `accept` may reject a form.
    """
    rng = np.random.default_rng(seed)
    form = _Form(program)
    fruitless = 0
    while fruitless < min(patience * len(form.sums), TUNING.fruitless_forms):
        fruitless += 1
        shorter = form.another(rng)
        if shorter is not None and (less := form.price - operation_cost(shorter)) >= 0 and accept(shorter):
            form = _Form(shorter)
            fruitless = 0 if less else fruitless
    return form.program


@dataclass(frozen=True)
class _Form:
    """A program, and its sums that can be expanded."""

    program: Function

    @cached_property
    def price(self) -> int:
        """In operations."""
        return operation_cost(self.program)

    @cached_property
    def prices(self) -> FormPrices:
        """Price of the program with another form of one step (5)."""
        return FormPrices(self.program)

    @cached_property
    def uses(self) -> Counter[int]:
        """How often each step is needed."""
        uses = Counter(argument for step in self.program.operations for argument in step.args)
        uses.update(k for result in self.program.results for k in result)
        return uses

    @cached_property
    def sums(self) -> list[int]:
        """The sums that are no part of a larger one (1)."""
        steps = self.program.operations
        within, angles = set[int](), angle_steps(self.program)
        for k in range(len(steps) - 1, -1, -1):
            step = steps[k]
            if k not in angles and (step.op in _SUMS or (step.op is Op.MUL and k in within)):
                within.update(a for a in step.args if self.uses[a] == 1)
        return [k for k, s in enumerate(steps) if s.op in (Op.ADD, Op.SUB) and k not in within and k not in angles]

    @cached_property
    def units(self) -> dict[int, tuple[int, float]]:
        """By step: a step that is a constant times it and is needed more than once, and this constant (3)."""
        steps, found = self.program.operations, {}
        for k, step in enumerate(steps):
            if step.op is Op.MUL and self.uses[k] > 1:
                for constant, other in (step.args, step.args[::-1]):
                    if steps[constant].op is Op.CONST:
                        found[other] = (k, steps[constant].value)
        return found

    @cached_property
    def products(self) -> dict[_Factors, int]:
        """The product of two steps, where it is computed (3)."""
        steps = self.program.operations
        return {
            tuple(sorted(step.args)): k
            for k, step in enumerate(steps)
            if step.op is Op.MUL and all(steps[a].op is not Op.CONST for a in step.args)
        }

    def another(self, rng: np.random.Generator) -> Function | None:
        """The program with a random sum in another, random form; None where it has no other, or that costs more."""
        chosen = self.sums[int(rng.integers(len(self.sums)))]
        terms = self._multiplied_out(chosen, needed_here=True)
        if rng.random() < TUNING.expansion_probability:
            terms = self._expanded_further(terms, rng)
        terms = _gathered(terms)
        if rng.random() < TUNING.multiples_probability:
            terms = [self._in_units(term, before=chosen) for term in terms]
        if not 3 <= len(terms) <= TUNING.expanded_terms:
            return None
        known = {factors: k for factors, k in self.products.items() if k < chosen}
        perturbation = TUNING.sharing_perturbations[int(rng.integers(len(TUNING.sharing_perturbations)))]
        chance = int(rng.integers(1 << 62))

        def written(values: Sequence[Any]) -> Any:
            return _Writer(values, known, np.random.default_rng(chance), perturbation).polynomial(terms)

        if self.prices.with_form(chosen, written(self.prices.values), same=math.inf) > self.price:
            return None
        return rebuilt(self.program, replaced={chosen: written})

    def _multiplied_out(self, k: int, *, needed_here: bool = False) -> list[_Term]:
        step = self.program.operations[k]
        if step.op is Op.CONST:
            return [(step.value, ())]
        if needed_here or self.uses[k] == 1:
            if step.op in _SUMS:
                parts = zip(step.args, _SIGNS[step.op], strict=True)
                return [(sign * c, factors) for a, sign in parts for c, factors in self._multiplied_out(a)]
            if step.op is Op.MUL:
                first, second = (self._multiplied_out(a) for a in step.args)
                if len(first) * len(second) <= TUNING.expanded_terms:
                    return [(c * d, tuple(sorted(x + y))) for c, x in first for d, y in second]
        return [(1.0, (k,))]

    def _expanded_further(self, terms: list[_Term], rng: np.random.Generator) -> list[_Term]:
        """The terms, with one of their factors expanded (4)."""
        products = set(self.products.values())
        steps = self.program.operations
        composed = sorted({a for _, factors in terms for a in factors if steps[a].op in _SUMS or a in products})
        if not composed:
            return terms
        chosen = composed[int(rng.integers(len(composed)))]
        inside = self._multiplied_out(chosen, needed_here=True)
        return [
            (c * d, tuple(sorted(_without(factors, chosen) + more))) if chosen in factors else (c, factors)
            for c, factors in terms
            for d, more in (inside if chosen in factors else [(1.0, ())])
        ]

    def _in_units(self, term: _Term, *, before: int) -> _Term:
        """The term with an existing multiple of a factor in place of this factor, if the term has a constant (3)."""
        coefficient, factors = term
        if abs(coefficient) in (1.0, 2.0):
            return term
        for a in factors:
            unit, constant = self.units.get(a, (before, 1.0))
            if unit < before:
                others = list(factors)
                others.remove(a)
                ratio = coefficient / constant
                is_one = abs(abs(ratio) - 1.0) < TUNING.unit_coefficient
                return float(round(ratio)) if is_one else ratio, tuple(sorted([*others, unit]))
        return term


@dataclass(frozen=True)
class _Writer:
    """Writes polynomials of steps whose values are nodes of a new graph; `known` are existing products."""

    values: Sequence[Any]
    known: Mapping[_Factors, int]
    rng: np.random.Generator
    perturbation: float

    def polynomial(self, terms: Sequence[_Term]) -> Any:
        """(2)."""
        shared = Counter[int | float]()
        for coefficient, factors in terms:
            shared.update(set(factors))
            if abs(coefficient) != 1.0:
                shared[-abs(coefficient)] += 1  # steps are not negative
        common = [(key, count) for key, count in shared.items() if count > 1]
        if not common:
            return self._sum(terms)
        weights = [count * np.exp(self.perturbation * self.rng.standard_normal()) for _, count in common]
        key, _ = common[int(np.argmax(weights))]
        if isinstance(key, float):
            inside = [(c / abs(c), factors) for c, factors in terms if abs(c) == -key]
            outside = [(c, factors) for c, factors in terms if abs(c) != -key]
            factored = -key * self.polynomial(inside)
        else:
            inside = [(c, _without(factors, key)) for c, factors in terms if key in factors]
            outside = [(c, factors) for c, factors in terms if key not in factors]
            factored = self.values[key] * self.polynomial(inside)
        return factored + self.polynomial(outside) if outside else factored

    def _sum(self, terms: Sequence[_Term]) -> Any:
        """The sum of terms without a common factor, in random order, a positive term first."""
        order = [terms[k] for k in self.rng.permutation(len(terms))]
        first, *rest = sorted(order, key=lambda term: term[0] < 0.0)
        total = self._product(*first)
        for coefficient, factors in rest:
            size = self._product(abs(coefficient), factors)
            total = total + size if coefficient > 0.0 else total - size
        return total

    def _product(self, coefficient: float, factors: _Factors) -> Any:
        """One term; existing products of its factors are used first (3)."""
        left = [factors[k] for k in self.rng.permutation(len(factors))]
        while (pair := self._known_pair(left)) is not None:
            left = [*_without(_without(tuple(left), pair[0]), pair[1]), self.known[pair]]
        parts = [self.values[k] for k in left]
        if coefficient != 1.0 or not parts:
            parts.insert(int(self.rng.integers(len(parts) + 1)), coefficient)
        product = parts[0]
        for part in parts[1:]:
            product = product * part
        return product

    def _known_pair(self, factors: Sequence[int]) -> _Factors | None:
        pairs = (tuple(sorted((a, b))) for k, a in enumerate(factors) for b in factors[:k])
        return next((pair for pair in pairs if pair in self.known), None)


def _gathered(terms: Sequence[_Term]) -> list[_Term]:
    """Terms of the same factors added up, those that cancel left out."""
    alike: dict[_Factors, list[float]] = {}
    for coefficient, factors in terms:
        alike.setdefault(factors, []).append(coefficient)
    total = [(sum(parts), sum(map(abs, parts)), factors) for factors, parts in alike.items()]
    return [
        (coefficient, factors)
        for coefficient, size, factors in total
        if abs(coefficient) > TUNING.zero_coefficient * size
    ]


def _without(factors: _Factors, one: int) -> _Factors:
    """The factors without one occurrence of `one`."""
    k = factors.index(one)
    return factors[:k] + factors[k + 1 :]
