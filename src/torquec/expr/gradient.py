"""Gradients of a `Function` by reverse mode: one program for the derivatives of a weighted sum by every input.

(1)  s = sum_k w_k y_k(x);  from s backwards, every node hands on what s changes with its arguments:
     a + b: (s', s'),   a - b: (s', -s'),   a b: (s' b, s' a),   v = a/b: (s'/b, -s' v/b),   sin a: s' cos a, ..
(2)  |a|, min, max and select hand on to the branch that is taken

The program costs a few times the function itself, however many inputs there are; forward mode
(:mod:`torquec.expr.differentiate`) costs about the function once per input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torquec.errors import ExpressionError
from torquec.expr.function import Function
from torquec.expr.graph import Node
from torquec.expr.ops import Op
from torquec.expr.passes import reachable
from torquec.expr.trace import inline, trace

WEIGHTS = "weights"
"""The input of a gradient that holds w of (1)."""

_Backward = Callable[[Node, Node], tuple[Any, ...]]
"""From a node and what s changes with it to what s changes with its arguments."""


def _select(a: Node, b: Any, c: Any) -> Node:
    return a.graph.make(Op.SELECT, a, b, c)


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
    """Derivatives of sum_k weights[k] outputs[k] by the variables, nodes or numbers (1)."""
    change: dict[int, Any] = {}

    def hand_on(node: Node, share: Any) -> None:
        change[node.index] = change[node.index] + share if node.index in change else share

    for output, weight in zip(outputs, weights, strict=True):
        hand_on(output, weight)
    wanted = {variable.index for variable in variables}
    # A node whose arguments lead to no variable needs no share: most of a robot's constants and weights.
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
    """The program of sum(weights * output) differentiated by the inputs `by`: (1), (2).

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


def _leaves(nodes: Any) -> list[Node]:
    """The nodes of a port, row by row."""
    return [nodes] if isinstance(nodes, Node) else [leaf for part in nodes for leaf in _leaves(part)]
