"""Multiple-angle form (Clover's): sums of cosines and sines of sums of joint angles, whole or abbreviated by a rule.

(1)  C^a S^b of each angle is a sum of cosines and sines of its multiples; products become sums:
       cos x cos y = 1/2 cos(x - y) + 1/2 cos(x + y),  and so on
(2)  a harmonic is a set of integer multiples of joint angles, its first one positive; displacements keep their powers

It is computed through exponentials: cos x = (z + 1/z)/2, sin x = (z - 1/z)/2i, with one complex coefficient per
harmonic.

Clover's rule of abbreviation drops coefficients below a threshold from the links' contributions, rounds the others to
significant digits, and adds the reflected inertias of the motors last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from torquec.closedform.polynomial import Coefficient, Factor, Linear, TrigPolynomial, constant
from torquec.errors import ArgumentError

Multiples: TypeAlias = tuple[tuple[int, int], ...]
"""(joint, multiple) pairs, joints rising, no zero multiples."""

Powers: TypeAlias = tuple[tuple[int, int], ...]
"""(joint, power) pairs of displacements."""


@dataclass(frozen=True, order=True)
class Harmonic:
    """cos or sin of a sum of multiples of joint angles, times powers of displacements."""

    multiples: Multiples = ()
    sine: bool = False
    powers: Powers = ()


@dataclass(frozen=True)
class FourierSeries:
    """A sum of coefficient * harmonic, unique like a `TrigPolynomial`."""

    terms: Mapping[Harmonic, Coefficient] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.terms)

    def __str__(self) -> str:
        from torquec.closedform.text import polynomial_text

        return polynomial_text(self)

    def __add__(self, other: FourierSeries) -> FourierSeries:
        total = dict(self.terms)
        for harmonic, value in other.terms.items():
            total[harmonic] = total[harmonic] + value if harmonic in total else value
        return FourierSeries({harmonic: value for harmonic, value in total.items() if value})

    def __mul__(self, factor: float) -> FourierSeries:
        return self.mapped(lambda _, value: value * factor)

    __rmul__ = __mul__

    def __sub__(self, other: FourierSeries) -> FourierSeries:
        return self + other * -1.0

    def mapped(self, change: Callable[[Harmonic, Coefficient], Coefficient]) -> FourierSeries:
        """The same harmonics with changed coefficients, zeros removed."""
        changed = ((harmonic, change(harmonic, value)) for harmonic, value in self.terms.items())
        return FourierSeries({harmonic: value for harmonic, value in changed if value})

    def abbreviated(self, threshold: float, digits: int | None = None) -> FourierSeries:
        """Without coefficients below the threshold, the rest rounded to significant digits (Clover's 'fuzzy zero').

        Raises `ArgumentError` where coefficients are no numbers.
        """
        if any(isinstance(value, Linear) for value in self.terms.values()):
            raise ArgumentError(
                "coefficients in parameters can be neither compared with a threshold nor rounded",
                remedy="bind the parameters first",
            )

        def change(_: Harmonic, value: float) -> float:
            if abs(value) < threshold:
                return 0.0
            return value if digits is None else float(f"{value:.{digits - 1}e}")

        return self.mapped(change)

    def differentiate(self, joint: int) -> FourierSeries:
        """The derivative by the joint's angle or displacement."""
        total = FourierSeries()
        for harmonic, value in self.terms.items():
            multiple = dict(harmonic.multiples).get(joint, 0)
            if multiple:
                sign = 1.0 if harmonic.sine else -1.0
                turned = Harmonic(harmonic.multiples, not harmonic.sine, harmonic.powers)
                total = total + FourierSeries({turned: sign * multiple * value})
            power = dict(harmonic.powers).get(joint, 0)
            if power:
                lower = tuple((j, p - (j == joint)) for j, p in harmonic.powers if p - (j == joint))
                total = total + FourierSeries({Harmonic(harmonic.multiples, harmonic.sine, lower): power * value})
        return total

    def __call__(self, q: Any) -> Any:
        """Its value at q (n,), or at each row of (N, n)."""
        columns = np.asarray(q, dtype=np.float64).T
        total: Any = np.zeros(columns.shape[1:])
        for harmonic, value in self.terms.items():
            angle: Any = sum((multiple * columns[joint] for joint, multiple in harmonic.multiples), 0.0)
            term = value * (np.sin(angle) if harmonic.sine else np.cos(angle))
            for joint, power in harmonic.powers:
                term = term * columns[joint] ** power
            total = total + term
        return total


def fourier_series(polynomial: TrigPolynomial) -> FourierSeries:
    """The multiple-angle form (1) of a polynomial; coefficients in parameters are converted one by one."""
    parameters = {name for c in polynomial.terms.values() if isinstance(c, Linear) for name in c.parts}
    if not parameters:
        return _number_series(polynomial)
    total = FourierSeries()
    for name in sorted(parameters):
        part = {m: c.parts[name] for m, c in polynomial if isinstance(c, Linear) and name in c.parts}
        series = _number_series(TrigPolynomial(part))
        total = total + FourierSeries({h: Linear({name: value}) for h, value in series.terms.items()})
    return total


def _number_series(polynomial: TrigPolynomial) -> FourierSeries:
    spectrum: dict[tuple[Multiples, Powers], complex] = {}
    size = 0.0
    for monomial, coefficient in polynomial:
        size = max(size, abs(coefficient))
        partial: dict[tuple[Multiples, Powers], complex] = {((), ()): complex(coefficient)}
        for factor in monomial:
            partial = _times(partial, factor)
        for key, value in partial.items():
            spectrum[key] = spectrum.get(key, 0.0) + value
    return _real(spectrum, 1e-15 * size)


def _times(partial: dict[tuple[Multiples, Powers], complex], factor: Factor) -> dict[tuple[Multiples, Powers], complex]:
    """Products with one factor, as exponentials."""
    variable, a, b = factor
    if not variable.is_angle:
        return {(m, (*p, (variable.joints[0][0], b))): value for (m, p), value in partial.items()}
    # C^a S^b = (1/2)^a (1/2i)^b (z + 1/z)^a (z - 1/z)^b
    exponents: dict[int, complex] = {}
    for i in range(a + 1):
        for j in range(b + 1):
            exponent = (a - 2 * i) + (b - 2 * j)
            weight = math.comb(a, i) * math.comb(b, j) * (-1) ** j * 0.5**a * (1 / 2j) ** b
            exponents[exponent] = exponents.get(exponent, 0.0) + weight
    grown: dict[tuple[Multiples, Powers], complex] = {}
    for (multiples, powers), value in partial.items():
        for exponent, weight in exponents.items():
            total = dict(multiples)
            for joint, sign in variable.joints:
                total[joint] = total.get(joint, 0) + sign * exponent
            key = (tuple(sorted((j, k) for j, k in total.items() if k)), powers)
            grown[key] = grown.get(key, 0.0) + value * weight
    return grown


def _real(spectrum: Mapping[tuple[Multiples, Powers], complex], noise: float) -> FourierSeries:
    """Cosines and sines from exponentials: each harmonic with its opposite."""
    terms: dict[Harmonic, float] = {}
    for (multiples, powers), value in spectrum.items():
        if multiples and multiples[0][1] < 0:
            continue
        double = 2.0 if multiples else 1.0
        for sine, part in ((False, value.real), (True, -value.imag)):
            if abs(part) * double > noise:
                terms[Harmonic(multiples, sine, tuple(sorted(powers)))] = double * part
    return FourierSeries(terms)


Value: TypeAlias = TrigPolynomial | FourierSeries


@dataclass(frozen=True)
class Rule:
    """How entries are written: products or multiple angles, without small coefficients, rounded to digits."""

    multiple_angles: bool = False
    threshold: float = 0.0
    digits: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.threshold < float("inf"):
            raise ArgumentError(
                f"the threshold is {self.threshold}", remedy="give a finite number that is not negative"
            )
        if self.digits is not None and not 1 <= self.digits <= 17:
            raise ArgumentError(f"{self.digits} significant digits", remedy="give a number from 1 to 17")


EXACT = Rule()
CLOVER = Rule(multiple_angles=True, threshold=0.01, digits=4)
"""The rule of Clover's Appendix A."""


def written(polynomial: TrigPolynomial, rule: Rule, *, added: float = 0.0) -> Value:
    """A polynomial written by a rule; `added` is a constant within it that is neither dropped nor rounded."""
    if rule == EXACT:
        return polynomial
    coefficients = list(polynomial.terms.values())
    if any(isinstance(coefficient, Linear) for coefficient in coefficients) and (rule.threshold or rule.digits):
        raise ArgumentError(
            "coefficients in parameters can be neither compared with a threshold nor rounded",
            remedy="ask for numbers, or leave out the threshold and the digits",
        )
    abbreviating = bool(rule.threshold or rule.digits)
    apart = added if abbreviating else 0.0
    links = polynomial + constant(-apart) if apart else polynomial
    if rule.multiple_angles:
        series = fourier_series(links)
        if abbreviating:
            series = series.abbreviated(rule.threshold, rule.digits)
        return series + FourierSeries({Harmonic(): apart}) if apart else series
    if abbreviating:
        links = links.mapped(lambda value: _abbreviated(value, rule))
    return links + constant(apart) if apart else links


def _abbreviated(value: float, rule: Rule) -> float:
    if abs(value) < rule.threshold:
        return 0.0
    return value if rule.digits is None else float(f"{value:.{rule.digits - 1}e}")
