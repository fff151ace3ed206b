"""The floating-point type that a C package computes in: the one place that knows how its numbers are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from torquec.codegen.precision import Precision


@dataclass(frozen=True)
class CScalar:
    """A type of C: its name, the suffix of its literals and of the functions of math.h, its rounding and its bytes."""

    type: str
    suffix: str
    infinity: str
    epsilon: float
    size: int

    def number(self, value: float) -> str:
        """A literal that reads back as the number, rounded to this type.

        >>> DOUBLE.number(0.1), SINGLE.number(2.0), DOUBLE.number(float("inf"))
        ('0.1', '2.0f', 'HUGE_VAL')
        """
        if math.isnan(value):
            return f"({self.type})NAN"
        if math.isinf(value):
            return self.infinity if value > 0.0 else f"-{self.infinity}"
        return f"{float(value)!r}{self.suffix}"

    def function(self, name: str) -> str:
        """A function of math.h for this type.

        >>> SINGLE.function("sqrt")
        'sqrtf'
        """
        return f"{name}{self.suffix}"


DOUBLE = CScalar("double", "", "HUGE_VAL", 2.0**-52, 8)
"""What every package is written in unless it is asked otherwise."""

SINGLE = CScalar("float", "f", "HUGE_VALF", 2.0**-23, 4)
"""For processors that compute in single precision."""

SCALARS: Mapping[Precision, CScalar] = MappingProxyType({Precision.DOUBLE: DOUBLE, Precision.SINGLE: SINGLE})
"""The type of C for every precision."""
