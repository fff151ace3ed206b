"""Reassociation of sums and fused multiply-add: from a `Function` to evaluation steps with short dependency chains.

The time of a kernel for one state is that of its critical path, the longest chain of dependent operations. Adding the
late terms of a sum last shortens it (by a fifth for a robot's inverse dynamics) with the same number of operations:

(1)  every maximal tree of additions, subtractions and sign changes, through values that are used once, is a list of
     signed terms;
(2)  while there is more than one term, the two that are ready first are combined into one;
(3)  a term that is a product, used nowhere else, is combined as a*b + c, rounded once (where the processor can): it
     takes no multiplication of its own.

All kernels of a function execute the same steps, so that they round alike.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from torquec.expr import Function, Op, Port


class Fused(StrEnum):
    """Steps of three arguments a, b, c, rounded once."""

    ADD = "a*b + c"
    SUB = "a*b - c"
    NEGATED_ADD = "c - a*b"
    NEGATED_SUB = "-a*b - c"


StepOp: TypeAlias = Op | Fused


@dataclass(frozen=True)
class EvaluationStep:
    """One step. `args` are earlier steps; a constant has `value`, an input `port` and `element`."""

    op: StepOp
    args: tuple[int, ...] = ()
    value: float = 0.0
    port: int = 0
    element: int = 0

    @property
    def is_leaf(self) -> bool:
        """Whether this is a constant or an input, which is read where it is needed."""
        return self.op is Op.CONST or self.op is Op.INPUT


@dataclass(frozen=True)
class StepProgram:
    """Steps in an order in which they can be executed, and which of them are the outputs."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    steps: tuple[EvaluationStep, ...]
    results: tuple[tuple[int, ...], ...]


def make_program(function: Function, *, fuse: bool) -> StepProgram:
    """The steps of a function; without `fuse`, no step is a fused multiply-add.

    >>> from torquec.expr import trace
    >>> f = trace("f", lambda x: {"y": x[0] * x[1] + x[2]}, {"x": (3,)})
    >>> [str(step.op) for step in make_program(f, fuse=True).steps]
    ['input', 'input', 'input', 'a*b + c']
    """
    builder = _Builder(function, fuse=fuse)
    return StepProgram(function.inputs, function.outputs, *builder.build())


_LATENCY: Mapping[StepOp, int] = {Op.CONST: 0, Op.INPUT: 0, Op.NEG: 1, Op.ADD: 3, Op.SUB: 3, Op.MUL: 3, Op.DIV: 13}
_FUSED_LATENCY = 4
_OTHER_LATENCY = 20
"""Latencies [cycles] on a recent processor; only their proportion matters."""


def latency(op: StepOp) -> int:
    """Cycles from the operands of a step to its result, roughly."""
    return _FUSED_LATENCY if isinstance(op, Fused) else _LATENCY.get(op, _OTHER_LATENCY)


_SUM = (Op.ADD, Op.SUB, Op.NEG)


@dataclass(frozen=True)
class _Term:
    """A signed term: a step, or (`factors`) a product that is not yet a step."""

    negative: bool
    step: int = -1
    factors: tuple[int, int] | None = None


