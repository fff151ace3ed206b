"""A whole kernel as LLVM text, in one function or in parts.

LLVM's time grows faster than the length of a function, above all with the number of stores. A long program is cut into
parts, each an internal function; a value that a later part needs waits in an array on the stack, in a slot that
is used again once the value is dead.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence

from torquec.codegen.llvm_text.arrange import AngleGroup, Item, PointGroup, Write, defines, needs
from torquec.codegen.llvm_text.emit import KernelBody, emit_items
from torquec.codegen.llvm_text.program import StepProgram
from torquec.codegen.llvm_text.text import FunctionText

MOST_OPERATIONS_IN_ONE = 3000
MOST_WRITES_IN_ONE = 256
"""A kernel within both limits is one function."""

MOST_OPERATIONS_IN_A_PART = 500
"""Of a larger kernel: LLVM keeps fewer values waiting in short functions, and the code runs faster."""

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

    A kernel of more than `in_one` operations (where not given, what is quickest on a processor) is cut into parts.
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
    """(operations, writes) that an item comes to."""
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
