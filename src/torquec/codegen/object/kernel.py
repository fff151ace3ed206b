"""One function as LLVM text for an object file, with the operations of the C package in the same order and rounding.

    void name(const real *input1, ..., real *output1, ...)

All inputs are read before an output is written: arrays may overlap, as in C. The object has its own function for the
sine and cosine of one angle, by the equations of :mod:`torquec.codegen.sincos`: an object and the C, compiled without
contraction, give the same bits. Larger angles are reduced in integer arithmetic
(:mod:`torquec.codegen.llvm_text.far_sincos`), where C calls its library.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.codegen.llvm_text.arctangent import emit_atan2
from torquec.codegen.llvm_text.arrange import Write, arrange
from torquec.codegen.llvm_text.far_sincos import emit_far_one, emit_single_far_one
from torquec.codegen.llvm_text.kernel import emit_items
from torquec.codegen.llvm_text.program import EvaluationStep, StepProgram
from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.sincos import DOUBLE_SINCOS, SINGLE_SINCOS, SincosTable
from torquec.expr import Function, Op

_UNLIKELY = "!prof !0"


@dataclass(frozen=True)
class InnerFunction:
    """The name of a function inside an object, and how it is called."""

    name: str
    convention: str


def emit_object_sincos(module: FunctionText, shape: Type, own: InnerFunction) -> str:
    """The text of `{real, real} name(real x)`: sine and cosine; with it, the functions for large angles."""
    single = shape.element == "float"
    table = SINGLE_SINCOS if single else DOUBLE_SINCOS
    text = FunctionText(fma=False, declarations=module.declarations, compares=True)
    sine, cosine = emit_plain_sincos(text, shape, table, "%x")
    size = text.call("llvm.fabs", shape, "%x")
    near = text.define(f"fcmp ole {shape} {size}, {literal(table.largest_angle, shape)}")
    # Both results of the far path come through memory: it need not be fast.
    slots = text.stack(f"[2 x {shape}]", align=8)
    text.append(f"br i1 {near}, label %join, label %far, {_UNLIKELY}")
    text.start_block("far")
    second = text.element_pointer(slots, 1, shape)
    text.append(f"call void @far_one({shape} %x, ptr {slots}, ptr {second})")
    far = [text.define(f"load {shape}, ptr {place}") for place in (slots, second)]
    text.append("br label %join")
    text.start_block("join")
    both = [
        text.define(f"phi {shape} [ {plain}, %entry ], [ {other}, %far ]")
        for plain, other in zip((sine, cosine), far, strict=True)
    ]
    pair = f"{{ {shape}, {shape} }}"
    half = text.define(f"insertvalue {pair} poison, {shape} {both[0]}, 0")
    whole = text.define(f"insertvalue {pair} {half}, {shape} {both[1]}, 1")
    text.append(f"ret {pair} {whole}")
    reduction = emit_single_far_one(module) if single else emit_far_one(module)
    return reduction + text.finish(f"define internal {own.convention} {pair} @{own.name}({shape} %x) noinline #0")


def emit_plain_sincos(text: FunctionText, shape: Type, table: SincosTable, x: str) -> tuple[str, str]:
    """Append (sin, cos) of an angle that is not large, each operation as in C.

    The equations are (1)-(4) of :mod:`torquec.codegen.sincos`.
    """

    def number(value: float) -> str:
        return literal(value, shape)

    def times(a: str, b: str) -> str:
        return text.binary("fmul", shape, a, b)

    def plus(a: str, b: str) -> str:
        return text.binary("fadd", shape, a, b)

    def minus(a: str, b: str) -> str:
        return text.binary("fsub", shape, a, b)

    def whole(value: str) -> str:
        return minus(plus(value, number(table.round)), number(table.round))

    def polynomial(c: tuple[float, ...]) -> str:
        pairs = [
            plus(number(c[k]), times(number(c[k + 1]), z)) if k + 1 < len(c) else number(c[k])
            for k in range(0, len(c), 2)
        ]
        total = pairs[-1]
        for pair in reversed(pairs[:-1]):
            total = plus(pair, times(zz, total))
        return total

    t = whole(times(x, number(table.two_over_pi)))  # (1)
    r = x
    for part in table.half_pi_parts:
        r = minus(r, times(t, number(part)))  # (2)
    z = times(r, r)
    zz = times(z, z)
    sine = plus(r, times(times(r, z), polynomial(table.sine)))  # (3)
    inner = plus(number(-0.5), times(z, polynomial(table.cosine)))
    cosine = plus(number(1.0), times(z, inner))
    h = minus(t, times(number(4.0), whole(times(t, number(0.25)))))  # (4)
    size = text.call("llvm.fabs", shape, h)
    a = minus(number(1.0), size)
    b = times(h, minus(number(2.0), size))
    return plus(times(a, sine), times(b, cosine)), minus(times(a, cosine), times(b, sine))


def emit_object_function(
    module: FunctionText, function: Function, shape: Type, *, name: str, sincos: InnerFunction
) -> str:
    """The text of a function with the symbol `name`; its sines and cosines come from the function `sincos`."""
    text = FunctionText(fma=False, declarations=module.declarations, compares=True)
    program = _in_order(function)
    body = _ObjectBody(text, program, shape, sincos)
    names: dict[int, str] = {}
    items = [item for item in arrange(program, columns=1) if not isinstance(item, Write)]
    emit_items(text, program, body, items=items, read=body.read, defined=names.__setitem__)
    results = [[names[v] if v in names else body.read(v) for v in result] for result in program.results]
    for output, values in enumerate(results):
        body.write(output, 0, values)
    text.append("ret void")
    pointers = [f"ptr %in{i}" for i in range(len(program.inputs))] + [
        f"ptr %out{i}" for i in range(len(program.outputs))
    ]
    return text.finish(f"define void @{name}({', '.join(pointers)}) #0")


def _in_order(function: Function) -> StepProgram:
    """The operations as steps, no sum rearranged."""
    ports = {port.name: i for i, port in enumerate(function.inputs)}
    steps = tuple(
        EvaluationStep(step.op, step.args, step.value, ports.get(step.port, 0), step.element)
        for step in function.operations
    )
    return StepProgram(function.inputs, function.outputs, steps, tuple(tuple(result) for result in function.results))


class _ObjectBody:
    """Values are single numbers; every element is read and written by itself."""

    def __init__(self, text: FunctionText, program: StepProgram, shape: Type, sincos: InnerFunction) -> None:
        self._text, self._program, self.shape, self._sincos = text, program, shape, sincos
        self._bytes = 4 if shape.element == "float" else 8

    def read(self, step: int) -> str:
        leaf = self._program.steps[step]
        if leaf.op is Op.CONST:
            return literal(leaf.value, self.shape)
        at = self._text.element_pointer(f"%in{leaf.port}", leaf.element, self.shape)
        return self._text.define(f"load {self.shape}, ptr {at}, align {self._bytes}")

    def write(self, output: int, first: int, values: list[str]) -> None:
        for element, value in enumerate(values, start=first):
            at = self._text.element_pointer(f"%out{output}", element, self.shape)
            self._text.append(f"store {self.shape} {value}, ptr {at}, align {self._bytes}")

    def angles(self, values: list[str]) -> list[tuple[str, str]]:
        pair = f"{{ {self.shape}, {self.shape} }}"
        found = []
        for value in values:
            both = self._text.define(
                f"call {self._sincos.convention} {pair} @{self._sincos.name}({self.shape} {value})"
            )
            sine, cosine = (self._text.define(f"extractvalue {pair} {both}, {k}") for k in (0, 1))
            found.append((sine, cosine))
        return found

    def point_angles(self, points: list[tuple[str, str]]) -> list[str]:
        return [emit_atan2(self._text, self.shape, y, x) for y, x in points]
