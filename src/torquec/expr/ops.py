"""The operations of the expression language, with what each one computes.

One table serves constant folding, the NumPy evaluator and every back end: an operation that is not here does not exist.
No operation raises, neither on floats nor on arrays: a sine of infinity or a root of a negative number is nan, and
every operation except a select passes nan on.
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
    EXP = "exp"
    ATAN2 = "atan2"
    ABS = "abs"
    MIN = "min"
    MAX = "max"
    SELECT = "select"
    """select(a, b, c): b where a >= 0, else c (also where a is not a number)."""


@dataclass(frozen=True)
class Semantics:
    """How many arguments an operation has and what it gives on floats and on arrays."""

    arity: int
    on_floats: Callable[..., float]
    on_arrays: Callable[..., Any]
    commutes: bool = False


def _divide(a: float, b: float) -> float:
    if b == 0.0:
        return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _sine(a: float) -> float:
    return math.nan if math.isinf(a) else math.sin(a)


def _cosine(a: float) -> float:
    return math.nan if math.isinf(a) else math.cos(a)


def _root(a: float) -> float:
    return math.sqrt(a) if a >= 0.0 else math.nan


def _exponential(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _smaller(a: float, b: float) -> float:
    return a if a < b or math.isnan(a) else b


def _larger(a: float, b: float) -> float:
    return a if a > b or math.isnan(a) else b


SEMANTICS: dict[Op, Semantics] = {
    Op.ADD: Semantics(2, lambda a, b: a + b, np.add, commutes=True),
    Op.SUB: Semantics(2, lambda a, b: a - b, np.subtract),
    Op.MUL: Semantics(2, lambda a, b: a * b, np.multiply, commutes=True),
    Op.DIV: Semantics(2, _divide, np.divide),
    Op.NEG: Semantics(1, lambda a: -a, np.negative),
    Op.SIN: Semantics(1, _sine, np.sin),
    Op.COS: Semantics(1, _cosine, np.cos),
    Op.SQRT: Semantics(1, _root, np.sqrt),
    Op.EXP: Semantics(1, _exponential, np.exp),
    Op.ATAN2: Semantics(2, math.atan2, np.arctan2),
    Op.ABS: Semantics(1, abs, np.abs),
    Op.MIN: Semantics(2, _smaller, np.minimum, commutes=True),
    Op.MAX: Semantics(2, _larger, np.maximum, commutes=True),
    Op.SELECT: Semantics(3, lambda a, b, c: b if a >= 0.0 else c, lambda a, b, c: np.where(a >= 0.0, b, c)),
}
