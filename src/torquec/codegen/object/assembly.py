"""Inspection of an object: double operations and stack in its assembly text, undefined symbols in its symbol table.

LLVM writes the assembly text from the same instructions as the object. A 64-bit move is no double operation: it may
save two floats. Symbol tables are read from ELF, COFF and Mach-O.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from torquec.errors import CompileError

_DOUBLE_OPERATIONS: Mapping[str, str] = MappingProxyType(
    {
        "arm": r"v(?!mov|ldr|str|ldm|stm|push|pop)\w+(?:\.\w+)*\.f64\b",
        "aarch64": r"(?:f(?!mov|csel)\w+|[su]cvtf)\s+(?:[dv]\d+(?:\.2d)?\b|\w+,\s*d\d)",
        "riscv": r"f\w+(?:\.\w+)*\.d\b",
        "x86": r"v?(?:(?:add|sub|mul|div|sqrt|min|max|cmp\w*|u?comi|round)(?:sd|pd)|cvt\w*(?:sd|pd)\w*"
        r"|fn?m(?:add|sub)\w*(?:sd|pd)|f(?:add|sub|mul|div|sqrt|ld)[lt]\b)",
    }
)
"""Instructions that compute with doubles, by family."""

_SOFTWARE_DOUBLE = re.compile(
    r"__aeabi_(?:d\w+|c[dr]\w+|\w+2d)"
    r"|__(?:add|sub|mul|div|neg|extend|trunc|fix|float|cmp|eq|ne|lt|le|gt|ge|unord|pow)\w*df\w*"
    r"|sqrt|fm(?:in|ax)(?:imum)?(?:_num)?"
)
"""Functions of compiler libraries that compute with doubles."""

_SOFTWARE = re.compile(r"__aeabi_(?!mem|unwind)\w+|__\w+[sdt]f\w*|__\w+[sd]i[23]?|_fltused|__chkstk|sqrtf?")
"""Symbols of compilers' own libraries: arithmetic that a processor lacks, and those that Windows requires."""

_CALL = re.compile(
    r"^\s+(?:bl|blx|b|call|callq|calll|jal|jmp|tail)\s+_?([A-Za-z][\w.$]*?)(?:@PLT|@plt)?\s*$", re.MULTILINE
)


def double_operations(assembly: str, family: str) -> list[str] | None:
    """The instructions that compute with doubles; None for a family whose instructions are not known here."""
    pattern = _DOUBLE_OPERATIONS.get(family)
    if pattern is None:
        return None
    return [" ".join(found.group().split()) for found in re.finditer(rf"^\s+{pattern}.*$", assembly, re.MULTILINE)]


def software_doubles(symbols: tuple[str, ...]) -> list[str]:
    """The names that are software arithmetic of doubles.

    >>> software_doubles(("__aeabi_dadd", "__aeabi_fadd", "__extendsfdf2", "sqrtf"))
    ['__aeabi_dadd', '__extendsfdf2']
    """
    return [name for name in symbols if _SOFTWARE_DOUBLE.fullmatch(name)]


def foreign_symbols(symbols: tuple[str, ...]) -> list[str]:
    """The names that no compiler's own library has.

    >>> foreign_symbols(("__aeabi_fadd", "sinf", "malloc"))
    ['sinf', 'malloc']
    """
    return [name for name in symbols if not _SOFTWARE.fullmatch(name)]


def stack_of_functions(assembly: str, family: str, functions: Sequence[str]) -> dict[str, int]:
    """Stack [bytes] of each function including its callees, as far as their frames can be read."""
    label = re.compile(rf"^_?({'|'.join(map(re.escape, functions))}):", re.MULTILINE)
    starts = [(found.group(1), found.start()) for found in label.finditer(assembly)]
    ends = [start for _, start in starts[1:]] + [len(assembly)]
    bodies = {name: assembly[start:end] for (name, start), end in zip(starts, ends, strict=True)}
    frames = {name: _frame(body, family) for name, body in bodies.items()}
    calls = {name: {callee for callee in _CALL.findall(body) if callee in bodies} for name, body in bodies.items()}
    totals: dict[str, int] = {}

    def total(name: str, above: frozenset[str]) -> int | None:
        own = frames[name]
        if own is None or name in above:
            return None
        inner = [total(callee, above | {name}) for callee in calls[name]]
        return None if None in inner else own + max((size for size in inner if size is not None), default=0)

    for name in bodies:
        size = total(name, frozenset())
        if size is not None:
            totals[name] = size
    return totals


def _frame(body: str, family: str) -> int | None:
    """Bytes of one frame; None where the stack pointer is moved in an unknown way."""
    readers = {"arm": _arm_frame, "aarch64": _aarch64_frame, "riscv": _riscv_frame, "x86": _x86_frame}
    return readers[family](body) if family in readers else None


def _registers(listed: str) -> int:
    """How many registers a list such as `r4, r5, d8-d11` has."""
    count = 0
    for part in listed.split(","):
        ends = re.findall(r"\d+", part)
        count += int(ends[1]) - int(ends[0]) + 1 if "-" in part and len(ends) == 2 else 1
    return count


