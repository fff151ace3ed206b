"""Where the object code of a function comes from: the compiler, or the cache and else the compiler.

An entry of the cache whose content is not what was asked for is compiled again, whatever its checksum says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import llvmlite
import llvmlite.binding as llvm

from torquec.codegen.llvm.cache import CacheEntry, open_cache
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm.load import is_whole_object
from torquec.codegen.llvm.module import BATCH, KERNEL, PACKED, SHARED, compile_batch, compile_scalar, compile_single
from torquec.errors import TorquecError
from torquec.expr import Function, Port
from torquec.foundation.result_cache import source_identity

_KERNELS = {"scalar": (KERNEL, PACKED), "batch": (BATCH, SHARED), "single": (BATCH, SHARED)}
"""The functions in each kind of object."""


class Objects(Protocol):
    """What a native function is made of."""

    @property
    def name(self) -> str:
        """The function's name."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Its inputs, in order."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Its outputs, in order."""

    @property
    def function(self) -> Function | None:
        """The function, if it had to be made."""

    def scalar(self) -> bytes:
        """Object code of the scalar kernel."""

    def batch(self) -> bytes:
        """Object code of the batch kernel."""

    def single(self) -> bytes:
        """Object code of the batch kernel in single precision."""


class CompiledObjects:
    """Object code made when it is asked for."""

    def __init__(self, function: Function, cpu: Cpu) -> None:
        self.function: Function | None = function
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs
        self._function, self._cpu = function, cpu

    def scalar(self) -> bytes:
        """Object code of the scalar kernel."""
        return compile_scalar(self._function, self._cpu)

    def batch(self) -> bytes:
        """Object code of the batch kernel."""
        return compile_batch(self._function, self._cpu)

    def single(self) -> bytes:
        """Object code of the batch kernel in single precision."""
        return compile_single(self._function, self._cpu)


class CachedObjects:
    """Object code from the cache; what is not there is compiled and stored, calling `make` once at most."""

    def __init__(self, key: str, make: Callable[[], Function], cpu: Cpu) -> None:
        self.function: Function | None = None
        self._make, self._cpu, self._cache = make, cpu, open_cache()
        self._key = f"{environment_identity(cpu)}\n{key}"
        entry = self._read("scalar")
        ports = None if entry is None else _read_facts(entry.facts)
        if entry is None or ports is None:
            made = self._made()
            entry = CacheEntry(_facts(made), compile_scalar(made, cpu))
            ports = made.name, made.inputs, made.outputs
            if self._cache:
                self._cache.write(f"scalar\n{self._key}", entry)
        self._scalar = entry.code
        self.name, self.inputs, self.outputs = ports

    def scalar(self) -> bytes:
        """Object code of the scalar kernel."""
        return self._scalar

    def batch(self) -> bytes:
        """Object code of the batch kernel."""
        return self._kept("batch", compile_batch)

    def single(self) -> bytes:
        """Object code of the batch kernel in single precision."""
        return self._kept("single", compile_single)

    def _kept(self, kind: str, compile_kind: Callable[[Function, Cpu], bytes]) -> bytes:
        entry = self._read(kind)
        if entry is None:
            entry = CacheEntry({}, compile_kind(self._made(), self._cpu))
            if self._cache:
                self._cache.write(f"{kind}\n{self._key}", entry)
        return entry.code

    def _read(self, kind: str) -> CacheEntry | None:
        """An entry that holds a whole object with the kernels of its kind."""
        entry = self._cache.read(f"{kind}\n{self._key}") if self._cache else None
        return entry if entry is not None and is_whole_object(entry.code, _KERNELS[kind]) else None

    def _made(self) -> Function:
        if self.function is None:
            self.function = self._make()
        return self.function


def environment_identity(cpu: Cpu) -> str:
    """Everything but the function that object code depends on."""
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{source_identity()} llvmlite {llvmlite.__version__} LLVM {version} {cpu.identity}"


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
