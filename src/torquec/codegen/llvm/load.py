"""Loader of object code: completeness check of the object file, addresses of its symbols, filling of its slots.

LLVM aborts the process for an object file that is truncated or has misplaced tables. The loader therefore first reads
the tables of sections (ELF) or segments (Mach-O), of 64-bit little-endian objects as LLVM makes them here.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from torquec.codegen.llvm.cpu import Cpu, make_target_machine
from torquec.errors import CompileError

ELF, MACH_O = b"\x7fELF", b"\xcf\xfa\xed\xfe"

_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_ELF_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8  # type of a section that takes no place in the file
_MACH_HEADER = struct.Struct("<IIIIIIII")
_MACH_COMMAND = struct.Struct("<II")
_MACH_SEGMENT = struct.Struct("<II16sQQQQ")
_SEGMENT_64 = 0x19  # command that describes a segment


def is_whole_object(code: bytes, symbols: Iterable[str]) -> bool:
    """Whether `code` is an object file with all its sections, in which these symbols are named."""
    try:
        read = {ELF: _elf_ends, MACH_O: _mach_ends}[code[:4]]
        whole = max(read(code), default=0) <= len(code)
    except (KeyError, struct.error):
        return False
    return whole and all(f"{symbol}\0".encode() in code for symbol in symbols)


def _elf_ends(code: bytes) -> Iterator[int]:
    """End offsets of the section table and of each section."""
    header = _ELF_HEADER.unpack_from(code)
    start, size, count = header[6], header[11], header[12]
    yield start + size * max(count, 1)
    if size != _ELF_SECTION.size or not count:
        raise struct.error("no table of sections")
    for k in range(count):
        section = _ELF_SECTION.unpack_from(code, start + k * size)
        if section[1] != _NO_BITS:
            yield section[4] + section[5]


def _mach_ends(code: bytes) -> Iterator[int]:
    """End offsets of the load commands and of each segment."""
    header = _MACH_HEADER.unpack_from(code)
    count, total = header[4], header[5]
    yield _MACH_HEADER.size + total
    place = _MACH_HEADER.size
    for _ in range(count):
        kind, size = _MACH_COMMAND.unpack_from(code, place)
        if size < _MACH_COMMAND.size:
            raise struct.error("a load command without a length")
        if kind == _SEGMENT_64:
            segment = _MACH_SEGMENT.unpack_from(code, place)
            yield segment[5] + segment[6]
        place += size
    if not count:
        raise struct.error("no load commands")


_REMEDY = "empty the compile cache"

LIBM_SLOTS = {"libm_sin": "sin", "libm_cos": "cos"}
"""Slots of an object for the platform's functions."""


class LoadedObject:
    """Object code that can run; its memory lives as long as this does."""

    def __init__(self, code: bytes, cpu: Cpu, slots: Mapping[str, int]) -> None:
        if not is_whole_object(code, slots):  # LLVM would abort the process
            raise CompileError("this is not object code", remedy=_REMEDY)
        try:
            empty = llvm.parse_assembly("")
            # The manager that reserves one region keeps code within reach of its constants.
            self._engine = llvm.create_mcjit_compiler(empty, make_target_machine(cpu, level=0), use_lmm=True)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
        except RuntimeError as error:
            raise CompileError(f"object code cannot be loaded: {error}", remedy=_REMEDY) from error
        for slot, address in slots.items():
            self.fill(slot, address)

    def address(self, symbol: str) -> int:
        """The address of a function. Raises `CompileError` where there is none of that name."""
        found = int(self._engine.get_function_address(symbol))
        if not found:
            raise CompileError(f"object code lacks '{symbol}'", remedy=_REMEDY)
        return found

    def fill(self, slot: str, address: int) -> None:
        """Write an address into a slot."""
        place = int(self._engine.get_global_value_address(slot))
        if not place:
            raise CompileError(f"object code lacks the slot '{slot}'", remedy=_REMEDY)
        ctypes.c_void_p.from_address(place).value = address


@cache
def libm_slots() -> Mapping[str, int]:
    """Addresses of the platform's functions, by slot."""
    return {slot: _address_of(name) for slot, name in LIBM_SLOTS.items()}


def _address_of(name: str) -> int:
    for library in (None, "libm.so.6", "libm.dylib", "ucrtbase", "msvcrt"):
        if library is None and sys.platform == "win32":
            continue
        try:
            return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value or 0
        except (OSError, AttributeError):
            continue
    return _python_function(name)


_CALLBACKS: list[Any] = []


def _python_function(name: str) -> int:
    """Where no C library can be found: Python's own function, made callable from C."""
    function: Callable[[float], float] = getattr(math, name)

    def guarded(angle: float) -> float:
        try:
            return function(angle)
        except ValueError:  # sin(inf)
            return math.nan

    callback = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(guarded)
    _CALLBACKS.append(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value or 0
