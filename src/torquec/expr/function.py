"""`Function`: a straight-line program, the carrier between dynamics, control and every back end.

Operation k defines value k; its arguments are earlier values. A function names its inputs and outputs with their
shapes; an output is a row-major list of values. It is immutable, holds no robot, can be written to JSON and hashed
by content.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torquec.errors import ExpressionError
from torquec.expr.ops import Op


@dataclass(frozen=True)
class Port:
    """A named input or output and its shape: () for a scalar, (n,) for a vector, (n, m) for a matrix."""

    name: str
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Operation:
    """One step. `args` are indices of earlier values; a constant has `value`; an input has `port` and `element`."""

    op: Op
    args: tuple[int, ...] = ()
    value: float = 0.0
    port: str = ""
    element: int = 0


@dataclass(frozen=True)
class Function:
    """A named straight-line program: inputs, operations in order, and which values are the outputs."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: tuple[Operation, ...]
    results: tuple[tuple[int, ...], ...]

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(port.name for port in ports) for ports in (self.inputs, self.outputs))
        return f"Function('{self.name}', ({inputs}) -> ({outputs}), {len(self.operations)} steps)"

    def input(self, name: str) -> Port:
        """The input of that name; raises `ExpressionError` where there is none."""
        return _named(self.inputs, name, "input")

    def output(self, name: str) -> Port:
        """The output of that name; raises `ExpressionError` where there is none."""
        return _named(self.outputs, name, "output")

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the program, the same from run to run."""
        text = json.dumps(function_to_dict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _named(ports: tuple[Port, ...], name: str, kind: str) -> Port:
    for port in ports:
        if port.name == name:
            return port
    raise ExpressionError(
        f"no {kind} '{name}'", remedy=f"choose one of: {', '.join(port.name for port in ports) or 'none'}"
    )


def function_to_dict(function: Function) -> dict[str, Any]:
    """The function as JSON-ready lists; numbers keep all their digits (non-finite ones as strings)."""

    def step(operation: Operation) -> list[Any]:
        if operation.op is Op.CONST:
            return ["const", operation.value if math.isfinite(operation.value) else repr(operation.value)]
        if operation.op is Op.INPUT:
            return ["input", operation.port, operation.element]
        return [operation.op.value, *operation.args]

    return {
        "name": function.name,
        "inputs": [{"name": p.name, "shape": list(p.shape)} for p in function.inputs],
        "outputs": [
            {"name": p.name, "shape": list(p.shape), "values": list(values)}
            for p, values in zip(function.outputs, function.results, strict=True)
        ],
        "operations": [step(operation) for operation in function.operations],
    }


def function_from_dict(document: Mapping[str, Any]) -> Function:
    """The inverse of `function_to_dict`; raises `ExpressionError` on anything malformed."""
    from torquec.expr.check import check_function

    try:
        function = Function(
            _text(document["name"]),
            tuple(_port(row) for row in document["inputs"]),
            tuple(_port(row) for row in document["outputs"]),
            tuple(_operation(row) for row in document["operations"]),
            tuple(_integers(row["values"]) for row in document["outputs"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"not a function: {error!r}", remedy="write it again with torquec") from error
    check_function(function)
    return function


def _port(row: Mapping[str, Any]) -> Port:
    return Port(_text(row["name"]), _integers(row["shape"]))


def _operation(row: list[Any]) -> Operation:
    op = Op(row[0] if row else "")
    if op is Op.CONST:
        (number,) = row[1:]
        if type(number) not in (int, float) and number not in ("nan", "inf", "-inf"):
            raise TypeError(f"{number!r} is no number")
        return Operation(op, value=float(number))
    if op is Op.INPUT:
        port, element = row[1:]
        return Operation(op, port=_text(port), element=_integers([element])[0])
    return Operation(op, _integers(row[1:]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no name")
    return value


def _integers(values: list[Any]) -> tuple[int, ...]:
    if isinstance(values, list):
        for value in values:
            if type(value) is not int:
                break
        else:
            return tuple(values)
    raise TypeError(f"{values!r} is no list of integers")
