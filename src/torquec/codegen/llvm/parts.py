"""The scalar kernel of a very large function, in parts.

LLVM's time grows faster than the length of a block. A long program is therefore cut into parts of a bounded number of
operations, each an internal function; a value that a later part needs waits in an array on the stack, in a slot that is
used again once the value is dead.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from torquec.codegen.llvm.arrange import AngleGroup, Arrangement, Item
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm.emit import emit_operations
from torquec.codegen.llvm.scalar import (
    emit_angles,
    kernel_parameters,
    output_places,
    read_leaf,
    store_leaves,
    store_outputs,
)
from torquec.codegen.llvm.text import DOUBLE, FunctionText
from torquec.expr import Function, Op

MOST_OPERATIONS_IN_A_PART = 6000

_WAITING = "%waiting"


def emit_scalar_in_parts(
    text: FunctionText, function: Function, arrangement: Arrangement, cpu: Cpu, *, name: str
) -> str:
    """The text of the scalar kernel under that symbol, and of its parts."""
    order = _with_short_groups(arrangement.order, cpu.width)
    size = MOST_OPERATIONS_IN_A_PART
    parts = [order[i : i + size] for i in range(0, len(order), size)]
    slots, count = _assign_slots(function, arrangement, parts)
    bodies = [_emit_part(function, arrangement, cpu, k, part, slots, text) for k, part in enumerate(parts)]

    driver = FunctionText(cpu.fma)
    waiting = driver.stack(f"[{max(1, count)} x double]")
    parameters = kernel_parameters(function)
    arguments = ", ".join(f"ptr {p}" for p in [*(p.split()[-1] for p in parameters), waiting])
    for k in range(len(parts)):
        driver.append(f"call void @part{k}({arguments})")
    store_leaves(driver, function, output_places(function))
    driver.append("ret void")
    return "\n".join([*bodies, driver.finish(f"define void @{name}({', '.join(parameters)}) #0")])


def _with_short_groups(order: Sequence[Item], width: int) -> list[Item]:
    """The order with groups of angles cut to one vector each, so that a part is not much longer than it looks."""
    short: list[Item] = []
    for item in order:
        if isinstance(item, AngleGroup):
            short += [AngleGroup(item.angles[i : i + width]) for i in range(0, len(item.angles), width)]
        else:
            short.append(item)
    return short


def _assign_slots(
    function: Function, arrangement: Arrangement, parts: Sequence[Sequence[Item]]
) -> tuple[dict[int, int], int]:
    """(slot of each value that crosses from one part to a later one, number of slots)."""
    made_in = {value: k for k, part in enumerate(parts) for item in part for value in arrangement.defines(item)}
    last_use: dict[int, int] = {}
    for k, part in enumerate(parts):
        for item in part:
            for value in arrangement.needs(function, item):
                if made_in.get(value, k) < k:
                    last_use[value] = k
    slots: dict[int, int] = {}
    free: list[int] = []
    expiring: dict[int, list[int]] = {}
    count = 0
    for k, part in enumerate(parts):
        for item in part:
            for value in arrangement.defines(item):
                if value in last_use:
                    if not free:
                        heapq.heappush(free, count)
                        count += 1
                    slots[value] = heapq.heappop(free)
                    expiring.setdefault(last_use[value], []).append(slots[value])
        # Freed after the part, so that no part writes a slot that it may still read.
        for slot in expiring.pop(k, ()):
            heapq.heappush(free, slot)
    return slots, count


def _emit_part(
    function: Function,
    arrangement: Arrangement,
    cpu: Cpu,
    number: int,
    items: Sequence[Item],
    slots: Mapping[int, int],
    module: FunctionText,
) -> str:
    """The text of `@part<number>`; what it declares is added to `module`."""
    text = FunctionText(cpu.fma, declarations=module.declarations)
    places = output_places(function)

    def read(value: int) -> str:
        if function.operations[value].op in (Op.CONST, Op.INPUT):
            return read_leaf(text, function, value)
        return text.define(f"load double, ptr {text.element_pointer(_WAITING, slots[value])}, align 8")

    def angles(values: list[str]) -> list[tuple[str, str]]:
        return emit_angles(text, values, cpu.width)

    def defined(value: int, name: str) -> None:
        store_outputs(text, places, value, name)
        if value in slots:
            text.append(f"store double {name}, ptr {text.element_pointer(_WAITING, slots[value])}, align 8")

    emit_operations(text, function, arrangement, DOUBLE, items=items, read=read, angles=angles, defined=defined)
    text.append("ret void")
    module.needs_far_sincos |= text.needs_far_sincos
    parameters = [*kernel_parameters(function), f"ptr noalias {_WAITING}"]
    return text.finish(f"define internal void @part{number}({', '.join(parameters)}) noinline #0")
