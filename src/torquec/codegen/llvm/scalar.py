"""The scalar kernel: one state, C calling convention, as the exported C.

    void name(const double *input1, ..., double *output1, ...)

Ports in order, matrices row by row; an output must not overlap an input. Angles are the part that pays for vectors: all
sines and cosines of a group are evaluated in one vector, or in a few.
"""

from __future__ import annotations

from torquec.codegen.llvm.arrange import arrange
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm.kernel import emit_kernel
from torquec.codegen.llvm.sincos import emit_guarded_sincos
from torquec.codegen.llvm.text import DOUBLE, FunctionText, Type, constant
from torquec.expr import Function, Op


def emit_scalar(module: FunctionText, function: Function, cpu: Cpu, *, name: str) -> str:
    """The text of the scalar kernel under that symbol."""
    arrangement = arrange(function, contract=cpu.fma, columns=1)

    def make_body(text: FunctionText) -> _ScalarBody:
        return _ScalarBody(text, function, cpu.width)

    return emit_kernel(module, function, arrangement, make_body, head=f"define void @{name}")


def emit_packed(function: Function, *, kernel: str, name: str) -> str:
    """The text of `void name(const double *const *inputs, double *const *outputs)`, which calls the kernel."""
    text = FunctionText(fma=False)
    arguments = ", ".join(f"ptr {p}" for p in load_pointers(text, function))
    text.append(f"tail call void @{kernel}({arguments})")
    text.append("ret void")
    return text.finish(f"define void @{name}(ptr %inputs, ptr %outputs) #0")


def load_pointers(text: FunctionText, function: Function) -> list[str]:
    """Append the loading of all pointers from the arrays `%inputs` and `%outputs`."""
    pointers = []
    for array, ports in (("%inputs", function.inputs), ("%outputs", function.outputs)):
        for i in range(len(ports)):
            slot = text.define(f"getelementptr ptr, ptr {array}, i64 {i}")
            pointers.append(text.define(f"load ptr, ptr {slot}"))
    return pointers


class _ScalarBody:
    """Values are doubles; every element is read and written by itself."""

    shape = DOUBLE

    def __init__(self, text: FunctionText, function: Function, width: int) -> None:
        self._text, self._function, self._width = text, function, width
        self._ports = {port.name: f"%in{i}" for i, port in enumerate(function.inputs)}

    def read(self, value: int) -> str:
        step = self._function.operations[value]
        if step.op is Op.CONST:
            return constant(step.value)
        at = self._text.element_pointer(self._ports[step.port], step.element)
        return self._text.define(f"load double, ptr {at}, align 8")

    def write(self, output: int, first: int, values: list[str]) -> None:
        for element, value in enumerate(values, start=first):
            at = self._text.element_pointer(f"%out{output}", element)
            self._text.append(f"store double {value}, ptr {at}, align 8")

    def angles(self, values: list[str]) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        for first in range(0, len(values), self._width):
            pairs += _angles_in_one_vector(self._text, values[first : first + self._width])
        return pairs


def _angles_in_one_vector(text: FunctionText, values: list[str]) -> list[tuple[str, str]]:
    """(sin, cos) of a few values, evaluated in the smallest vector that holds them (the rest is zero)."""
    shape = Type(1 << (len(values) - 1).bit_length())
    if shape.width == 1:
        return emit_guarded_sincos(text, values, shape)
    vector = "zeroinitializer"
    for lane, value in enumerate(values):
        vector = text.define(f"insertelement {shape} {vector}, double {value}, i64 {lane}")
    ((sine, cosine),) = emit_guarded_sincos(text, [vector], shape)
    return [
        (
            text.define(f"extractelement {shape} {sine}, i64 {lane}"),
            text.define(f"extractelement {shape} {cosine}, i64 {lane}"),
        )
        for lane in range(len(values))
    ]
