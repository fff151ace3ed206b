"""Object code into memory: addresses of its symbols, its slots filled."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from torquec.codegen.llvm.cpu import Cpu, make_target_machine
from torquec.codegen.llvm.module import LIBM_SLOTS
from torquec.codegen.llvm.whole_object import is_whole_object
from torquec.errors import CompileError

_REMEDY = "empty the compile cache"


class LoadedObject:
    """Object code that can run; its memory lives as long as this does."""

    def __init__(self, code: bytes, cpu: Cpu, slots: Mapping[str, int]) -> None:
        if not is_whole_object(code, slots):  # LLVM would not survive it
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
