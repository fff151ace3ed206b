"""Exact derivatives of a `Function` on the graph: forward mode for Jacobians, reverse mode for gradients.

Forward mode is sparse: a zero derivative is never a node. It costs about the function once per input.

(1)  d(a b) = da b + a db,  d(a/b) = (da - (a/b) db)/b,  d sin a = cos a da,  d cos a = -sin a da
(2)  d sqrt a = da/(2 sqrt a),  d exp a = exp a da,  d atan2(y, x) = (x dy - y dx)/(x^2 + y^2)
(3)  |a|, min, max and select take the derivative of the branch that is taken

Reverse mode costs a few times the function itself, however many inputs there are.

(4)  s = sum_k w_k y_k(x);  backwards from s, a node passes its adjoint s' on to its arguments:
     a + b: (s', s'),   a - b: (s', -s'),   a b: (s' b, s' a),   v = a/b: (s'/b, -s' v/b),   sin a: s' cos a, ..
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torquec.errors import ExpressionError
from torquec.expr.function import Function
from torquec.expr.graph import Node, is_zero
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
    """d outputs along a direction, a node or number per variable: one pass for any number of variables."""
    seeds = {v.index: d for v, d in zip(variables, direction, strict=True) if not is_zero(d)}
    return _tangents(reachable(outputs), outputs, seeds)


def _tangents(order: list[Node], outputs: list[Node], seeds: Mapping[int, Any]) -> list[Any]:
    """The derivatives of the outputs, from given derivatives of some nodes (`seeds`)."""
    tangent: dict[int, Any] = dict(seeds)
    for node in order:
        if node.index in seeds or not any(arg.index in tangent for arg in node.args):
            continue
        derivative = _DERIVATIVES[node.op](node, tuple(tangent.get(arg.index, 0.0) for arg in node.args))
        if not is_zero(derivative):
            tangent[node.index] = derivative
    return [tangent.get(output.index, 0.0) for output in outputs]


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


WEIGHTS = "weights"
"""The input of a gradient that holds w of (4)."""

_Backward = Callable[[Node, Node], tuple[Any, ...]]  # from a node and its adjoint to the adjoints of its arguments (4)


def _angle(v: Node, s: Node) -> tuple[Any, ...]:
    y, x = v.args
    share = s / (x * x + y * y)
    return share * x, -(share * y)


def _branches(which: Node, s: Node) -> tuple[Any, ...]:
    return _select(which, s, 0.0), _select(which, 0.0, s)


_BACKWARD: dict[Op, _Backward] = {
    Op.ADD: lambda _, s: (s, s),
    Op.SUB: lambda _, s: (s, -s),
    Op.NEG: lambda _, s: (-s,),
    Op.MUL: lambda v, s: (s * v.args[1], s * v.args[0]),
    Op.DIV: lambda v, s: (s / v.args[1], -(s * v / v.args[1])),
    Op.SIN: lambda v, s: (s * v.graph.make(Op.COS, v.args[0]),),
    Op.COS: lambda v, s: (-(s * v.graph.make(Op.SIN, v.args[0])),),
    Op.SQRT: lambda v, s: (s / (2.0 * v),),
    Op.EXP: lambda v, s: (s * v,),
    Op.ATAN2: _angle,
    Op.ABS: lambda v, s: (_select(v.args[0], s, -s),),
    Op.MIN: lambda v, s: _branches(v.args[1] - v.args[0], s),
    Op.MAX: lambda v, s: _branches(v.args[0] - v.args[1], s),
    Op.SELECT: lambda v, s: (0.0, *_branches(v.args[0], s)),
}


def gradient_nodes(outputs: Sequence[Node], weights: Sequence[Any], variables: Sequence[Node]) -> list[Any]:
    """Derivatives of sum_k weights[k] outputs[k] with respect to the variables (4), as nodes or numbers."""
    change: dict[int, Any] = {}

    def hand_on(node: Node, share: Any) -> None:
        change[node.index] = change[node.index] + share if node.index in change else share

    for output, weight in zip(outputs, weights, strict=True):
        hand_on(output, weight)
    wanted = {variable.index for variable in variables}
    # A node that depends on no variable needs no adjoint: most of a robot's constants and weights.
    leads: set[int] = set()
    order = reachable(list(outputs))
    for node in order:
        if node.index in wanted or any(arg.index in leads for arg in node.args):
            leads.add(node.index)
    for node in reversed(order):
        if node.index not in leads or not node.args or node.index not in change:
            continue
        for arg, share in zip(node.args, _BACKWARD[node.op](node, change[node.index]), strict=True):
            if arg.index in leads and not (isinstance(share, float) and share == 0.0):
                hand_on(arg, share)
    return [change.get(variable.index, 0.0) for variable in variables]


def gradient(function: Function, output: str, *, by: Sequence[str], name: str | None = None) -> Function:
    """The program of sum(weights * output) differentiated by the inputs `by`: (3), (4).

    Its inputs are those of the function and `weights`, of the output's shape; its outputs are called d_<input> and
    have the input's shape. Raises `ExpressionError` where there is no such output or input, and where an input is
    called `weights` already.

    >>> f = trace("f", lambda x: {"y": [x[0] * x[1], x[1]]}, {"x": (2,)})
    >>> from torquec.expr.evaluate import evaluate
    >>> evaluate(gradient(f, "y", by=["x"]), {"x": [3.0, 4.0], "weights": [1.0, 10.0]})["d_x"].tolist()
    [4.0, 13.0]
    """
    if any(port.name == WEIGHTS for port in function.inputs):
        raise ExpressionError(f"'{function.name}' has an input '{WEIGHTS}' of its own", remedy="call it otherwise")
    ports = {port.name: port.shape for port in function.inputs}
    shapes = {f"d_{key}": function.input(key).shape for key in by}
    ports[WEIGHTS] = function.output(output).shape

    def algorithm(**inputs: Any) -> Mapping[str, Any]:
        flat = {port: list(_leaves(nodes)) for port, nodes in inputs.items()}
        weights = flat.pop(WEIGHTS)
        if not weights:
            return {key: [0.0] * function.input(key[2:]).size for key in shapes}
        nodes = inline(function, weights[0].graph, flat)[output]
        found = iter(gradient_nodes(nodes, weights, [node for key in by for node in flat[key]]))
        return {f"d_{key}": [next(found) for _ in flat[key]] for key in by}

    return trace(name or f"{function.name}_gradient", algorithm, ports, shapes=shapes)
