"""Random straight-line programs and an exact arithmetic to run them in.

In the exact arithmetic sums, products, quotients, comparisons and signs are those of fractions. The elementary
functions are replaced by simple ones that share what the rewrite rules may use of them: a sine is odd, a cosine is
even, nothing else. So two programs that agree here are equal as expressions, not only close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st

from torquec.expr import Function, Op
from torquec.expr.ops import SEMANTICS

EXACT: dict[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b,
    Op.NEG: lambda a: -a,
    Op.SIN: lambda a: a * 2 if abs(a) < 1 else a / 4,
    Op.COS: lambda a: abs(a) / 4 + 1,
    Op.SQRT: lambda a: a / 8 + 2,
    Op.EXP: lambda a: a / 16 + 3,
    Op.ATAN2: lambda a, b: a / 8 - b / 4,
    Op.ABS: abs,
    Op.MIN: min,
    Op.MAX: max,
    Op.SELECT: lambda a, b, c: b if a >= 0 else c,
}
INPUTS = 4


@contextmanager
def exact_folding() -> Iterator[None]:
    """Constants fold in the exact arithmetic too."""
    with pytest.MonkeyPatch.context() as patch:
        for op, function in EXACT.items():
            patch.setitem(SEMANTICS, op, replace(SEMANTICS[op], on_floats=function))
        yield


@dataclass(frozen=True)
class Program:
    """Steps (operation, arguments) over the inputs, the constants and the steps before; `results` are its outputs."""

    constants: tuple[float, ...]
    steps: tuple[tuple[Op, tuple[int, ...]], ...]
    results: tuple[int, ...]

    def run(self, inputs: Sequence[Any], apply: Callable[..., Any]) -> list[Any]:
        values = [*inputs, *self.constants]
        for op, args in self.steps:
            values.append(apply(op, *(values[k] for k in args)))
        return [values[k] for k in self.results]

    def algorithm(self, x: Any) -> Mapping[str, Any]:
        return {"y": self.run(x, x[0].graph.make)}

    def exact(self, inputs: Sequence[Fraction]) -> list[Fraction]:
        return [Fraction(value) for value in self.run(inputs, lambda op, *args: EXACT[op](*map(Fraction, args)))]


@st.composite
def programs(draw: st.DrawFn, *, most_steps: int = 14) -> Program:
    """Programs that use values again and again; they divide by inputs only, which the exact arithmetic can do."""
    constants = tuple(draw(st.lists(st.sampled_from((0.0, 1.0, -1.0, 2.0, -0.5, -4.0)), min_size=1, max_size=3)))
    count = INPUTS + len(constants)
    steps = []
    for _ in range(draw(st.integers(1, most_steps))):
        op = draw(st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.NEG, *SEMANTICS]))
        args = [draw(st.integers(0, count - 1)) for _ in range(SEMANTICS[op].arity)]
        if op is Op.DIV:
            args[1] = draw(st.integers(0, INPUTS - 1))
        steps.append((op, tuple(args)))
        count += 1
    results = draw(st.lists(st.integers(max(INPUTS, count - 4), count - 1), min_size=1, max_size=3))
    return Program(constants, tuple(steps), tuple(results))


fractions = st.fractions(-3, 3, max_denominator=8).filter(bool)
states = st.lists(fractions, min_size=INPUTS, max_size=INPUTS)


def run_exactly(function: Function, inputs: Mapping[str, Sequence[Fraction]]) -> dict[str, list[Fraction]]:
    """The outputs of a function in the exact arithmetic, flat."""
    values: list[Fraction] = []
    for step in function.operations:
        if step.op is Op.CONST:
            values.append(Fraction(step.value))
        elif step.op is Op.INPUT:
            values.append(inputs[step.port][step.element])
        else:
            values.append(Fraction(EXACT[step.op](*(values[k] for k in step.args))))
    return {
        port.name: [values[k] for k in result] for port, result in zip(function.outputs, function.results, strict=True)
    }
