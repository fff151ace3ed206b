"""Operations appended to a program one by one: tracing would fold numbers, and so take an adversary's tricks apart."""

from __future__ import annotations

from dataclasses import replace

from torquec.expr import Function, Op
from torquec.expr.function import Operation


class RawSteps:
    """The steps of a program, to which others are appended as they are; every method gives the place of its value."""

    def __init__(self, program: Function) -> None:
        self.program, self.steps = program, list(program.operations)

    def append(self, op: Op, *args: int) -> int:
        """An operation on earlier values."""
        return self._appended(Operation(op, args))

    def number(self, value: float) -> int:
        """A number."""
        return self._appended(Operation(Op.CONST, value=value))

    def read(self, port: str, element: int) -> int:
        """An element of an input."""
        return self._appended(Operation(Op.INPUT, port=port, element=element))

    def sum(self, *args: int) -> int:
        """Values added up from the first to the last."""
        return self._folded(Op.ADD, args)

    def product(self, *args: int) -> int:
        """Values multiplied from the first to the last."""
        return self._folded(Op.MUL, args)

    def with_result(self, index: int, term: int) -> Function:
        """The program with a term added to one of its results."""
        (row,) = self.program.results
        results = list(row)
        results[index] = self.sum(results[index], term)
        return replace(self.program, operations=tuple(self.steps), results=(tuple(results),))

    def _folded(self, op: Op, args: tuple[int, ...]) -> int:
        found = args[0]
        for other in args[1:]:
            found = self.append(op, found, other)
        return found

    def _appended(self, step: Operation) -> int:
        self.steps.append(step)
        return len(self.steps) - 1
