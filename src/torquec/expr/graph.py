"""The expression graph: one immutable, hash-consed node per distinct value.

A `Graph` interns its nodes, so equal expressions are one node and the number of nodes is the number of operations.
Every node is built through `Graph.make`, which folds constants, puts commutative arguments in one order and applies
the rewrite rules of :mod:`torquec.expr.rules`. Signs float outwards: products hold no negations, and a difference is
kept in one orientation, so that `a - b` and `b - a` share a node.
"""

from __future__ import annotations

import math
from typing import TypeAlias, Union

from torquec.errors import ExpressionError
from torquec.expr.ops import SEMANTICS, Op
from torquec.expr.rules import kind_of, rewrite

_COMMUTES = frozenset(op for op, rule in SEMANTICS.items() if rule.commutes)

Operand: TypeAlias = Union["Node", float, int]


class Node:
    """A value in a graph. Arithmetic on nodes (and with numbers) makes further nodes."""

    __slots__ = ("args", "graph", "index", "kind", "op", "value")
    __array_ufunc__ = None  # NumPy scalars must leave the arithmetic to the node

    def __init__(self, graph: Graph, op: Op, args: tuple[Node, ...], value: float, index: int) -> None:
        self.graph = graph
        self.op = op
        self.args = args
        self.value = value
        self.index = index
        self.kind = kind_of(op, value)

    def __add__(self, other: Operand) -> Node:
        return self.graph.make(Op.ADD, self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Node:
        return self.graph.make(Op.SUB, self, other)

    def __rsub__(self, other: Operand) -> Node:
        return self.graph.make(Op.SUB, other, self)

    def __mul__(self, other: Operand) -> Node:
        return self.graph.make(Op.MUL, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Node:
        return self.graph.make(Op.DIV, self, other)

    def __rtruediv__(self, other: Operand) -> Node:
        return self.graph.make(Op.DIV, other, self)

    def __neg__(self) -> Node:
        return self.graph.make(Op.NEG, self)

    def __repr__(self) -> str:
        if self.op is Op.CONST:
            return repr(self.value)
        return f"%{self.index}={self.op.value}({', '.join(f'%{a.index}' for a in self.args)})"


class Graph:
    """Makes and owns nodes; two graphs never mix."""

    def __init__(self) -> None:
        self._interned: dict[tuple[object, ...], Node] = {}
        self._inputs: dict[int, tuple[str, int]] = {}
        self._count = 0

    def constant(self, value: float) -> Node:
        """The node of a number (-0.0 is 0.0 here)."""
        value = float(value) + 0.0
        key = (Op.CONST, "nan" if math.isnan(value) else value)
        return self._intern(key, Op.CONST, (), value)

    def input(self, port: str, element: int) -> Node:
        """The node of one element of an input."""
        node = self._intern((Op.INPUT, port, element), Op.INPUT, (), 0.0)
        self._inputs[node.index] = (port, element)
        return node

    def input_of(self, node: Node) -> tuple[str, int]:
        """Which element of which input a node stands for."""
        return self._inputs[node.index]

    def make(self, op: Op, *operands: Operand) -> Node:
        """The canonical node of `op` applied to the operands."""
        args = tuple([self._adopt(operand) for operand in operands])
        if args[0].op is Op.CONST or args[-1].op is Op.CONST:
            if all(arg.op is Op.CONST for arg in args):
                return self.constant(SEMANTICS[op].on_floats(*[arg.value for arg in args]))
            if op in _COMMUTES and args[0].op is not Op.CONST:
                args = (args[1], args[0])  # constants first, then by age
        elif op in _COMMUTES and args[0].index > args[1].index:
            args = (args[1], args[0])
        simpler = rewrite(self, op, args)
        if simpler is not None:
            return simpler
        key = (op, args[0].index, args[1].index) if len(args) == 2 else (op, *[arg.index for arg in args])
        return self._intern(key, op, args, 0.0)

    def raw(self, op: Op, *args: Node, value: float = 0.0) -> Node:
        """A node as it stands, not brought into canonical form: for the last passes only."""
        key = (op, value) if op is Op.CONST else (op, *(arg.index for arg in args))
        return self._intern(key, op, args, value)

    def forget(self) -> None:
        """Drop all nodes: the reference cycle with their graph ends, and they are freed without garbage collection."""
        self._interned.clear()

    def _adopt(self, operand: Operand) -> Node:
        if isinstance(operand, Node):
            if operand.graph is not self:
                raise ExpressionError("a node of another graph was used", remedy="trace both in one function")
            return operand
        return self.constant(operand)

    def _intern(self, key: tuple[object, ...], op: Op, args: tuple[Node, ...], value: float) -> Node:
        node = self._interned.get(key)
        if node is None:
            node = Node(self, op, args, value, self._count)
            self._count += 1
            self._interned[key] = node
        return node

    def __len__(self) -> int:
        return self._count


def is_zero(value: object) -> bool:
    """True for the number zero, also as a constant node; False for every other scalar, batches too."""
    if isinstance(value, Node):
        return value.op is Op.CONST and value.value == 0.0
    return isinstance(value, (float, int)) and value == 0.0
