"""Safe reading of untrusted files: regular files only, a size limit per format, Torquec's own errors.

A file is opened without blocking, checked after opening, and read up to its limit: a pipe, a device or a growing file
can neither block the reader nor fill the memory. `FileKind` is the table of size limits; the environment variable
TORQUEC_FILE_LIMIT, in megabytes, replaces every limit of it.
"""

from __future__ import annotations

import difflib
import itertools
import os
import re
import stat
import tomllib
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

from torquec.errors import ArgumentError, ModelFileError, RobotFileError, SpecificationError, TorquecError
from torquec.foundation.json_text import parse_json

LIMIT_VARIABLE = "TORQUEC_FILE_LIMIT"

_MB = 1_000_000  # bytes; limits are stated in these

_SUGGESTION_NAMES = 2000
"""Largest number of names of a folder that are searched for a suggestion."""

_KEY_PARTS = 50
"""Largest number of parts of a dotted key: the time of `tomllib` for nested tables grows with the square of it."""

_LONG_KEY = re.compile(rf"(?<![\w-])(?>(?>[\w-]+[ \t]*\.[ \t]*)){{{_KEY_PARTS}}}")


_LONG_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9a-fA-F_xo]{300}")
"""More digits than the largest double has; Python neither reads nor writes integers of some thousand."""


class FileKind(Enum):
    """File formats: name in messages, size limit [MB], and error class."""

    ROBOT = ("a robot file", 5, RobotFileError)
    """URDF, MJCF, xacro, DH table: the largest published ones have 2 MB; reading takes up to a second per megabyte."""
    DRIVES = ("a drives file", 10, RobotFileError)
    LOOPS = ("a loops file", 10, RobotFileError)
    SPECIFICATION = ("a specification", 10, SpecificationError)
    UNCERTAINTY = ("an uncertainty", 1, ArgumentError)
    LOG_MAP = ("a log map", 1, ArgumentError)
    COLUMNS = ("a column file", 1, ArgumentError)
    PARAMETERS = ("a parameter table", 10, ArgumentError)
    LOG = ("a log", 1000, ArgumentError)
    """Memory of a log that is read whole; text that is read in pieces may be larger."""
    TRAJECTORY = ("a trajectory", 500, ArgumentError)
    MODEL = ("a saved model", 500, ModelFileError)
    CERTIFICATE = ("a certificate", 500, ArgumentError)
    CONTROLLER = ("a controller", 100, ModelFileError)
    PACKAGE = ("a file of a generated package", 100, ArgumentError)
    PROJECT = ("a project file", 10, ArgumentError)
    RESULT = ("a result of a command", 100, ArgumentError)
    MESH = ("a mesh", 50, RobotFileError)
    """Visual shapes: larger ones are too large for a page."""
    RUN = ("the manifest of a run", 50, ArgumentError)

    def __init__(self, title: str, megabytes: int, error: type[TorquecError]) -> None:
        self.title = title
        self.megabytes = megabytes
        self.error = error

    @property
    def most_bytes(self) -> int:
        """The limit [bytes]; raises `ArgumentError` where the environment states one that is no number."""
        stated = os.environ.get(LIMIT_VARIABLE, "")
        if not stated:
            return self.megabytes * _MB
        if not stated.isascii() or not stated.isdecimal() or len(stated) > 9 or int(stated) == 0:
            raise ArgumentError(
                f"{LIMIT_VARIABLE} is {stated!r}", remedy="give the most megabytes that a file may weigh, as in 2000"
            )
        return int(stated) * _MB

    def too_large(self, found: str, where: str) -> TorquecError:
        """The error for a file, or its expanded content, beyond the limit; the remedy tells how to raise the limit."""
        most = self.most_bytes // _MB
        return self.error(
            f"{found}: {self.title} may take {most} MB",
            where=where,
            remedy=f"to read a file of this size, set the environment variable {LIMIT_VARIABLE} to more megabytes",
        )


def to_path(path: str | os.PathLike[str]) -> Path:
    """`path` as a `Path`; raises `ArgumentError` for anything that is not the name of a file."""
    try:
        name = os.fspath(path)
    except TypeError:
        name = ""
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise ArgumentError(f"not the name of a file: {path!r}", remedy="pass a string or a pathlib.Path")
    return Path(name)


