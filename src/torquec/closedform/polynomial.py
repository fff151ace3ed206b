"""Polynomials in sines, cosines and displacements: the form that every dynamic coefficient of an arm takes.

A variable is a joint angle, a sum of the angles of parallel joints, or the displacement of a prismatic joint.

(1)  basis of an angle:          C^a S^b,  a in {0, 1}, b = 0, 1, 2, ..      (C^2 = 1 - S^2 is applied at once)
(2)  basis of a displacement:    q^b
(3)  inertia and gravity coefficients have degree at most two in each: {1, C, S, S^2, C S}, {1, q, q^2}  (Chang & Lee)
(4)  d C = -S,  d S = C,  d(C S^b) = b S^(b-1) - (b + 1) S^(b+1),  d(S^b) = b C S^(b-1)

A coefficient is a number or a `Linear` combination of named parameters. Terms are unique: equal polynomials are equal
functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import sincos
from torquec.robot.joints import PositionBasis


@dataclass(frozen=True, order=True)
class Variable:
    """A sum of joint coordinates, such as q2 + q3, or a single one: (index, sign) pairs, in joint order."""

    joints: tuple[tuple[int, int], ...]
    basis: PositionBasis = PositionBasis.TRIGONOMETRIC
    symbol: str = ""
    """Name of a component of a vector or quaternion, such as 'gx'; empty for joint coordinates."""

    @property
    def is_angle(self) -> bool:
        """Whether its functions are sines and cosines, not powers."""
        return self.basis.is_periodic

    @property
    def name(self) -> str:
        """'q2', 'q23' for q2 + q3, 'q2-3' for q2 - q3, joints counted from one; 'q9_10' where digits could mislead."""
        if self.symbol:
            return self.symbol
        first, *rest = self.joints
        wide = any(index >= 9 for index, _ in self.joints)
        text = f"q{first[0] + 1}" if first[1] > 0 else f"q-{first[0] + 1}"
        for index, sign in rest:
            text += ("-" if sign < 0 else "_" if wide else "") + str(index + 1)
        return text

    def value(self, q: Any) -> Any:
        """The sum of the coordinates; q is any sequence of scalars."""
        total: Any = 0.0
        for index, sign in self.joints:
            total = total + q[index] if sign > 0 else total - q[index]
        return total

    def rate(self, joint: int) -> int:
        """d(variable)/d q[joint]."""
        return dict(self.joints).get(joint, 0)


Factor: TypeAlias = tuple[Variable, int, int]
"""(variable, a, b): C^a S^b of an angle (1), or q^b of a displacement with a = 0 (2)."""

Monomial: TypeAlias = tuple[Factor, ...]
"""Factors in the order of their variables; () is the constant 1."""

Coefficient: TypeAlias = Any
"""A float or a `Linear`."""


@dataclass(frozen=True)
class Linear:
    """A linear combination of parameters, kept sparse: parameter name -> number."""

    parts: Mapping[str, float] = field(default_factory=dict)

    def __add__(self, other: Linear) -> Linear:
        total = dict(self.parts)
        for name, value in other.parts.items():
            total[name] = total.get(name, 0.0) + value
        return Linear({name: value for name, value in total.items() if value != 0.0})

    def __mul__(self, factor: float) -> Linear:
        return Linear({name: value * factor for name, value in self.parts.items() if value * factor != 0.0})

    __rmul__ = __mul__

    def __neg__(self) -> Linear:
        return self * -1.0

    def __bool__(self) -> bool:
        return bool(self.parts)

    def at(self, values: Mapping[str, float]) -> float:
        """Its value for given parameters."""
        return sum(number * values[name] for name, number in self.parts.items())


@dataclass(frozen=True)
class TrigPolynomial:
    """A sum of coefficient * monomial; immutable; zero terms are never held."""

    terms: Mapping[Monomial, Coefficient] = field(default_factory=dict)

    # --- queries ----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        from torquec.closedform.text import polynomial_text

        return polynomial_text(self)

    def __iter__(self) -> Iterator[tuple[Monomial, Coefficient]]:
        return iter(self.terms.items())

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that occur, in joint order."""
        return tuple(sorted({factor[0] for monomial in self.terms for factor in monomial}))

    @property
    def depends_on(self) -> tuple[int, ...]:
        """Indices of the joints that it depends on (a sum of angles depends on each of them)."""
        return tuple(sorted({index for variable in self.variables for index, _ in variable.joints}))

    # --- arithmetic -------------------------------------------------------------------------------------------------

    def __add__(self, other: TrigPolynomial) -> TrigPolynomial:
        total = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            _accumulate(total, monomial, coefficient)
        return TrigPolynomial(total)

    def __sub__(self, other: TrigPolynomial) -> TrigPolynomial:
        return self + (-other)

    def __rsub__(self, other: float) -> TrigPolynomial:
        return constant(other) - self

    def __neg__(self) -> TrigPolynomial:
        return self.mapped(lambda coefficient: -coefficient)

    def __mul__(self, other: TrigPolynomial | float) -> TrigPolynomial:
        if not isinstance(other, TrigPolynomial):
            return self.mapped(lambda coefficient: coefficient * other)
        total: dict[Monomial, Coefficient] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                if isinstance(a, Linear) and isinstance(b, Linear):
                    raise ArgumentError("the product of two parametric polynomials is not linear in the parameters")
                for monomial, number in _product(left, right).items():
                    _accumulate(total, monomial, (a * b) * number)
        return TrigPolynomial(total)

    __rmul__ = __mul__

    def mapped(self, change: Callable[[Coefficient], Coefficient]) -> TrigPolynomial:
        """The same monomials with changed coefficients; those that become zero disappear."""
        changed = ((monomial, change(coefficient)) for monomial, coefficient in self.terms.items())
        return TrigPolynomial({monomial: coefficient for monomial, coefficient in changed if coefficient})

    def filtered(self, keep: Callable[[Monomial, Coefficient], bool]) -> TrigPolynomial:
        """Only the terms that `keep` accepts."""
        return TrigPolynomial({m: c for m, c in self.terms.items() if keep(m, c)})

    def bound(self, values: Mapping[str, float]) -> TrigPolynomial:
        """Numbers in the place of parameters."""
        return self.mapped(
            lambda coefficient: coefficient.at(values) if isinstance(coefficient, Linear) else coefficient
        )

    def __call__(self, q: Any) -> Any:
        """Its value at joint positions q: a sequence of scalars, or an array (N, n) for N values at once."""
        columns = q.T if isinstance(q, np.ndarray) and q.ndim == 2 else q
        powers: dict[Factor, Any] = {}
        for variable in self.variables:
            value = variable.value(columns)
            s, c = sincos(value) if variable.is_angle else (value, None)
            used = {factor for monomial in self.terms for factor in monomial if factor[0] == variable}
            for factor in used:
                powers[factor] = _power(c, s, factor[1], factor[2])
        total: Any = np.zeros(len(q)) if isinstance(q, np.ndarray) and q.ndim == 2 else 0.0
        for monomial, coefficient in self.terms.items():
            term = coefficient
            for factor in monomial:
                term = term * powers[factor]
            total = total + term
        return total

    # --- calculus ---------------------------------------------------------------------------------------------------

    def differentiate(self, joint: int) -> TrigPolynomial:
        """The derivative by q[joint] (4)."""
        total: dict[Monomial, Coefficient] = {}
        for monomial, coefficient in self.terms.items():
            for k, factor in enumerate(monomial):
                rate = factor[0].rate(joint)
                if rate == 0:
                    continue
                rest = monomial[:k] + monomial[k + 1 :]
                for changed, number in _factor_derivative(factor):
                    _accumulate(total, _insert(rest, k, changed), coefficient * (rate * number))
        return TrigPolynomial(total)


