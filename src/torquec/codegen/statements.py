"""From a `Function` to the statements of a language with C's operators: shared by the C, Rust and NumPy back ends.

A value that is used once is written where it is used, as long as the line stays short; every other value gets a name
(`v12` is operation 12). Parentheses keep each operation and its order as they are in the function, so the text holds as
many operators as the function has operations and rounds like it.

Sines and cosines can be gathered (`Dialect.gathers_angles`): all angles that are known at the same time become one
statement, which the language may evaluate together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from torquec.codegen.precision import Precision
from torquec.codegen.sincos import ROUND
from torquec.errors import ArgumentError
from torquec.expr import Function, Op, Operation
from torquec.expr.function import turned_comparisons

_SUM, _PRODUCT, _UNARY, _ATOM = range(4)
"""Operator precedence of a text; a conditional is always a statement of its own."""


@dataclass(frozen=True)
class Dialect:
    """How a language writes a number, an element of an input and the operations that are no operators."""

    number: Callable[[float], str]
    element: Callable[[str, int], str]
    calls: Mapping[Op, str]
    """Templates such as "sqrt({})". That of a select has a place for its comparison, {order}, which is >= or <=."""
    gathers_angles: bool
    encloses_products: bool = False
    """Whether a product or quotient within a sum has parentheses, so that no reader has to know which binds tighter."""
    width: int = 76
    """Longest text of an expression."""


@dataclass(frozen=True)
class Assignment:
    """`name` is the value of `text`."""

    name: str
    text: str


@dataclass(frozen=True)
class Angles:
    """Sines `s<number>[k]` and cosines `c<number>[k]` of the angles in `texts`, which are names or elements."""

    number: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """The statements of a function in order, and the texts of its results, which read no inputs."""

    statements: tuple[Assignment | Angles, ...]
    results: tuple[tuple[str, ...], ...]


def to_program(function: Function, dialect: Dialect, *, group: int = 4) -> Program:
    """The statements of `function` in `dialect`, angles gathered in groups of at most `group`."""
    writer = _Writer(function, dialect, group)
    statements = tuple(writer.statements())
    results = tuple(tuple(writer.reference(value) for value in values) for values in function.results)
    return Program(statements, results)


class _Writer:
    """Walks over the operations in their order and keeps the text of each value."""

    def __init__(self, function: Function, dialect: Dialect, group: int) -> None:
        self._operations = function.operations
        self._dialect = dialect
        self._group = group
        self._results = {value for values in function.results for value in values}
        self._turned = turned_comparisons(function)
        self._uses = Counter(arg for step in function.operations for arg in step.args)
        # Three operands of any length would not fit on a line, and a gathered angle may be named more than once.
        named = (Op.SELECT, Op.SIN, Op.COS) if dialect.gathers_angles else (Op.SELECT,)
        self._named = {arg for step in function.operations if step.op in named for arg in step.args}
        self._texts: dict[int, tuple[str, int]] = {}
        self._groups = 0

    def statements(self) -> Iterator[Assignment | Angles]:
        rank = _angle_ranks(self._operations) if self._dialect.gathers_angles else {}
        for index in range(len(self._operations)):
            if index in self._texts:
                continue
            if index in rank:
                # The first sine or cosine of a rank emits all of that rank, and the values that their angles depend on.
                together = [k for k in rank if rank[k] == rank[index]]
                yield from self._define(_ancestors(self._operations, together, set(self._texts)))
                yield from self._gather(together)
            else:
                yield from self._define([index])

    def reference(self, index: int) -> str:
        """The text of a value as a whole right-hand side."""
        return self._texts[index][0]

    def _define(self, indices: list[int]) -> Iterator[Assignment]:
        for index in indices:
            text, binding = self._expression(self._operations[index])
            if self._is_inner(index, text):
                self._texts[index] = text, binding
            else:
                yield Assignment(f"v{index}", text)
                self._texts[index] = f"v{index}", _ATOM

    def _is_inner(self, index: int, text: str) -> bool:
        """Whether a value is written where it is used. A result never reads an input: outputs may overlap inputs."""
        op = self._operations[index].op
        if op is Op.CONST or index in self._results:
            return op is Op.CONST
        if op is Op.INPUT or index in self._turned:
            return True
        # Half the width leaves room for the other operand.
        short = len(text) <= self._dialect.width // 2 - 4
        return short and self._uses[index] == 1 and op is not Op.SELECT and index not in self._named

    def _gather(self, together: list[int]) -> Iterator[Angles]:
        angles = list(dict.fromkeys(self._operations[k].args[0] for k in together))
        place: dict[int, str] = {}
        for start in range(0, len(angles), self._group):
            part = angles[start : start + self._group]
            yield Angles(self._groups, tuple(self.reference(angle) for angle in part))
            place.update({angle: f"{self._groups}[{k}]" for k, angle in enumerate(part)})
            self._groups += 1
        for k in together:
            letter = "s" if self._operations[k].op is Op.SIN else "c"
            self._texts[k] = letter + place[self._operations[k].args[0]], _ATOM

    def _expression(self, step: Operation) -> tuple[str, int]:
        """The text of one operation and its operator precedence."""
        match step.op:
            case Op.CONST:
                text = self._dialect.number(step.value)
                return text, _UNARY if text.startswith("-") else _ATOM
            case Op.INPUT:
                return self._dialect.element(step.port, step.element), _ATOM
            case Op.ADD:
                return f"{self._term(step.args[0], _SUM)} + {self._term(step.args[1], _PRODUCT)}", _SUM
            case Op.SUB:
                return f"{self._term(step.args[0], _SUM)} - {self._term(step.args[1], _PRODUCT)}", _SUM
            case Op.MUL:
                return f"{self._operand(step.args[0], _PRODUCT)}*{self._operand(step.args[1], _ATOM)}", _PRODUCT
            case Op.DIV:
                return f"{self._operand(step.args[0], _PRODUCT)}/{self._operand(step.args[1], _ATOM)}", _PRODUCT
            case Op.NEG:
                return f"-{self._operand(step.args[0], _ATOM)}", _UNARY
        if step.op is Op.SELECT and step.args[0] in self._turned:
            return self._call(step.op, (self._operations[step.args[0]].args[0], *step.args[1:]), order="<=")
        return self._call(step.op, step.args)

    def _call(self, op: Op, args: tuple[int, ...], *, order: str = ">=") -> tuple[str, int]:
        operands = (self._operand(arg, _SUM) for arg in args)
        return self._dialect.calls[op].format(*operands, order=order), _ATOM

    def _term(self, index: int, loosest: int) -> str:
        """An operand of a sum."""
        enclosed = self._dialect.encloses_products and self._texts[index][1] == _PRODUCT
        return f"({self._texts[index][0]})" if enclosed else self._operand(index, loosest)

    def _operand(self, index: int, loosest: int) -> str:
        text, binding = self._texts[index]
        # A leading sign inside a sum or product reads badly: it gets its parentheses too.
        return text if binding >= loosest and binding != _UNARY else f"({text})"


def _angle_ranks(operations: tuple[Operation, ...]) -> dict[int, int]:
    """For each sine and cosine, how many of them lie on the deepest path to its angle: equal ranks can go together."""
    depth: list[int] = []
    ranks: dict[int, int] = {}
    for index, step in enumerate(operations):
        deepest = max((depth[arg] for arg in step.args), default=0)
        if step.op in (Op.SIN, Op.COS):
            ranks[index] = deepest
            deepest += 1
        depth.append(deepest)
    return ranks


def _ancestors(operations: tuple[Operation, ...], of: list[int], known: set[int]) -> list[int]:
    """The operations that `of` depends on and that are not yet `known`, in order."""
    needed: set[int] = set()
    stack = [arg for index in of for arg in operations[index].args]
    while stack:
        index = stack.pop()
        if index not in needed and index not in known:
            needed.add(index)
            stack.extend(operations[index].args)
    return sorted(needed)


def check_rounding(function: Function, precision: Precision) -> None:
    """Refuse functions that rely on the spacing of doubles: rounding by adding and subtracting 1.5 * 2^52."""
    rounds = any(step.op is Op.CONST and step.value == ROUND for step in function.operations)
    if precision is not Precision.DOUBLE and rounds:
        raise ArgumentError(
            f"'{function.name}' rounds to whole turns, which works in double precision only",
            remedy="write it in double precision",
        )
