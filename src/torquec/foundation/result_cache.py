"""Result cache: results that survive an interruption, one file each, named by the hash of function and arguments.

The hash is of the function's name, its arguments and the source of this package. The same call again, in this process
or in another one after a kill, reads the result instead of computing it; results of other source versions are never
used. Each result is one file, written beside its place and renamed: it is complete or absent.

Files hold plain JSON: numbers, arrays, and frozen dataclasses and enums of this package by name; nothing else can be
made from them. A result whose file is unreadable, or could not be written, is computed again. Unlike documents
(:mod:`torquec.foundation.documents`), which have declared types and finite numbers, a result has any type, keeps arrays
bit by bit, and is valid for this source version only.
:class:`torquec.foundation.work.Work` uses the cache.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import torquec
from torquec.errors import ArgumentError
from torquec.foundation.writing import put_file

_SOURCES = (".py", ".ll", ".c", ".h")  # templates are source too


@cache
def source_identity() -> str:
    """A hash of the version and of every source file of this package, in hexadecimal digits.

    Key of cached object code and cached results.
    """
    digest = hashlib.sha256(torquec.__version__.encode())
    root = Path(torquec.__file__).parent
    for path in sorted(path for path in root.rglob("*") if path.suffix in _SOURCES):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


_PACKAGE = "torquec"


class _NotPlainError(ArgumentError):
    """A value that cannot be stored in a file."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"a {type(value).__name__} cannot be kept", remedy="keep numbers, arrays and dataclasses")


class ResultCache:
    """Results in `folder`, which is made when the first one is kept."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def key(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> str | None:
        """The hash of a call; None where the arguments cannot be hashed by value."""
        digest = hashlib.sha256()
        name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', repr(function))}"
        digest.update(f"{source_identity()} {name}".encode())
        try:
            _feed(digest, arguments)
        except _NotPlainError:
            return None
        return digest.hexdigest()

    def recall(self, key: str) -> tuple[bool, Any]:
        """Whether a result is kept, and the result."""
        try:
            return True, from_plain(json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, ArgumentError):
            return False, None  # not there, or damaged: it is computed again

    def keep(self, key: str, value: Any) -> None:
        """Keep a result; raises `ArgumentError` where the folder cannot be written."""
        try:
            text = json.dumps(to_plain(value))
        except _NotPlainError:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            put_file(self.folder / f"{key}.json", text)
        except OSError as error:
            raise ArgumentError(
                f"work cannot be kept there: {error.strerror or error}",
                where=str(self.folder),
                remedy="name an output folder beside which you may write",
            ) from None

    def clear(self) -> None:
        """Delete all cached results, and the folder if nothing else is in it."""
        for path in self.folder.glob("*.json"):
            path.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


# --- plain values ---------------------------------------------------------------------------------------------------


def to_plain(value: Any) -> Any:
    """A value as JSON values; raises `ArgumentError` for anything that cannot be read back."""
    if isinstance(value, enum.Enum):
        return {"enum": _name_of(type(value)), "name": value.name}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": data, "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, tuple):
        return {"tuple": [to_plain(item) for item in value]}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {"pairs": [[to_plain(key), to_plain(item)] for key, item in value.items()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
        return {"dataclass": _name_of(type(value)), "fields": fields}
    raise _NotPlainError(value)


def from_plain(value: Any) -> Any:
    """The inverse of `to_plain`; raises `ArgumentError` for anything else.

    >>> from_plain(to_plain((1, [2.5, {"a": None}])))
    (1, [2.5, {'a': None}])
    """
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        if "tuple" in value:
            return tuple(from_plain(item) for item in value["tuple"])
        if "pairs" in value:
            return {from_plain(key): from_plain(item) for key, item in value["pairs"]}
        if "array" in value:
            data = base64.b64decode(value["array"], validate=True)
            return np.frombuffer(data, dtype=np.dtype(value["type"])).reshape(value["shape"]).copy()
        if "enum" in value:
            return _class_of(value["enum"])[value["name"]]
        made = _class_of(value["dataclass"])
        return made(**{name: from_plain(item) for name, item in value["fields"].items()})
    except (KeyError, TypeError, ValueError, AttributeError, ImportError) as error:
        raise ArgumentError(f"not kept work: {error}", remedy="compute it again") from error


def _name_of(kind: type) -> str:
    if kind.__module__.partition(".")[0] != _PACKAGE or "<" in kind.__qualname__:
        raise _NotPlainError(kind)
    return f"{kind.__module__}:{kind.__qualname__}"


def _class_of(name: str) -> Any:
    """A class of this package by its name; nothing else is ever looked up."""
    module, _, path = name.partition(":")
    if module.partition(".")[0] != _PACKAGE:
        raise ValueError(f"{name} is not of this package")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or not (dataclasses.is_dataclass(found) or issubclass(found, enum.Enum)):
        raise ValueError(f"{name} is neither a dataclass nor an enumeration")
    return found


def _feed(digest: Any, value: Any) -> None:
    """Hash a value by its content, arrays by their bytes."""
    if isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype.str} {value.shape} ".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        digest.update(f"{type(value).__qualname__}(".encode())
        for field in dataclasses.fields(value):
            if field.compare:
                _feed(digest, getattr(value, field.name))
        digest.update(b")")
    elif isinstance(value, Mapping):
        digest.update(f"mapping {len(value)} ".encode())
        for key, item in value.items():
            _feed(digest, key)
            _feed(digest, item)
    elif isinstance(value, tuple | list):
        digest.update(f"sequence {len(value)} ".encode())
        for item in value:
            _feed(digest, item)
    elif value is None or isinstance(value, bool | int | float | str | np.generic):
        digest.update(f"{type(value).__name__} {value!r} ".encode())
    else:
        raise _NotPlainError(value)
