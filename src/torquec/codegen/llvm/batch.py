"""The batch kernel: N states in rows (N, n), one state per vector lane.

    void name(int64_t N, const double *const *inputs, double *const *outputs)

Rows are read and written in place, W at a time; the transposition is part of the code. The last block overlaps the
one before it, so that no row needs a special case; fewer than W rows are left to the scalar kernel. Both kernels
round alike, operation by operation: a row has the same result, bit by bit, wherever it stands in a batch and outside
of it.
"""

from __future__ import annotations

from torquec.codegen.llvm.arrange import Arrangement
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm.emit import emit_operations
from torquec.codegen.llvm.scalar import kernel_parameters
from torquec.codegen.llvm.sincos import emit_guarded_sincos
from torquec.codegen.llvm.text import FunctionText, Type, constant
from torquec.codegen.llvm.transpose import emit_read_columns, emit_write_columns
from torquec.expr import Function, Op, Port


def emit_block(text: FunctionText, function: Function, arrangement: Arrangement, cpu: Cpu) -> str:
    """The text of `@block`: exactly W rows."""
    shape = Type(cpu.width)
    inputs = {port.name: (f"%in{i}", port.size) for i, port in enumerate(function.inputs)}
    leaves = [value for value, step in enumerate(function.operations) if step.op in (Op.CONST, Op.INPUT)]
    columns: dict[tuple[str, int], str] = {}
    writers = [
        _Writer(text, f"%out{i}", port, values, shape)
        for i, (port, values) in enumerate(zip(function.outputs, function.results, strict=True))
    ]

    def read(value: int) -> str:
        step = function.operations[value]
        if step.op is Op.CONST:
            return constant(step.value, shape)
        if (step.port, step.element) not in columns:
            pointer, m = inputs[step.port]
            first = step.element // shape.width * shape.width
            names = emit_read_columns(text, pointer, m, first, shape)
            columns.update({(step.port, first + i): name for i, name in enumerate(names)})
        return columns[step.port, step.element]

    def angles(values: list[str]) -> list[tuple[str, str]]:
        return emit_guarded_sincos(text, values, shape)

    def defined(value: int, name: str) -> None:
        for writer in writers:
            writer.offer(value, name)

    emit_operations(
        text, function, arrangement, shape, items=arrangement.order, read=read, angles=angles, defined=defined
    )
    for value in sorted(set(leaves) & {value for result in function.results for value in result}):
        defined(value, read(value))
    text.append("ret void")
    return text.finish(f"define internal void @block({', '.join(kernel_parameters(function))}) noinline #0")


class _Writer:
    """Writes an output, W columns at a time, as soon as these are known."""

    def __init__(self, text: FunctionText, pointer: str, port: Port, values: tuple[int, ...], shape: Type) -> None:
        self._text, self._pointer, self._m, self._values, self._shape = text, pointer, port.size, values, shape
        self._names: dict[int, str] = {}
        self._groups: dict[int, list[int]] = {}
        self._missing: dict[int, int] = {}
        for first in range(0, port.size, shape.width):
            distinct = set(values[first : first + shape.width])
            self._missing[first] = len(distinct)
            for value in distinct:
                self._groups.setdefault(value, []).append(first)

    def offer(self, value: int, name: str) -> None:
        """Take note of a value; write the groups of columns that it completes."""
        for first in self._groups.get(value, ()):
            self._names[value] = name
            self._missing[first] -= 1
            if not self._missing[first]:
                names = [self._names[v] for v in self._values[first : first + self._shape.width]]
                emit_write_columns(self._text, self._pointer, self._m, first, self._shape, names)


def emit_batch(function: Function, cpu: Cpu, *, name: str) -> str:
    """The text of the loop over blocks; the slot `@scalar` holds the address of the packed scalar kernel."""
    text = FunctionText(cpu.fma)
    sizes = [port.size for port in (*function.inputs, *function.outputs)]
    text.append(f"%last = sub i64 %N, {cpu.width}")
    text.append("%few = icmp slt i64 %last, 0")
    pointers = _load_pointers(text, function)
    text.append("br i1 %few, label %rows, label %blocks")
    text.start_block("blocks")
    text.append("%at = phi i64 [ 0, %entry ], [ %then, %blocks ]")
    arguments = _advance(text, pointers, sizes, "%at")
    text.append(f"call void @block({', '.join(f'ptr {a}' for a in arguments)})")
    text.append(f"%next = add i64 %at, {cpu.width}")
    text.append("%over = icmp sgt i64 %next, %last")
    text.append("%then = select i1 %over, i64 %last, i64 %next")  # the last block overlaps
    text.append("%done = icmp eq i64 %at, %last")
    text.append("br i1 %done, label %end, label %blocks")
    text.start_block("rows")
    _loop_over_rows(text, function, pointers, "rows")
    return text.finish(f"define void @{name}(i64 %N, ptr %inputs, ptr %outputs) #0")


def emit_row_loop(function: Function, *, name: str) -> str:
    """The text of a batch kernel that only calls the scalar kernel for every row."""
    text = FunctionText(fma=False)
    pointers = _load_pointers(text, function)
    _loop_over_rows(text, function, pointers, "entry")
    return text.finish(f"define void @{name}(i64 %N, ptr %inputs, ptr %outputs) #0")


def _load_pointers(text: FunctionText, function: Function) -> list[str]:
    pointers = []
    for array, ports in (("%inputs", function.inputs), ("%outputs", function.outputs)):
        for i in range(len(ports)):
            slot = text.define(f"getelementptr ptr, ptr {array}, i64 {i}")
            pointers.append(text.define(f"load ptr, ptr {slot}"))
    return pointers


def _loop_over_rows(text: FunctionText, function: Function, pointers: list[str], block: str) -> None:
    """Append the loop that calls the scalar kernel for each of the N rows, and the end of the function."""
    sizes = [port.size for port in (*function.inputs, *function.outputs)]
    local = text.stack(f"[{max(1, len(sizes))} x ptr]")
    local_outputs = text.define(f"getelementptr ptr, ptr {local}, i64 {len(function.inputs)}")
    text.append("%kernel = load ptr, ptr @scalar")
    text.append("%any = icmp sgt i64 %N, 0")
    text.append("br i1 %any, label %row, label %end")
    text.start_block("row")
    text.append(f"%i = phi i64 [ 0, %{block} ], [ %i_next, %row ]")
    for k, pointer in enumerate(_advance(text, pointers, sizes, "%i")):
        slot = text.define(f"getelementptr ptr, ptr {local}, i64 {k}")
        text.append(f"store ptr {pointer}, ptr {slot}")
    text.append(f"call void %kernel(ptr {local}, ptr {local_outputs})")
    text.append("%i_next = add i64 %i, 1")
    text.append("%i_done = icmp eq i64 %i_next, %N")
    text.append("br i1 %i_done, label %end, label %row")
    text.start_block("end")
    text.append("ret void")


def _advance(text: FunctionText, pointers: list[str], sizes: list[int], row: str) -> list[str]:
    """The pointers to a row of each array."""
    moved = []
    for pointer, size in zip(pointers, sizes, strict=True):
        offset = text.define(f"mul i64 {row}, {size}")
        moved.append(text.element_pointer(pointer, offset))
    return moved
