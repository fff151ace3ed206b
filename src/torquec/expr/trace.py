"""Tracing: an algorithm run on expression nodes gives its customized straight-line program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from torquec.errors import ExpressionError
from torquec.expr.function import Function, Operation, Port, check_function
from torquec.expr.graph import Graph, Node
from torquec.expr.ops import Op
from torquec.expr.passes import optimize, reachable
from torquec.foundation.paused_collection import paused_collection


def trace(
    name: str,
    algorithm: Callable[..., Mapping[str, Any]],
    inputs: Mapping[str, tuple[int, ...]],
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Function:
    """The `Function` that `algorithm` computes.

    `algorithm` is called with one keyword per input, a (nested) tuple of nodes of the given shape (a bare node for
    shape ()), and returns its outputs by name: nodes, numbers or nested sequences of them. `shapes` gives the shapes of
    empty outputs.

    >>> f = trace("f", lambda x: {"y": x[0] * x[1] + x[0] * x[1]}, {"x": (2,)})
    >>> [step.op.value for step in f.operations]
    ['input', 'input', 'mul', 'add']
    """
    graph = Graph()
    with paused_collection():
        function = _traced(graph, name, algorithm, inputs, shapes)
        graph.forget()
    return function


def _traced(
    graph: Graph,
    name: str,
    algorithm: Callable[..., Mapping[str, Any]],
    inputs: Mapping[str, tuple[int, ...]],
    shapes: Mapping[str, tuple[int, ...]] | None,
) -> Function:
    ports = tuple(Port(key, tuple(shape)) for key, shape in inputs.items())
    outputs = algorithm(**{port.name: _nodes(graph, port) for port in ports})
    flat: dict[str, list[Node]] = {}
    out_ports = []
    for key, value in outputs.items():
        port = Port(key, shapes[key] if shapes and key in shapes else _shape(key, value))
        out_ports.append(port)
        flat[key] = [graph.make(Op.ADD, element, 0.0) for element in _flatten(value)]
        if len(flat[key]) != port.size:
            raise ExpressionError(f"output '{key}' of shape {port.shape} was given {len(flat[key])} values")
    return _linearize(name, ports, tuple(out_ports), flat)


def inline(function: Function, graph: Graph, inputs: Mapping[str, Sequence[Any]]) -> dict[str, list[Node]]:
    """The outputs of `function` as nodes of `graph`, its inputs replaced by the given (flat) nodes or numbers."""
    values: list[Node] = []
    for step in function.operations:
        if step.op is Op.CONST:
            values.append(graph.constant(step.value))
        elif step.op is Op.INPUT:
            values.append(graph.make(Op.ADD, inputs[step.port][step.element], 0.0))
        else:
            values.append(graph.make(step.op, *(values[a] for a in step.args)))
    return {
        port.name: [values[v] for v in result] for port, result in zip(function.outputs, function.results, strict=True)
    }


def bind(function: Function, values: Mapping[str, Sequence[float]], *, name: str | None = None) -> Function:
    """The function with some inputs fixed to (flat) numbers, folded again.

    >>> f = trace("f", lambda x, p: {"y": p[0] * x[0] + p[1]}, {"x": (1,), "p": (2,)})
    >>> [step.op.value for step in bind(f, {"p": [2.0, 0.0]}).operations]
    ['input', 'const', 'mul']
    """
    for key, given in values.items():
        if len(given) != function.input(key).size:
            raise ExpressionError(f"input '{key}' has {function.input(key).size} elements, {len(given)} were given")
    graph = Graph()
    free = tuple(port for port in function.inputs if port.name not in values)
    nodes: dict[str, Sequence[Any]] = {port.name: list(_flatten(_nodes(graph, port))) for port in free}
    outputs = inline(function, graph, {**nodes, **values})
    return _linearize(name or function.name, free, function.outputs, outputs)


def _nodes(graph: Graph, port: Port) -> Any:
    """The port's nodes, nested like its shape."""

    def block(shape: tuple[int, ...], start: int) -> Any:
        if not shape:
            return graph.input(port.name, start)
        step = 1
        for size in shape[1:]:
            step *= size
        return tuple(block(shape[1:], start + k * step) for k in range(shape[0]))

    return block(port.shape, 0)


def _shape(name: str, value: Any) -> tuple[int, ...]:
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if isinstance(value, Sequence):
        inner = {_shape(name, element) for element in value}
        if len(inner) > 1:
            raise ExpressionError(f"output '{name}' is ragged", remedy="give rows of the same length")
        return (len(value), *next(iter(inner), ()))
    return ()


def _flatten(value: Any) -> Iterable[Any]:
    if isinstance(value, Sequence) or (hasattr(value, "shape") and value.shape):
        for element in value:
            yield from _flatten(element)
    else:
        yield value


def _linearize(
    name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], nodes: Mapping[str, list[Node]]
) -> Function:
    """Optimize, then list the nodes that the outputs need, every operation behind its arguments."""
    roots = optimize([node for port in outputs for node in nodes[port.name]])
    order = reachable(roots)
    position = {node.index: k for k, node in enumerate(order)}
    operations = tuple(_operation(node, position) for node in order)
    results, start = [], 0
    for port in outputs:
        results.append(tuple(position[node.index] for node in roots[start : start + port.size]))
        start += port.size
    function = Function(name, inputs, outputs, operations, tuple(results))
    check_function(function)
    return function


def _operation(node: Node, position: Mapping[int, int]) -> Operation:
    if node.op is Op.INPUT:
        port, element = node.graph.input_of(node)
        return Operation(Op.INPUT, port=port, element=element)
    return Operation(node.op, tuple(position[a.index] for a in node.args), value=node.value)
