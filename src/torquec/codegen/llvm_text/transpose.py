"""Rows in memory to one vector per column and back, by shuffles in registers.

A block is W rows of m doubles, one row after the other; a vector has W lanes. A row is read W columns at a time, and
W such row vectors are transposed in log2 W stages, each of which is one machine instruction per vector:

(1)  two neighbouring rows a, b:  (a0 b0 a2 b2 ...) and (a1 b1 a3 b3 ...)
(2)  two vectors a, b of pairs:   the even pairs of a, then those of b; the odd ones likewise; until one pair is left

No access leaves the block: a read that would pass its end is moved back and its lanes are shifted; a row that is
written may spill into the next row only where that is written afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.codegen.llvm_text.text import FunctionText, Type


def emit_read_columns(text: FunctionText, pointer: str, m: int, first: int, shape: Type) -> list[str]:
    """Append the reading of columns `first`, ... (W at most) of the block at `pointer`; gives their names."""
    width = shape.width
    count = min(width, m - first)
    if m == 1:
        return [text.define(f"load {shape}, ptr {pointer}, align 8")]
    rows = []
    for row in range(width):
        start = row * m + first
        shift = max(0, start + width - width * m)
        at = text.element_pointer(pointer, start - shift)
        vector = text.define(f"load {shape}, ptr {at}, align 8")
        lanes = [*range(shift, width), *["poison"] * shift]
        rows.append(_shuffle(text, shape, vector, "poison", lanes) if shift else vector)
    return _transpose(text, shape, rows)[:count]


def emit_write_columns(text: FunctionText, pointer: str, m: int, first: int, shape: Type, columns: list[str]) -> None:
    """Append the writing of columns `first`, ... (W at most) of the block at `pointer`."""
    width = shape.width
    if m == 1:
        text.append(f"store {shape} {columns[0]}, ptr {pointer}, align 8")
        return
    rows = _transpose(text, shape, columns + ["poison"] * (width - len(columns)))
    for row, vector in enumerate(rows):
        start = row * m + first
        spills_safely = m <= width and start + width <= width * m
        if len(columns) == width or spills_safely:
            text.append(f"store {shape} {vector}, ptr {text.element_pointer(pointer, start)}, align 8")
        else:
            _write_part(text, pointer, start, shape, vector, len(columns))


def _write_part(text: FunctionText, pointer: str, start: int, shape: Type, vector: str, count: int) -> None:
    """Append stores of the first `count` lanes, in pieces of 4, 2 and 1."""
    lane = 0
    while lane < count:
        size = 1 << ((count - lane).bit_length() - 1)
        at = text.element_pointer(pointer, start + lane)
        if size == 1:
            element = text.define(f"extractelement {shape} {vector}, i64 {lane}")
            text.append(f"store double {element}, ptr {at}, align 8")
        else:
            part = _shuffle(text, shape, vector, "poison", range(lane, lane + size))
            text.append(f"store {Type(size)} {part}, ptr {at}, align 8")
        lane += size


def _transpose(text: FunctionText, shape: Type, rows: Sequence[str]) -> list[str]:
    """W vectors of W lanes, transposed by (1) and (2)."""
    width = shape.width
    low = [lane // 2 * 2 + (lane % 2) * width for lane in range(width)]
    high = [lane + 1 for lane in low]
    columns = [""] * width
    for parity, mask in enumerate((low, high)):
        pairs = [_shuffle(text, shape, rows[i], rows[i + 1], mask) for i in range(0, width, 2)]
        _gather(text, shape, pairs, list(range(parity, width, 2)), columns)
    return columns


def _gather(text: FunctionText, shape: Type, vectors: list[str], owners: list[int], columns: list[str]) -> None:
    """Reduce vectors whose pairs belong to the columns `owners` to one vector per column, by (2)."""
    if len(vectors) == 1:
        columns[owners[0]] = vectors[0]
        return
    for parity in (0, 1):
        mask = [lane for pair in range(parity, shape.width, 2) for lane in (2 * pair, 2 * pair + 1)]
        merged = [_shuffle(text, shape, a, b, mask) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        _gather(text, shape, merged, owners[parity::2], columns)


def _shuffle(text: FunctionText, shape: Type, a: str, b: str, lanes: Sequence[int | str]) -> str:
    """Append a selection of lanes of a (0 to W-1) and b (W to 2W-1)."""
    mask = ", ".join(f"i32 {lane}" for lane in lanes)
    return text.define(f"shufflevector {shape} {a}, {shape} {b}, <{len(lanes)} x i32> <{mask}>")
