"""Object code of a `Function`, compiled or from the cache: one module for each of its kernels.

An object has no undefined symbols. The addresses of functions that it calls (the platform's sin and cos, and for a
batch the scalar kernel) are in slots of its own, which the loader fills: an object made by one process can be loaded by
another, and a missing address raises an exception instead of a crash in the linker.

A cache entry with the wrong content is compiled again, even where its checksum is valid.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from torquec.codegen.llvm.cache import CacheEntry, open_cache
from torquec.codegen.llvm.cpu import Cpu, make_target_machine
from torquec.codegen.llvm.load import LIBM_SLOTS, is_whole_object
from torquec.codegen.llvm_text.batch import (
    COPY_ROWS,
    SCALAR_SLOT,
    emit_batch,
    emit_block,
    emit_row_loop,
    emit_shared_batch,
)
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.llvm_text.scalar import Assembler, emit_packed, emit_scalar
from torquec.codegen.llvm_text.sincos import FAR_SINCOS, LIBRARY_FAR_ONE, SINGLE_FAR_SINCOS
from torquec.codegen.llvm_text.text import FunctionText, Type
from torquec.codegen.x86.block_assembly import emit_assembled_block
from torquec.codegen.x86.scalar_assembly import emit_assembled
from torquec.errors import CompileError, TorquecError
from torquec.expr import Function, Port, check_function
from torquec.foundation.paused_collection import paused_collection
from torquec.foundation.result_cache import source_identity

KERNEL, PACKED, BATCH, SHARED, BLOCK = "kernel", "packed", "batch", "shared", "block"
"""Symbols: the scalar kernel, the same with arrays of pointers, the batch kernel, the same for threads that share the
rows, the kernel for W rows."""

MOST_OPERATIONS = 500_000
"""Beyond this, straight-line code is the wrong form and compiling it takes minutes."""

MOST_OPERATIONS_IN_VECTORS = 20_000
"""Beyond this, a batch is a loop over the scalar kernel: a block of W states would no longer fit in the cache."""

_MOST_WIDTH_OF_ONE = 4  # doubles in a vector of a kernel for one state: wider operations block an execution port

_ATTRIBUTES = 'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}'
_UNLIKELY = '!0 = !{!"branch_weights", i32 1, i32 100000}'


def compile_scalar(function: Function, cpu: Cpu) -> bytes:
    """Object code of the scalar kernel (`KERNEL`, `PACKED`). Raises `CompileError` where it is too large."""
    _check_size(function)
    text = FunctionText(cpu.fma)
    program = make_program(function, fuse=cpu.fma)
    kernel = emit_scalar(text, program, cpu.width, name=KERNEL, assembler=_scalar_assembler(cpu))
    bodies = [kernel, emit_packed(program, kernel=KERNEL, name=PACKED)]
    return _object_code(bodies, text, cpu, width=min(cpu.width, _MOST_WIDTH_OF_ONE))


def compile_batch(function: Function, cpu: Cpu) -> bytes:
    """Object code of the batch kernel (`BATCH`, `SHARED`). Raises `CompileError` where it is too large."""
    _check_size(function)
    text = FunctionText(cpu.fma)
    program = make_program(function, fuse=cpu.fma)
    fits = len(function.operations) <= MOST_OPERATIONS_IN_VECTORS
    if fits:
        shape = Type(cpu.width)
        block = emit_assembled_block(text, program, name=BLOCK) if cpu.assembles_blocks else ""
        block = block or emit_block(text, program, shape, name=BLOCK)
        bodies = [block, emit_batch(program, shape, name=BATCH, block=BLOCK, prefetches=True)]
    else:
        bodies = [emit_row_loop(program, name=BATCH)]
    bodies.append(emit_shared_batch(program, name=SHARED, batch=BATCH, prefetches=fits))
    bodies.append(f"@{SCALAR_SLOT} = global ptr null")
    return _object_code(bodies, text, cpu, width=cpu.width)


def compile_single(function: Function, cpu: Cpu) -> bytes:
    """Object code of the batch kernel in single precision (`BATCH`, `SHARED`), rows of floats.

    Raises `CompileError` where it is too large.
    """
    _check_size(function)
    text = FunctionText(cpu.fma)
    program = make_program(function, fuse=cpu.fma)
    fits = len(function.operations) <= MOST_OPERATIONS_IN_VECTORS
    shape = Type(cpu.single_width if fits else 1, "float")
    bodies = [
        emit_block(text, program, shape, name=BLOCK, few_registers=cpu.assembles_blocks),
        emit_batch(program, shape, name=BATCH, block=BLOCK, prefetches=True),
        emit_shared_batch(program, name=SHARED, batch=BATCH, shape=shape, prefetches=True),
        COPY_ROWS,
    ]
    return _object_code(bodies, text, cpu, width=cpu.width, far_sincos=SINGLE_FAR_SINCOS)


class FunctionObjects:
    """Object code of the kernels of a function, each compiled on demand.

    With a `key`, the code comes from the cache; missing entries are compiled and stored, and `make` is called once at
    most.
    """

    def __init__(self, make: Callable[[], Function], cpu: Cpu, *, key: str | None = None) -> None:
        self.function: Function | None = None
        """The function, if it had to be made."""
        self._make, self._cpu = make, cpu
        self._cache = None if key is None else open_cache()
        self._key = f"{environment_identity(cpu)}\n{key}"
        entry = self._read("scalar")
        ports = None if entry is None else _read_facts(entry.facts)
        if entry is None or ports is None:
            made = self._made()
            ports = made.name, made.inputs, made.outputs
            entry = self._compiled("scalar", _facts(made))
        self._scalar = entry.code
        self.name, self.inputs, self.outputs = ports

    def code(self, kind: str) -> bytes:
        """Object code of the kernel "scalar", "batch" or, in single precision, "single"."""
        if kind == "scalar":
            return self._scalar
        return (self._read(kind) or self._compiled(kind, {})).code

    def _compiled(self, kind: str, facts: dict[str, Any]) -> CacheEntry:
        compile_kind = {"scalar": compile_scalar, "batch": compile_batch, "single": compile_single}[kind]
        function = self._made()
        with paused_collection():
            entry = CacheEntry(facts, compile_kind(function, self._cpu))
        if self._cache:
            self._cache.write(f"{kind}\n{self._key}", entry)
        return entry

    def _read(self, kind: str) -> CacheEntry | None:
        """The cached object with the kernels of a kind; None where there is none or it is incomplete."""
        entry = self._cache.read(f"{kind}\n{self._key}") if self._cache else None
        symbols = (KERNEL, PACKED) if kind == "scalar" else (BATCH, SHARED)
        return entry if entry is not None and is_whole_object(entry.code, symbols) else None

    def _made(self) -> Function:
        if self.function is None:
            self.function = self._make()
        return self.function


def environment_identity(cpu: Cpu) -> str:
    """Everything that object code depends on, except the function."""
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{source_identity()} llvmlite {llvmlite.__version__} LLVM {version} {cpu.identity}"


def _scalar_assembler(cpu: Cpu) -> Assembler | None:
    """The function that writes the assembly of a scalar kernel; None where LLVM compiles it."""
    return partial(emit_assembled, registers=cpu.assembled_registers) if cpu.assembled_registers else None


def object_code(source: str, cpu: Cpu, *, level: int = 2) -> bytes:
    """Object code of LLVM text. Raises `CompileError` where LLVM refuses it."""
    try:
        return bytes(make_target_machine(cpu, level=level).emit_object(llvm.parse_assembly(source)))
    except RuntimeError as error:
        raise CompileError(f"LLVM refused the code: {error}", remedy="report this with the function") from error


def _object_code(bodies: list[str], text: FunctionText, cpu: Cpu, *, width: int, far_sincos: str = FAR_SINCOS) -> bytes:
    """Object code that uses vectors of `width` doubles at most."""
    slots = [f"@{slot} = global ptr null" for slot in LIBM_SLOTS]
    if text.needs_far_sincos:
        text.declare("declare double @llvm.fabs.f64(double)")
        bodies = [*bodies, far_sincos, LIBRARY_FAR_ONE]
    attributes = _ATTRIBUTES.format(bits=64 * width)
    return object_code("\n".join([*bodies, *text.declarations, *slots, attributes, _UNLIKELY]), cpu)


def _check_size(function: Function) -> None:
    check_function(function)
    if len(function.operations) > MOST_OPERATIONS:
        raise CompileError(
            f"function '{function.name}' has {len(function.operations)} operations, more than {MOST_OPERATIONS}",
            remedy="split it, or evaluate it with NumPy (torquec.expr.evaluate)",
        )


def _facts(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "inputs": [[port.name, list(port.shape)] for port in function.inputs],
        "outputs": [[port.name, list(port.shape)] for port in function.outputs],
    }


def _read_facts(facts: dict[str, Any]) -> tuple[str, tuple[Port, ...], tuple[Port, ...]] | None:
    """Name, inputs and outputs; None where facts are of another form."""
    try:
        return str(facts["name"]), _ports(facts["inputs"]), _ports(facts["outputs"])
    except (KeyError, TypeError, ValueError, TorquecError):
        return None


def _ports(rows: list[list[Any]]) -> tuple[Port, ...]:
    return tuple(Port(str(name), tuple(int(length) for length in shape)) for name, shape in rows)
