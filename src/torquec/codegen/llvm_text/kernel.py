"""A kernel as LLVM text: its steps, on doubles or on vectors of one state per lane, in one function or in parts.

The `KernelBody` of a kernel defines its values: how a constant or an input is read (once, where it is first
needed), how a group of sines and cosines, or of angles of points, is evaluated, and how outputs are written.

LLVM's compile time grows faster than the length of a function, above all with the number of stores. A long program is
cut into parts, each an internal function; a value that a later part needs is spilled to an array on the stack, in a
slot that is used again once the value is dead.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from torquec.codegen.llvm_text.arrange import AngleGroup, Item, PointGroup, Write, defines, needs
from torquec.codegen.llvm_text.exponential import emit_exponential
from torquec.codegen.llvm_text.program import Fused, StepOp, StepProgram
from torquec.codegen.llvm_text.text import FunctionText, Type
from torquec.expr import Op


class KernelBody(Protocol):
    """Operations in which kernels differ, inside one function text."""

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
    """Names of the results of steps; a missing one is read with `read`."""

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

    `read` names a step that no earlier item defined; `defined` is called with every new result.
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
    """A fused step as LLVM's only fused operation; LLVM folds sign changes of the operands into the instruction."""
    if op in (Fused.NEGATED_ADD, Fused.NEGATED_SUB):
        a = text.negate(shape, a)
    if op in (Fused.SUB, Fused.NEGATED_SUB):
        c = text.negate(shape, c)
    return text.multiply_add(shape, a, b, c)


MOST_OPERATIONS_IN_ONE = 3000
MOST_WRITES_IN_ONE = 256
"""A kernel within both limits is one function."""

MOST_OPERATIONS_IN_A_PART = 500
"""Part size of a larger kernel: short functions have fewer live values, and their code runs faster."""

_OPERATIONS_OF_AN_ANGLE = 30  # reduction, two polynomials and signs of a sine and cosine, counted
_OPERATIONS_OF_A_POINT = 40  # the same of the angle of a point
_WAITING = "%waiting"


def emit_kernel(
    module: FunctionText,
    program: StepProgram,
    items: Sequence[Item],
    make_body: Callable[[FunctionText], KernelBody],
    *,
    head: str,
    in_one: int = 0,
) -> str:
    """The text of a kernel; `head` is all of its signature before the parameters. Declarations go to `module`.

    A kernel of more than `in_one` operations (default: the number that runs fastest) is cut into parts.
    """
    shape = make_body(module).shape
    parts = _cut(items, shape.width, in_one or MOST_OPERATIONS_IN_ONE)
    if len(parts) == 1:
        return _emit_part(module, program, items, make_body, head=head, slots={})
    slots, count = _assign_slots(program, parts)
    stem = f"{head.rpartition('@')[2]}_part"  # a module may hold several kernels
    bodies = [
        _emit_part(module, program, part, make_body, head=f"define internal void @{stem}{k}", slots=slots)
        for k, part in enumerate(parts)
    ]
    driver = FunctionText(module.fma)
    waiting = driver.stack(f"[{max(1, count)} x {shape}]")
    parameters = kernel_parameters(program)
    arguments = ", ".join(f"ptr {p}" for p in [*(p.split()[-1] for p in parameters), waiting])
    for k in range(len(parts)):
        driver.append(f"call void @{stem}{k}({arguments})")
    driver.append("ret void")
    return "\n".join([*bodies, driver.finish(f"{head}({', '.join(parameters)}) noinline #0")])


def kernel_parameters(program: StepProgram) -> list[str]:
    """The parameters of a kernel, `%in0`, `%in1`, ... and `%out0`, ..., with their attributes."""
    inputs = [f"ptr noalias readonly %in{i}" for i in range(len(program.inputs))]
    return inputs + [f"ptr noalias writeonly %out{i}" for i in range(len(program.outputs))]


def _cut(items: Sequence[Item], width: int, in_one: int) -> list[Sequence[Item]]:
    """The items in parts of bounded length, or in one."""
    sizes = [_size(item, width) for item in items]
    most_writes = MOST_WRITES_IN_ONE * in_one // MOST_OPERATIONS_IN_ONE
    if sum(size[0] for size in sizes) <= in_one and sum(s[1] for s in sizes) <= most_writes:
        return [items]
    parts: list[Sequence[Item]] = []
    start, operations, writes = 0, 0, 0
    for end, (more_operations, more_writes) in enumerate(sizes, start=1):
        operations, writes = operations + more_operations, writes + more_writes
        if operations >= MOST_OPERATIONS_IN_A_PART or writes >= MOST_WRITES_IN_ONE:
            parts.append(items[start:end])
            start, operations, writes = end, 0, 0
    return [*parts, items[start:]] if start < len(items) else parts


def _size(item: Item, width: int) -> tuple[int, int]:
    """(operations, writes) of an item."""
    if isinstance(item, AngleGroup):
        return _OPERATIONS_OF_AN_ANGLE * len(item.angles), 0
    if isinstance(item, PointGroup):
        return _OPERATIONS_OF_A_POINT * len(item.steps), 0
    return (0, width) if isinstance(item, Write) else (1, 0)


def _assign_slots(program: StepProgram, parts: Sequence[Sequence[Item]]) -> tuple[dict[int, int], int]:
    """(slot of each step whose result crosses from one part to a later one, number of slots)."""
    made_in = {step: k for k, part in enumerate(parts) for item in part for step in defines(item)}
    last_use: dict[int, int] = {}
    for k, part in enumerate(parts):
        for item in part:
            for step in needs(program, item):
                if made_in.get(step, k) < k:
                    last_use[step] = k
    slots: dict[int, int] = {}
    free: list[int] = []
    expiring: dict[int, list[int]] = {}
    count = 0
    for k, part in enumerate(parts):
        for item in part:
            for step in defines(item):
                if step in last_use:
                    if not free:
                        heapq.heappush(free, count)
                        count += 1
                    slots[step] = heapq.heappop(free)
                    expiring.setdefault(last_use[step], []).append(slots[step])
        # Freed after the part, so that no part writes a slot that it may still read.
        for slot in expiring.pop(k, ()):
            heapq.heappush(free, slot)
    return slots, count


def _emit_part(
    module: FunctionText,
    program: StepProgram,
    items: Sequence[Item],
    make_body: Callable[[FunctionText], KernelBody],
    *,
    head: str,
    slots: Mapping[int, int],
) -> str:
    """The text of one function that does some of the items."""
    text = FunctionText(module.fma, declarations=module.declarations)
    body = make_body(text)
    shape = body.shape

    def slot(step: int) -> str:
        return text.define(f"getelementptr inbounds {shape}, ptr {_WAITING}, i64 {slots[step]}")

    def read(step: int) -> str:
        if program.steps[step].is_leaf:
            return body.read(step)
        return text.define(f"load {shape}, ptr {slot(step)}, align {shape.bytes * shape.width}")

    def defined(step: int, name: str) -> None:
        if step in slots:
            text.append(f"store {shape} {name}, ptr {slot(step)}, align {shape.bytes * shape.width}")

    emit_items(text, program, body, items=items, read=read, defined=defined)
    text.append("ret void")
    module.needs_far_sincos |= text.needs_far_sincos
    parameters = kernel_parameters(program)
    if slots:
        parameters.append(f"ptr noalias {_WAITING}")
    return text.finish(f"{head}({', '.join(parameters)}) noinline #0")
