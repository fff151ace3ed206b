"""The operations of the expression language, with what each one computes.

One table serves constant folding, the NumPy evaluator, the operation count and every back end: an operation that is
not here does not exist.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np


class Op(StrEnum):
    """What a node computes from its arguments."""

    CONST = "const"
    INPUT = "input"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    NEG = "neg"
    SIN = "sin"
    COS = "cos"
    SQRT = "sqrt"
    ATAN2 = "atan2"
    ABS = "abs"
    MIN = "min"
    MAX = "max"
    SELECT = "select"
    """select(a, b, c): b where a >= 0, else c."""


@dataclass(frozen=True)
class Rule:
    """How many arguments an operation has and what it gives on floats and on arrays."""

    arity: int
    on_floats: Callable[..., float]
    on_arrays: Callable[..., Any]
    commutes: bool = False


def _divide(a: float, b: float) -> float:
    """IEEE division: never raises."""
    if b == 0.0:
        return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


SEMANTICS: dict[Op, Rule] = {
    Op.ADD: Rule(2, lambda a, b: a + b, np.add, commutes=True),
    Op.SUB: Rule(2, lambda a, b: a - b, np.subtract),
    Op.MUL: Rule(2, lambda a, b: a * b, np.multiply, commutes=True),
    Op.DIV: Rule(2, _divide, np.divide),
    Op.NEG: Rule(1, lambda a: -a, np.negative),
    Op.SIN: Rule(1, math.sin, np.sin),
    Op.COS: Rule(1, math.cos, np.cos),
    Op.SQRT: Rule(1, lambda a: math.sqrt(a) if a >= 0.0 else math.nan, np.sqrt),
    Op.ATAN2: Rule(2, math.atan2, np.arctan2),
    Op.ABS: Rule(1, abs, np.abs),
    Op.MIN: Rule(2, min, np.minimum, commutes=True),
    Op.MAX: Rule(2, max, np.maximum, commutes=True),
    Op.SELECT: Rule(3, lambda a, b, c: b if a >= 0.0 else c, lambda a, b, c: np.where(a >= 0.0, b, c)),
}
