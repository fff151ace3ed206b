"""The names that an object needs from outside, read from its symbol table: ELF, COFF and Mach-O."""

from __future__ import annotations

import struct

from torquec.errors import CompileError

_ELF, _MACHO = b"\x7fELF", b"\xcf\xfa\xed\xfe"
_COFF_MACHINES = (0x8664, 0xAA64, 0x14C)  # PC, 64-bit ARM, 32-bit PC
_SYMTAB_SECTION, _LC_SYMTAB, _EXTERNAL, _UNDEFINED_MASK = 2, 2, 1, 0x0E  # numbers of the formats

_OF_THE_LINKER = {"", "_GLOBAL_OFFSET_TABLE_", ".TOC."}
"""Names that no file defines: linkers make them."""


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
