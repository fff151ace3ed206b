"""Work that survives an interruption: an executor that keeps every finished result in a folder.

A result is kept under the hash of what was asked: the function's name, its arguments, and the version of this package.
When the same is asked again, by the same process or by another after the first was killed, the result is read instead
of computed. Each result is one file, written beside its place and renamed: it is whole or not there.

(1)  `KeptWork` hands tasks to any other executor (a process pool, a cluster), or runs them itself
(2)  `once` runs a step in this process, with callbacks for progress, and keeps its result likewise
(3)  files hold plain JSON: numbers, arrays, and frozen dataclasses and enums of this package by name; nothing else can
     be made from them. A file that does not read is computed again, and so is what cannot be written
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import hashlib
import importlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from torquec import __version__
from torquec.errors import ArgumentError

Result = TypeVar("Result")

_PACKAGE = "torquec"


class _NotPlainError(ArgumentError):
    """A value that files cannot hold."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"a {type(value).__name__} cannot be kept", remedy="keep numbers, arrays and dataclasses")


class KeptWork(Executor):
    """An executor whose results are kept in `folder`, made when the first one is; `inner` does the work (1).

    Without `inner` tasks run here, when their results are asked for. `seconds` is how long each function took, by its
    name, from its first task to the last result.
    """

    def __init__(self, folder: str | os.PathLike[str], inner: Executor | None = None) -> None:
        self.folder = Path(folder)
        self.inner = inner
        self.seconds: dict[str, float] = {}
        self._started: dict[str, float] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result as a future: done at once where it is kept."""
        key = _key(fn, (args, kwargs))
        future: Future[Any] = Future()
        found, value = self._recall(key)
        if found:
            future.set_result(value)
            return future
        self._begin(fn)
        if self.inner is not None:
            future = self.inner.submit(fn, *args, **kwargs)
            future.add_done_callback(lambda done: self._keep_done(fn, key, done))
            return future
        try:
            value = fn(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - a future carries whatever its task raised
            future.set_exception(error)
            return future
        self._end(fn)
        self._keep(key, value)
        future.set_result(value)
        return future

    def map(
        self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[Any]:
        """Results in order; without `inner` one after the other, each when it is asked for."""
        if self.inner is not None:
            return super().map(fn, *iterables, timeout=timeout, chunksize=chunksize)
        return (self.submit(fn, *arguments).result() for arguments in zip(*iterables, strict=False))

    def once(self, function: Callable[..., Result], *arguments: Any, **beside: Any) -> Result:
        """`function(*arguments, **beside)` in this process (2); what is `beside` does not change the result."""
        key = _key(function, (arguments, {}))
        found, value = self._recall(key)
        if not found:
            self._begin(function)
            value = function(*arguments, **beside)
            self._end(function)
            self._keep(key, value)
        return value  # type: ignore[no-any-return]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut the inner executor down; what is kept stays."""
        if self.inner is not None:
            self.inner.shutdown(wait, cancel_futures=cancel_futures)

    def clear(self) -> None:
        """Remove what is kept, and the folder if nothing else is in it."""
        for path in self.folder.glob("*.json"):
            path.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _recall(self, key: str | None) -> tuple[bool, Any]:
        if key is None:
            return False, None
        try:
            return True, from_plain(json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return False, None
        except (OSError, ValueError, ArgumentError):
            return False, None  # damaged, or of another version: it is computed again (3)

    def _begin(self, function: Callable[..., Any]) -> None:
        self._started.setdefault(_name(function), time.perf_counter())

    def _end(self, function: Callable[..., Any]) -> None:
        name = _name(function)
        self.seconds[name] = time.perf_counter() - self._started[name]

    def _keep_done(self, function: Callable[..., Any], key: str | None, done: Future[Any]) -> None:
        self._end(function)
        if not done.cancelled() and done.exception() is None:
            self._keep(key, done.result())

    def _keep(self, key: str | None, value: Any) -> None:
        if key is None:
            return
        try:
            text = json.dumps(to_plain(value))
        except _NotPlainError:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{key[:8]}.", dir=self.folder)
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(name).replace(self.folder / f"{key}.json")
        except OSError as error:
            raise ArgumentError(
                f"work cannot be kept there: {error.strerror or error}",
                where=str(self.folder),
                remedy="name an output folder beside which you may write",
            ) from None


def once(executor: Executor | None, function: Callable[..., Result], *arguments: Any, **beside: Any) -> Result:
    """`function(*arguments, **beside)` in this process; kept, and recalled, where the executor is a `KeptWork`.

    >>> once(None, max, 2, 3)
    3
    """
    if isinstance(executor, KeptWork):
        return executor.once(function, *arguments, **beside)
    return function(*arguments, **beside)


# --- plain values ---------------------------------------------------------------------------------------------------


def to_plain(value: Any) -> Any:
    """A value as JSON values (3); raises `ArgumentError` for anything that cannot be read back."""
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
    """What `to_plain` was given; raises `ArgumentError` for anything else.

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
        raise ValueError(f"{name} is no dataclass and no enumeration")
    return found


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _key(function: Callable[..., Any], arguments: Any) -> str | None:
    """The hash of what is asked; None where arguments are not values."""
    digest = hashlib.sha256()
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', repr(function))}"
    digest.update(f"{__version__} {name}".encode())
    try:
        _feed(digest, arguments)
    except _NotPlainError:
        return None
    return digest.hexdigest()


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
