"""A straight-line program as a document states it: ports in order, operations, and which values are the outputs.

Operation k defines value k from earlier values. Constants are doubles, exactly. `torque_program` accepts nothing but
the documented torque function: name `inverse_dynamics`, inputs q, qd, qdd in that order, output tau, all of shape (n,).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from torquec_check.document import RefusedError, fields, integer, items, number, text

ARITY = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "sin": 1, "cos": 1, "sqrt": 1, "exp": 1, "atan2": 2, "abs": 1,
    "min": 2, "max": 2, "select": 3,
}  # fmt: skip
"""Operations and their number of arguments; beside them there are `const` and `input`."""


@dataclass(frozen=True)
class Port:
    """A named input or output: shape () for a scalar, (n,) for a vector, (n, m) for a matrix, elements row by row."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Operation:
    """One step: `args` are earlier values; a `const` has a `value`, an `input` a `port` and an `element`."""

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0
    port: str = ""
    element: int = 0


@dataclass(frozen=True)
class Program:
    """A named straight-line program; `results` has, for each output, the values that are its elements."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: tuple[Operation, ...]
    results: tuple[tuple[int, ...], ...]


def program_of(values: Any, where: str = "program") -> Program:
    """The program of a document; raises `RefusedError` where it is malformed."""
    name, inputs, outputs, operations = fields(values, "name inputs outputs operations", where)
    ports = tuple(_port(fields(each, "name shape", where), where) for each in items(inputs, where))
    steps: list[Operation] = []
    for row in items(operations, where):
        steps.append(_operation(items(row, where), ports, len(steps), where))
    targets, results = [], []
    for each in items(outputs, where):
        *head, found = fields(each, "name shape values", where)
        port = _port(head, where)
        chosen = tuple(integer(k, where) for k in items(found, where, port.size))
        if not all(0 <= k < len(steps) for k in chosen):
            raise RefusedError(f"{where}: an output is no value of the program")
        targets.append(port)
        results.append(chosen)
    return Program(text(name, where), ports, tuple(targets), tuple(steps), tuple(results))


def torque_program(values: Any, n: int, where: str = "program") -> Program:
    """The torque program of a robot with n joints: exactly the documented name, ports, order and shapes."""
    program = program_of(values, where)
    ports = [(port.name, port.shape) for port in program.inputs + program.outputs]
    if program.name != "inverse_dynamics":
        raise RefusedError(f"{where}: its name is '{program.name[:60]}', not 'inverse_dynamics'")
    if ports != [(name, (n,)) for name in ("q", "qd", "qdd", "tau")] or len(program.outputs) != 1:
        raise RefusedError(f"{where}: it does not map q, qd, qdd, in this order and of {n} joints each, to tau")
    return program


def _port(values: list[Any], where: str) -> Port:
    name, shape = values
    return Port(text(name, where), tuple(integer(x, where) for x in items(shape, where)))


def _operation(row: list[Any], inputs: tuple[Port, ...], position: int, where: str) -> Operation:
    op, *rest = row or [""]
    if op == "const" and len(rest) == 1:
        return Operation(op, value=number(rest[0], where))
    if op == "input" and len(rest) == 2:
        port, element = text(rest[0], where), integer(rest[1], where)
        if not any(each.name == port and 0 <= element < each.size for each in inputs):
            raise RefusedError(f"{where}: operation {position} reads {port}[{element}], which is no input")
        return Operation(op, port=port, element=element)
    if not isinstance(op, str) or ARITY.get(op) != len(rest):
        raise RefusedError(f"{where}: operation {position} is {str(row)[:60]}")
    args = tuple(integer(k, where) for k in rest)
    if not all(0 <= k < position for k in args):
        raise RefusedError(f"{where}: operation {position} uses a value before it is computed")
    return Operation(op, args)
