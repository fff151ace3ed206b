"""Provenance of numbers in a report: proved, measured, computed or assumed.

A `Number` is the only way to put a number into a report, and its provenance has no default: every section must state
the origin of each value, and the page shows it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from torquec.errors import ArgumentError
from torquec.report.tables import NOISE
from torquec_check.claim import rounded_down, rounded_up

_LARGEST_WITHOUT_EXPONENT = 1e7
"""Smaller numbers are shown with all digits before the point, larger ones with an exponent."""


class Obtained(StrEnum):
    """The four kinds of provenance; a member's value is the word that the page shows."""

    PROVED = "proved"
    MEASURED = "measured"
    COMPUTED = "computed"
    ASSUMED = "assumed"

    @property
    def meaning(self) -> str:
        """What a number of this kind guarantees to the reader."""
        return _MEANINGS[self]


_MEANINGS = {
    Obtained.PROVED: "holds for every stated case; the command beside it proves it again",
    Obtained.MEASURED: "observed on a named robot or machine, or in a named log; others may differ",
    Obtained.COMPUTED: "calculated from the model at the named points or runs; or a bound "
    "without a witness that could be proven again",
    Obtained.ASSUMED: "taken from a file or a specification without a check",
}


@dataclass(frozen=True)
class Provenance:
    """How a number was obtained, and from what: a certificate, a log, a machine, a calculation, a file."""

    how: Obtained
    source: str

    def __post_init__(self) -> None:
        if not isinstance(self.how, Obtained) or not isinstance(self.source, str) or not self.source.strip():
            raise ArgumentError(
                f"a provenance needs an `Obtained` and a source in words, not {self.how!r} and {self.source!r}",
                remedy="name the source of the number: a file, a log, a machine, a calculation",
            )


def proved(certificate: str) -> Provenance:
    """Proved, with the certificate or the argument that proves it."""
    return Provenance(Obtained.PROVED, certificate)


def measured(on: str) -> Provenance:
    """Measured on a robot, in a log, on a machine."""
    return Provenance(Obtained.MEASURED, on)


def computed(by: str) -> Provenance:
    """Computed from a model; `by` names the calculation."""
    return Provenance(Obtained.COMPUTED, by)


def assumed(source: str) -> Provenance:
    """Taken unchanged from a file or a specification."""
    return Provenance(Obtained.ASSUMED, source)


@dataclass(frozen=True)
class Number:
    """A finite number with its unit, and how it was obtained; `digits` is the number of digits shown.

    A proved number is an upper bound and is rounded up. `at_least` marks a lower bound, which is rounded down;
    `at_most` marks an upper bound.

    >>> str(Number(0.123412, proved("arm.certificate.json"), "N m"))
    '0.1235 N m'
    """

    value: float
    provenance: Provenance
    unit: str = ""
    digits: int = 4
    at_least: bool = False
    at_most: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.provenance, Provenance):
            raise ArgumentError(
                f"the number {self.value!r} does not say how it was obtained",
                remedy="give its Provenance: proved, measured, computed or assumed",
            )
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not math.isfinite(self.value):
            raise ArgumentError(f"{self.value!r} is not a finite number", remedy="say in words what there is instead")

    @property
    def text(self) -> str:
        """The value alone; whole numbers with all their digits."""
        if isinstance(self.value, int):
            return str(self.value)
        if self._is_noise:
            return f"< {NOISE:g}" if self._is_upper_bound and not self.at_least else "0"
        if self.at_least:
            return shortened(float(rounded_down(self.value, self._shown_digits)), self._shown_digits)
        if self._is_upper_bound:
            return shortened(float(rounded_up(self.value, self._shown_digits)), self._shown_digits)
        return shortened(self.value, self.digits)

    @property
    def _is_upper_bound(self) -> bool:
        return self.at_most or self.provenance.how is Obtained.PROVED

    @property
    def _is_noise(self) -> bool:
        """Whether a float is below the rounding of any quantity of a robot in SI units; a proven bound still holds."""
        return 0.0 < abs(self.value) < NOISE

    @property
    def _shown_digits(self) -> int:
        """Significant digits of a bound: all that stand before its point."""
        size = abs(self.value)
        return (
            max(self.digits, math.floor(math.log10(size)) + 1)
            if 1.0 <= size < _LARGEST_WITHOUT_EXPONENT
            else self.digits
        )

    def __str__(self) -> str:
        return f"{self.text} {self.unit}".rstrip()


def shortened(value: float, digits: int) -> str:
    """A number with `digits` significant digits, without an exponent where that stays short.

    >>> shortened(12345.678, 4), shortened(-0.00012345, 3), shortened(1.5e-9, 4), shortened(-0.0, 4)
    ('12346', '-0.000123', '1.5e-09', '0')
    """
    value = value + 0.0
    size = abs(value)
    if 10.0**digits <= size < _LARGEST_WITHOUT_EXPONENT:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


@dataclass(frozen=True)
class Statement:
    """A sentence of a document that may hold numbers, with how they were obtained.

    >>> str(Statement("trusted: 4 of 12 parameters matter", computed("the covariance of the fit")))
    'trusted: 4 of 12 parameters matter'
    """

    text: str
    provenance: Provenance

    def __post_init__(self) -> None:
        if not isinstance(self.provenance, Provenance):
            raise ArgumentError(
                f"the statement {self.text!r} does not say how it was obtained",
                remedy="give its Provenance: proved, measured, computed or assumed",
            )

    def __str__(self) -> str:
        return self.text
