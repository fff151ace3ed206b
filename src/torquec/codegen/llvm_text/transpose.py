"""Matrix transposition by shuffles in registers: rows in memory to one vector per column and back.

A block is W rows of m numbers, one row after the other; a vector has W lanes. A piece of P columns is read from each
row (P is a power of two, a piece at least 16 bytes). Vector j holds, one after the other, the pieces of row j of every
group of P rows. These P vectors are transposed in log2 P stages, each of which is one machine instruction per vector:

(1)  within each 16 bytes (u lanes): two doubles a0 b0 and a1 b1 of neighbouring rows a, b; or, in two stages, four
     floats a0 b0 c0 d0, ..., a3 b3 c3 d3 of neighbouring rows a, b, c, d
(2)  two vectors a, b of such units: within each piece the even units of a, then those of b; the odd ones likewise;
     until every unit of a vector belongs to one column

No access leaves the block: a read that would pass its end is moved back and its lanes are shifted. A written row may
spill into the next row only where that row is written afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.codegen.llvm_text.text import FunctionText, Type

_UNIT_BYTES = 16  # reach of a shuffle within each part of a wider register


def emit_read_columns(text: FunctionText, pointer: str, m: int, first: int, shape: Type) -> list[str]:
    """Append the reading of columns `first`, ... (W at most) of the block at `pointer`; gives their names."""
    width = shape.width
    count = min(width, m - first)
    if m == 1 or width == 1:
        at = text.element_pointer(pointer, first, shape)
        return [text.define(f"load {shape}, ptr {at}, align {shape.bytes}")]
    piece = _piece(shape, count)
    vectors = []
    for j in range(piece.width):
        parts = [_read_piece(text, pointer, row * m + first, width * m, piece) for row in range(j, width, piece.width)]
        vectors.append(_joined(text, parts, piece))
    return _transpose(text, shape, vectors)[:count]


def emit_write_columns(text: FunctionText, pointer: str, m: int, first: int, shape: Type, columns: list[str]) -> None:
    """Append the writing of columns `first`, ... (W at most) of the block at `pointer`."""
    width, count = shape.width, len(columns)
    if m == 1 or width == 1:
        at = text.element_pointer(pointer, first, shape)
        text.append(f"store {shape} {columns[0]}, ptr {at}, align {shape.bytes}")
        return
    piece = _piece(shape, count)
    vectors = _transpose(text, shape, columns + ["poison"] * (piece.width - count))
    for row in range(width):
        group, j = divmod(row, piece.width)
        start = row * m + first
        spills_safely = count == m and start + piece.width <= width * m
        vector, lane = vectors[j], group * piece.width
        if count == piece.width or spills_safely:
            if piece.width < width:
                vector = _shuffle(text, shape, vector, "poison", range(lane, lane + piece.width))
            text.append(
                f"store {piece} {vector}, ptr {text.element_pointer(pointer, start, shape)}, align {shape.bytes}"
            )
        else:
            _write_part(text, pointer, start, shape, vector, range(lane, lane + count))


def _piece(shape: Type, count: int) -> Type:
    """The vector type that reads or writes a row with `count` columns left."""
    lanes = max(1 << (count - 1).bit_length(), _UNIT_BYTES // shape.bytes)
    return Type(min(lanes, shape.width), shape.element)


def _read_piece(text: FunctionText, pointer: str, start: int, end: int, piece: Type) -> str:
    """Append the reading of a piece from an element on; lanes beyond the block's end have arbitrary values."""
    shift = max(0, start + piece.width - end)
    at = text.element_pointer(pointer, start - shift, piece)
    vector = text.define(f"load {piece}, ptr {at}, align {piece.bytes}")
    lanes = [*range(shift, piece.width), *["poison"] * shift]
    return _shuffle(text, piece, vector, "poison", lanes) if shift else vector


