"""Exact derivatives of a `Function`, forward mode on the graph, sparse: a zero derivative is never a node.

(1)  d(a b) = da b + a db,  d(a/b) = (da - (a/b) db)/b,  d sin a = cos a da,  d cos a = -sin a da
(2)  d sqrt a = da/(2 sqrt a),  d exp a = exp a da,  d atan2(y, x) = (x dy - y dx)/(x^2 + y^2)
(3)  |a|, min, max and select take the derivative of the branch that is taken
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torquec.expr.function import Function
from torquec.expr.graph import Node
from torquec.expr.ops import Op
from torquec.expr.passes import reachable
from torquec.expr.trace import inline, trace

Derivative = Callable[[Node, tuple[Any, ...]], Any]
"""From a node and the derivatives of its arguments to its own."""


def _select(a: Node, b: Any, c: Any) -> Any:
    return a.graph.make(Op.SELECT, a, b, c)


_DERIVATIVES: dict[Op, Derivative] = {
    Op.ADD: lambda _, d: d[0] + d[1],
    Op.SUB: lambda _, d: d[0] - d[1],
    Op.NEG: lambda _, d: -d[0],
    Op.MUL: lambda v, d: d[0] * v.args[1] + v.args[0] * d[1],
    Op.DIV: lambda v, d: (d[0] - v * d[1]) / v.args[1],
    Op.SIN: lambda v, d: v.graph.make(Op.COS, v.args[0]) * d[0],
    Op.COS: lambda v, d: -(v.graph.make(Op.SIN, v.args[0]) * d[0]),
    Op.SQRT: lambda v, d: d[0] / (2.0 * v),
    Op.EXP: lambda v, d: v * d[0],
    Op.ATAN2: lambda v, d: (v.args[1] * d[0] - v.args[0] * d[1]) / (v.args[1] * v.args[1] + v.args[0] * v.args[0]),
    Op.ABS: lambda v, d: _select(v.args[0], d[0], -d[0]),
    Op.MIN: lambda v, d: _select(v.args[1] - v.args[0], d[0], d[1]),
    Op.MAX: lambda v, d: _select(v.args[0] - v.args[1], d[0], d[1]),
    Op.SELECT: lambda v, d: _select(v.args[0], d[1], d[2]),
}


def jacobian_nodes(outputs: list[Node], variables: list[Node]) -> list[list[Any]]:
    """d outputs / d variables, entries are nodes or numbers. Variables may be any nodes, not only inputs."""
    order = reachable(outputs)
    columns = [_tangents(order, outputs, {variable.index: 1.0}) for variable in variables]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in outputs]


def directional_nodes(outputs: list[Node], variables: list[Node], direction: Sequence[Any]) -> list[Any]:
    """d outputs along a direction, a node or number per variable: one pass, whatever the number of variables."""
    seeds = {v.index: d for v, d in zip(variables, direction, strict=True) if not _is_zero(d)}
    return _tangents(reachable(outputs), outputs, seeds)


def _tangents(order: list[Node], outputs: list[Node], seeds: Mapping[int, Any]) -> list[Any]:
    """The derivatives of the outputs where those of some nodes are given."""
    tangent: dict[int, Any] = dict(seeds)
    for node in order:
        if node.index in seeds or not any(arg.index in tangent for arg in node.args):
            continue
        derivative = _DERIVATIVES[node.op](node, tuple(tangent.get(arg.index, 0.0) for arg in node.args))
        if not _is_zero(derivative):
            tangent[node.index] = derivative
    return [tangent.get(output.index, 0.0) for output in outputs]


def _is_zero(derivative: Node | float) -> bool:
    if isinstance(derivative, Node):
        return derivative.op is Op.CONST and derivative.value == 0.0
    return derivative == 0.0


def differentiate(function: Function, output: str, by: str, *, name: str | None = None) -> Function:
    """The Jacobian of one output by one input, as a function of the same inputs.

    Its output is called d<output>_d<by> and has the shape of the output followed by that of the input. Raises
    `ExpressionError` where the function has no such output or input.

    >>> f = trace("f", lambda x: {"y": [x[0] * x[1]]}, {"x": (2,)})
    >>> from torquec.expr.evaluate import evaluate
    >>> evaluate(differentiate(f, "y", "x"), {"x": [3.0, 4.0]})["dy_dx"].tolist()
    [[4.0, 3.0]]
    """
    shape = (*function.output(output).shape, *function.input(by).shape)
    key = f"d{output}_d{by}"

    def algorithm(**inputs: Any) -> Mapping[str, Any]:
        flat = {port: list(_leaves(nodes)) for port, nodes in inputs.items()}
        variables = flat[by]
        if not variables:
            return {key: []}
        nodes = inline(function, variables[0].graph, flat)[output]
        return {key: [entry for row in jacobian_nodes(nodes, variables) for entry in row]}

    ports = {port.name: port.shape for port in function.inputs}
    return trace(name or f"{function.name}_{key}", algorithm, ports, shapes={key: shape})


def _leaves(nodes: Any) -> Iterator[Node]:
    """The nodes of a port, row by row."""
    if isinstance(nodes, Node):
        yield nodes
    else:
        for part in nodes:
            yield from _leaves(part)
