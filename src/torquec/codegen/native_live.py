"""A `Function` with its derivatives as native batch calls, shared by the JAX and PyTorch back ends.

With inputs x_1, .., x_m and outputs y_1, .., y_k of any shapes, the Jacobian J = dy/dx is never formed:

(1)  tangents:    (x, dx) -> J dx         forward mode
(2)  cotangents:  (x, w)  -> J' w         reverse mode, a few times the cost of the function itself

Both are functions again, traced from the exact derivatives of :mod:`torquec.expr.differentiate` and compiled on first
use, so that derivatives of any order exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.errors import ArgumentError
from torquec.expr import Function, Node, Port, trace
from torquec.expr.differentiate import directional_nodes, gradient_nodes
from torquec.expr.trace import inline


class LiveCall:
    """A function, its native code, and the functions of its derivatives (1), (2)."""

    def __init__(self, function: Function) -> None:
        self.function = function

    @property
    def name(self) -> str:
        """A name unique to this program."""
        return f"torquec_{self.function.content_hash[:32]}"

    @cached_property
    def native(self) -> NativeFunction:
        """The native code, from the cache where possible."""
        return load_or_compile(f"live {self.function.content_hash}", lambda: self.function)

    @cached_property
    def tangents(self) -> LiveCall:
        """(1): inputs, then a tangent of each -> a tangent of each output."""
        return LiveCall(_derivative(self.function, self.function.inputs, self.function.outputs, _forward))

    @cached_property
    def cotangents(self) -> LiveCall:
        """(2): inputs, then a cotangent of each output -> a cotangent of each input."""
        return LiveCall(_derivative(self.function, self.function.outputs, self.function.inputs, _backward))

    def lead(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The batch axes of each input: the axes in front of the port's shape.

        Raises `ArgumentError` for another number of inputs, and for a shape that does not end with the port's.
        """
        ports = self.function.inputs
        if len(shapes) != len(ports):
            names = ", ".join(port.name for port in ports)
            raise ArgumentError(
                f"{len(shapes)} arguments were given", where=self.function.name, remedy=f"it takes {names}"
            )
        for port, shape in zip(ports, shapes, strict=True):
            axes = len(shape) - len(port.shape)
            if axes < 0 or tuple(shape[axes:]) != port.shape:
                raise ArgumentError(
                    f"'{port.name}' has shape {tuple(shape)}",
                    where=self.function.name,
                    remedy=f"its last axes are {port.shape}; axes in front of them are a batch",
                )
        return [tuple(shape[: len(shape) - len(port.shape)]) for port, shape in zip(ports, shapes, strict=True)]


_Rule = Callable[[list[Node], list[Node], list[Node]], list[Any]]


def _forward(outputs: list[Node], inputs: list[Node], given: list[Node]) -> list[Any]:
    return directional_nodes(outputs, inputs, given)


def _backward(outputs: list[Node], inputs: list[Node], given: list[Node]) -> list[Any]:
    return gradient_nodes(outputs, given, inputs)


def _derivative(function: Function, given: Sequence[Port], found: Sequence[Port], rule: _Rule) -> Function:
    """The function of the inputs and of the `given` derivatives; ports are called x0, x1, .. and d0, d1, .."""
    count = len(function.inputs)
    ports = {f"x{k}": port.shape for k, port in enumerate((*function.inputs, *given))}
    shapes = {f"d{k}": port.shape for k, port in enumerate(found)}

    def algorithm(**inputs: Any) -> Mapping[str, Any]:
        flat = [list(_leaves(inputs[f"x{k}"])) for k in range(len(ports))]
        first = [node for nodes in flat[:count] for node in nodes]
        weights = [node for nodes in flat[count:] for node in nodes]
        nodes = [*first, *weights]
        if not nodes:
            return {key: [0.0] * port.size for key, port in zip(shapes, found, strict=True)}
        named = {port.name: nodes for port, nodes in zip(function.inputs, flat, strict=False)}
        outputs = inline(function, nodes[0].graph, named)
        made = iter(rule([node for port in function.outputs for node in outputs[port.name]], first, weights))
        return {key: [next(made) for _ in range(port.size)] for key, port in zip(shapes, found, strict=True)}

    return trace(f"{function.name}{rule.__name__}", algorithm, ports, shapes=shapes)


def _leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list | tuple) else [value]
