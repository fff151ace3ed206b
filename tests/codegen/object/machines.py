"""Objects on machines: this one through LLVM's loader, others under qemu where it is installed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.patience import HANGS

from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.object.module import compile_object
from torquec.codegen.object.triple import KNOWN_TRIPLES, host_triple, machine_target
from torquec.codegen.precision import Precision
from torquec.expr import Function

_ALWAYS = ("thumbv7em-none-eabihf", "x86_64-pc-windows-msvc")

each_triple = pytest.mark.parametrize(
    "triple",
    [name if name in _ALWAYS else pytest.param(name, marks=pytest.mark.slow) for name in KNOWN_TRIPLES],
)

REAL = {Precision.DOUBLE: np.float64, Precision.SINGLE: np.float32}

# A program without a C library: it calls the self-test and hands its result to the system.
_STARTS = {
    "aarch64-linux-gnu": ".globl _start\n_start:\n bl {}\n mov x8, #93\n svc #0\n",
    "riscv64-linux-gnu": ".globl _start\n_start:\n call {}\n li a7, 93\n ecall\n",
}


class HostObject:
    """Functions compiled to an object for this machine and loaded; calling gives a function's outputs by name."""

    def __init__(self, functions: list[Function], precision: Precision = Precision.DOUBLE) -> None:
        self._functions = {f.name: (f, f"p_{f.name}") for f in functions}
        symbols = [symbol for _, symbol in self._functions.values()]
        target = machine_target(host_triple())
        self.made = compile_object(functions, symbols, target, selftest="p_selftest", precision=precision)
        self._loaded = LoadedObject(self.made.code, host_cpu(), {})
        self._real = REAL[precision]

    def selftest(self) -> int:
        return ctypes.CFUNCTYPE(ctypes.c_int)(self._loaded.address("p_selftest"))()

    def __call__(self, name: str, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        function, symbol = self._functions[name]
        arrays = [np.array(inputs[port.name], dtype=self._real).reshape(-1) for port in function.inputs]
        arrays += [np.full(port.size, np.nan, self._real) for port in function.outputs]
        self.raw(symbol, *arrays)
        results = arrays[len(function.inputs) :]
        return {port.name: result.reshape(port.shape) for port, result in zip(function.outputs, results, strict=True)}

    def raw(self, symbol: str, *arrays: np.ndarray) -> None:
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))
        prototype(self._loaded.address(symbol))(*(array.ctypes.data for array in arrays))


def run_selftest_without_library(folder: Path, prefix: str, triple: str) -> int:
    """The result of an object's self-test under qemu: linked to nothing but a start of four instructions."""
    word = triple.split("-")[0]
    assembler, linker, emulator = f"{word}-linux-gnu-as", f"{word}-linux-gnu-ld", f"qemu-{word}"
    for tool in (assembler, linker, emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not here")
    (folder / "start.s").write_text(_STARTS[triple].format(f"{prefix}_selftest"))
    program = folder / "program"
    subprocess.run([assembler, folder / "start.s", "-o", folder / "start.o"], check=True)
    subprocess.run([linker, folder / "start.o", folder / f"{prefix}.o", "-o", program], check=True)
    return subprocess.run([emulator, program], check=False, timeout=HANGS).returncode
