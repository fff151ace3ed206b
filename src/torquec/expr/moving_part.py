"""What an input adds to a `Function`: f(x, y) - f(x, 0), computed without the part that cancels.

Every value is carried as its part at rest (y = 0) and its moving part, which together are the value:

(1)  a + b, a - b, -a     part by part
(2)  a b                  rest a0 b0,  moving a' (b0 + b') + a0 b'
(3)  a / b                moving a' / b0 where b does not move
(4)  any other operation  moving f(a0 + a') - f(a0)

Parts that no output needs are never computed: of a Newton-Euler recursion this leaves the recursion without gravity,
not the difference of two recursions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.expr.function import Function
from torquec.expr.graph import Node
from torquec.expr.math import apply
from torquec.expr.ops import Op

_Parts = tuple[Any, Any]
"""Part at rest and moving part: nodes or numbers."""


def moving_part(function: Function, inputs: Mapping[str, Any], moving: str) -> dict[str, list[Any]]:
    """The outputs (flat, by name) minus their values with the input `moving` at zero: (1)-(4).

    `inputs` are flat sequences of nodes or numbers.

    >>> from torquec.expr.trace import trace
    >>> f = trace("f", lambda x, y: {"z": [x[0] * (2.0 + y[0] * y[0])]}, {"x": (1,), "y": (1,)})
    >>> moving_part(f, {"x": [3.0], "y": [2.0]}, "y")
    {'z': [12.0]}
    """
    values: list[_Parts] = []
    for step in function.operations:
        if step.op is Op.CONST:
            values.append((step.value, 0.0))
        elif step.op is Op.INPUT:
            value = inputs[step.port][step.element]
            values.append((0.0, value) if step.port == moving else (value, 0.0))
        else:
            values.append(_parts(step.op, [values[a] for a in step.args]))
    return {
        port.name: [values[k][1] for k in result]
        for port, result in zip(function.outputs, function.results, strict=True)
    }


def _parts(op: Op, args: list[_Parts]) -> _Parts:
    rest = apply(op, *(a[0] for a in args))
    if all(_is_zero(a[1]) for a in args):
        return rest, 0.0
    if op in (Op.ADD, Op.SUB, Op.NEG):
        return rest, apply(op, *(a[1] for a in args))  # (1)
    if op is Op.MUL:
        return rest, _product(*args)  # (2)
    if op is Op.DIV and _is_zero(args[1][1]):
        return rest, apply(Op.DIV, args[0][1], args[1][0])  # (3)
    whole = apply(op, *(_sum(*a) for a in args))
    return rest, apply(Op.SUB, whole, rest)  # (4)


def _product(a: _Parts, b: _Parts) -> Any:
    """(2), without the products that are zero."""
    if _is_zero(a[1]) or _is_zero(b[0]):
        a, b = b, a
    if _is_zero(b[1]):
        return apply(Op.MUL, a[1], b[0])
    first = apply(Op.MUL, a[1], _sum(*b))
    return first if _is_zero(a[0]) else _sum(first, apply(Op.MUL, a[0], b[1]))


def _sum(a: Any, b: Any) -> Any:
    return b if _is_zero(a) else a if _is_zero(b) else apply(Op.ADD, a, b)


def _is_zero(value: Any) -> bool:
    if isinstance(value, Node):
        return value.op is Op.CONST and value.value == 0.0
    return isinstance(value, (float, int)) and value == 0.0
