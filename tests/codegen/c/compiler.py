"""Compiling and calling generated C in tests; without a compiler the tests that need one are skipped."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from torquec.codegen.c.names import package_names
from torquec.codegen.target import generate_package
from torquec.expr import Function

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
CXX = shutil.which("g++") or shutil.which("clang++")
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror")

needs_compiler = pytest.mark.skipif(not COMPILERS, reason="no C compiler")
each_compiler = pytest.mark.parametrize(
    "compiler", [*COMPILERS] or [pytest.param("", marks=pytest.mark.skip(reason="no C compiler"))]
)


def run(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)


def build(*command: str | Path) -> None:
    result = run(*command)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr


def build_selftest(directory: Path, compiler: str, prefix: str, *flags: str) -> Path:
    program = directory / "selftest"
    build(
        compiler,
        "-std=c99",
        *WARNINGS,
        *flags,
        directory / f"{prefix}.c",
        directory / "selftest.c",
        "-lm",
        "-o",
        program,
    )
    return program


class Library:
    """A package of functions, compiled; calling it gives a function's outputs by name."""

    def __init__(self, directory: Path, functions: list[Function], *flags: str, compiler: str = "", prefix: str = "p"):
        compiler = compiler or COMPILERS[0]
        generate_package(functions, directory, prefix=prefix)
        names = package_names(functions, prefix)
        self._functions = dict(
            zip((f.name for f in functions), zip(functions, names.functions, strict=True), strict=True)
        )
        path = directory / f"lib{'_'.join(flags).replace('=', '_')}.so"
        source = directory / f"{names.prefix}.c"
        # Linked without the flags: for -ffast-math gcc adds start-up code that flushes denormals in the whole process.
        part = path.with_suffix(".o")
        build(compiler, "-std=c99", *WARNINGS, "-fPIC", *flags, "-c", source, "-o", part)
        build(compiler, "-shared", part, "-lm", "-o", path)
        self._library = ctypes.CDLL(str(path))

    def __call__(self, name: str, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        function, symbol = self._functions[name]
        arrays = [np.array(inputs[port.name], dtype=float).reshape(-1) for port in function.inputs]
        results = [np.full(port.size, np.nan) for port in function.outputs]
        self.raw(symbol, *arrays, *results)
        return {port.name: result.reshape(port.shape) for port, result in zip(function.outputs, results, strict=True)}

    def raw(self, symbol: str, *arrays: np.ndarray) -> None:
        getattr(self._library, symbol)(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
