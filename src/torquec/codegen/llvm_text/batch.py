"""The batch kernel: N states in rows (N, n), one state per vector lane.

    void name(int64_t N, const double *const *inputs, double *const *outputs)

Rows are read and written in place, W at a time; the transposition is part of the code. The last block overlaps the one
before it, so that no row needs a special case; fewer than W rows are left to the scalar kernel. Both kernels round
alike, operation by operation: the result of a row is bit-identical at any position in a batch and outside of it.
"""

from __future__ import annotations

from torquec.codegen.llvm_text.arctangent import emit_atan2
from torquec.codegen.llvm_text.arrange import Write, arrange, place_writes, schedule
from torquec.codegen.llvm_text.kernel import emit_kernel
from torquec.codegen.llvm_text.program import StepProgram
from torquec.codegen.llvm_text.scalar import load_pointers
from torquec.codegen.llvm_text.sincos import emit_guarded_sincos
from torquec.codegen.llvm_text.text import DOUBLE, FunctionText, Type, literal
from torquec.codegen.llvm_text.transpose import emit_read_columns, emit_write_columns
from torquec.expr import Op
from torquec.foundation.template import package_text

SCALAR_SLOT = "scalar"
"""The slot of a module for the address of the packed scalar kernel, where that is in another module."""


_MOST_SCHEDULED = 500  # steps; longer programs have fewer live values in the algorithm's own order


def emit_block(
    module: FunctionText, program: StepProgram, shape: Type, *, name: str, few_registers: bool = False
) -> str:
    """The text of the kernel for exactly W rows, of the numbers of `shape`.

    With `few_registers` (16), steps are scheduled for few live values.
    """

    def make_body(text: FunctionText) -> _BlockBody:
        return _BlockBody(text, program, shape)

    items = arrange(program, columns=shape.width)
    # LLVM hides the latency of divisions better in the order of the algorithm.
    if few_registers and not any(step.op is Op.DIV for step in program.steps):
        scheduled = schedule(program, items, most=_MOST_SCHEDULED)
        items = list(place_writes(program, (item for item in scheduled if not isinstance(item, Write)), shape.width))
    return emit_kernel(module, program, items, make_body, head=f"define internal void @{name}")


class _BlockBody:
    """Values are vectors of one state per lane; rows are read and written W columns at a time."""

    def __init__(self, text: FunctionText, program: StepProgram, shape: Type) -> None:
        self.shape = shape
        self._text, self._program = text, program
        self._columns: dict[tuple[int, int], str] = {}

    def read(self, step: int) -> str:
        leaf = self._program.steps[step]
        if leaf.op is Op.CONST:
            return literal(leaf.value, self.shape)
        if (leaf.port, leaf.element) not in self._columns:
            m = self._program.inputs[leaf.port].size
            first = leaf.element // self.shape.width * self.shape.width
            names = emit_read_columns(self._text, f"%in{leaf.port}", m, first, self.shape)
            self._columns.update({(leaf.port, first + i): name for i, name in enumerate(names)})
        return self._columns[leaf.port, leaf.element]

    def write(self, output: int, first: int, values: list[str]) -> None:
        m = self._program.outputs[output].size
        emit_write_columns(self._text, f"%out{output}", m, first, self.shape, values)

    def angles(self, values: list[str]) -> list[tuple[str, str]]:
        return emit_guarded_sincos(self._text, values, self.shape)

    def point_angles(self, points: list[tuple[str, str]]) -> list[str]:
        return [emit_atan2(self._text, self.shape, y, x) for y, x in points]


