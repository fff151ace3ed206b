"""Atomic writing of files and folders: complete or not at all, and never over files of others.

(1)  a file is written beside its place under an unpredictable name, exclusively, and renamed; a symbolic link is
     replaced, never followed
(2)  a folder is completed beside its place and renamed; an existing one is exchanged for a new one that holds the new
     files and hard links to the other files that were in it before
(3)  a file that is there already is replaced where Torquec wrote it (it says so in its first lines) or with `force`;
     anything else is refused before the first byte is written
(4)  only what was made here is ever deleted

A process that is killed at any moment leaves the old files or the new ones, and at most a hidden folder with a random
name beside them. Where the system cannot exchange folders (the working directory, a mount point), the files of a folder
are renamed one after the other.

Two processes never publish into one folder at once: :mod:`torquec.foundation.folder_lock`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from torquec.errors import ArgumentError
from torquec.foundation.folder_lock import folder_lock
from torquec.foundation.package_manifest import (
    PackageMaking,
    as_bytes,
    check_inner_name,
    manifest_of_package,
    packages_in,
    replaced_files,
)
from torquec.foundation.reading import is_folder
from torquec_check.package import MANIFEST

_HEAD_BYTES = 2048
"""Bytes searched for the mark of a Torquec file: headers of generated code begin with names and operation counts."""

_OURS = re.compile(rb'written[\s*#]+by[\s*#]+torquec|"format": ?"torquec', re.IGNORECASE)
"""The mark of a Torquec file; comments may be wrapped anywhere."""

_REPLACE = "replace it: --force on the command line, force=True in Python"

_OBJECTS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")
"""How object files begin: ELF, Mach-O, COFF for two processors."""

_OBJECT_BYTES = 2**26  # bytes: far more than any object of ours


def is_ours(path: Path) -> bool:
    """True for a regular file that Torquec wrote: its first lines say so."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
            # In an object file the mark may be anywhere.
            whole = head + stream.read(_OBJECT_BYTES) if head.startswith(_OBJECTS) else head
            return _OURS.search(whole) is not None
    except OSError:
        return False


def check_output(path: Path, *, force: bool = False) -> None:
    """Refuse, before the work, a file that could not be written after it.

    Raises `ArgumentError` for a folder, a folder that does not exist, and a file that is there already
    and not ours, unless with `force` (3).
    """
    where = str(path)
    if is_folder(path):
        raise ArgumentError("cannot be written: this is a folder", where=where, remedy="name a file")
    if not is_folder(path.parent):
        raise ArgumentError(
            "cannot be written: there is no such folder", where=where, remedy="make the folder, or name another one"
        )
    _check_writable(path.parent, where)
    if os.path.lexists(path) and not force and not is_ours(path):
        raise ArgumentError("this file exists already", where=where, remedy=f"name another one, or {_REPLACE}")


def check_output_folder(directory: Path, *, force: bool = False) -> None:
    """Refuse, before the work, a folder that could not be made or written after it, or one with foreign files.

    Raises `ArgumentError`; with `force` the contents of the folder may be replaced.
    """
    where = str(directory)
    if os.path.lexists(directory) and not is_folder(directory):
        raise ArgumentError("this is a file", where=where, remedy="name a folder")
    found = next(one for one in (directory, *directory.absolute().parents) if os.path.lexists(one))
    if not is_folder(found):
        raise ArgumentError(f"'{found}' is a file", where=where, remedy="name a folder that can be made")
    _check_writable(found, where)
    if is_folder(directory) and any(directory.iterdir()) and not force:
        raise ArgumentError("this folder is not empty", where=where, remedy="name another one, or add --force")


def _check_writable(folder: Path, where: str) -> None:
    """Raise `ArgumentError` where nothing can be made in a folder: tested by writing, as permissions may mislead."""
    reason = "" if os.access(folder, os.W_OK | os.X_OK) else "Permission denied"
    if not reason:
        try:
            Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=folder)).rmdir()
        except OSError as error:  # a read-only mount, a full disk, /proc
            reason = error.strerror or str(error)
    if reason:
        raise ArgumentError(f"'{folder}' may not be written: {reason}", where=where, remedy="name a folder of your own")


