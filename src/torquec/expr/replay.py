"""Running a finished `Function` again, step by step: on other scalars, with other constants, with some steps replaced.

(1)  value k = op_k(values of its arguments), on floats, complex numbers, NumPy batches or expression nodes
(2)  `replaced[k]` stands for value k; the steps that only led to it are not needed any more
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torquec.expr.function import Function, Port
from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.expr.trace import trace

Replacement = Callable[[Any], Any]
"""From the values so far, by step, to the value of a step (2)."""


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
