"""Code generation targets: the table of languages, and the function that writes a package in any of them.

To add a language: a folder beside this file, a `Target` and a row in `BACK_ENDS`. It is then a target of `generate`, of
projects and of their help and documentation, which read :mod:`torquec.realtime.targets`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError
from torquec.foundation.package_manifest import PackageMaking
from torquec.foundation.writing import write_package

if TYPE_CHECKING:
    from torquec.expr import Function


class Target(StrEnum):
    """A language that functions can be written in."""

    C = "c"
    """`<prefix>.c`, `<prefix>.h`, `selftest.c` and `CMakeLists.txt`: C99, needs nothing but <math.h>."""
    RUST = "rust"
    """`Cargo.toml`, `src/lib.rs`, `tests/recorded.rs`: a crate without the standard library."""
    NUMPY = "numpy"
    """`<prefix>.py`: a module that needs nothing but NumPy."""
    CASADI = "casadi"
    """One `<prefix>_<function>.casadi` per function, for `casadi.Function.load` in Python, C++ or MATLAB, and
    `<prefix>.casadi.txt`, which describes them."""
    WASM = "wasm"
    """`<prefix>.wasm`, `<prefix>.js` with types, and self-tests for Node and a browser: imports nothing."""
    OBJECT = "object"
    """`<prefix>.o`, `<prefix>.h` and `<prefix>.json`: machine code for the processor of a triple, self-test inside."""


class CodeCheck(StrEnum):
    """How `torquec check DIR` compares the code of a package with the certified model in it."""

    READ = "read"
    """The C is read and compared with the programs, operation by operation; it is also generated again."""
    REBUILT = "rebuilt"
    """The code is generated again and compared byte by byte, which trusts the generator."""


@dataclass(frozen=True)
class BackEnd:
    """A language: its title, the files of a package, the function that makes them, and the precisions of its numbers.

    In the names of files PREFIX and FUNCTION stand for the names of package and function. `contents` names the function
    that makes the files, as "module.function" below :mod:`torquec.codegen`; it is imported when it is called.
    `for_processor`: whether code is written for the processor of a triple. `check`: how the code of a certified model
    is compared with the model.
    """

    title: str
    files: tuple[str, ...]
    contents: str
    precisions: tuple[Precision, ...] = (Precision.DOUBLE,)
    for_processor: bool = False
    check: CodeCheck = CodeCheck.REBUILT

    def make(self, functions: Sequence[Function], **options: Any) -> Mapping[str, str | bytes]:
        """The contents of a package; the function gets precision and processor where the language has a choice."""
        module, _, name = self.contents.rpartition(".")
        if len(self.precisions) == 1:
            del options["precision"]
        if not self.for_processor:
            del options["triple"], options["cpu"]
        contents: Mapping[str, str | bytes] = getattr(import_module(f"torquec.codegen.{module}"), name)(
            functions, **options
        )
        return contents


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
    making: PackageMaking | None = None,
    force: bool = False,
) -> list[Path]:
    """Write `functions` for `target` into `directory`; gives the files that were written.

    `prefix` begins the names of files and functions; `description` and `notes` (by function name, a sentence such as
    its units) go into the comments. Other files in `directory` are left alone; an existing file of the package that
    Torquec did not write is replaced with `force` only. Raises `ArgumentError` for such a file, when two functions have
    the same name, the target does not compute in this precision or the directory cannot be written, `MissingExtraError`
    when a target's package is missing. `triple` and `cpu` name the processor of an object; for another target, or for a
    processor that LLVM does not know, they raise `ArgumentError`. `making` states how to make the package again.
    """
    check_offered(target, precision, triple=triple, cpu=cpu)
    contents = BACK_ENDS[target].make(
        functions,
        prefix=prefix,
        description=description,
        notes=notes or {},
        precision=precision,
        triple=triple,
        cpu=cpu,
    )
    name = prefix_identifier(prefix)
    return write_package(Path(directory), contents, name=name, target=target.value, making=making, force=force)


def check_offered(
    target: Target, precision: Precision = Precision.DOUBLE, *, triple: str | None = None, cpu: str | None = None
) -> None:
    """Raise `ArgumentError`, before any work, where a target lacks this precision or takes no triple or processor."""
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
    'C99, Rust, NumPy, CasADi, WebAssembly or object'
    """
    *first, last = (back_end.title for back_end in BACK_ENDS.values())
    return f"{', '.join(first)} or {last}"


BACK_ENDS: Mapping[Target, BackEnd] = MappingProxyType(
    {
        Target.C: BackEnd(
            "C99",
            ("PREFIX.c", "PREFIX.h", "selftest.c", "CMakeLists.txt"),
            "c.package.c_package",
            (Precision.DOUBLE, Precision.SINGLE),
            check=CodeCheck.READ,
        ),
        Target.RUST: BackEnd(
            "Rust",
            ("Cargo.toml", "src/lib.rs", "tests/recorded.rs"),
            "rust.package.rust_package",
            (Precision.DOUBLE, Precision.SINGLE),
        ),
        Target.NUMPY: BackEnd("NumPy", ("PREFIX.py",), "numpy.numpy_package"),
        Target.CASADI: BackEnd("CasADi", ("PREFIX_FUNCTION.casadi", "PREFIX.casadi.txt"), "casadi.casadi_package"),
        Target.WASM: BackEnd(
            "WebAssembly",
            ("PREFIX.wasm", "PREFIX.js", "PREFIX.d.ts", "selftest.mjs", "selftest.html", "package.json"),
            "wasm.package.wasm_package",
        ),
        Target.OBJECT: BackEnd(
            "object",
            ("PREFIX.o", "PREFIX.h", "PREFIX.json"),
            "object.package.object_package",
            (Precision.DOUBLE, Precision.SINGLE),
            for_processor=True,
        ),
    }
)
"""Every language."""
