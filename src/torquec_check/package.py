"""A package as a closed world: exactly the files of its manifest, and what each of them must be.

NAME.package.json lists every file with its SHA-256. A folder is accepted where

(1)  it holds one manifest, the files that this lists with those hashes, and nothing else: no further file or folder, no
     symbolic link, no device. A header in a folder `bits`, a CMakeCache.txt or an object could change what the code
     means. Documents for people (equations, a report) may lie beside, by their known names; they are not read
(2)  the model, whose certificate holds the claim, is one of the files
(3)  NAME.c and NAME.h are the C of the model's programs (:mod:`torquec_check.c_source`), the header opens with the
     claim (:mod:`torquec_check.claim`), and CMakeLists.txt is the known one

The self-test is listed with its hash and is not read: it is a program of its own, and no part of the claim.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from torquec_check.c_source import REMEDY, CText, check_c_header, check_c_source, known_text, spelled
from torquec_check.claim import Claim, code_lines, named
from torquec_check.document import RefusedError, expect, fields, items, parse_document
from torquec_check.program import Program, program_of

MANIFEST = ".package.json"
FORMAT = "torquec package 2"
_FIELDS = "format written_by target prefix precision quantities model options files documents"
_DOCUMENTS = re.compile(
    r"equations_(before|after|changes|coefficients)\.txt|trade_off\.(csv|json)|report\.(html|json)"
    r"|(simplification|design|verification|equations_coefficients|tracking_witness)\.json|\w+\.certificate\.json",
    re.ASCII,
)
"""Names of documents for people, which no compiler or build system looks for."""
_MOST_FILES, MOST_BYTES = 1000, 400_000_000
OF_FLOATS = "the code of the package computes in single precision: its rounding comes on top of every error above"
_REALS = {"double": "double", "single": "float"}
_OF_FRAMES = ("frame_pose", "jacobian", "jacobian_derivative", "influence_coefficients", "pushed_inverse_dynamics")
"""Quantities of a frame, such as frame_pose:tool. No other has a second name: it would not be compared under it."""


@dataclass(frozen=True)
class Package:
    """A package whose folder is closed (1): what its manifest states, and the contents of its files by name."""

    where: str
    written_by: str
    target: str
    prefix: str
    precision: str
    quantities: tuple[str, ...]
    model: str
    options: dict[str, Any]
    files: dict[str, bytes]
    documents: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the names of the package's files begin with: `prefix` as an identifier."""
        (name,) = [file.removesuffix(MANIFEST) for file in self.files if file.endswith(MANIFEST)]
        return name

    def c_text(self, name: str) -> CText:
        """The text of a file; raises `RefusedError` where there is none."""
        if name not in self.files:
            raise _refused(f"the package lacks {name}", self.where)
        return CText(self.files[name].decode("ascii", "replace"), f"{self.where}/{name}")


def read_package(folder: Path) -> Package:
    """The package in a folder; raises `RefusedError` unless the folder is closed (1)."""
    where = str(folder)
    found = {path.relative_to(folder).as_posix(): path for path in _entries(folder)}
    manifests = [name for name in found if name.endswith(MANIFEST) and "/" not in name]
    if len(manifests) != 1:
        raise RefusedError(
            f"the folder holds {len(manifests)} manifests (*{MANIFEST}), not one",
            where=where,
            remedy="name the folder that torquec generate or torquec simplify wrote",
        )
    manifest = folder / manifests[0]
    content = _content(manifest)
    stated = dict(zip(_FIELDS.split(), fields(parse_document(content), _FIELDS, str(manifest)), strict=True))
    if stated["format"] != FORMAT:
        raise _refused(f"its format is {str(stated['format'])[:60]!r}, not {FORMAT!r}", manifest)
    if not isinstance(stated["files"], dict) or not isinstance(stated["options"], dict):
        raise _refused("'files' and 'options' are objects", manifest)
    hashes = {name: expect(str, value, where) for name, value in stated["files"].items()}
    quantities, documents = (
        tuple(expect(str, each, where) for each in items(stated[key], where)) for key in ("quantities", "documents")
    )
    _check_closed(folder, set(found), {manifests[0], *hashes}, documents)
    if sum(found[name].stat().st_size for name in hashes) > MOST_BYTES:
        raise _refused(f"its files have more than {MOST_BYTES} bytes together", where)
    files = {manifests[0]: content, **{name: _content(folder / name) for name in hashes}}
    for name, stated_hash in hashes.items():
        if hashlib.sha256(files[name]).hexdigest() != stated_hash:
            raise _refused("the file is not the one that the manifest lists", folder / name)
    words = {key: expect(str, stated[key], where) for key in ("written_by", "target", "prefix", "precision", "model")}
    return Package(where, **words, quantities=quantities, options=stated["options"], files=files, documents=documents)


