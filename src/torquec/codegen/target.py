"""The languages that functions are written in, and the one function that leads to each of them.

A new language is its folder beside this file, a `Target` and a row in `BACK_ENDS`; it is then a target of `generate`,
of projects and of their help and documentation, which read :mod:`torquec.realtime.targets`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.expr import Function


class Target(StrEnum):
    """A language that functions can be written in."""

    C = "c"
    """`<prefix>.c`, `<prefix>.h`, `selftest.c` and `CMakeLists.txt`: C99, needs nothing but <math.h>."""
    NUMPY = "numpy"
    """`<prefix>.py`: a module that needs nothing but NumPy."""
    CASADI = "casadi"
    """One `<prefix>_<function>.casadi` a function, for `casadi.Function.load` in Python, C++ or MATLAB, and
    `<prefix>.casadi.txt`, which describes them."""
    WASM = "wasm"
    """`<prefix>.wasm`, `<prefix>.js` with types, and self-tests for Node and a browser: imports nothing."""
    OBJECT = "object"
    """`<prefix>.o`, `<prefix>.h` and `<prefix>.json`: machine code for the processor of a triple, self-test inside."""


class CarriedClaim(StrEnum):
    """How much of the claim of a certified model a package carries."""

    TEXT = "text"
    """The proven bounds, their box and the hash of the certificate, as text."""
    MODEL = "model"
    """The text, and the model file with its certificate, whose bounds `torquec check FILE` proves again."""
    PACKAGE = "package"
    """Text, model file and a manifest: `torquec check DIR` proves the bounds and compares every byte of the code."""


@dataclass(frozen=True)
class PackageOptions:
    """How functions are written: `prefix` begins names, `description` and `notes` (by function) go into comments.

    `triple` and `cpu` are the processor of an object.
    """

    prefix: str
    description: str = ""
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    precision: Precision = Precision.DOUBLE
    force: bool = False
    triple: str | None = None
    cpu: str | None = None


@dataclass(frozen=True)
class BackEnd:
    """A language: its title, the files that it writes, its writer, and the precisions that it computes in.

    In the names of files PREFIX and FUNCTION stand for the names of package and function. `for_processor`: whether
    code is written for the processor of a triple. `claim`: what a package of a certified model carries of its claim.
    """

    title: str
    files: tuple[str, ...]
    write: Callable[[Sequence[Function], Path, PackageOptions], list[Path]]
    precisions: tuple[Precision, ...] = (Precision.DOUBLE,)
    for_processor: bool = False
    claim: CarriedClaim = CarriedClaim.TEXT


def generate_package(
    functions: Sequence[Function],
    directory: str | os.PathLike[str],
    *,
    prefix: str,
    target: Target = Target.C,
    precision: Precision = Precision.DOUBLE,
    description: str = "",
    notes: Mapping[str, str] | None = None,
    triple: str | None = None,
    cpu: str | None = None,
    force: bool = False,
) -> list[Path]:
    """Write `functions` for `target` into `directory`; gives the files that were written.

    `prefix` begins the names of files and functions; `description` and `notes` (a sentence for a function's name, such
    as its units) go into the comments. Other files in `directory` are left alone; one of these names that Torquec did
    not write is replaced with `force` only. Raises `ArgumentError` for such a file, when two functions have one name,
    the target does not compute in this precision or the directory cannot be written, `MissingExtraError` when a
    target's package is missing. `triple` and `cpu` name the processor of an object; for another target, or for a
    processor that LLVM does not know, they raise `ArgumentError`.
    """
    check_offered(target, precision, triple=triple, cpu=cpu)
    options = PackageOptions(prefix, description, notes or {}, precision, force, triple, cpu)
    return BACK_ENDS[target].write(functions, Path(directory), options)


def check_offered(
    target: Target, precision: Precision = Precision.DOUBLE, *, triple: str | None = None, cpu: str | None = None
) -> None:
    """Raise `ArgumentError` for a target that has not this precision, or is not for a processor: before any work."""
    back_end = BACK_ENDS[target]
    if precision not in back_end.precisions:
        able = [other.value for other, row in BACK_ENDS.items() if precision in row.precisions]
        raise ArgumentError(
            f"{back_end.title} is not written in {precision} precision",
            remedy=f"the targets that are: {', '.join(able)}",
        )
    if (triple or cpu) and not back_end.for_processor:
        able = [other.value for other, row in BACK_ENDS.items() if row.for_processor]
        raise ArgumentError(
            f"{back_end.title} is not written for a processor",
            remedy=f"leave out triple and cpu, or: {', '.join(able)}",
        )


def target_titles() -> str:
    """The languages as help lists them.

    >>> target_titles()
    'C99, NumPy, CasADi, WebAssembly or object'
    """
    *first, last = (back_end.title for back_end in BACK_ENDS.values())
    return f"{', '.join(first)} or {last}"


def _writer(module: str, name: str, *takes: str) -> Callable[[Sequence[Function], Path, PackageOptions], list[Path]]:
    """The function of that name, imported when it is called; it `takes` these options besides prefix and force."""

    def write(functions: Sequence[Function], directory: Path, options: PackageOptions) -> list[Path]:
        given = {key: getattr(options, key) for key in ("prefix", "force", *takes)}
        written: list[Path] = getattr(import_module(f"torquec.codegen.{module}"), name)(functions, directory, **given)
        return written

    return write


_TEXTS = ("description", "notes")

BACK_ENDS: Mapping[Target, BackEnd] = MappingProxyType(
    {
        Target.C: BackEnd(
            "C99",
            ("PREFIX.c", "PREFIX.h", "selftest.c", "CMakeLists.txt"),
            _writer("c", "write_c_package", *_TEXTS, "precision"),
            (Precision.DOUBLE, Precision.SINGLE),
            claim=CarriedClaim.PACKAGE,
        ),
        Target.NUMPY: BackEnd("NumPy", ("PREFIX.py",), _writer("numpy", "write_numpy_module", *_TEXTS)),
        Target.CASADI: BackEnd(
            "CasADi",
            ("PREFIX_FUNCTION.casadi", "PREFIX.casadi.txt"),
            _writer("casadi", "write_casadi_functions", *_TEXTS),
        ),
        Target.WASM: BackEnd(
            "WebAssembly",
            ("PREFIX.wasm", "PREFIX.js", "PREFIX.d.ts", "selftest.mjs", "selftest.html", "package.json"),
            _writer("wasm", "write_wasm_package", *_TEXTS),
        ),
        Target.OBJECT: BackEnd(
            "object",
            ("PREFIX.o", "PREFIX.h", "PREFIX.json"),
            _writer("object", "write_object_package", *_TEXTS, "precision", "triple", "cpu"),
            (Precision.DOUBLE, Precision.SINGLE),
            for_processor=True,
            claim=CarriedClaim.PACKAGE,
        ),
    }
)
"""Every language."""