def _arm_frame(body: str) -> int | None:
    if re.search(r"^\s+(?:sub|mov|add)(?:\.w|s)?\s+sp, (?:sp, )?r\d", body, re.MULTILINE):
        return None
    total = sum(4 * _registers(group) for group in re.findall(r"^\s+push(?:\.w)?\s+\{([^}]*)\}", body, re.MULTILINE))
    for group in re.findall(r"^\s+vpush\s+\{([^}]*)\}", body, re.MULTILINE):
        total += (8 if "d" in group else 4) * _registers(group)
    return total + sum(map(int, re.findall(r"^\s+sub(?:\.w|w)?\s+sp, (?:sp, )?#(\d+)", body, re.MULTILINE)))


def _aarch64_frame(body: str) -> int | None:
    if re.search(r"^\s+(?:sub|mov)\s+sp, (?:sp, )?x\d", body, re.MULTILINE):
        return None
    total = sum(map(int, re.findall(r"\[sp, #-(\d+)\]!", body)))
    for size, shift in re.findall(r"^\s+sub\s+sp, sp, #(\d+)(?:, lsl #(\d+))?", body, re.MULTILINE):
        total += int(size) << int(shift or 0)
    return total


def _riscv_frame(body: str) -> int | None:
    if re.search(r"^\s+sub\s+sp, sp,", body, re.MULTILINE):
        return None
    return sum(map(int, re.findall(r"^\s+(?:c\.)?addi(?:16sp)?\s+sp, sp, -(\d+)", body, re.MULTILINE)))


def _x86_frame(body: str) -> int | None:
    if re.search(r"^\s+subq\s+%r\w+, %rsp", body, re.MULTILINE):
        return None
    pushed = len(re.findall(r"^\s+push[ql]?\s", body, re.MULTILINE))
    return 8 + 8 * pushed + sum(map(int, re.findall(r"^\s+subq\s+\$(\d+), %rsp", body, re.MULTILINE)))


_ELF, _MACHO = b"\x7fELF", b"\xcf\xfa\xed\xfe"
_COFF_MACHINES = (0x8664, 0xAA64, 0x14C)  # PC, 64-bit ARM, 32-bit PC
_SYMTAB_SECTION, _LC_SYMTAB, _EXTERNAL, _UNDEFINED_MASK = 2, 2, 1, 0x0E  # numbers of the formats
_OF_THE_LINKER = {"", "_GLOBAL_OFFSET_TABLE_", ".TOC."}  # names that no file defines: linkers make them


def undefined_symbols(code: bytes) -> tuple[str, ...]:
    """The names that a linker has to find elsewhere, sorted. Raises `CompileError` for an unknown kind of object."""
    if code.startswith(_ELF):
        names = _of_elf(code)
    elif code.startswith(_MACHO):
        names = _of_macho(code)
    elif len(code) >= 20 and struct.unpack_from("<H", code)[0] in _COFF_MACHINES:
        names = _of_coff(code)
    else:
        raise CompileError("LLVM gave an object of an unknown kind", remedy="choose another triple")
    return tuple(sorted(names - _OF_THE_LINKER))


def _text(table: bytes, at: int) -> str:
    return table[at : table.index(b"\0", at)].decode()


def _of_elf(code: bytes) -> set[str]:
    order = "<" if code[5] == 1 else ">"
    wide = code[4] == 2
    start, size, count = (
        (*struct.unpack_from(f"{order}Q", code, 0x28), *struct.unpack_from(f"{order}HH", code, 0x3A))
        if wide
        else (*struct.unpack_from(f"{order}I", code, 0x20), *struct.unpack_from(f"{order}HH", code, 0x2E))
    )
    # (type, offset, length, link) of every section
    form, places = (f"{order}IIQQQQIIQQ", (1, 4, 5, 6)) if wide else (f"{order}10I", (1, 4, 5, 6))
    rows = [struct.unpack_from(form, code, start + k * size) for k in range(count)]
    found = set()
    for kind, offset, length, link in ([row[p] for p in places] for row in rows):
        if kind != _SYMTAB_SECTION:
            continue
        strings = code[rows[link][4] : rows[link][4] + rows[link][5]]
        step, entry = (24, f"{order}IBBHQQ") if wide else (16, f"{order}IIIBBH")
        for at in range(offset, offset + length, step):
            values = struct.unpack_from(entry, code, at)
            section = values[3] if wide else values[5]
            if section == 0:
                found.add(_text(strings, values[0]))
    return found


def _of_coff(code: bytes) -> set[str]:
    table, count = struct.unpack_from("<II", code, 8)
    strings = code[table + 18 * count :]
    found, k = set(), 0
    while k < count:
        at = table + 18 * k
        value, section, _, storage, extra = struct.unpack_from("<IhHBB", code, at + 8)
        long = code[at : at + 4] == b"\0\0\0\0"
        name = _text(strings, struct.unpack_from("<I", code, at + 4)[0]) if long else _short(code[at : at + 8])
        if section == 0 and value == 0 and storage == 2:  # an external symbol of no section
            found.add(name)
        k += 1 + extra
    return found


def _short(name: bytes) -> str:
    return name.rstrip(b"\0").decode()


def _of_macho(code: bytes) -> set[str]:
    commands = struct.unpack_from("<I", code, 16)[0]
    at, found = 32, set()
    for _ in range(commands):
        command, size = struct.unpack_from("<II", code, at)
        if command == _LC_SYMTAB:
            offset, count, text_at, text_size = struct.unpack_from("<IIII", code, at + 8)
            strings = code[text_at : text_at + text_size]
            for k in range(count):
                name, kind = struct.unpack_from("<IB", code, offset + 16 * k)
                if kind & _EXTERNAL and not kind & _UNDEFINED_MASK:
                    found.add(_text(strings, name))
        at += size
    return found
