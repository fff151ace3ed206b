"""The operations of a `Function` as LLVM text, on doubles or on vectors of one state per lane.

What the values are is left to the kernel: how a constant, an input or a value from elsewhere is read (once, where it
is first needed), how a group of sines and cosines is evaluated, and what happens to a value once it exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from torquec.codegen.llvm.arrange import AngleGroup, Arrangement, Item
from torquec.codegen.llvm.text import FunctionText, Type
from torquec.expr import Function, Op, Operation

Read: TypeAlias = Callable[[int], str]
EvaluateAngles: TypeAlias = Callable[[list[str]], list[tuple[str, str]]]
Defined: TypeAlias = Callable[[int, str], None]

_BINARY = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
# These propagate NaN, as NumPy's do.
_INTRINSIC = {Op.SQRT: "llvm.sqrt", Op.ABS: "llvm.fabs", Op.MIN: "llvm.minimum", Op.MAX: "llvm.maximum"}


class _Names(dict[int, str]):
    """Names of values; one that is missing is read."""

    def __init__(self, read: Read) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, value: int) -> str:
        self[value] = self._read(value)
        return self[value]


def emit_operations(
    text: FunctionText,
    function: Function,
    arrangement: Arrangement,
    shape: Type,
    *,
    items: Iterable[Item],
    read: Read,
    angles: EvaluateAngles,
    defined: Defined,
) -> None:
    """Append some items of the arrangement; `defined(value, name)` is told of every value as soon as it exists."""
    names = _Names(read)
    for item in items:
        if isinstance(item, AngleGroup):
            pairs = angles([names[angle.value] for angle in item.angles])
            for angle, (sine, cosine) in zip(item.angles, pairs, strict=True):
                names.update(dict.fromkeys(angle.sines, sine))
                names.update(dict.fromkeys(angle.cosines, cosine))
        elif item in arrangement.contracted:
            step = function.operations[item]
            names[item] = _contracted(text, shape, function, step, arrangement.contracted[item], names)
        else:
            step = function.operations[item]
            names[item] = _plain(text, shape, step.op, [names[a] for a in step.args])
        for value in arrangement.defines(item):
            defined(value, names[value])


def _plain(text: FunctionText, shape: Type, op: Op, args: list[str]) -> str:
    if op in _BINARY:
        return text.binary(_BINARY[op], shape, *args)
    if op in _INTRINSIC:
        return text.call(_INTRINSIC[op], shape, *args)
    if op is Op.NEG:
        return text.negate(shape, args[0])
    if op is Op.SELECT:
        positive = text.define(f"fcmp oge {shape} {args[0]}, {shape.splat('0.0')}")
        return text.define(f"select {shape.booleans} {positive}, {shape} {args[1]}, {shape} {args[2]}")
    assert op is Op.ATAN2
    return _elementwise_atan2(text, shape, args)


def _contracted(
    text: FunctionText, shape: Type, function: Function, step: Operation, position: int, names: Mapping[int, str]
) -> str:
    """a*b + c, a*b - c or c - a*b."""
    product = function.operations[step.args[position]]
    a, b = (names[factor] for factor in product.args)
    c = names[step.args[1 - position]]
    if step.op is Op.SUB and position == 0:
        c = text.negate(shape, c)
    elif step.op is Op.SUB:
        a = text.negate(shape, a)
    return text.multiply_add(shape, a, b, c)


def _elementwise_atan2(text: FunctionText, shape: Type, args: list[str]) -> str:
    """atan2 by the platform's, element by element."""
    function = text.define("load ptr, ptr @libm_atan2")
    if shape.width == 1:
        return text.define(f"call double {function}(double {args[0]}, double {args[1]})")
    result = "poison"
    for lane in range(shape.width):
        y, x = (text.define(f"extractelement {shape} {a}, i64 {lane}") for a in args)
        angle = text.define(f"call double {function}(double {y}, double {x})")
        result = text.define(f"insertelement {shape} {result}, double {angle}, i64 {lane}")
    return result
