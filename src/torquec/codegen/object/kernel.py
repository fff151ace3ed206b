"""One function as LLVM text for an object: operation by operation as the C package has it, so that both round alike.

    void name(const real *input1, ..., real *output1, ...)

All inputs are read before an output is written: arrays may overlap, as in C.
"""

from __future__ import annotations

from torquec.codegen.llvm_text.arctangent import emit_atan2
from torquec.codegen.llvm_text.arrange import Write, arrange
from torquec.codegen.llvm_text.emit import emit_items
from torquec.codegen.llvm_text.program import EvaluationStep, StepProgram
from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.object.elementary import InnerFunction
from torquec.expr import Function, Op


def emit_object_function(
    module: FunctionText, function: Function, shape: Type, *, name: str, sincos: InnerFunction
) -> str:
    """The text of a function under that symbol; its sines and cosines come from the function `sincos`."""
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
