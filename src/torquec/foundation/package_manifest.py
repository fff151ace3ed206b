"""Manifest of a generated package: its target, how it was made, and the SHA-256 of every file, to detect edits.

(1)  `NAME.package.json` holds the SHA-256 of every file of the package. A file with another hash was edited since
(2)  a package may overwrite itself: unedited files are replaced, files that it no longer has are deleted
(3)  refused without `force`, before anything is written: another package in the folder (another name, or another
     target), edited files of the package, and foreign files in the way
(4)  with `force` another package is deleted, and files in the way are replaced. Edited files that the new package does
     not have stay
(5)  the manifest states how the package was made: target, prefix, precision, quantities, the file of the model and
     further options, so that `torquec check` can make it again; `documents` are files for readers, without a hash

So no folder holds parts of two packages.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from torquec import __version__
from torquec.errors import ArgumentError
from torquec.foundation.json_text import document_text
from torquec.foundation.reading import FileKind, is_file, is_folder, read_json
from torquec_check.package import FORMAT, MANIFEST

_FORMATS = (FORMAT, "torquec package 1")
"""Manifest formats of packages that a new one may replace."""

_REMEDY = "generate the package again"


@dataclass(frozen=True)
class PackageFiles:
    """A package as its manifest `file` states it: its target, and the hashes of its files by name."""

    file: str
    target: str
    files: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The package in words.

        >>> str(PackageFiles("ur5.package.json", "c"))
        "'ur5' (c)"
        """
        return f"'{self.file.removesuffix(MANIFEST)}' ({self.target})"


@dataclass(frozen=True)
class PackageMaking:
    """How a package was made (5); `model` is the file of a certified model among its files, or empty."""

    prefix: str
    precision: str = "double"
    quantities: tuple[str, ...] = ()
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


def manifest_of_package(target: str, making: PackageMaking, contents: Mapping[str, str | bytes]) -> str:
    """The text of a manifest."""
    stated = {"format": FORMAT, "written_by": f"torquec {__version__}", "target": target, **asdict(making)}
    return document_text({**stated, "files": file_hashes(contents), "documents": []})


def file_hashes(contents: Mapping[str, str | bytes]) -> dict[str, str]:
    """SHA-256 of every file by name."""
    return {name: hashlib.sha256(as_bytes(content)).hexdigest() for name, content in contents.items()}


def as_bytes(content: str | bytes) -> bytes:
    """The content of a file as bytes."""
    return content.encode() if isinstance(content, str) else content


def packages_in(directory: Path) -> list[PackageFiles]:
    """The packages whose manifests lie in a folder."""
    if not is_folder(directory):
        return []
    found = (_read(path) for path in sorted(directory.iterdir()) if path.name.endswith(MANIFEST) and is_file(path))
    return [package for package in found if package is not None]


def add_to_package(directory: Path, names: Collection[str] = ()) -> None:
    """Record added or deliberately changed files in the manifest of the only package in a folder.

    Files that the manifest did not list become its documents (5).
    """
    (package,) = packages_in(directory)
    stated = read_json(directory / package.file, FileKind.PACKAGE, remedy=_REMEDY)
    stated["files"] |= {name: _hash(directory / name) for name in names}
    listed = {package.file, *stated["files"]}
    stated["documents"] = sorted(path.name for path in directory.iterdir() if is_file(path) and path.name not in listed)
    (directory / package.file).write_text(document_text(stated), encoding="ascii")


def replaced_files(directory: Path, scratch: Path, *, force: bool) -> set[str]:
    """Files of earlier packages in `directory` to delete when the packages in `scratch` are published (2).

    Raises `ArgumentError` for (3).
    """
    gone: set[str] = set()
    for place in sorted({path.parent for path in scratch.rglob(f"*{MANIFEST}")}):
        inside = place.relative_to(scratch)
        for package in packages_in(place):
            names = _replaced(directory / inside, package, place, force=force)
            gone |= {(inside / name).as_posix() for name in names}
    return gone


def _replaced(directory: Path, package: PackageFiles, scratch: Path, *, force: bool) -> Collection[str]:
    earlier = packages_in(directory)
    others = [other for other in earlier if (other.file, other.target) != (package.file, package.target)]
    if others and not force:
        raise ArgumentError(
            f"the folder holds another package: {', '.join(map(str, others))}",
            where=str(directory),
            remedy="name another folder, or replace that package: --force",
        )
    stated = {name: digest for other in earlier for name, digest in other.files.items()}
    known = stated.keys() | {name for other in earlier for name in (other.file, *other.documents)}
    made = {*package.files, package.file}
    edited = {name for name, digest in stated.items() if _hash(directory / name) not in ("", digest)}
    if not force:
        same = {name for name in made if _hash(directory / name) == _hash(scratch / name)}
        _refuse("was edited since Torquec wrote it", directory, edited - same)
        foreign = {name for name in made if os.path.lexists(directory / name)} - known - same
        _refuse("is there already, and no package of this folder has it", directory, foreign)
    return known - edited - made


def _refuse(found: str, directory: Path, names: Collection[str]) -> None:
    if names:
        first, *more = sorted(names)
        others = f", and {len(more)} more with it" if more else ""
        raise ArgumentError(
            f"this file {found}{others}",
            where=str(directory / first),
            remedy="name another folder, or replace it: --force",
        )


def _read(path: Path) -> PackageFiles | None:
    """The package of a manifest; None for a file that is not a manifest of Torquec."""
    try:
        stated: Any = read_json(path, FileKind.PACKAGE, remedy=_REMEDY)
        if not isinstance(stated, dict) or stated.get("format") not in _FORMATS:
            return None
        files = {str(name): str(digest) for name, digest in dict(stated["files"]).items()}
        documents = tuple(str(name) for name in stated.get("documents", ()))
        for name in (*files, *documents):
            check_inner_name(name)
        # Format 1: manifests of certified packages state the processor of an object, and no target.
        target = str(stated.get("target", "object" if "object" in stated else "c"))
        return PackageFiles(path.name, target, files, documents)
    except (ArgumentError, KeyError, TypeError, ValueError):
        return None


def _hash(path: Path) -> str:
    """SHA-256 of a regular file; a description of anything else; empty where there is nothing."""
    if not os.path.lexists(path):
        return ""
    if path.is_symlink() or not is_file(path):
        return "no regular file"
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_inner_name(name: str) -> None:
    """Raise `ArgumentError` for a name that leads out of its folder: names may come from files."""
    parts = PurePosixPath(name).parts
    outside = not parts or parts[0] == "/" or ".." in parts or "\\" in name or PureWindowsPath(name).drive
    if outside or "\0" in name or name != PurePosixPath(name).as_posix():
        raise ArgumentError(f"{name!r} is not a valid file name", remedy="use letters, digits, '.' and '_'")
