"""Two stages of several functions: what depends on some inputs alone is computed once, beforehand.

(1)  early: every step that only early inputs and constants lead to;  late: all others
(2)  prepare(early inputs) -> constants: the early steps that a late one or an output needs, each once, whichever of the
     functions it comes from
(3)  every function then takes `constants` in place of its early inputs, and computes the same
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.expr.function import Function
from torquec.expr.graph import Node
from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.expr.replay import Replacement, replay
from torquec.expr.trace import trace

CONSTANTS = "constants"


@dataclass(frozen=True)
class Staged:
    """The function that prepares, and the others, which take what it gives (2), (3)."""

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
    """(1), without constants."""
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
    values: dict[int, Any] = {}
    for k, step in enumerate(function.operations):
        if step.op is Op.CONST:
            values[k] = step.value
        elif k in early:
            if step.op is Op.INPUT:
                values[k] = _flat(inputs[step.port])[step.element]
            else:
                values[k] = apply(step.op, *(values[a] for a in step.args))
    return values


def _flat(value: Any) -> list[Any]:
    return [x for row in value for x in _flat(row)] if isinstance(value, tuple) else [value]


def _late(
    function: Function, early: Collection[str], steps: frozenset[int], place: dict[int, int], count: int
) -> Function:
    """(3)."""
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
