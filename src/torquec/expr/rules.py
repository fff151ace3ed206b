"""Rewrite rules, as (pattern, replacement) pairs.

A pattern is an expression over the placeholders x, y, z (any node), c, d (constants), n (a negative constant) and p
(one that is not); a number matches that constant. A rule fires where a node is made; its replacement is built
through the same rules, so the result is canonical. Each rule either removes an operation or moves a sign outwards;
none of them adds one.

Rules are looked up by the kinds of the node's arguments, so that most nodes try none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from torquec.expr.ops import SEMANTICS, Op

if TYPE_CHECKING:
    from torquec.expr.graph import Graph, Node


class PatternKind(IntEnum):
    """Kind of an argument, by which rules are looked up: its operation, or its sort of constant."""

    ZERO = -1
    ONE = -2
    MINUS_ONE = -3
    NEGATIVE = -4
    POSITIVE = -5
    NAN = -6


OP_KINDS: dict[Op, int] = {op: k for k, op in enumerate(Op)}
_NEGATIVE = frozenset((PatternKind.MINUS_ONE, PatternKind.NEGATIVE))
_CONSTANT = frozenset(PatternKind)
_SMALLEST_FACTOR = 1e-290  # far above the smallest normal double, 2e-308, so that products keep their digits


def kind_of(op: Op, value: float) -> int:
    """The kind of a node."""
    if op is not Op.CONST:
        return OP_KINDS[op]
    exact = {0.0: PatternKind.ZERO, 1.0: PatternKind.ONE, -1.0: PatternKind.MINUS_ONE}.get(value)
    if exact is not None:
        return exact
    return PatternKind.NEGATIVE if value < 0.0 else PatternKind.POSITIVE if value > 0.0 else PatternKind.NAN


@dataclass(frozen=True)
class Pattern:
    """A pattern: an operation on patterns, a placeholder (`name`, of certain `kinds`) or a number (`value`)."""

    op: Op | None = None
    args: tuple[Pattern, ...] = ()
    name: str = ""
    value: float | None = None
    kinds: frozenset[int] | None = None

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
c, d = Pattern(Op.CONST, name="c", kinds=_CONSTANT), Pattern(Op.CONST, name="d", kinds=_CONSTANT)
n = Pattern(Op.CONST, name="n", kinds=_NEGATIVE)
p = Pattern(Op.CONST, name="p", kinds=frozenset((PatternKind.ZERO, PatternKind.ONE, PatternKind.POSITIVE)))


def _younger_first(bound: dict[str, Node]) -> bool:
    return bound["x"].index > bound["y"].index and bound["x"].op is not Op.CONST and bound["y"].op is not Op.CONST


def _folds_well(bound: dict[str, Node]) -> bool:
    """Whether a product of constants neither overflows nor loses digits below the normal range."""
    return _SMALLEST_FACTOR < abs(bound["c"].value * bound["d"].value) < math.inf


def _inverts_well(bound: dict[str, Node]) -> bool:
    return _SMALLEST_FACTOR < abs(bound["c"].value) < 1.0 / _SMALLEST_FACTOR


Condition = Callable[[dict[str, "Node"]], bool]

RULES: tuple[tuple[Pattern, Pattern] | tuple[Pattern, Pattern, Condition], ...] = (
    # Neutral elements, zeros.
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
    (n * x, -((-n) * x)),
    (x * (-y), -(x * y)),
    (x / (-y), -(x / y)),
    ((-x) / y, -(x / y)),
    (x + (-y), x - y),
    (x - (-y), x + y),
    ((-x) - y, -(x + y)),
    (n + x, x - (-n)),
    (x - n, x + (-n)),
    (x - y, -(y - x), _younger_first),
    # Constants gather.
    (c * (d * x), (c * d) * x, _folds_well),
    (c + (d + x), (c + d) + x),
    (c + (x - d), (c - d) + x),
    (c + (d - x), (c + d) - x),
    ((c + x) - d, (c - d) + x),
    (x / c, (1.0 / c) * x, _inverts_well),
    # Cancellation.
    ((x + y) - x, y),
    ((x + y) - y, x),
    ((x - y) + y, x),
    (x - (x + y), -y),
    (x - (x - y), y),
    ((x - y) + (y + z), x + z),
    ((x - y) + (y - z), x - z),
    ((x + y) - (z + y), x - z),
    ((x + y) - (y - z), x + z),
    ((x - y) - (x + z), -(y + z)),
    ((x - y) - (z - y), x - z),
    ((x - y) - (x - z), z - y),
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
    (_call(Op.SELECT, n, x, y), y),
    (_call(Op.SELECT, p, x, y), x),
)


@dataclass(frozen=True)
class _Compiled:
    pattern: Pattern
    replacement: Pattern
    condition: Condition | None
    shares: bool
    """Whether it requires that both arguments, or an argument and a part of the other, are the same node."""


def _inside(pattern: Pattern) -> set[str]:
    """Placeholders of an argument, and of the arguments of its operation."""
    return {each.name for each in (pattern, *pattern.args) if each.name}


def _orders(pattern: Pattern) -> list[Pattern]:
    """The pattern with the arguments of every commutative operation in both orders."""
    choices: list[tuple[Pattern, ...]] = [()]
    for arg in pattern.args:
        choices = [(*done, variant) for done in choices for variant in _orders(arg)]
    orders = [Pattern(pattern.op, args, pattern.name, pattern.value, pattern.kinds) for args in choices]
    if pattern.op in SEMANTICS and SEMANTICS[pattern.op].commutes:
        orders += [Pattern(q.op, q.args[::-1], q.name, q.value, q.kinds) for q in orders]
    return orders


def _compile() -> dict[Op, list[_Compiled]]:
    table: dict[Op, list[_Compiled]] = {op: [] for op in SEMANTICS}
    for pattern, replacement, *condition in RULES:
        for order in _orders(pattern):
            assert order.op is not None
            shares = len(order.args) == 2 and bool(_inside(order.args[0]) & _inside(order.args[1]))
            table[order.op].append(_Compiled(order, replacement, condition[0] if condition else None, shares))
    return table


_BY_OP = _compile()
_CANDIDATES: dict[tuple[object, ...], tuple[_Compiled, ...]] = {}
"""Cache of the rules that fit the kinds of the arguments: most kinds have none."""


def rewrite(graph: Graph, op: Op, args: tuple[Node, ...]) -> Node | None:
    """The canonical node of the first rule that fits `op(args)`, or None."""
    shape = (op, args[0].kind, args[1].kind) if len(args) == 2 else (op, *(arg.kind for arg in args))
    candidates = _CANDIDATES.get(shape)
    if candidates is None:
        candidates = tuple(
            rule
            for rule in _BY_OP[op]
            if all(_may_match(q, a.kind) for q, a in zip(rule.pattern.args, args, strict=True))
        )
        _CANDIDATES[shape] = candidates
    shared: bool | None = None
    for rule in candidates:
        if rule.shares:
            if shared is None:
                shared = _share(*args)
            if not shared:
                continue
        bound: dict[str, Node] = {}
        if all(map(_matches, rule.pattern.args, args, (bound,) * len(args))) and (
            rule.condition is None or rule.condition(bound)
        ):
            return _build(graph, rule.replacement, bound)
    return None


def _share(first: Node, second: Node) -> bool:
    """Whether two nodes are one, or one is an argument of the other, or they have an argument in common."""
    if first is second:
        return True
    inside = second.args
    for own in first.args:
        if own is second:
            return True
        for other in inside:
            if own is other:
                return True
    return any(other is first for other in inside)


def _may_match(pattern: Pattern, kind: int) -> bool:
    """Whether an argument of that kind may match: a necessary condition."""
    if pattern.kinds is not None:
        return kind in pattern.kinds
    if pattern.value is not None:
        return kind == kind_of(Op.CONST, pattern.value)
    return pattern.op is None or OP_KINDS[pattern.op] == kind


def _matches(pattern: Pattern, node: Node, bound: dict[str, Node]) -> bool:
    if pattern.name:
        if pattern.kinds is not None and node.kind not in pattern.kinds:
            return False
        return bound.setdefault(pattern.name, node) is node
    if pattern.op is not node.op:
        return False
    if pattern.value is not None:
        return node.value == pattern.value
    return all(map(_matches, pattern.args, node.args, (bound,) * len(node.args)))


def _build(graph: Graph, pattern: Pattern, bound: dict[str, Node]) -> Node:
    if pattern.name:
        return bound[pattern.name]
    if pattern.op is Op.CONST:
        assert pattern.value is not None
        return graph.constant(pattern.value)
    assert pattern.op is not None
    return graph.make(pattern.op, *[_build(graph, arg, bound) for arg in pattern.args])
