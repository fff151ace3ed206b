"""Batch evaluation of trigonometric monomials: their values, and value, gradient and Hessian of any combination.

(1)  each variable has a table of its powers C^a S^b (or q^b) with first and second derivatives
(2)  the values of a combination are summed variable by variable: terms that agree in all variables but the last are
     added first, weighted with the powers of the last, then those that agree in all but the last two, and so on
(3)  derivatives by the variables follow by the product rule, those by the joints with d(variable)/dq = 0 or +-1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from torquec.closedform.polynomial import Monomial, TrigPolynomial, Variable
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices

Powers: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Layer:
    """One step of (2): which power each group takes, and where groups that become one begin."""

    power: Indices
    start: Indices


@dataclass(frozen=True)
class CompiledTerms:
    """Monomials over the joints of a closed form; made by `compile_terms`."""

    monomials: tuple[Monomial, ...]
    variables: tuple[Variable, ...]
    powers: tuple[Powers, ...]
    """The powers (a, b) that occur, for each variable."""
    index: Indices = field(repr=False)
    """(m, variables): which power of each variable a monomial has."""

    def __len__(self) -> int:
        return len(self.monomials)

    @property
    def joints(self) -> tuple[int, ...]:
        """Joints that the monomials depend on."""
        return tuple(sorted({joint for variable in self.variables for joint, _ in variable.joints}))

    def subset(self, chosen: Indices) -> CompiledTerms:
        """Some of the monomials, over the same variables."""
        monomials = tuple(self.monomials[i] for i in chosen)
        return CompiledTerms(monomials, self.variables, self.powers, self.index[chosen])

    @cached_property
    def _rates(self) -> Array:
        """d(variable)/d(joint), (variables, joints)."""
        return np.array([[float(v.rate(j)) for j in self.joints] for v in self.variables]).reshape(
            len(self.variables), len(self.joints)
        )

    @cached_property
    def _order(self) -> Indices:
        """Order of the monomials in which every group of (2) is contiguous."""
        return np.lexsort(self.index.T[::-1]) if len(self.variables) else np.arange(len(self.monomials))

    @cached_property
    def _layers(self) -> tuple[_Layer, ...]:
        """(2) from the last variable to the first."""
        rows = self.index[self._order]
        layers = []
        for v in reversed(range(len(self.variables))):
            heads = rows[:, :v]
            new = np.ones(len(rows), dtype=bool)
            new[1:] = np.any(heads[1:] != heads[:-1], axis=1)
            start = np.flatnonzero(new)
            layers.append(_Layer(rows[:, v].copy(), start))
            rows = heads[start]
        return tuple(layers)

    def values(self, q: Array) -> Array:
        """The value of each monomial at each position: q (N, n) -> (N, m)."""
        result = np.ones((len(self.monomials), len(q)))
        for v, variable in enumerate(self.variables):
            result *= _powers(variable, self.powers[v], q, 0)[0][self.index[:, v]]
        return result.T

    def combination(self, coefficients: Array, q: Array) -> Array:
        """The sum of coefficient * monomial at each position: (m,), (N, n) -> (N,)."""
        if not len(self.monomials):
            return np.zeros(len(q))
        total = np.broadcast_to(coefficients[self._order][:, None], (len(self.monomials), len(q)))
        for layer, v in zip(self._layers, reversed(range(len(self.variables))), strict=True):
            table = _powers(self.variables[v], self.powers[v], q, 0)[0]
            total = np.add.reduceat(total * table[layer.power], layer.start, axis=0)
        return np.array(total.sum(axis=0))

    def expansion(self, coefficients: Array, q: Array) -> tuple[Array, Array, Array]:
        """Value (N,), gradient (N, d) and Hessian (N, d, d) of a combination with respect to the `joints`."""
        count = len(self.variables)
        if not len(self.monomials):
            d = len(self.joints)
            return np.zeros(len(q)), np.zeros((len(q), d)), np.zeros((len(q), d, d))
        start = np.broadcast_to(coefficients[self._order][:, None], (len(self.monomials), len(q)))
        # Derivatives, keyed by the variables of differentiation: () the value, (v,) first, (u, v) second ones.
        held: dict[tuple[int, ...], Array] = {(): start}
        for layer, v in zip(self._layers, reversed(range(count)), strict=True):
            tables = [t[layer.power] for t in _powers(self.variables[v], self.powers[v], q, 2)]
            held = {
                (v,) * k + by: np.add.reduceat(part * tables[k], layer.start, axis=0)
                for by, part in held.items()
                for k in range(3 - len(by))
            }
        sums = {by: part.sum(axis=0) for by, part in held.items()}
        first = np.zeros((len(q), count))
        second = np.zeros((len(q), count, count))
        for v in range(count):
            first[:, v] = sums[v,]
            for u in range(v + 1):
                second[:, u, v] = second[:, v, u] = sums[u, v]
        return sums[()], first @ self._rates, self._rates.T @ second @ self._rates


def compile_terms(monomials: Sequence[Monomial]) -> CompiledTerms:
    """Monomials, compiled; they must be distinct, or `ArgumentError` is raised."""
    distinct = tuple(monomials)
    if len(set(distinct)) != len(distinct):
        raise ArgumentError("a monomial is given twice", remedy="give each term of a basis once")
    variables = tuple(sorted({factor[0] for monomial in distinct for factor in monomial}))
    exponents = [{v: (a, b) for v, a, b in monomial} for monomial in distinct]
    powers = tuple(tuple(sorted({e.get(v, (0, 0)) for e in exponents})) for v in variables)
    index = np.array(
        [[powers[k].index(e.get(v, (0, 0))) for k, v in enumerate(variables)] for e in exponents], dtype=np.intp
    ).reshape(len(distinct), len(variables))
    return CompiledTerms(distinct, variables, powers, index)


def numbers(polynomial: TrigPolynomial) -> Array:
    """The coefficients of a polynomial in the order of its terms; `ArgumentError` where they are parameters."""
    for coefficient in polynomial.terms.values():
        if not isinstance(coefficient, float | int):
            raise ArgumentError("the coefficients are parameters, not numbers", remedy="bind the parameters first")
    return np.array([float(c) for c in polynomial.terms.values()])


def _powers(variable: Variable, powers: Powers, q: Array, order: int) -> list[Array]:
    """(1): the table (powers, N) of a variable, then its derivatives up to an order of two."""
    x = variable.value(q.T)
    tables = []
    s, c = (np.sin(x), np.cos(x)) if variable.is_angle else (x, np.ones_like(x))
    for k in range(order + 1):
        rows = []
        for a, b in powers:
            if not variable.is_angle:
                rows.append(_falling(b, k) * x ** max(b - k, 0))
            elif k == 0:
                rows.append(c**a * s**b)
            elif k == 1:
                # d(C^a S^b) = b C^(a+1) S^(b-1) - a C^(a-1) S^(b+1)
                rows.append(
                    (b * c ** (a + 1) * s ** (b - 1) if b else 0.0) - (a * s ** (b + 1) if a else 0.0) + 0.0 * x
                )
            elif a:
                # d2(C S^b) = C (b (b - 1) S^(b-2) - (b + 1)^2 S^b)
                rows.append(c * ((b * (b - 1) * s ** (b - 2) if b > 1 else 0.0) - (b + 1) ** 2 * s**b))
            else:
                # d2(S^b) = b (b - 1) S^(b-2) - b^2 S^b
                rows.append((b * (b - 1) * s ** (b - 2) if b > 1 else 0.0) - b * b * s**b)
        tables.append(np.array(rows))
    return tables


def _falling(b: int, k: int) -> float:
    """b (b - 1) .. (b - k + 1)."""
    result = 1.0
    for i in range(k):
        result *= b - i
    return result
