"""Operation counts: what a generated file states and what the benchmarks compare.

A sign change that serves as the condition of selects alone is no operation: `-a >= 0` is written as `a <= 0`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from torquec.expr.function import Function
from torquec.expr.ops import Op


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
        """Operations weighted by what they take on a processor: a division as ten, a sine-cosine pair as sixteen."""
        return self.mul + self.add + 10 * self.div + 16 * self.sincos + 2 * self.other

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
    """The operations that change a sign only for the condition of selects."""
    found = {k for k, step in enumerate(function.operations) if step.op is Op.NEG}
    for step in function.operations:
        found.difference_update(step.args[1:] if step.op is Op.SELECT else step.args)
    return frozenset(found.difference(*function.results))
