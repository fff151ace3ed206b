"""Identifiers and floating-point type of a C package: escaped, unique, different from macros and local names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from torquec.codegen.identifiers import c_identifier, prefix_identifier
from torquec.codegen.precision import Precision
from torquec.expr import Function


@dataclass(frozen=True)
class CScalar:
    """A type of C: name, suffix of literals and of functions of math.h, infinity, rounding error, size [bytes]."""

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
"""The default type of a package."""

SINGLE = CScalar("float", "f", "HUGE_VALF", 2.0**-23, 4)
"""For processors that compute in single precision."""

SCALARS: Mapping[Precision, CScalar] = MappingProxyType({Precision.DOUBLE: DOUBLE, Precision.SINGLE: SINGLE})
"""The type of C for every precision."""


_LOCAL = re.compile(r"[vxsc][0-9]+")
_MACRO = re.compile(
    r"(M|FP|MATH|HUGE|FLT|DBL)_[A-Z0-9_]+|NAN|S?NANF?|INFINITY|HUGE|MAXFLOAT|DOMAIN|SING|[A-Z]+FLOW|[PT]LOSS"
)


@dataclass(frozen=True)
class Names:
    """Identifiers of one package, and its type of numbers; `helper` names a static function or type."""

    prefix: str
    functions: tuple[str, ...]
    scalar: CScalar = DOUBLE

    @property
    def guard(self) -> str:
        """The header's include guard."""
        return f"{self.prefix.upper()}_H_INCLUDED"

    def helper(self, word: str) -> str:
        """The name of an internal function or type, different from all functions' names."""
        return _unlike(f"{self.prefix}_{word}", self.functions)

    def ports(self, function: Function) -> dict[str, str]:
        """Parameter names by the names of inputs and outputs."""
        names: dict[str, str] = {}
        for port in (*function.inputs, *function.outputs):
            name = c_identifier(port.name)
            clashes = _LOCAL.fullmatch(name) or _MACRO.fullmatch(name) or name == self.guard
            names[port.name] = _unlike(f"{name}_" if clashes else name, names.values())
        return names


def package_names(functions: Sequence[Function], prefix: str, *, scalar: CScalar = DOUBLE) -> Names:
    """The names of a package whose files and functions begin with `prefix`, and the type of its numbers.

    >>> package_names([], "my robot").prefix
    'my_robot'
    """
    start = prefix_identifier(prefix)
    return Names(start, tuple(f"{start}_{c_identifier(function.name)}" for function in functions), scalar)


def _unlike(name: str, taken: Iterable[str]) -> str:
    taken = set(taken)
    while name in taken:
        name += "_"
    return name