def emit_batch(
    program: StepProgram, shape: Type, *, name: str, block: str, packed: str = "", prefetches: bool = False
) -> str:
    """The text of the loop over blocks by the kernel `block`; fewer than W rows go to the `packed` scalar kernel.

    Without `packed`, the scalar kernel is in another module, and its address in the slot. There is no scalar kernel for
    floats: `COPY_ROWS` pads fewer than W rows to a block.

    With `prefetches`, the loop is the function `<name>_blocks` with one more parameter, whether to prefetch rows;
    `name` passes true where the rows do not fit in a cache.
    """
    width = shape.width
    text = FunctionText(fma=False)
    sizes = [port.size for port in (*program.inputs, *program.outputs)]
    text.append(f"%last = sub i64 %N, {width}")
    text.append("%few = icmp slt i64 %last, 0")
    pointers = load_pointers(text, program)
    text.append("br i1 %few, label %rows, label %blocks")
    text.start_block("blocks")
    text.append(f"%at = phi i64 [ 0, %entry ], [ %then, %{'ready' if prefetches else 'blocks'} ]")
    arguments = _advance(text, pointers, sizes, "%at", shape)
    if prefetches:
        text.append("br i1 %ahead, label %fetch, label %ready")
        text.start_block("fetch")
        for k, (pointer, size) in enumerate(zip(arguments, sizes, strict=True)):
            _fetch_ahead(text, pointer, size * shape.bytes * width, for_writing=k >= len(program.inputs))
        text.append("br label %ready")
        text.start_block("ready")
    text.append(f"call void @{block}({', '.join(f'ptr {a}' for a in arguments)})")
    text.append(f"%next = add i64 %at, {width}")
    text.append("%over = icmp sgt i64 %next, %last")
    text.append("%then = select i1 %over, i64 %last, i64 %next")  # the last block overlaps
    text.append("%done = icmp eq i64 %at, %last")
    text.append("br i1 %done, label %end, label %blocks")
    text.start_block("rows")
    if shape.element == "float":
        _fill_up(text, program, pointers, shape, block=block)
    else:
        _loop_over_rows(text, program, pointers, block="rows", packed=packed)
    if not prefetches:
        return text.finish(f"define void @{name}(i64 %N, ptr %inputs, ptr %outputs) #0")
    blocks = text.finish(f"define internal void @{name}_blocks(i64 %N, ptr %inputs, ptr %outputs, i1 %ahead) #0")
    whole = FunctionText(fma=False)
    whole.append(f"%ahead = icmp sgt i64 %N, {_rows_in_cache(program, shape)}")
    whole.append(f"tail call void @{name}_blocks(i64 %N, ptr %inputs, ptr %outputs, i1 %ahead)")
    whole.append("ret void")
    return "\n".join([_PREFETCH, blocks, whole.finish(f"define void @{name}(i64 %N, ptr %inputs, ptr %outputs) #0")])


_PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
_CACHE_BYTES = 1 << 24  # smaller batches are cached, and prefetching would slow them down by 3 to 5 %
_BLOCKS_AHEAD = 4  # hides the latency of main memory; from 2 to 6 the time is the same
_LINE_BYTES = 64  # of a cache


def _rows_in_cache(program: StepProgram, shape: Type) -> int:
    return _CACHE_BYTES // (shape.bytes * max(1, sum(port.size for port in (*program.inputs, *program.outputs))))


def _fetch_ahead(text: FunctionText, pointer: str, size: int, *, for_writing: bool) -> None:
    """Append the prefetch of a later block of an array into the cache; beyond the array's end it has no effect."""
    for line in range(0, size, _LINE_BYTES):
        at = text.define(f"getelementptr i8, ptr {pointer}, i64 {_BLOCKS_AHEAD * size + line}")
        text.append(f"call void @llvm.prefetch.p0(ptr {at}, i32 {int(for_writing)}, i32 3, i32 1)")


def emit_row_loop(program: StepProgram, *, name: str, packed: str = "") -> str:
    """The text of a batch kernel that only calls the packed scalar kernel for every row."""
    text = FunctionText(fma=False)
    pointers = load_pointers(text, program)
    _loop_over_rows(text, program, pointers, block="entry", packed=packed)
    return text.finish(f"define void @{name}(i64 %N, ptr %inputs, ptr %outputs) #0")


