"""Error tolerance of one coefficient of the equations of motion."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ErrorKind(StrEnum):
    """How an error is measured: absolute, or as a part of the exact coefficient."""

    ABSOLUTE = "absolute"
    RELATIVE = "relative"


class Family(StrEnum):
    """The coefficients of the equations of motion; H are Christoffel symbols, V friction."""

    M = "M"
    H = "H"
    G = "g"
    V = "V"


@dataclass(frozen=True)
class CoefficientTolerance:
    """Error tolerance of one coefficient: its indices from zero (bodies), and the joint that requires it."""

    family: Family
    index: tuple[int, ...]
    value: float
    kind: ErrorKind
    joint: str

    @property
    def name(self) -> str:
        """'M[1,2]', 'H[1,1,2]', 'g[2]', counted from one."""
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"
