"""Conversion of LLVM's WebAssembly object to a module that a browser loads, without a linker.

An object is nearly a module. It lacks exports, imports its memory and its stack pointer, and carries sections for a
linker. Since there is only one object, its provisional addresses and indices are the final ones, and no
relocation has to be applied:

(1)  imports are removed: the memory and the stack pointer become the module's own;
(2)  memory holds the object's data from address 0 on, then the stack, which grows downwards to the data;
(3)  functions named in the object's symbol table are exported under their names;
(4)  custom sections (linking, relocations, features) are removed.

The format is that of the WebAssembly core specification, section 5, and of the tool conventions' `Linking.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torquec.errors import CompileError

PAGE = 65536
"""Bytes of a page, the unit of memory size."""

MEMORY, STACK_POINTER, FREE = "memory", "__stack_pointer", "__free"
"""Exports besides the functions: the memory, and the first address that neither data nor stack uses (FREE)."""

_HEADER = b"\0asm\x01\0\0\0"
_CUSTOM, _TYPE, _IMPORT, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _CODE, _DATA = 0, 1, 2, 3, 5, 6, 7, 10, 11
_SECTION_ORDER = (_TYPE, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _CODE, _DATA)
_FUNCTION_KIND, _MEMORY_KIND, _GLOBAL_KIND = 0, 2, 3
_I32, _MUTABLE, _CONSTANT = 0x7F, 1, 0
_CONST_I32, _END = 0x41, 0x0B
_SYMBOL_TABLE, _SYMBOL_UNDEFINED, _SYMBOL_NAMED = 8, 0x10, 0x40
"""Numbers of the format: sections and their order, kinds of exports, types and instructions, symbols and flags."""

_ALIGNMENT = 16  # of the stack, and of what follows it: a vector register


@dataclass(frozen=True)
class ObjectSections:
    """The contents of an object's sections by number, and of its custom sections by name."""

    plain: dict[int, bytes]
    custom: dict[str, bytes]


def link_module(code: bytes, *, exports: Sequence[str], stack: int) -> bytes:
    """The module of an object: `exports` are the exported functions, `stack` the stack size [bytes].

    Raises `CompileError` where the object needs a function from outside or lacks one of the exports.
    """
    sections = _sections(code)
    _check_imports(sections.plain.get(_IMPORT, b""))
    functions = _function_symbols(sections.custom.get("linking", b""))
    missing = [name for name in exports if name not in functions]
    if missing:
        raise CompileError(f"the WebAssembly object lacks {', '.join(missing)}", remedy="report this with the function")
    top = _rounded_up(_data_end(sections.plain.get(_DATA, b"")) + stack + _ALIGNMENT, _ALIGNMENT)
    plain = {number: content for number, content in sections.plain.items() if number != _IMPORT}
    plain[_MEMORY] = _vector([b"\0" + unsigned(-(-top // PAGE))])
    plain[_GLOBAL] = _vector([_global(_MUTABLE, top), _global(_CONSTANT, top)])
    shown = [_export(MEMORY, _MEMORY_KIND, 0), _export(FREE, _GLOBAL_KIND, 1)]
    shown += [_export(name, _FUNCTION_KIND, functions[name]) for name in exports]
    plain[_EXPORT] = _vector(shown)
    body = b"".join(bytes([k]) + unsigned(len(plain[k])) + plain[k] for k in _SECTION_ORDER if k in plain)
    return _HEADER + body


def unsigned(value: int) -> bytes:
    """A number in LEB128, seven bits a byte.

    >>> unsigned(300).hex()
    'ac02'
    """
    encoded = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        encoded.append(low | (0x80 if value else 0))
        if not value:
            return bytes(encoded)


def _signed(value: int) -> bytes:
    """A nonnegative number in signed LEB128: bit 6 of the last byte is its sign and stays clear."""
    encoded = bytearray()
    while value >= 0x40:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


class _Reader:
    """Reads a section from its beginning."""

    def __init__(self, content: bytes) -> None:
        self._content, self.at = content, 0

    @property
    def done(self) -> bool:
        return self.at >= len(self._content)

    def byte(self) -> int:
        self.at += 1
        return self._content[self.at - 1]

    def number(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def take(self, length: int) -> bytes:
        self.at += length
        return self._content[self.at - length : self.at]

    def name(self) -> str:
        return self.take(self.number()).decode()


def _sections(code: bytes) -> ObjectSections:
    if not code.startswith(_HEADER):
        raise CompileError("LLVM gave no WebAssembly object", remedy="install an llvmlite with this target")
    plain: dict[int, bytes] = {}
    custom: dict[str, bytes] = {}
    reader = _Reader(code)
    reader.take(len(_HEADER))
    while not reader.done:
        number = reader.byte()
        content = reader.take(reader.number())
        if number == _CUSTOM:
            inner = _Reader(content)
            name = inner.name()
            custom[name] = content[inner.at :]
        else:
            plain[number] = content
    return ObjectSections(plain, custom)


def _check_imports(content: bytes) -> None:
    """Refuse imports that (1) does not replace."""
    reader = _Reader(content or b"\0")
    for _ in range(reader.number()):
        reader.name()
        name, kind = reader.name(), reader.byte()
        if kind == _MEMORY_KIND:
            if reader.byte() & 1:
                reader.number()
            reader.number()
        elif kind == _GLOBAL_KIND and name == STACK_POINTER:
            reader.take(2)
        else:
            raise CompileError(
                f"the WebAssembly object asks for '{name}' from outside",
                remedy="report this with the function; a module of Torquec imports nothing",
            )


def _function_symbols(content: bytes) -> dict[str, int]:
    """The defined functions of the symbol table by name, with their indices (3)."""
    reader = _Reader(content)
    reader.number()  # the version of the format
    while not reader.done:
        kind = reader.byte()
        part = reader.take(reader.number())
        if kind == _SYMBOL_TABLE:
            return dict(_read_symbols(_Reader(part)))
    return {}


def _read_symbols(reader: _Reader) -> Iterator[tuple[str, int]]:
    data_kind = 1
    for _ in range(reader.number()):
        kind, flags = reader.byte(), reader.number()
        if kind == data_kind:
            reader.name()
            if not flags & _SYMBOL_UNDEFINED:
                reader.number(), reader.number(), reader.number()
            continue
        index = reader.number()
        # Only an import without a name of its own goes unnamed here.
        name = reader.name() if not flags & _SYMBOL_UNDEFINED or flags & _SYMBOL_NAMED else ""
        if kind == _FUNCTION_KIND and name:
            yield name, index


def _data_end(content: bytes) -> int:
    """The first address after all data segments."""
    reader = _Reader(content or b"\0")
    end = 0
    for _ in range(reader.number()):
        mode, opcode = reader.number(), reader.byte()
        if mode or opcode != _CONST_I32:
            raise CompileError("the WebAssembly object places its data in an unknown way")
        address = reader.number()  # small addresses read the same in signed and unsigned LEB128
        reader.byte()
        end = max(end, address + len(reader.take(reader.number())))
    return end


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step


def _vector(items: Sequence[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def _global(mutability: int, value: int) -> bytes:
    return bytes([_I32, mutability, _CONST_I32]) + _signed(value) + bytes([_END])


def _export(name: str, kind: int, index: int) -> bytes:
    encoded = name.encode()
    return unsigned(len(encoded)) + encoded + bytes([kind]) + unsigned(index)