def emit_shared_batch(
    program: StepProgram, *, name: str, batch: str, shape: Type = DOUBLE, prefetches: bool = False
) -> str:
    """The text of a batch kernel for several threads with dynamic load balancing in chunks of `step` rows.

        void name(int64_t N, const double *const *inputs, double *const *outputs, int64_t *taken, int64_t step)

    `taken`, shared by all threads, counts the rows that idle threads have taken; it starts at 0.
    """
    text = FunctionText(fma=False)
    sizes = [port.size for port in (*program.inputs, *program.outputs)]
    pointers = load_pointers(text, program)
    local = text.stack(f"[{max(1, len(sizes))} x ptr]")
    local_outputs = text.define(f"getelementptr ptr, ptr {local}, i64 {len(program.inputs)}")
    text.append(f"%ahead = icmp sgt i64 %N, {_rows_in_cache(program, shape)}")
    text.append("br label %take")
    text.start_block("take")
    text.append("%first = atomicrmw add ptr %taken, i64 %step monotonic")
    text.append("%left = sub i64 %N, %first")
    text.append("%any = icmp sgt i64 %left, 0")
    text.append("br i1 %any, label %rows, label %end")
    text.start_block("rows")
    text.append("%few = icmp slt i64 %left, %step")
    text.append("%count = select i1 %few, i64 %left, i64 %step")
    _store_pointers(text, local, _advance(text, pointers, sizes, "%first", shape))
    if prefetches:
        text.append(f"call void @{batch}_blocks(i64 %count, ptr {local}, ptr {local_outputs}, i1 %ahead)")
    else:
        text.append(f"call void @{batch}(i64 %count, ptr {local}, ptr {local_outputs})")
    text.append("br label %take")
    text.start_block("end")
    text.append("ret void")
    return text.finish(f"define void @{name}(i64 %N, ptr %inputs, ptr %outputs, ptr %taken, i64 %step) #0")


def _loop_over_rows(text: FunctionText, program: StepProgram, pointers: list[str], *, block: str, packed: str) -> None:
    """Append the loop that calls the scalar kernel for each of the N rows, and the end of the function."""
    sizes = [port.size for port in (*program.inputs, *program.outputs)]
    local = text.stack(f"[{max(1, len(sizes))} x ptr]")
    local_outputs = text.define(f"getelementptr ptr, ptr {local}, i64 {len(program.inputs)}")
    kernel = f"@{packed}" if packed else text.define(f"load ptr, ptr @{SCALAR_SLOT}")
    text.append("%any = icmp sgt i64 %N, 0")
    text.append("br i1 %any, label %row, label %end")
    text.start_block("row")
    text.append(f"%i = phi i64 [ 0, %{block} ], [ %i_next, %row ]")
    _store_pointers(text, local, _advance(text, pointers, sizes, "%i", DOUBLE))
    text.append(f"call void {kernel}(ptr {local}, ptr {local_outputs})")
    text.append("%i_next = add i64 %i, 1")
    text.append("%i_done = icmp eq i64 %i_next, %N")
    text.append("br i1 %i_done, label %end, label %row")
    text.start_block("end")
    text.append("ret void")


def _fill_up(text: FunctionText, program: StepProgram, pointers: list[str], shape: Type, *, block: str) -> None:
    """Append one call of the block kernel for N < W rows, padded with the first row on the stack; and the return."""
    text.append("%any = icmp sgt i64 %N, 0")
    text.append("br i1 %any, label %fill, label %end")
    text.start_block("fill")
    ports = (*program.inputs, *program.outputs)
    blocks = [text.stack(f"[{max(1, port.size * shape.width)} x {shape.element}]") for port in ports]
    for k, (port, filled, given) in enumerate(zip(ports, blocks, pointers, strict=True)):
        if k < len(program.inputs):
            text.append(f"call void @copy_rows(ptr {given}, ptr {filled}, i64 {port.size}, i64 {shape.width}, i64 %N)")
    text.append(f"call void @{block}({', '.join(f'ptr {a}' for a in blocks)})")
    for k, (port, filled, given) in enumerate(zip(ports, blocks, pointers, strict=True)):
        if k >= len(program.inputs):
            text.append(f"call void @copy_rows(ptr {filled}, ptr {given}, i64 {port.size}, i64 %N, i64 %N)")
    text.append("br label %end")
    text.start_block("end")
    text.append("ret void")


COPY_ROWS = package_text("codegen/llvm_text", "copy_rows.ll")
"""Copies `have` rows of `size` floats and pads them with the first row to `rows` rows."""


def _store_pointers(text: FunctionText, array: str, pointers: list[str]) -> None:
    """Append the stores of pointers to an array."""
    for k, pointer in enumerate(pointers):
        slot = text.define(f"getelementptr ptr, ptr {array}, i64 {k}")
        text.append(f"store ptr {pointer}, ptr {slot}")


def _advance(text: FunctionText, pointers: list[str], sizes: list[int], row: str, shape: Type) -> list[str]:
    """The pointers to a row of each array."""
    moved = []
    for pointer, size in zip(pointers, sizes, strict=True):
        offset = text.define(f"mul i64 {row}, {size}")
        moved.append(text.element_pointer(pointer, offset, shape))
    return moved
