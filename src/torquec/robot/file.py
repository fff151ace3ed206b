"""Reading a robot's file, and writing one so that it is either whole or not there at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from torquec.errors import ArgumentError, RobotFileError


def to_path(path: str | os.PathLike[str]) -> Path:
    """`path` as a `Path`; raises `ArgumentError` for anything that is not the name of a file."""
    try:
        name = os.fspath(path)
    except TypeError:
        name = ""
    if not isinstance(name, str) or not name or "\0" in name:
        raise ArgumentError(f"not the name of a file: {path!r}", remedy="pass a string or a pathlib.Path")
    return Path(name)


def read_file(path: Path) -> bytes:
    """The bytes of a regular file; raises `RobotFileError` when it is missing, a directory or not readable."""
    try:
        if path.is_dir():
            raise RobotFileError("this is a directory", where=str(path), remedy="name the robot file inside it")
        if not path.exists():
            raise RobotFileError("there is no such file", where=str(path), remedy="check the name and the folder")
        if not path.is_file():
            # A device or a pipe may never end.
            raise RobotFileError("this is not a regular file", where=str(path), remedy="name a file on disk")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RobotFileError(f"cannot be read: {reason}", where=str(path), remedy="check its permissions") from None


def write_files(contents: Mapping[Path, str]) -> None:
    """Write texts so that no reader ever sees half of one: temporary files beside the targets, renamed at the end.

    Raises `ArgumentError` when a folder does not exist or cannot be written; nothing has been changed then.
    """
    temporary: dict[Path, Path] = {}
    target = Path()
    try:
        for target, text in contents.items():
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            temporary[target] = Path(name)
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            temporary[target].chmod(0o644)  # mkstemp makes files that only their owner can read
        for target, written in temporary.items():
            written.replace(target)
    except OSError as error:
        raise ArgumentError(
            f"cannot be written: {error.strerror or error}",
            where=str(target),
            remedy="name a file in a folder that exists and that you may write to",
        ) from None
    finally:
        for written in temporary.values():
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)
