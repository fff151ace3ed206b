"""The expressions of xacro, computed without running anything: numbers, words, names, and a fixed list of functions.

Python parses the text; the tree is walked here, and only the listed kinds of nodes are accepted. There are no
attributes, no indices, no calls but to the functions of `FUNCTIONS`, no powers or words that grow without bound.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

from torquec.robot.tuning import TUNING

Value = float | int | bool | str
"""The value of an expression."""

_LARGEST_INTEGER = 2**53  # beyond it doubles skip whole numbers


class XacroExpressionError(Exception):
    """A fault in an expression; the caller, which knows file and line, turns it into a `RobotFileError`."""


def _power(base: Value, exponent: Value) -> Value:
    """A power as a float, so that no integer grows without bound; an integer where it is exact."""
    if isinstance(base, str) or isinstance(exponent, str):
        raise XacroExpressionError("words have no powers")
    result = float(base) ** float(exponent)
    if isinstance(result, complex):
        raise XacroExpressionError("a power is not real")
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0
    return int(result) if whole and abs(result) < _LARGEST_INTEGER else result


CONSTANTS: dict[str, Value] = {"pi": math.pi, "e": math.e, "inf": math.inf, "True": True, "False": False}

FUNCTIONS: dict[str, Callable[..., Value]] = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "hypot")},
    **{name: getattr(math, name) for name in ("exp", "log", "log10", "floor", "ceil", "radians", "degrees", "fabs")},
    "abs": abs,
    "min": min,
    "max": max,
    "round": round,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "pow": _power,
}
"""Functions that an expression may call."""


_LONGEST_WORD = 100_000  # no name in a robot file is longer; repetition could make one of any length

_ARITHMETIC: dict[type, Callable[..., Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_COMPARISONS: dict[type, Callable[..., bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SIGNS: dict[type, Callable[..., Value]] = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}


def evaluate_expression(text: str, lookup: Callable[[str], Value]) -> Value:
    """The value of an expression; `lookup` gives the value of a name, or raises `XacroExpressionError`.

    Raises `XacroExpressionError` for anything that is not arithmetic with numbers, words and names.

    >>> evaluate_expression("-length / 2 + max(0, pi - pi)", {"length": 0.5}.__getitem__)
    -0.25
    """
    if len(text) > TUNING.expression_characters:
        raise XacroExpressionError(f"it has {len(text)} characters; {TUNING.expression_characters} are read")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body, lookup)
    except ZeroDivisionError:
        raise XacroExpressionError("it divides by zero") from None
    except (SyntaxError, RecursionError, MemoryError):
        raise XacroExpressionError("it is not an arithmetic expression") from None
    except OverflowError:
        raise XacroExpressionError("its result is too large") from None
    except (TypeError, ValueError) as error:
        raise XacroExpressionError(str(error)) from None


def _value(node: ast.expr, lookup: Callable[[str], Value]) -> Value:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return _bounded(value)
        case ast.Name(id=name):
            return CONSTANTS[name] if name in CONSTANTS else lookup(name)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _SIGNS:
            return _SIGNS[type(op)](_value(operand, lookup))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _combined(op, _value(left, lookup), _value(right, lookup))
        case ast.BoolOp(op=op, values=values):
            result: Value = False
            for item in values:
                result = _value(item, lookup)
                if bool(result) is isinstance(op, ast.Or):
                    break
            return result
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, lookup) else other, lookup)
        case ast.Compare(left=left, ops=ops, comparators=rights) if all(type(op) in _COMPARISONS for op in ops):
            values_ = [_value(item, lookup) for item in (left, *rights)]
            pairs = zip(ops, values_, values_[1:], strict=False)
            return all(_COMPARISONS[type(op)](a, b) for op, a, b in pairs)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return _bounded(FUNCTIONS[name](*(_value(item, lookup) for item in args)))
        case ast.Call(func=func):
            raise XacroExpressionError(f"it calls {ast.unparse(func)[:60]}, which is none of {', '.join(FUNCTIONS)}")
    raise XacroExpressionError(f"'{ast.unparse(node)[:60]}' is more than arithmetic with names")


def _combined(op: ast.operator, left: Value, right: Value) -> Value:
    words = isinstance(left, str) + isinstance(right, str)
    if words and (words != 2 or not isinstance(op, ast.Add)):
        raise XacroExpressionError("words can only be joined with +")
    return _bounded(_ARITHMETIC[type(op)](left, right))


def _bounded(value: Value) -> Value:
    if isinstance(value, str) and len(value) > _LONGEST_WORD:
        raise XacroExpressionError(f"a word of {len(value)} characters")
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        return float(value)
    return value