def _joined(text: FunctionText, parts: list[str], piece: Type) -> str:
    """Append one vector of pieces, one after the other; their number is a power of two."""
    while len(parts) > 1:
        lanes = range(2 * piece.width)
        parts = [_shuffle(text, piece, a, b, lanes) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        piece = Type(2 * piece.width, piece.element)
    return parts[0]


def _write_part(text: FunctionText, pointer: str, start: int, shape: Type, vector: str, lanes: Sequence[int]) -> None:
    """Append stores of some neighbouring lanes, in pieces of 8, 4, 2 and 1."""
    done = 0
    while done < len(lanes):
        size = 1 << ((len(lanes) - done).bit_length() - 1)
        at = text.element_pointer(pointer, start + done, shape)
        if size == 1:
            element = text.define(f"extractelement {shape} {vector}, i64 {lanes[done]}")
            text.append(f"store {shape.element} {element}, ptr {at}, align {shape.bytes}")
        else:
            part = _shuffle(text, shape, vector, "poison", lanes[done : done + size])
            text.append(f"store {Type(size, shape.element)} {part}, ptr {at}, align {shape.bytes}")
        done += size


def _transpose(text: FunctionText, shape: Type, rows: Sequence[str]) -> list[str]:
    """Transpose, within each piece, P vectors of P columns by (1) and (2); gives one vector per column."""
    unit = _UNIT_BYTES // shape.bytes
    columns = [""] * len(rows)
    within = [_transpose_units(text, shape, rows[k : k + unit]) for k in range(0, len(rows), unit)]
    for place in range(unit):
        _gather(text, shape, [vectors[place] for vectors in within], list(range(place, len(rows), unit)), columns)
    return columns


def _transpose_units(text: FunctionText, shape: Type, rows: Sequence[str]) -> list[str]:
    """u rows: in vector k the numbers at place k of every unit, row after row (1)."""
    if len(rows) == 2:
        return [_by_units(text, shape, rows[0], rows[1], (k, k + 2)) for k in (0, 1)]
    a, b, c, d = rows
    low = [_by_units(text, shape, x, y, (0, 4, 1, 5)) for x, y in ((a, b), (c, d))]
    high = [_by_units(text, shape, x, y, (2, 6, 3, 7)) for x, y in ((a, b), (c, d))]
    return [
        _by_units(text, shape, first, second, places)
        for first, second in (low, high)
        for places in ((0, 1, 4, 5), (2, 3, 6, 7))
    ]


def _by_units(text: FunctionText, shape: Type, a: str, b: str, places: tuple[int, ...]) -> str:
    """The same selection in every unit: places 0, ..., u - 1 are those of a, the next ones those of b."""
    unit = len(places)
    lanes = [
        first + place if place < unit else first + place - unit + shape.width
        for first in range(0, shape.width, unit)
        for place in places
    ]
    return _shuffle(text, shape, a, b, lanes)


def _gather(text: FunctionText, shape: Type, vectors: list[str], owners: list[int], columns: list[str]) -> None:
    """Reduce vectors to one per column, by (2); in each piece, their units belong to the columns `owners`."""
    if len(vectors) == 1:
        columns[owners[0]] = vectors[0]
        return
    unit = _UNIT_BYTES // shape.bytes
    piece = len(columns)
    for parity in (0, 1):
        lanes = [
            vector + group + first + lane
            for group in range(0, shape.width, piece)
            for vector in (0, shape.width)
            for first in range(parity * unit, piece, 2 * unit)
            for lane in range(unit)
        ]
        merged = [_shuffle(text, shape, a, b, lanes) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        _gather(text, shape, merged, owners[parity::2], columns)


def _shuffle(text: FunctionText, shape: Type, a: str, b: str, lanes: Sequence[int | str]) -> str:
    """Append a selection of lanes of a (0 to W-1) and b (W to 2W-1)."""
    mask = ", ".join(f"i32 {lane}" for lane in lanes)
    return text.define(f"shufflevector {shape} {a}, {shape} {b}, <{len(lanes)} x i32> <{mask}>")