def write_files(contents: Mapping[Path, str | bytes], *, force: bool = False) -> list[Path]:
    """Write files (1), all of them or, where one cannot be written, none; gives their paths.

    Raises `ArgumentError` where a folder does not exist or cannot be written, and for a file in the way (3).
    """
    temporary: dict[Path, Path] = {}
    target = Path()
    try:
        for target, content in contents.items():
            check_output(target, force=force)
            temporary[target] = _beside(target, content)
            temporary[target].chmod(0o644)  # temporary files are readable by their owner only
        for target, written in temporary.items():
            written.replace(target)
    except (OSError, UnicodeEncodeError) as error:
        raise _unwritten(target, error) from None
    finally:
        for written in temporary.values():
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)
    return list(contents)


@contextlib.contextmanager
def growing_file(target: Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """A file written incrementally: published (1) when the context ends without an error, else discarded.

    Raises `ArgumentError` as `write_files`.
    """
    check_output(target, force=force)
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritten(target, error) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except OSError as error:
        raise _unwritten(target, error) from None
    finally:
        with contextlib.suppress(OSError):
            Path(name).unlink(missing_ok=True)


def put_file(target: Path, content: str | bytes) -> None:
    """Put a file of our own into a folder of our own (1), readable by its owner only; raises `OSError`."""
    _beside(target, content).replace(target)


def _beside(target: Path, content: str | bytes) -> Path:
    """The content in a new file beside the target; nothing is left where that fails."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode("utf-8") if isinstance(content, str) else content)
    except (OSError, UnicodeEncodeError):
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def write_package(
    directory: Path,
    contents: Mapping[str, str | bytes],
    *,
    name: str,
    target: str,
    making: PackageMaking | None = None,
    force: bool = False,
) -> list[Path]:
    """Write a package and its manifest into a folder (2), made when it is missing; gives the paths of `contents`.

    The path of the manifest is among them where a model lies beside the code. `name`, an identifier, and `target`
    identify the package; `making` records how it was made. Names in `contents` are relative, with "/" for folders
    inside. Raises `ArgumentError`, before anything is written, where a folder cannot be written, and without `force`
    for another package, edited files and foreign files in it (:mod:`torquec.foundation.package_manifest`).
    """
    manifest = manifest_of_package(target, making or PackageMaking(name), contents)
    written = {**contents, f"{name}{MANIFEST}": manifest}
    for inner in written:
        check_inner_name(inner)
    with new_folder(directory, force=force) as scratch:
        for inner, content in written.items():
            (scratch / inner).parent.mkdir(parents=True, exist_ok=True)
            (scratch / inner).write_bytes(as_bytes(content))
    return [directory / inner for inner in (written if making is not None and making.model else contents)]


@contextlib.contextmanager
def new_folder(
    directory: Path, *, names: Collection[str] = (), stale: Collection[str] = (), force: bool = False
) -> Iterator[Path]:
    """An empty folder to be filled; when the context ends without an error its files are in `directory` (2).

    `names` are the files that will be written, as far as they are known: one of them in the way is refused at once (3),
    the others at the end. `stale` names files of an earlier run to delete. Raises `ArgumentError` where
    `directory` cannot be written.
    """
    for name in (*names, *stale):
        check_inner_name(name)
    _refuse_foreign(directory, names, force=force)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=directory.resolve().parent))
    except OSError as error:
        raise _unwritten(directory, error) from error
    try:
        yield scratch
        made = {path.relative_to(scratch) for path in scratch.rglob("*") if not is_folder(path)}
        for path in scratch.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755 if is_folder(path) else 0o644)
        with folder_lock(directory):
            gone = {*stale, *replaced_files(directory, scratch, force=force)}
            _refuse_foreign(directory, _beside_packages(scratch, made), force=force)
            _refuse_foreign(directory, [name.as_posix() for name in made], force=True)  # folders in the way
            _put(scratch, directory, made, {Path(name) for name in gone})
    except (OSError, UnicodeEncodeError) as error:
        raise _unwritten(directory, error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _beside_packages(scratch: Path, made: set[Path]) -> list[str]:
    """Files that no package manifest lists; :mod:`torquec.foundation.package_manifest` checks the others."""
    places = {(scratch / name).parent for name in made if name.name.endswith(MANIFEST)}
    stated = {place / name for place in places for each in packages_in(place) for name in (*each.files, each.file)}
    return [name.as_posix() for name in made if scratch / name not in stated]


def _put(scratch: Path, directory: Path, made: set[Path], stale: set[Path]) -> None:
    """Move the finished files to their place."""
    if not os.path.lexists(directory):
        scratch.chmod(0o755)
        scratch.rename(directory)
        return
    if not _exchanged(scratch, directory, made, stale):
        for name in sorted(made):
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
        for name in sorted(made):
            (scratch / name).replace(directory / name)
    for name in stale - made:
        if (directory / name).is_file():
            (directory / name).unlink()
    for folder in sorted({(directory / name).parent for name in stale} - {directory}, reverse=True):
        with contextlib.suppress(OSError):  # other files are in it
            folder.rmdir()


def _exchanged(scratch: Path, directory: Path, made: set[Path], stale: set[Path]) -> bool:
    """Exchange an existing folder for the new one (2); False where the system cannot do that."""
    here = directory.resolve()
    if directory.is_symlink() or here == Path.cwd() or here in Path.cwd().parents or os.path.ismount(here):
        return False

    def beside(folder: str, names: list[str]) -> set[str]:
        inner = Path(folder).relative_to(here)
        return {name for name in names if inner / name in made | stale}

    def same_file(source: str, target: str) -> None:
        os.link(source, target, follow_symlinks=False)

    whole = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=here.parent))
    try:
        shutil.copytree(here, whole, symlinks=True, ignore=beside, copy_function=same_file, dirs_exist_ok=True)
        for name in made:
            (whole / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(scratch / name, whole / name)
        exchange(whole, here)
        # `whole` is the old folder now; files that were added to it meanwhile are not ours.
        for old in [path for path in whole.rglob("*") if not is_folder(path) or path.is_symlink()]:
            name = old.relative_to(whole)
            new = here / name
            if name in made | stale or (new.exists() and old.exists() and old.samefile(new)):
                continue
            if not os.path.lexists(new):
                new.parent.mkdir(parents=True, exist_ok=True)
                old.rename(new)
    except (OSError, shutil.Error):
        return False
    finally:
        shutil.rmtree(whole, ignore_errors=True)
    return True


def _refuse_foreign(directory: Path, names: Collection[str], *, force: bool) -> None:
    if os.path.lexists(directory) and not is_folder(directory):
        raise ArgumentError("cannot write there: this is a file", where=str(directory), remedy="name a directory")
    for name in names:
        path = directory / name
        if is_folder(path) and not path.is_symlink():
            raise ArgumentError("a folder is in the way", where=str(path), remedy="name another directory")
        if os.path.lexists(path) and not force and not is_ours(path):
            raise ArgumentError(
                "this file is there already, and does not say that Torquec wrote it",
                where=str(path),
                remedy=f"name another directory, or {_REPLACE}",
            )


def _unwritten(path: Path, error: OSError | UnicodeEncodeError) -> ArgumentError:
    if isinstance(error, UnicodeEncodeError):
        return ArgumentError(
            f"cannot be written: its text has {error.object[error.start : error.end]!r}, not a Unicode character",
            where=str(path),
            remedy="give files, folders and robots names of Unicode characters",
        )
    return ArgumentError(
        f"cannot be written: {error.strerror or error}",
        where=str(path),
        remedy="name a file or a folder that can be made, where you may write",
    )


_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
"""Constants of Linux's renameat2: names relative to the working directory; swap both files."""

_RENAME_SWAP = 2
"""Constant of macOS's renamex_np: swap both files."""


def exchange(one: Path, other: Path) -> None:
    """Swap the names of two folders on one file system; raises `OSError` where that fails.

    Where the system has no call for it, `other` is moved aside and `one` put in its place: a process killed in between
    leaves the content of `other`, whole, under a hidden name.
    """
    call = _system_call(os.fsencode(one), os.fsencode(other))
    if call is None:
        aside = one.with_name(f"{one.name}.old")
        other.rename(aside)
        try:
            one.rename(other)
        except OSError:
            aside.rename(other)
            raise
        aside.rename(one)
    elif call != 0:
        raise OSError(call, os.strerror(call), str(other))


def _system_call(one: bytes, other: bytes) -> int | None:
    """0 when done, the error's number, or None where there is no such call."""
    library: Any = ctypes.CDLL(None, use_errno=True) if sys.platform != "win32" else None
    if hasattr(library, "renameat2"):
        done = library.renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE)
    elif hasattr(library, "renamex_np"):
        done = library.renamex_np(one, other, _RENAME_SWAP)
    else:
        return None
    return 0 if done == 0 else ctypes.get_errno()
