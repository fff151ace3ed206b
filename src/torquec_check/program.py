"""A straight-line program as a document states it: ports in order, operations, and which values are the outputs.

Operation k defines value k from earlier values. Constants are doubles, exactly. `torque_program` accepts nothing but
the documented torque function: name `inverse_dynamics`, inputs q, qd, qdd in that order, output tau, all of shape (n,).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from torquec_check.document import RefusedError, expect, fields, items, number

ARITY = dict.fromkeys(["add", "sub", "mul", "div", "atan2", "min", "max"], 2) | {"select": 3}
ARITY |= dict.fromkeys(["neg", "sin", "cos", "sqrt", "exp", "abs"], 1)
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
    name, inputs, outputs, rows = fields(values, "name inputs outputs operations", where)
    ports = [_port(fields(each, "name shape", where), where) for each in items(inputs, where)]
    sizes = {port.name: port.size for port in ports}
    if len(sizes) != len(ports):
        raise RefusedError(f"{where}: two inputs have one name")
    steps = [_operation(items(row, where), sizes, k, where) for k, row in enumerate(items(rows, where))]
    targets, results = [], []
    for each in items(outputs, where):
        *port, found = fields(each, "name shape values", where)
        targets.append(_port(port, where))
        results.append(_earlier(items(found, where, targets[-1].size), len(steps), f"{where}: an output"))
    return Program(expect(str, name, where), tuple(ports), tuple(targets), tuple(steps), tuple(results))


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
    return Port(expect(str, name, where), tuple(expect(int, size, where) for size in items(shape, where)))


def _earlier(values: list[Any], count: int, where: str) -> tuple[int, ...]:
    if not all(0 <= expect(int, k, where) < count for k in values):
        raise RefusedError(f"{where} is no value of the program, or not yet computed")
    return tuple(values)


def _operation(row: list[Any], sizes: dict[str, int], position: int, where: str) -> Operation:
    where = f"{where}: operation {position}"
    match row:
        case ["const", value]:
            return Operation("const", value=number(value, where))
        case ["input", str(port), int(element)] if 0 <= element < sizes.get(port, 0):
            return Operation("input", port=port, element=expect(int, element, where))
        case [str(op), *args] if ARITY.get(op) == len(args):
            return Operation(op, _earlier(args, position, f"{where}: an argument"))
    raise RefusedError(f"{where} is {str(row)[:60]}, which is no operation on values and inputs of the program")
