"""How entries are written: in products or multiple angles, whole or abbreviated.

Clover's rule drops coefficients below a threshold from what the links contribute, rounds the others to significant
digits, and adds the reflected inertias of the motors last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torquec.closedform.fourier import FourierSeries, Harmonic, fourier_series
from torquec.closedform.polynomial import Linear, TrigPolynomial, constant
from torquec.errors import ArgumentError

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
    """A polynomial as the rule says; `added` is a constant within it that is neither dropped nor rounded."""
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