def is_folder(path: Path) -> bool:
    """True for a folder; False for anything else, also for a name that no file can have."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """True for a regular file; False for anything else, also for a name that no file can have."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_below(path: Path, folder: Path) -> bool:
    """Whether a path lies in a folder or below it, once all symbolic links are followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links that lead to each other
        return False


def missing_file(path: Path, kind: FileKind) -> TorquecError:
    """The error for a missing file, with the most similar name in its folder as a suggestion."""
    near = near_name(path)
    remedy = f"did you mean '{near}'? It is in that folder" if near else "check the name and the folder"
    return kind.error("there is no such file", where=str(path), remedy=remedy)


def near_name(path: Path) -> str:
    """The name in the file's folder that is most similar to its own; empty where none is similar.

    Of a large folder only a part is searched; names with control characters are never shown.
    """
    try:
        names = [each.name for each in itertools.islice(path.parent.iterdir(), _SUGGESTION_NAMES)]
    except (OSError, ValueError):
        return ""
    names = [name for name in names if name.isprintable()]
    found = difflib.get_close_matches(path.name, names, n=1)
    return found[0] if found else ""


def open_file(path: Path, kind: FileKind, *, limited: bool = True) -> BinaryIO:
    """A regular file, opened for reading bytes; with `limited`, only within the size limit of its kind.

    Raises the kind's error where it is missing, a folder, a pipe or a device, too large, or not readable.
    """
    where = str(path)
    try:
        # Without O_NONBLOCK, opening a pipe waits for its writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except IsADirectoryError:
        raise kind.error("this is a directory", where=where, remedy="name the file inside it") from None
    except FileNotFoundError:
        raise missing_file(path, kind) from None
    except (OSError, ValueError) as error:
        if is_folder(path):  # Windows reports a permission error
            raise kind.error("this is a directory", where=where, remedy="name the file inside it") from None
        reason = getattr(error, "strerror", None) or str(error)
        raise kind.error(f"cannot be read: {reason}", where=where, remedy="check its permissions") from None
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise kind.error("this is a directory", where=where, remedy="name the file inside it")
        if not stat.S_ISREG(status.st_mode):
            raise kind.error("this is not a regular file", where=where, remedy="name a file on disk")
        if limited and status.st_size > kind.most_bytes:
            raise kind.too_large(f"the file has {status.st_size / _MB:.0f} MB", where)
    except TorquecError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def read_bytes(path: Path, kind: FileKind) -> bytes:
    """The bytes of a regular file that is not too large; raises the kind's error for anything else."""
    most = kind.most_bytes
    with open_file(path, kind) as stream:
        try:
            # Read by size: allocating memory for the size limit takes longer than reading a robot.
            stated = os.fstat(stream.fileno()).st_size
            data = stream.read(min(stated, most) + 1)
            if stated < len(data) <= most:  # a file that reports no size, or that has grown
                data += stream.read(most + 1 - len(data))
        except OSError as error:
            raise kind.error(
                f"cannot be read: {error.strerror or error}", where=str(path), remedy="check the disk"
            ) from None
    if len(data) > most:
        raise kind.too_large(f"the file has more than {most // _MB} MB", str(path))
    return data


def read_text(path: Path, kind: FileKind) -> str:
    """The text of a file in UTF-8, without a byte order mark; raises the kind's error with the line of a bad byte."""
    data = read_bytes(path, kind)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise kind.error(
            "the file is not UTF-8 text", where=f"{path}:{line}", remedy="save it as UTF-8, with \\n or \\r\\n"
        ) from None


def read_json(path: Path, kind: FileKind, *, remedy: str) -> dict[str, Any]:
    """The JSON object in a file; raises the kind's error with the line for anything that is not one."""
    values = parse_json(read_text(path, kind), where=str(path), error=kind.error, remedy=remedy)
    if not isinstance(values, dict):
        raise kind.error(f"this is not {kind.title}: it holds no object", where=str(path), remedy=remedy)
    return values


def parse_toml_values(text: str, *, where: str, error: type[TorquecError]) -> dict[str, Any]:
    """The values of a TOML text; raises `error` with the line for what is not TOML.

    >>> parse_toml_values("a = 1", where="a.toml", error=ArgumentError)
    {'a': 1}
    """
    for at, row in enumerate(text.split("\n"), start=1):
        if len(row) < 2 * _KEY_PARTS:
            continue  # most lines, and to search them all would take too long
        if _LONG_NUMBER.search(row):
            remedy = "write a shorter number"
            raise error("a number of more than 300 digits", where=f"{where}:{at}", remedy=remedy)
        if _LONG_KEY.search(row):
            raise error(f"a key of more than {_KEY_PARTS} names", where=f"{where}:{at}", remedy="write fewer points")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        words, _, place = str(fault).removesuffix(")").partition(" (at ")
        stated = place.removeprefix("line ").split(",")[0]
        line = stated if stated.isdecimal() else text.count("\n") + 1  # at the end of the document
        remedy = "correct the syntax (numbers have a point, not a comma)"
        raise error(f"not TOML: {words}", where=f"{where}:{line}", remedy=remedy) from None
    except RecursionError:
        raise error("nested too deep", where=f"{where}:1", remedy="flatten the arrays and tables") from None
