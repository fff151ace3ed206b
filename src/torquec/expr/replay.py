"""Evaluating a finished `Function` again, step by step: other scalars, other constants, steps replaced or precomputed.

(1)  value k = op_k(values of its arguments), on floats, complex numbers, NumPy batches or expression nodes
(2)  `replaced[k]` takes the place of value k; steps that only led to it are dropped

Two stages of several functions (`staged`):

(3)  early: every step that depends on early inputs and constants only;  late: all others
(4)  prepare(early inputs) -> constants: the values of early steps that late steps or outputs need, each once for all
     functions together
(5)  every function then takes `constants` in place of its early inputs, with the same results

Contribution of an input, f(x, y) - f(x, 0), without the terms that cancel (`moving_part`). Every value is carried as
its part at rest (y = 0) and its moving part. Parts that no output needs are never computed: a Newton-Euler recursion
becomes one recursion without gravity, and not the difference of two recursions.

(6)  a + b, a - b, -a     part by part
(7)  a b                  rest a0 b0,  moving a' (b0 + b') + a0 b'
(8)  a / b                moving a' / b0 where b does not move
(9)  any other operation  moving f(a0 + a') - f(a0)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.expr.function import Function, Port
from torquec.expr.graph import Node, is_zero
from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.expr.trace import trace

Replacement = Callable[[Any], Any]
"""A function from the values of the earlier steps, in order, to the value of a step (2)."""


def replay(
    function: Function,
    inputs: Mapping[str, Any],
    *,
    constants: Mapping[int, float] | None = None,
    replaced: Mapping[int, Replacement] | None = None,
) -> dict[str, Any]:
    """The outputs by name, nested like their shapes, over any scalar (1).

    `inputs` are nested like their ports; `constants` replaces the constants of some steps, `replaced` whole steps (2).

    >>> f = trace("f", lambda x: {"y": [x[0] * x[1] + 2.0]}, {"x": (2,)})
    >>> replay(f, {"x": [3.0, 4.0]})
    {'y': [14.0]}
    """
    values = replayed_steps(function, inputs, constants=constants, replaced=replaced)
    return {
        port.name: _nested([values[k] for k in result], port)
        for port, result in zip(function.outputs, function.results, strict=True)
    }


def replayed_steps(
    function: Function,
    inputs: Mapping[str, Any],
    *,
    constants: Mapping[int, Any] | None = None,
    replaced: Mapping[int, Replacement] | None = None,
) -> list[Any]:
    """The value of every step, in order; constants may be replaced by batches, too."""
    flat = {port.name: _flat(inputs[port.name], port) for port in function.inputs}
    other, instead = constants or {}, replaced or {}
    values: list[Any] = []
    for k, step in enumerate(function.operations):
        if k in instead:
            values.append(instead[k](values))
        elif step.op is Op.CONST:
            values.append(other.get(k, step.value))
        elif step.op is Op.INPUT:
            values.append(flat[step.port][step.element])
        else:
            values.append(apply(step.op, *[values[a] for a in step.args]))
    return values


def rebuilt(
    function: Function,
    *,
    name: str | None = None,
    constants: Mapping[int, float] | None = None,
    replaced: Mapping[int, Replacement] | None = None,
) -> Function:
    """The function with other constants or steps, folded and optimized again."""
    shapes = {port.name: port.shape for port in function.inputs}
    outputs = {port.name: port.shape for port in function.outputs}

    def algorithm(**inputs: Any) -> dict[str, Any]:
        return replay(function, inputs, constants=constants, replaced=replaced)

    return trace(name or function.name, algorithm, shapes, shapes=outputs)


def _flat(value: Any, port: Port) -> Sequence[Any]:
    if len(port.shape) == 1:
        return value  # type: ignore[no-any-return]
    return [value] if not port.shape else [x for row in value for x in _flat(row, Port(port.name, port.shape[1:]))]


def _nested(values: Sequence[Any], port: Port) -> Any:
    if not port.shape:
        return values[0]
    if len(port.shape) == 1:
        return list(values)
    inner = Port(port.name, port.shape[1:])
    return [_nested(values[k * inner.size : (k + 1) * inner.size], inner) for k in range(port.shape[0])]


CONSTANTS = "constants"


@dataclass(frozen=True)
class Staged:
    """The function `prepare` (4), and the functions that take its constants (5)."""

    prepare: Function
    functions: tuple[Function, ...]


def staged(functions: Sequence[Function], early: Collection[str], *, name: str = "prepare") -> Staged:
    """The functions in two stages; `early` are names of inputs, which have one shape in all functions.

    A function without early inputs stays as it is.

    >>> f = trace("f", lambda x, p: {"y": x[0] * (p[0] * p[1])}, {"x": (1,), "p": (2,)})
    >>> parts = staged([f], {"p"})
    >>> [port.name for port in parts.functions[0].inputs], len(parts.prepare.results[0])
    (['x', 'constants'], 1)
    """
    places: list[dict[int, int]] = [{} for _ in functions]
    known = [_early_steps(function, early) for function in functions]
    ports = {port.name: port.shape for function in functions for port in function.inputs if port.name in early}

    def algorithm(**inputs: Any) -> dict[str, Any]:
        order: dict[Any, int] = {}
        nodes: list[Any] = []
        for function, steps, place in zip(functions, known, places, strict=True):
            values = _early_values(function, steps, inputs)
            for k in _needed(function, steps):
                key = values[k].index if isinstance(values[k], Node) else ("number", values[k])
                if key not in order:
                    order[key] = len(nodes)
                    nodes.append(values[k])
                place[k] = order[key]
        return {CONSTANTS: nodes}

    prepare = trace(name, algorithm, ports)
    count = prepare.output(CONSTANTS).size
    parts = zip(functions, known, places, strict=True)
    return Staged(prepare, tuple(_late(function, early, steps, place, count) for function, steps, place in parts))


def _early_steps(function: Function, early: Collection[str]) -> frozenset[int]:
    """Indices of the early steps (3), without constants."""
    constant: set[int] = set()
    found: set[int] = set()
    for k, step in enumerate(function.operations):
        if step.op is Op.CONST:
            constant.add(k)
        elif step.op is Op.INPUT:
            if step.port in early:
                found.add(k)
        elif all(a in found or a in constant for a in step.args):
            found.add(k)
    return frozenset(found)


def _needed(function: Function, early: frozenset[int]) -> list[int]:
    used = {a for k, step in enumerate(function.operations) if k not in early for a in step.args}
    used.update(k for result in function.results for k in result)
    return sorted(used & early)


def _early_values(function: Function, early: frozenset[int], inputs: dict[str, Any]) -> dict[int, Any]:
    flat = {port.name: _flat(inputs[port.name], port) for port in function.inputs if port.name in inputs}
    values: dict[int, Any] = {}
    for k, step in enumerate(function.operations):
        if step.op is Op.CONST:
            values[k] = step.value
        elif k in early:
            if step.op is Op.INPUT:
                values[k] = flat[step.port][step.element]
            else:
                values[k] = apply(step.op, *(values[a] for a in step.args))
    return values


def _late(
    function: Function, early: Collection[str], steps: frozenset[int], place: dict[int, int], count: int
) -> Function:
    """The function of the late steps, which takes `constants` (5)."""
    if not any(port.name in early for port in function.inputs):
        return function
    unused = {port.name: (0.0,) * port.size for port in function.inputs if port.name in early}
    ports = {port.name: port.shape for port in function.inputs if port.name not in early}

    def algorithm(**inputs: Any) -> dict[str, Any]:
        constants = inputs.pop(CONSTANTS, ())

        def taken(k: int) -> Replacement:
            return lambda _: constants[place[k]] if k in place else 0.0

        return replay(function, {**inputs, **unused}, replaced={k: taken(k) for k in steps})

    if place:
        ports[CONSTANTS] = (count,)
    return trace(function.name, algorithm, ports, shapes={port.name: port.shape for port in function.outputs})


_Parts = tuple[Any, Any]  # part at rest and moving part: nodes or numbers


def moving_part(function: Function, inputs: Mapping[str, Any], moving: str) -> dict[str, list[Any]]:
    """The outputs (flat, by name) minus their values with the input `moving` at zero: (6)-(9).

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
    if all(is_zero(a[1]) for a in args):
        return rest, 0.0
    if op in (Op.ADD, Op.SUB, Op.NEG):
        return rest, apply(op, *(a[1] for a in args))  # (6)
    if op is Op.MUL:
        return rest, _product(*args)  # (7)
    if op is Op.DIV and is_zero(args[1][1]):
        return rest, apply(Op.DIV, args[0][1], args[1][0])  # (8)
    whole = apply(op, *(_sum(*a) for a in args))
    return rest, apply(Op.SUB, whole, rest)  # (9)


def _product(a: _Parts, b: _Parts) -> Any:
    """The moving part of a product (7), without products that are zero."""
    if is_zero(a[1]) or is_zero(b[0]):
        a, b = b, a
    if is_zero(b[1]):
        return apply(Op.MUL, a[1], b[0])
    first = apply(Op.MUL, a[1], _sum(*b))
    return first if is_zero(a[0]) else _sum(first, apply(Op.MUL, a[0], b[1]))


def _sum(a: Any, b: Any) -> Any:
    return b if is_zero(a) else a if is_zero(b) else apply(Op.ADD, a, b)