def constant(value: Coefficient) -> TrigPolynomial:
    """The polynomial of a number or of a combination of parameters."""
    return TrigPolynomial({(): value} if value else {})


def single(variable: Variable, a: int = 0, b: int = 0) -> TrigPolynomial:
    """C^a S^b (or q^b) of one variable."""
    return TrigPolynomial({((variable, a, b),): 1.0} if a or b else {(): 1.0})


def _accumulate(total: dict[Monomial, Coefficient], monomial: Monomial, coefficient: Coefficient) -> None:
    if monomial in total:
        coefficient = total[monomial] + coefficient
    if coefficient:
        total[monomial] = coefficient
    else:
        total.pop(monomial, None)


def _insert(rest: Monomial, k: int, factor: Factor) -> Monomial:
    """The monomial with a factor put at its place, or without it when it is one."""
    return rest[:k] + ((factor,) if factor[1] or factor[2] else ()) + rest[k:]


def _factor_derivative(factor: Factor) -> list[tuple[Factor, float]]:
    """(4) for one factor, by its own variable."""
    variable, a, b = factor
    if not variable.is_angle:
        return [((variable, 0, b - 1), float(b))]
    if a == 0:
        return [((variable, 1, b - 1), float(b))]
    parts = [((variable, 0, b + 1), -float(b + 1))]
    return parts + ([((variable, 0, b - 1), float(b))] if b else [])


def _product(left: Monomial, right: Monomial) -> dict[Monomial, float]:
    """The product of two monomials, cosines squared replaced (1)."""
    powers: dict[Variable, tuple[int, int]] = {variable: (a, b) for variable, a, b in left}
    for variable, a, b in right:
        before = powers.get(variable, (0, 0))
        powers[variable] = (before[0] + a, before[1] + b)
    partial: dict[Monomial, float] = {(): 1.0}
    for variable in sorted(powers):
        a, b = powers[variable]
        pieces = [((variable, a, b), 1.0)] if a < 2 else [((variable, 0, b), 1.0), ((variable, 0, b + 2), -1.0)]
        grown: dict[Monomial, float] = {}
        for monomial, number in partial.items():
            for piece, sign in pieces:
                extended = (*monomial, piece) if piece[1] or piece[2] else monomial
                grown[extended] = grown.get(extended, 0.0) + number * sign
        partial = grown
    return partial


def _power(c: Any, s: Any, a: int, b: int) -> Any:
    value = c if a else s
    for _ in range(b if a else b - 1):
        value = value * s
    return value
