"""The scalar kernel: one state, C calling convention, as the exported C.

    void name(const double *input1, ..., double *output1, ...)

Ports in order, matrices row by row; an output must not overlap an input. Angles are the part that pays for vectors:
all sines and cosines of a group are evaluated in one vector, or in a few.
"""

from __future__ import annotations

from torquec.codegen.llvm.arrange import Arrangement
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm.emit import emit_operations
from torquec.codegen.llvm.sincos import emit_guarded_sincos
from torquec.codegen.llvm.text import DOUBLE, FunctionText, Type, constant
from torquec.expr import Function, Op


def emit_scalar(text: FunctionText, function: Function, arrangement: Arrangement, cpu: Cpu, *, name: str) -> str:
    """The text of the scalar kernel under that symbol."""
    places = output_places(function)

    def angles(values: list[str]) -> list[tuple[str, str]]:
        return emit_angles(text, values, cpu.width)

    def read(value: int) -> str:
        return read_leaf(text, function, value)

    def defined(value: int, name: str) -> None:
        store_outputs(text, places, value, name)

    emit_operations(
        text, function, arrangement, DOUBLE, items=arrangement.order, read=read, angles=angles, defined=defined
    )
    store_leaves(text, function, places)
    text.append("ret void")
    return text.finish(f"define void @{name}({', '.join(kernel_parameters(function))}) #0")


def emit_packed(function: Function, *, kernel: str, name: str) -> str:
    """The text of `void name(const double *const *inputs, double *const *outputs)`, which calls the kernel."""
    text = FunctionText(fma=False)
    arguments = []
    for array, ports in (("%inputs", function.inputs), ("%outputs", function.outputs)):
        for i in range(len(ports)):
            slot = text.define(f"getelementptr ptr, ptr {array}, i64 {i}")
            arguments.append(text.define(f"load ptr, ptr {slot}"))
    text.append(f"tail call void @{kernel}({', '.join(f'ptr {a}' for a in arguments)})")
    text.append("ret void")
    return text.finish(f"define void @{name}(ptr %inputs, ptr %outputs) #0")


def kernel_parameters(function: Function) -> list[str]:
    """The parameters of a kernel, `%in0`, `%in1`, ... and `%out0`, ..., with their attributes."""
    inputs = [f"ptr noalias readonly captures(none) %in{i}" for i in range(len(function.inputs))]
    return inputs + [f"ptr noalias writeonly captures(none) %out{i}" for i in range(len(function.outputs))]


def output_places(function: Function) -> dict[int, list[tuple[str, int]]]:
    """For each value that is an output, the (pointer, element) where it goes."""
    places: dict[int, list[tuple[str, int]]] = {}
    for i, result in enumerate(function.results):
        for element, value in enumerate(result):
            places.setdefault(value, []).append((f"%out{i}", element))
    return places


def store_outputs(text: FunctionText, places: dict[int, list[tuple[str, int]]], value: int, name: str) -> None:
    """Append the stores of a value, if it is an output."""
    for pointer, element in places.get(value, ()):
        text.append(f"store double {name}, ptr {text.element_pointer(pointer, element)}, align 8")


def store_leaves(text: FunctionText, function: Function, places: dict[int, list[tuple[str, int]]]) -> None:
    """Append the stores of outputs that are constants or inputs."""
    for value in places:
        if function.operations[value].op in (Op.CONST, Op.INPUT):
            store_outputs(text, places, value, read_leaf(text, function, value))


def read_leaf(text: FunctionText, function: Function, value: int) -> str:
    """Append the reading of an input element; gives its name, or the literal of a constant."""
    step = function.operations[value]
    if step.op is Op.CONST:
        return constant(step.value)
    index = [port.name for port in function.inputs].index(step.port)
    return text.define(f"load double, ptr {text.element_pointer(f'%in{index}', step.element)}, align 8")


def emit_angles(text: FunctionText, values: list[str], width: int) -> list[tuple[str, str]]:
    """Append (sin, cos) of any number of values, in vectors of at most that width."""
    pairs: list[tuple[str, str]] = []
    for first in range(0, len(values), width):
        pairs += _angles_in_one_vector(text, values[first : first + width])
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
