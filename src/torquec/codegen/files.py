"""Writing generated files: all of them or none, in place of older ones of the same name, beside any other file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from torquec.errors import ArgumentError
from torquec.expr import Function


def write_files(directory: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write the named files into `directory`, which is made when it is missing; gives their paths in order.

    Everything is written to a temporary directory beside it first, then moved file by file. Raises `ArgumentError` when
    that is not possible.
    """
    scratch = None
    try:
        directory.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.resolve().parent))
        for name, content in contents.items():
            (scratch / name).write_bytes(content)
        for name in contents:
            (scratch / name).replace(directory / name)
    except OSError as error:
        raise ArgumentError(
            f"cannot write there: {error.strerror or error}",
            where=str(directory),
            remedy="name a directory that can be made or written to",
        ) from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    return [directory / name for name in contents]


def check_names(functions: Sequence[Function]) -> None:
    """Raise `ArgumentError` unless there are functions and no two have one name."""
    if not functions:
        raise ArgumentError("there is no function to write", remedy="name at least one")
    names = [function.name for function in functions]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(f"more than one function is called {', '.join(map(repr, twice))}", remedy="rename one")
