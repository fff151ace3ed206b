"""The steps of a `StepProgram` as LLVM text, on doubles or on vectors of one state per lane.

What the values are is left to the `KernelBody` of a kernel: how a constant or an input is read (once, where it is first
needed), how a group of sines and cosines, or of angles of points, is evaluated, and how outputs are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from torquec.codegen.llvm_text.arrange import AngleGroup, Item, PointGroup, Write, defines
from torquec.codegen.llvm_text.exponential import emit_exponential
from torquec.codegen.llvm_text.program import Fused, StepOp, StepProgram
from torquec.codegen.llvm_text.text import FunctionText, Type
from torquec.expr import Op


class KernelBody(Protocol):
    """What a kernel does its own way, inside one function text."""

    shape: Type

    def read(self, step: int) -> str:
        """Append the reading of an input; gives its name, or the literal of a constant."""

    def angles(self, values: list[str]) -> list[tuple[str, str]]:
        """Append the sines and cosines of values; gives their names."""

    def point_angles(self, points: list[tuple[str, str]]) -> list[str]:
        """Append the angles of points (y, x); gives their names."""

    def write(self, output: int, first: int, values: list[str]) -> None:
        """Append the writing of neighbouring elements of an output."""


_BINARY = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_INTRINSIC = {Op.SQRT: "llvm.sqrt", Op.ABS: "llvm.fabs"}


class _Names(dict[int, str]):
    """Names of the results of steps; one that is missing is read."""

    def __init__(self, read: Callable[[int], str]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, step: int) -> str:
        self[step] = self._read(step)
        return self[step]


def emit_items(
    text: FunctionText,
    program: StepProgram,
    body: KernelBody,
    *,
    items: Iterable[Item],
    read: Callable[[int], str],
    defined: Callable[[int, str], None],
) -> None:
    """Append some items of a program.

    A step that no earlier item defined is asked of `read`; `defined` is told of every result as soon as it exists.
    """
    names = _Names(read)
    for item in items:
        if isinstance(item, Write):
            body.write(item.output, item.first, [names[step] for step in item.steps])
        elif isinstance(item, AngleGroup):
            pairs = body.angles([names[angle.step] for angle in item.angles])
            for angle, (sine, cosine) in zip(item.angles, pairs, strict=True):
                names.update(dict.fromkeys(angle.sines, sine))
                names.update(dict.fromkeys(angle.cosines, cosine))
        elif isinstance(item, PointGroup):
            points = [(names[y], names[x]) for y, x in (program.steps[step].args for step in item.steps)]
            names.update(zip(item.steps, body.point_angles(points), strict=True))
        else:
            step = program.steps[item]
            names[item] = _emit_step(text, body.shape, step.op, [names[a] for a in step.args])
        for step_number in defines(item):
            defined(step_number, names[step_number])


def _emit_step(text: FunctionText, shape: Type, op: StepOp, args: list[str]) -> str:
    if isinstance(op, Fused):
        return _fused(text, shape, op, *args)
    if op in _BINARY:
        return text.binary(_BINARY[op], shape, *args)
    if op in _INTRINSIC:
        return text.call(_INTRINSIC[op], shape, *args)
    if op in (Op.MIN, Op.MAX):
        return text.smaller(shape, *args) if op is Op.MIN else text.larger(shape, *args)
    if op is Op.NEG:
        return text.negate(shape, args[0])
    if op is Op.SELECT:
        positive = text.define(f"fcmp oge {shape} {args[0]}, {shape.splat('0.0')}")
        return text.select(shape, positive, args[1], args[2])
    assert op is Op.EXP
    return emit_exponential(text, shape, args[0])


def _fused(text: FunctionText, shape: Type, op: Fused, a: str, b: str, c: str) -> str:
    """LLVM has one such operation; it folds sign changes of the operands into the instruction."""
    if op in (Fused.NEGATED_ADD, Fused.NEGATED_SUB):
        a = text.negate(shape, a)
    if op in (Fused.SUB, Fused.NEGATED_SUB):
        c = text.negate(shape, c)
    return text.multiply_add(shape, a, b, c)
