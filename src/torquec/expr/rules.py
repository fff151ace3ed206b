"""Rewrite rules, as (pattern, replacement) pairs.

A pattern is an expression over the placeholders x, y, z (any node) and c, d (constants); a number matches that
constant. A rule fires where a node is made; its replacement is built through the same rules, so the result is canonical. Each
rule either removes an operation or moves a sign outwards; none of them adds one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torquec.expr.ops import SEMANTICS, Op

if TYPE_CHECKING:
    from torquec.expr.graph import Graph, Node


@dataclass(frozen=True)
class Pattern:
    """A pattern: an operation on patterns, a placeholder (`name`) or a number (`value`)."""

    op: Op | None = None
    args: tuple[Pattern, ...] = ()
    name: str = ""
    value: float | None = None

    def __add__(self, other: Pattern | float) -> Pattern:
        return Pattern(Op.ADD, (self, _pattern(other)))

    def __sub__(self, other: Pattern | float) -> Pattern:
        return Pattern(Op.SUB, (self, _pattern(other)))

    def __rsub__(self, other: float) -> Pattern:
        return Pattern(Op.SUB, (_pattern(other), self))

    def __mul__(self, other: Pattern | float) -> Pattern:
        return Pattern(Op.MUL, (self, _pattern(other)))

    def __truediv__(self, other: Pattern | float) -> Pattern:
        return Pattern(Op.DIV, (self, _pattern(other)))

    def __rtruediv__(self, other: float) -> Pattern:
        return Pattern(Op.DIV, (_pattern(other), self))

    def __neg__(self) -> Pattern:
        return Pattern(Op.NEG, (self,))


def _pattern(value: Pattern | float) -> Pattern:
    return value if isinstance(value, Pattern) else Pattern(Op.CONST, value=float(value))


def _call(op: Op, *args: Pattern | float) -> Pattern:
    return Pattern(op, tuple(_pattern(a) for a in args))


x, y, z = Pattern(name="x"), Pattern(name="y"), Pattern(name="z")
c, d = Pattern(Op.CONST, name="c"), Pattern(Op.CONST, name="d")


def _negative(bound: dict[str, Node]) -> bool:
    return bound["c"].value < 0.0


def _younger_first(bound: dict[str, Node]) -> bool:
    return bound["x"].index > bound["y"].index and bound["x"].op is not Op.CONST and bound["y"].op is not Op.CONST


Condition = Callable[[dict[str, "Node"]], bool]

RULES: tuple[tuple[Pattern, Pattern] | tuple[Pattern, Pattern, Condition], ...] = (
    # Nothing to do.
    (x + 0.0, x),
    (x - 0.0, x),
    (0.0 - x, -x),
    (x - x, _pattern(0.0)),
    (x * 0.0, _pattern(0.0)),
    (x * 1.0, x),
    (x / 1.0, x),
    (0.0 / x, _pattern(0.0)),
    (-(-x), x),
    # Signs move outwards.
    (x * -1.0, -x),
    (c * x, -(-c * x), _negative),
    (x * (-y), -(x * y)),
    (x / (-y), -(x / y)),
    ((-x) / y, -(x / y)),
    (x + (-y), x - y),
    (x - (-y), x + y),
    ((-x) - y, -(x + y)),
    (c + x, x - (-c), _negative),
    (x - c, x + (-c), _negative),
    (x - y, -(y - x), _younger_first),
    # Constants gather.
    (c * (d * x), (c * d) * x),
    (c + (d + x), (c + d) + x),
    (c + (x - d), (c - d) + x),
    (c + (d - x), (c + d) - x),
    ((c + x) - d, (c - d) + x),
    (x / c, (1.0 / c) * x),
    # Cancellation.
    ((x + y) - x, y),
    ((x + y) - y, x),
    ((x - y) + y, x),
    (x - (x + y), -y),
    (x - (x - y), y),
    # The same value twice.
    ((c * x) + (d * x), (c + d) * x),
    ((c * x) - (d * x), (c - d) * x),
    ((c * x) + x, (c + 1.0) * x),
    ((c * x) - x, (c - 1.0) * x),
    (x - (c * x), (1.0 - c) * x),
    # Functions.
    (_call(Op.SIN, -x), -_call(Op.SIN, x)),
    (_call(Op.COS, -x), _call(Op.COS, x)),
    (_call(Op.ABS, -x), _call(Op.ABS, x)),
    (_call(Op.SELECT, x, y, y), y),
    (_call(Op.SELECT, c, x, y), y, _negative),
    (_call(Op.SELECT, c, x, y), x, lambda bound: bound["c"].value >= 0.0),
)


@dataclass(frozen=True)
class _Compiled:
    pattern: Pattern
    replacement: Pattern
    condition: Condition | None


def _orders(pattern: Pattern) -> list[Pattern]:
    """The pattern with the arguments of every commutative operation in both orders."""
    choices: list[tuple[Pattern, ...]] = [()]
    for arg in pattern.args:
        choices = [(*done, variant) for done in choices for variant in _orders(arg)]
    orders = [Pattern(pattern.op, args, pattern.name, pattern.value) for args in choices]
    if pattern.op is not None and pattern.op in SEMANTICS and SEMANTICS[pattern.op].commutes:
        orders += [Pattern(p.op, p.args[::-1], p.name, p.value) for p in orders]
    return orders


def _compile() -> dict[Op, list[_Compiled]]:
    table: dict[Op, list[_Compiled]] = {op: [] for op in SEMANTICS}
    for pattern, replacement, *condition in RULES:
        for order in _orders(pattern):
            assert order.op is not None
            table[order.op].append(_Compiled(order, replacement, condition[0] if condition else None))
    return table


_BY_OP = _compile()
_CANDIDATES: dict[tuple[Op, ...], tuple[_Compiled, ...]] = {}
"""Rules whose root and first level fit, per shape (op, op of each argument): most shapes have none."""


def rewrite(graph: Graph, op: Op, args: tuple[Node, ...]) -> Node | None:
    """The canonical node of the first rule that fits `op(args)`, or None."""
    shape = (op, *(arg.op for arg in args))
    candidates = _CANDIDATES.get(shape)
    if candidates is None:
        candidates = tuple(
            rule
            for rule in _BY_OP[op]
            if all(p.op is None or p.op is a for p, a in zip(rule.pattern.args, shape[1:], strict=True))
        )
        _CANDIDATES[shape] = candidates
    for rule in candidates:
        bound: dict[str, Node] = {}
        if all(_matches(p, a, bound) for p, a in zip(rule.pattern.args, args, strict=True)) and (
            rule.condition is None or rule.condition(bound)
        ):
            return _build(graph, rule.replacement, bound)
    return None


def _matches(pattern: Pattern, node: Node, bound: dict[str, Node]) -> bool:
    if pattern.name:
        if pattern.op is not None and pattern.op is not node.op:
            return False
        return bound.setdefault(pattern.name, node) is node
    if pattern.op is not node.op:
        return False
    if pattern.value is not None:
        return node.value == pattern.value
    return all(_matches(p, a, bound) for p, a in zip(pattern.args, node.args, strict=True))


def _build(graph: Graph, pattern: Pattern, bound: dict[str, Node]) -> Node:
    if pattern.name:
        return bound[pattern.name]
    if pattern.op is Op.CONST:
        assert pattern.value is not None
        return graph.constant(pattern.value)
    assert pattern.op is not None
    return graph.make(pattern.op, *(_build(graph, arg, bound) for arg in pattern.args))
