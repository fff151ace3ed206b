"""Reading a generated C package back: its functions, their arrays, and the statements of their bodies.

Only what Torquec writes is read; anything else in a body is refused with its text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from torquec.errors import ArgumentError
from torquec.foundation.reading import FileKind, is_folder, read_text

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PROTOTYPE = re.compile(r"^void (\w+)\(([^)]*)\);", re.MULTILINE)
_PARAMETER = re.compile(r"(const )?(double|float) (?:\*(\w+)|(\w+)\[(\d+)\])")
_OURS = "written by torquec"


@dataclass(frozen=True)
class CArray:
    """A parameter: its name and its length."""

    name: str
    size: int


@dataclass(frozen=True)
class CFunction:
    """A function of a package: inputs, outputs, and the statements of its body in order, without semicolons."""

    name: str
    inputs: tuple[CArray, ...]
    outputs: tuple[CArray, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True)
class CPackageText:
    """A package on disk: where it is, how its names begin, `double` or `float`, and its functions."""

    directory: Path
    prefix: str
    real: str
    functions: tuple[CFunction, ...]

    @property
    def source(self) -> Path:
        """The file with the functions."""
        return self.directory / f"{self.prefix}.c"


def read_c_package(directory: Path) -> CPackageText:
    """The C package in a folder. Raises `ArgumentError` where there is none, or more than one."""
    where = str(directory)
    if not is_folder(directory):
        raise ArgumentError("there is no such folder", where=where, remedy="name the folder that `generate -o` wrote")
    found = [path.stem for path in sorted(directory.glob("*.c")) if path.with_suffix(".h").is_file()]
    found = [stem for stem in found if _OURS in _plain(directory / f"{stem}.h")[:400]]
    if len(found) != 1:
        what = "no C package of Torquec" if not found else f"more than one C package: {', '.join(found)}"
        raise ArgumentError(what, where=where, remedy="name a folder that `torquec generate -o` wrote")
    prefix = found[0]
    header = _COMMENT.sub(" ", _plain(directory / f"{prefix}.h"))
    source = _COMMENT.sub(" ", _plain(directory / f"{prefix}.c"))
    functions = tuple(_function(name, listed, source, where) for name, listed in _PROTOTYPE.findall(header))
    if not functions:
        raise ArgumentError("the header declares no function", where=where, remedy="generate the package again")
    real = "float" if re.search(r"^void \w+\([^)]*\bfloat\b", header, re.MULTILINE) else "double"
    return CPackageText(directory, prefix, real, functions)


def _plain(path: Path) -> str:
    return read_text(path, FileKind.PACKAGE)


def _function(name: str, listed: str, source: str, where: str) -> CFunction:
    inputs: list[CArray] = []
    outputs: list[CArray] = []
    for part in listed.split(","):
        words = " ".join(part.split())
        if words == "void":
            continue
        match = _PARAMETER.fullmatch(words)
        if match is None:
            raise ArgumentError(
                f"'{name}' has the parameter '{words}'", where=where, remedy="generate the package again"
            )
        constant, _, pointer, array, size = match.groups()
        (inputs if constant else outputs).append(CArray(array or pointer, int(size or 0)))
    body = re.search(rf"^void {re.escape(name)}\([^)]*\)\s*\{{(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    if body is None:
        raise ArgumentError(f"'{name}' is declared and not defined", where=where, remedy="generate the package again")
    statements = tuple(" ".join(part.split()) for part in body.group(1).split(";") if part.strip())
    return CFunction(name, tuple(inputs), tuple(outputs), statements)
