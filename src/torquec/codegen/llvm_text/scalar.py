"""The scalar kernel: one state, with the signature of the generated C.

    void name(const double *input1, ..., double *output1, ...)

Ports in order, matrices row by row; an output must not overlap an input. Sines and cosines are worth vectorizing: those
of a group of angles are evaluated in a few vectors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from torquec.codegen.llvm_text.arctangent import emit_atan2
from torquec.codegen.llvm_text.arrange import MOST_SCHEDULED_HERE, Item, arrange, schedule
from torquec.codegen.llvm_text.kernel import KernelBody, emit_kernel
from torquec.codegen.llvm_text.program import StepProgram
from torquec.codegen.llvm_text.sincos import emit_guarded_sincos
from torquec.codegen.llvm_text.text import DOUBLE, FunctionText, Type, literal
from torquec.expr import Op

_MOST_LANES = 4  # lanes in a vector of angles: inserting and extracting single lanes of wider registers takes longer
_MOST_VECTORS = 4  # vectors evaluated in parallel: enough to hide the latency of one


SINCOS_OF_MANY = "sincos_of_many"
"""The function that :func:`emit_sincos_of_many` writes."""


Assembler = Callable[[FunctionText, StepProgram, Sequence[Item], Callable[[FunctionText], KernelBody], str], str]
"""(module, program, items, maker of the body, head) -> a kernel of machine instructions; "" leaves it to LLVM."""


def emit_scalar(
    module: FunctionText, program: StepProgram, width: int, *, name: str, assembler: Assembler | None = None
) -> str:
    """The text of the scalar kernel with the symbol `name`, for registers of `width` doubles.

    `assembler` writes machine instructions of a processor; None leaves all of them to LLVM.
    """

    def make_body(text: FunctionText) -> _ScalarBody:
        return _ScalarBody(text, program, width)

    head = f"define void @{name}"
    order = arrange(program, columns=1)
    if assembler is not None:
        items = schedule(program, order, most=MOST_SCHEDULED_HERE)
        kernel = assembler(module, program, items, make_body, head)
        if kernel:
            return kernel
    return emit_kernel(module, program, schedule(program, order), make_body, head=head)


def emit_short_scalar(module: FunctionText, program: StepProgram, *, name: str) -> str:
    """The text of the scalar kernel for small code size instead of speed: sines and cosines call `SINCOS_OF_MANY`."""

    def make_body(text: FunctionText) -> _ScalarBody:
        return _ShortScalarBody(text, program, width=1)

    items = arrange(program, columns=1)
    return emit_kernel(module, program, items, make_body, head=f"define void @{name}", in_one=sys.maxsize)


def emit_sincos_of_many(module: FunctionText, width: int) -> str:
    """The text of `void sincos_of_many(double *values, i64 n)`: n angles, n places for sines, n for cosines.

    `n` is a multiple of `width`.
    """
    text = FunctionText(fma=False, declarations=module.declarations)
    shape = Type(width)
    text.append("br label %vector")
    text.start_block("vector")
    text.append("%i = phi i64 [ 0, %entry ], [ %next, %stored ]")
    text.append("%sines = getelementptr double, ptr %values, i64 %n")
    text.append("%cosines = getelementptr double, ptr %sines, i64 %n")
    places = [text.element_pointer(array, "%i") for array in ("%values", "%sines", "%cosines")]
    angles = text.define(f"load {shape}, ptr {places[0]}, align 8")
    for place, values in zip(places[1:], emit_guarded_sincos(text, [angles], shape)[0], strict=True):
        text.append(f"store {shape} {values}, ptr {place}, align 8")
    text.append("br label %stored")
    text.start_block("stored")
    text.append(f"%next = add i64 %i, {width}")
    text.append("%more = icmp ult i64 %next, %n")
    text.append("br i1 %more, label %vector, label %end")
    text.start_block("end")
    text.append("ret void")
    module.needs_far_sincos |= text.needs_far_sincos
    return text.finish(f"define internal void @{SINCOS_OF_MANY}(ptr %values, i64 %n) noinline #0")


def emit_packed(program: StepProgram, *, kernel: str, name: str) -> str:
    """The text of `void name(const double *const *inputs, double *const *outputs)`, which calls the kernel."""
    text = FunctionText(fma=False)
    arguments = ", ".join(f"ptr {p}" for p in load_pointers(text, program))
    text.append(f"tail call void @{kernel}({arguments})")
    text.append("ret void")
    return text.finish(f"define void @{name}(ptr %inputs, ptr %outputs) #0")


def load_pointers(text: FunctionText, program: StepProgram) -> list[str]:
    """Append the loading of all pointers from the arrays `%inputs` and `%outputs`."""
    pointers = []
    for array, ports in (("%inputs", program.inputs), ("%outputs", program.outputs)):
        for i in range(len(ports)):
            slot = text.define(f"getelementptr ptr, ptr {array}, i64 {i}")
            pointers.append(text.define(f"load ptr, ptr {slot}"))
    return pointers


class _ScalarBody:
    """Values are doubles; every element is read and written by itself."""

    shape = DOUBLE

    def __init__(self, text: FunctionText, program: StepProgram, width: int) -> None:
        self._text, self._program, self._width = text, program, width

    def read(self, step: int) -> str:
        leaf = self._program.steps[step]
        if leaf.op is Op.CONST:
            return literal(leaf.value)
        at = self._text.element_pointer(f"%in{leaf.port}", leaf.element)
        return self._text.define(f"load double, ptr {at}, align 8")

    def write(self, output: int, first: int, values: list[str]) -> None:
        for element, value in enumerate(values, start=first):
            at = self._text.element_pointer(f"%out{output}", element)
            self._text.append(f"store double {value}, ptr {at}, align 8")

    def angles(self, values: list[str]) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        at_once = _MOST_LANES * _MOST_VECTORS
        for first in range(0, len(values), at_once):
            pairs += _angles_in_vectors(self._text, values[first : first + at_once], min(self._width, _MOST_LANES))
        return pairs

    def point_angles(self, points: list[tuple[str, str]]) -> list[str]:
        shape = Type(min(self._width, _MOST_LANES, 1 << (len(points) - 1).bit_length()))
        if shape.width == 1:
            return [emit_atan2(self._text, shape, y, x) for y, x in points]
        ys, xs = (_in_vectors(self._text, part, shape) for part in zip(*points, strict=True))
        angles = [emit_atan2(self._text, shape, y, x) for y, x in zip(ys, xs, strict=True)]
        return _out_of_vectors(self._text, angles, shape, len(points))


class _ShortScalarBody(_ScalarBody):
    """A scalar body with all sines and cosines out of line, through memory."""

    def angles(self, values: list[str]) -> list[tuple[str, str]]:
        n = len(values) + len(values) % 2  # two by two
        places = self._text.stack(f"[{3 * n} x double]")
        for k, value in enumerate([*values, *(["0.0"] * (n - len(values)))]):
            at = self._text.element_pointer(places, k)
            self._text.append(f"store double {value}, ptr {at}, align 8")
        self._text.append(f"call void @{SINCOS_OF_MANY}(ptr {places}, i64 {n})")
        found = []
        for k in range(n, 3 * n):
            at = self._text.element_pointer(places, k)
            found.append(self._text.define(f"load double, ptr {at}, align 8"))
        return list(zip(found[: len(values)], found[n : n + len(values)], strict=True))


def _in_vectors(text: FunctionText, values: Sequence[str], shape: Type) -> list[str]:
    """The values in as few vectors as possible; unused lanes of the last one are zero."""
    vectors = []
    for first in range(0, len(values), shape.width):
        vector = "zeroinitializer"
        for lane, value in enumerate(values[first : first + shape.width]):
            vector = text.define(f"insertelement {shape} {vector}, double {value}, i64 {lane}")
        vectors.append(vector)
    return vectors


def _out_of_vectors(text: FunctionText, vectors: Sequence[str], shape: Type, count: int) -> list[str]:
    """The first `count` values of vectors."""
    return [
        text.define(f"extractelement {shape} {vectors[k // shape.width]}, i64 {k % shape.width}") for k in range(count)
    ]


def _angles_in_vectors(text: FunctionText, values: list[str], width: int) -> list[tuple[str, str]]:
    """(sin, cos) of some values, evaluated in vectors of that width at most; unused lanes are zero."""
    shape = Type(min(width, 1 << (len(values) - 1).bit_length()))
    if shape.width == 1:
        return emit_guarded_sincos(text, values, shape)
    both = emit_guarded_sincos(text, _in_vectors(text, values, shape), shape)
    sines, cosines = (_out_of_vectors(text, part, shape, len(values)) for part in zip(*both, strict=True))
    return list(zip(sines, cosines, strict=True))
