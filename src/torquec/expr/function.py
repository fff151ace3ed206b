"""`Function`: a straight-line program, the common representation of dynamics, control and every back end.

Operation k defines value k; its arguments are earlier values. A function names its inputs and outputs with their
shapes; an output is a row-major list of values. It is immutable, holds no robot, can be written to JSON and hashed
by content.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torquec.errors import ExpressionError
from torquec.expr.ops import SEMANTICS, Op


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
    raise TypeError(f"{values!r} is not a list of integers")


_ARITIES = {op: SEMANTICS[op].arity if op in SEMANTICS else 0 for op in Op}


def check_function(function: Function) -> None:
    """Raise `ExpressionError` unless every argument is defined before use, arities fit and ports are consistent."""
    problem = _ports_problem(function) or _operations_problem(function) or _results_problem(function)
    if problem:
        raise ExpressionError(
            f"function '{function.name}': {problem}", remedy="make functions with torquec.expr.trace, or save it again"
        )


def _ports_problem(function: Function) -> str:
    ports = (*function.inputs, *function.outputs)
    names = [port.name for port in ports]
    if len(set(names)) != len(names):
        return f"an input or output name occurs twice: {', '.join(names)}"
    for port in ports:
        if any(length < 0 for length in port.shape):
            return f"'{port.name}' has the negative shape {port.shape}"
    return ""


def _operations_problem(function: Function) -> str:
    sizes = {port.name: port.size for port in function.inputs}
    for k, step in enumerate(function.operations):
        arity = _ARITIES[step.op]
        if len(step.args) != arity:
            return f"step {k}, {step.op}, has {len(step.args)} arguments instead of {arity}"
        for arg in step.args:
            if not 0 <= arg < k:
                return f"step {k}, {step.op}, uses a value that is not yet defined"
        if step.op is Op.INPUT and not 0 <= step.element < sizes.get(step.port, 0):
            return f"step {k} reads {step.port}[{step.element}], which does not exist"
    return ""


def _results_problem(function: Function) -> str:
    if len(function.results) != len(function.outputs):
        return f"{len(function.outputs)} outputs have {len(function.results)} results"
    for port, values in zip(function.outputs, function.results, strict=True):
        if len(values) != port.size:
            return f"output '{port.name}' of shape {port.shape} has {len(values)} values"
        if any(not 0 <= value < len(function.operations) for value in values):
            return f"output '{port.name}' uses a value that is not defined"
    return ""


SINCOS_COST = 16
"""Number of multiplications or additions that a sine-cosine pair counts as, by its time on a processor."""


@dataclass(frozen=True)
class OperationCount:
    """Multiplications, additions (subtractions and sign changes too), divisions, sine-cosine pairs, everything else."""

    mul: int
    add: int
    div: int
    sincos: int
    other: int

    @property
    def cost(self) -> int:
        """Operations weighted by their time on a processor: a division as ten, a sine-cosine pair as sixteen."""
        return self.mul + self.add + 10 * self.div + SINCOS_COST * self.sincos + 2 * self.other

    def __str__(self) -> str:
        text = f"{self.mul} mul, {self.add} add"
        for label, value in (("div", self.div), ("sincos", self.sincos), ("other", self.other)):
            if value:
                text += f", {value} {label}"
        return text


def count_operations(function: Function) -> OperationCount:
    """The operations of one evaluation; a sine and a cosine of one angle are one pair.

    >>> from torquec.expr.trace import trace
    >>> str(count_operations(trace("f", lambda x: {"y": x[0] * x[1] - 2.0}, {"x": (2,)})))
    '1 mul, 1 add'
    """
    ops = Counter(step.op for step in function.operations)
    angles = {step.args[0] for step in function.operations if step.op in (Op.SIN, Op.COS)}
    known = (Op.CONST, Op.INPUT, Op.MUL, Op.ADD, Op.SUB, Op.NEG, Op.DIV, Op.SIN, Op.COS)
    return OperationCount(
        mul=ops[Op.MUL],
        add=ops[Op.ADD] + ops[Op.SUB] + ops[Op.NEG] - len(turned_comparisons(function)),
        div=ops[Op.DIV],
        sincos=len(angles),
        other=sum(number for op, number in ops.items() if op not in known),
    )


def operation_cost(function: Function) -> int:
    """The price of a program: its operations weighted (:attr:`OperationCount.cost`), sines and cosines included."""
    return count_operations(function).cost


def turned_comparisons(function: Function) -> frozenset[int]:
    """Indices of the sign changes that are used only as conditions of selects."""
    found = {k for k, step in enumerate(function.operations) if step.op is Op.NEG}
    for step in function.operations:
        found.difference_update(step.args[1:] if step.op is Op.SELECT else step.args)
    return frozenset(found.difference(*function.results))