class _Builder:
    """Translates operations to steps one by one, keeping the time at which each step is ready."""

    def __init__(self, function: Function, *, fuse: bool) -> None:
        self._function, self._fuse = function, fuse
        self._ports = {port.name: i for i, port in enumerate(function.inputs)}
        self._steps: list[EvaluationStep] = []
        self._ready: list[int] = []
        self._step_of: dict[int, int] = {}

    def build(self) -> tuple[tuple[EvaluationStep, ...], tuple[tuple[int, ...], ...]]:
        inner, products = self._absorbed()
        for value, operation in enumerate(self._function.operations):
            if value in inner or value in products:
                continue
            if operation.op in _SUM:
                self._step_of[value] = self._add_up(self._terms(value, inner, products))
            elif operation.op is Op.INPUT:
                step = EvaluationStep(Op.INPUT, port=self._ports[operation.port], element=operation.element)
                self._step_of[value] = self._append(step)
            else:
                args = tuple(self._step_of[a] for a in operation.args)
                self._step_of[value] = self._append(EvaluationStep(operation.op, args, operation.value))
        results = tuple(tuple(self._step_of[v] for v in result) for result in self._function.results)
        return tuple(self._steps), results

    def _absorbed(self) -> tuple[set[int], set[int]]:
        """The values inside a sum, and the products that are terms of one (1), (3)."""
        operations = self._function.operations
        uses = [0] * len(operations)
        in_sum = [False] * len(operations)
        for operation in operations:
            for a in operation.args:
                uses[a] += 1
                in_sum[a] = operation.op in _SUM
        for result in self._function.results:
            for value in result:
                uses[value] += 1
                in_sum[value] = False
        once = {v for v, operation in enumerate(operations) if uses[v] == 1 and in_sum[v]}
        inner = {v for v in once if operations[v].op in _SUM}
        products = {v for v in once if operations[v].op is Op.MUL} if self._fuse else set()
        return inner, products

    def _terms(self, root: int, inner: set[int], products: set[int]) -> list[_Term]:
        """The signed terms of a sum, from left to right (1)."""
        terms = []
        stack = [(root, False)]
        while stack:
            value, negative = stack.pop()
            operation = self._function.operations[value]
            if value == root or value in inner:
                last = len(operation.args) - 1
                for position in range(last, -1, -1):  # the stack turns the order around
                    flips = operation.op is Op.NEG or (operation.op is Op.SUB and position == 1)
                    stack.append((operation.args[position], negative != flips))
            elif value in products:
                a, b = (self._step_of[factor] for factor in operation.args)
                terms.append(_Term(negative, factors=(a, b)))
            else:
                terms.append(_Term(negative, self._step_of[value]))
        return terms

    def _add_up(self, terms: list[_Term]) -> int:
        """The step of a sum (2)."""
        heap = [(self._time(term), order, term) for order, term in enumerate(terms)]
        heapq.heapify(heap)
        order = len(heap)
        while len(heap) > 1:
            first, second = heapq.heappop(heap)[2], heapq.heappop(heap)[2]
            term = self._combine(first, second, is_last=not heap)
            heapq.heappush(heap, (self._time(term), order, term))
            order += 1
        term = self._as_step(heap[0][2])
        return self._append(EvaluationStep(Op.NEG, (term.step,))) if term.negative else term.step

    def _combine(self, first: _Term, second: _Term, *, is_last: bool) -> _Term:
        """The sum of two terms as one term (3)."""
        if first.factors and second.factors:
            first = self._as_step(first)  # the one that is ready later is fused
        if first.factors:
            first, second = second, first
        if second.factors is None:
            if first.negative == second.negative:
                return _Term(first.negative, self._append(EvaluationStep(Op.ADD, (first.step, second.step))))
            plus, minus = (second, first) if first.negative else (first, second)
            return _Term(False, self._append(EvaluationStep(Op.SUB, (plus.step, minus.step))))
        if first.negative == second.negative:
            op, negative = Fused.ADD, first.negative
            if negative and is_last:
                op, negative = Fused.NEGATED_SUB, False
        else:
            op, negative = (Fused.NEGATED_ADD if second.negative else Fused.SUB), False
        return _Term(negative, self._append(EvaluationStep(op, (*second.factors, first.step))))

    def _as_step(self, term: _Term) -> _Term:
        if term.factors is None:
            return term
        return _Term(term.negative, self._append(EvaluationStep(Op.MUL, term.factors)))

    def _time(self, term: _Term) -> int:
        return max(self._ready[f] for f in term.factors) if term.factors else self._ready[term.step]

    def _append(self, step: EvaluationStep) -> int:
        self._ready.append(max((self._ready[a] for a in step.args), default=0) + latency(step.op))
        self._steps.append(step)
        return len(self._steps) - 1
