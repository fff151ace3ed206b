"""The targets of `torquec generate`, and the one function that leads to each of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torquec.expr import Function


class Target(StrEnum):
    """A language that functions can be written in."""

    C = "c"
    """`<prefix>.c`, `<prefix>.h`, `selftest.c` and `CMakeLists.txt`: C99, needs nothing but <math.h>."""
    NUMPY = "numpy"
    """`<prefix>.py`: a module that needs nothing but NumPy."""
    CASADI = "casadi"
    """One `<prefix>_<function>.casadi` a function, for `casadi.Function.load` in Python, C++ or MATLAB."""


def generate_package(
    functions: Sequence[Function],
    directory: str | os.PathLike[str],
    *,
    prefix: str,
    target: Target = Target.C,
    description: str = "",
    notes: Mapping[str, str] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write `functions` for `target` into `directory`; gives the files that were written.

    `prefix` begins the names of files and functions; `description` and `notes` (a sentence for a function's name, such
    as its units) go into the comments. Other files in `directory` are left alone; one of these names that Torquec did
    not write is replaced with `force` only. Raises `ArgumentError` for such a file, when two functions have one name or
    the directory cannot be written, `MissingExtraError` when a target's package is missing.
    """
    path = Path(directory)
    match target:
        case Target.C:
            from torquec.codegen.c import write_c_package

            return write_c_package(functions, path, prefix=prefix, description=description, notes=notes, force=force)
        case Target.NUMPY:
            from torquec.codegen.numpy import write_numpy_module

            return write_numpy_module(functions, path, prefix=prefix, description=description, notes=notes, force=force)
        case Target.CASADI:
            from torquec.codegen.casadi import write_casadi_functions

            return write_casadi_functions(functions, path, prefix=prefix, force=force)