def _refused(found: str, where: Path | str) -> RefusedError:
    return RefusedError(found, where=str(where), remedy=REMEDY)


def _entries(folder: Path) -> Iterator[Path]:
    """Everything in a folder and in the folders in it; links are not followed."""
    stack, count = [folder], 0
    while stack:
        for entry in sorted(stack.pop().iterdir()):
            count += 1
            if count > _MOST_FILES:
                raise _refused(f"the folder holds more than {_MOST_FILES} files", folder)
            yield entry
            if stat.S_ISDIR(entry.lstat().st_mode):
                stack.append(entry)


def _check_closed(folder: Path, found: set[str], files: set[str], documents: Sequence[str]) -> None:
    """(1), but for the hashes."""
    people, listed = {*documents}, {*files, *documents}
    for name in listed:
        plain = PurePosixPath(name)
        odd = plain.as_posix() != name or plain.is_absolute() or ".." in plain.parts or "\\" in name
        if odd or (name in people and (name in files or not _DOCUMENTS.fullmatch(name))):
            raise _refused(f"the manifest lists {name[:80]!r}, which no package has", folder)
    if len({name.casefold() for name in listed}) < len(listed):
        raise _refused("the manifest lists names that differ in case only, which some disks take for one", folder)
    folders = {str(parent) for name in listed for parent in PurePosixPath(name).parents} - {"."}
    if extra := sorted(found - listed - folders):
        names = ", ".join(extra[:8]) + (f" and {len(extra) - 8} more" if len(extra) > 8 else "")
        where, remedy = str(folder), "build in another folder; a package holds exactly the files that were written"
        raise RefusedError(f"the folder holds what its manifest does not list: {names}", where=where, remedy=remedy)
    if missing := sorted((listed | folders) - found):
        raise _refused(f"the folder lacks {', '.join(missing[:8])}", folder)
    for name in sorted(found):
        mode = (folder / name).lstat().st_mode
        if not (stat.S_ISDIR(mode) if name in folders else stat.S_ISREG(mode)):
            raise _refused("a link or a device, not a file of the package", folder / name)


def _content(path: Path) -> bytes:
    """The bytes of a regular file, opened without following a link, or waiting for the other end of a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode) or os.fstat(stream.fileno()).st_size > MOST_BYTES:
            raise _refused("not a regular file of a size that is read", path)
        return stream.read()


# --- C --------------------------------------------------------------------------------------------------------------


def check_c_package(package: Package, model: dict[str, Any], claim: Claim) -> None:
    """Raise `RefusedError` unless the package is the C of the model's programs, (2) and (3); `claim` is the model's."""
    name, where = package.name, package.where
    files = {f"{name}.c", f"{name}.h", "selftest.c", "CMakeLists.txt", f"{name}{MANIFEST}", package.model}
    if set(package.files) != files or not re.fullmatch(r"\w[\w.-]*\.tq\.json", package.model):
        raise _refused("these are not the files of a C package", where)
    programs = {quantity: _program(model, quantity) for quantity in package.quantities}
    real, prototypes = check_c_code(package, list(programs.values()))
    stated = code_lines(claim, model, package.model, package.precision, package.quantities)
    opening = "\n".join([f"{named(package.prefix)}: written by torquec.", *stated])
    check_c_header(package.c_text(f"{name}.h"), opening, programs, prototypes, name, real)


def check_c_code(package: Package, programs: Sequence[Program]) -> tuple[str, list[str]]:
    """Raise `RefusedError` unless NAME.c is the C of the programs and CMakeLists.txt the known one."""
    name, where = package.name, package.where
    title = spelled(re.sub(r"[ -/:-@\[-^`{-~]+", "_", package.prefix).strip("_") or package.prefix)
    if name.rstrip("_") != title.rstrip("_") or package.precision not in _REALS:
        raise _refused("the manifest has no name or precision of a C package", where)
    real, build = _REALS[package.precision], package.c_text("CMakeLists.txt")
    prototypes = check_c_source(package.c_text(f"{name}.c"), programs, name, real, named(package.prefix))
    build.take(known_text("build", name))
    build.end("the build file goes on after its end")
    return real, prototypes


def _program(model: dict[str, Any], quantity: str) -> Program:
    """The program of a quantity in the document of a model; its name is the quantity's."""
    entry = model["quantities"].get(quantity)
    if not isinstance(entry, dict) or (":" in quantity and quantity.partition(":")[0] not in _OF_FRAMES):
        raise RefusedError(f"the model has no program of '{quantity[:60]}'", remedy=REMEDY)
    program = program_of(entry.get("function"), f"quantities.{quantity}")
    if program.name != quantity.replace(":", "_", 1):
        raise RefusedError(f"the program of '{quantity[:60]}' is called '{program.name[:60]}'", remedy=REMEDY)
    return program
