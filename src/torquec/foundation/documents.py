"""Dataclasses to and from JSON documents: the types of the fields decide what is written and accepted.

(1)  a dataclass is an object of its fields, by name and in order; fields that do not take part in comparison are no
     part of the value and are left out; a class with a `KIND` has it in front, under "kind"
(2)  a tuple is a list, a mapping from names an object, an enumeration the value of its member, an array lists of lists
(3)  numbers are finite; a field whose default is infinite (a limit that need not be there) holds null for it
(4)  a union is read as its first member that fits; dataclasses in a union are distinguished by their `KIND`
(5)  where structure is not enough, a `Codec` defines how a type, or one field, is written and read

Nothing is guessed when a document is read: a field that is missing or unknown, and a value of another type, is refused
with its path, as in `robot.bodies[2].joint.axis`.

>>> @dataclasses.dataclass(frozen=True)
... class Gear:
...     name: str
...     ratios: tuple[float, ...] = ()
...     limit: float = math.inf
>>> gears = DocumentFormat("gear")
>>> gears.to_values(Gear("wrist", (50.0, 0.5)))
{'name': 'wrist', 'ratios': [50.0, 0.5], 'limit': None}
>>> gears.from_values(Gear, {"name": "wrist", "ratios": [50, 0.5], "limit": None})
Gear(name='wrist', ratios=(50.0, 0.5), limit=inf)
"""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from torquec.errors import ArgumentError, TorquecError

Value = TypeVar("Value")

_LARGEST = math.nextafter(math.inf, 0.0)  # finite
_KIND = "kind"
_CODEC = "codec"
_LISTS = (tuple, list, collections.abc.Sequence)
_OBJECTS = (dict, collections.abc.Mapping)


@dataclass(frozen=True)
class Codec:
    """How values of a type, or of one field, are written as JSON values and read back (5).

    An error of `read` for an invalid value (`TorquecError`, `KeyError`, `TypeError` or `ValueError`) is reported with
    the path of the value.
    """

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def written_by(codec: Codec) -> dict[str, Codec]:
    """The `metadata` of a dataclass field that has its own codec."""
    return {_CODEC: codec}


@dataclass(frozen=True)
class DocumentFormat:
    """How the dataclasses of one kind of file are written and read.

    Paths in messages begin with `root`; `error` and `remedy` are those of refused documents. With `defaults`,
    fields that have a default may be missing: for documents of an older version.
    """

    root: str
    error: type[TorquecError] = ArgumentError
    remedy: str = ""
    codecs: Mapping[type, Codec] = field(default_factory=dict)
    defaults: bool = False

    def to_values(self, value: Any) -> Any:
        """A value as JSON values (1)-(5); raises the format's error for a value that could not be read back."""
        return self._written(value, self.root)

    def from_values(self, kind: type[Value], values: object, *, where: str = "") -> Value:
        """The inverse of `to_values`; raises the format's error, with the path in the document, for anything else.

        `where` is the name of the file.
        """
        result: Value = self._read(kind, values, _Place(self.root, where))
        return result

    def refuse(self, path: str, text: str, where: str = "") -> typing.NoReturn:
        """Raise the format's error for the value at `path`."""
        raise self.error(f"{path}: {text}", where=where, remedy=self.remedy)

    # --- writing ----------------------------------------------------------------------------------------------------

    def _written(self, value: Any, path: str) -> Any:
        if (codec := self.codecs.get(type(value))) is not None:
            return codec.write(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._written_fields(value, path)
        if isinstance(value, Mapping):
            return {_key(key): self._written(item, f"{path}.{key}") for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._written(item, f"{path}[{k}]") for k, item in enumerate(value)]
        if isinstance(value, Enum):
            return value.value
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, np.ndarray):
            return self._written(value.tolist(), path)
        number = float(value)
        if not math.isfinite(number):
            self.refuse(path, f"{number} cannot be written: documents hold finite numbers")
        return number

    def _written_fields(self, value: Any, path: str) -> dict[str, Any]:
        kind: Any = type(value)
        written: dict[str, Any] = {_KIND: kind.KIND} if _kind_of(kind) else {}
        for name, fact in _fields(kind).items():
            item = getattr(value, name)
            if fact.codec is not None:
                written[name] = fact.codec.write(item)
            elif fact.may_be_infinite and isinstance(item, float) and math.isinf(item):
                if item != fact.default:
                    self.refuse(f"{path}.{name}", f"{item} cannot be written: only {fact.default} can be left open")
                written[name] = None
            else:
                written[name] = self._written(item, f"{path}.{name}")
        return written

    # --- reading ----------------------------------------------------------------------------------------------------

    def _read(self, kind: Any, value: object, at: _Place) -> Any:
        """The value as the type `kind`."""
        if (codec := self.codecs.get(kind)) is not None:
            return self._decoded(codec, value, at)
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            return self._read_dataclass(kind, value, at)
        origin, args = typing.get_origin(kind), typing.get_args(kind)
        if origin in (types.UnionType, typing.Union):
            return self._read_union(args, value, at)
        if origin in _LISTS:
            return self._read_list(origin, args, value, at)
        if origin in _OBJECTS:
            if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
                self.refuse(at.path, "an object was expected", at.where)
            return {key: self._read(args[1], item, at.field(key)) for key, item in value.items()}
        if origin is np.ndarray:
            return self._read_array(value, at)
        if isinstance(kind, type) and issubclass(kind, Enum):
            for member in kind:
                if type(member.value) is type(value) and member.value == value:
                    return member
            choices = ", ".join(str(member.value) for member in kind)
            self.refuse(at.path, f"{_shown(value)} is none of {choices}", at.where)
        if kind in (str, bool, int):
            if type(value) is not kind:
                self.refuse(at.path, f"{kind.__name__} was expected, not {_shown(value)}", at.where)
            return value
        if kind is float:
            return self._read_number(value, at)
        if kind in (Any, object):
            return value
        if kind in (None, types.NoneType):
            if value is not None:
                self.refuse(at.path, f"null was expected, not {_shown(value)}", at.where)
            return None
        raise TypeError(f"{at.path}: documents cannot hold the type {kind!r}")

    def _decoded(self, codec: Codec, value: object, at: _Place) -> Any:
        try:
            return codec.read(value)
        except TorquecError as error:
            self.refuse(at.path, error.found, at.where)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            self.refuse(at.path, f"{error}", at.where)

    def _read_dataclass(self, kind: Any, value: object, at: _Place) -> Any:
        if not isinstance(value, Mapping):
            self.refuse(at.path, "an object was expected", at.where)
        facts = _fields(kind)
        tag = {_KIND} if _kind_of(kind) else set()
        if tag and value.get(_KIND) != kind.KIND:
            self.refuse(at.path, f"its kind is {_shown(value.get(_KIND))}, not '{kind.KIND}'", at.where)
        optional = {name for name, fact in facts.items() if self.defaults and fact.has_default}
        if missing := [name for name in facts if name not in value and name not in optional]:
            self.refuse(at.path, f"'{missing[0]}' is missing", at.where)
        if unknown := [name for name in value if name not in facts and name not in tag]:
            self.refuse(at.path, f"'{unknown[0]}' is not known", at.where)
        read = {}
        for name, fact in facts.items():
            if name not in value:
                continue
            if fact.codec is not None:
                read[name] = self._decoded(fact.codec, value[name], at.field(name))
            elif value[name] is None and fact.may_be_infinite:
                read[name] = fact.default
            else:
                read[name] = self._read(fact.kind, value[name], at.field(name))
        try:
            return kind(**read)
        except TorquecError as error:  # a value that the class itself refuses
            self.refuse(at.path, error.found, at.where)

    def _read_union(self, args: tuple[Any, ...], value: object, at: _Place) -> Any:
        if value is None and types.NoneType in args:
            return None
        members = [arg for arg in args if arg is not types.NoneType]
        tagged = {_kind_of(arg): arg for arg in members if _kind_of(arg)}
        if isinstance(value, Mapping) and len(tagged) > 1:
            members = [arg for kind, arg in tagged.items() if kind == value.get(_KIND)]
            if not members:
                known = ", ".join(tagged)
                self.refuse(at.path, f"its kind is {_shown(value.get(_KIND))}, none of {known}", at.where)
        for member in members[:-1]:
            try:
                return self._read(member, value, at)
            except self.error:
                continue
        return self._read(members[-1], value, at)

    def _read_list(self, origin: Any, args: tuple[Any, ...], value: object, at: _Place) -> Any:
        if not isinstance(value, list):
            self.refuse(at.path, "a list was expected", at.where)
        alike = origin is not tuple or (len(args) == 2 and args[1] is Ellipsis)
        kinds = (args[0],) * len(value) if alike else args
        if len(value) != len(kinds):
            self.refuse(at.path, f"{len(kinds)} elements were expected, there are {len(value)}", at.where)
        items = [self._read(kind, item, at.item(k)) for k, (kind, item) in enumerate(zip(kinds, value, strict=True))]
        return items if origin is list else tuple(items)

    def _read_array(self, value: object, at: _Place) -> Any:
        """An array of finite numbers (2); its rows are of one length."""

        def numbers(item: object, inner: _Place) -> Any:
            if isinstance(item, list):
                return [numbers(part, inner.item(k)) for k, part in enumerate(item)]
            return self._read_number(item, inner)

        if not isinstance(value, list):
            self.refuse(at.path, "a list was expected", at.where)
        try:
            return np.array(numbers(value, at), dtype=np.float64)
        except ValueError:
            self.refuse(at.path, "its rows are not of one length", at.where)

    def _read_number(self, value: object, at: _Place) -> float:
        # bool is an int to Python, and an integer may be too large for a float.
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
            self.refuse(at.path, f"a finite number was expected, not {_shown(value)}", at.where)
        return float(value)


@dataclass(frozen=True)
class _Place:
    """The place of a value: its path in the document, made only when it is needed, and the file."""

    path: str
    where: str

    def field(self, name: str) -> _Place:
        return _Place(f"{self.path}.{name}", self.where)

    def item(self, index: int) -> _Place:
        return _Place(f"{self.path}[{index}]", self.where)


@dataclass(frozen=True)
class _Field:
    """Facts about a field of a dataclass."""

    kind: Any
    default: Any
    has_default: bool
    codec: Codec | None

    @property
    def may_be_infinite(self) -> bool:
        return isinstance(self.default, float) and math.isinf(self.default)


def _kind_of(kind: Any) -> str:
    """The `KIND` of a dataclass, empty where it has none."""
    return str(getattr(kind, "KIND", "")) if dataclasses.is_dataclass(kind) else ""


@functools.cache
def _fields(kind: Any) -> dict[str, _Field]:
    """The fields of a dataclass that are written to documents (1)."""
    hints = typing.get_type_hints(kind)
    return {
        item.name: _Field(
            hints[item.name],
            item.default,
            item.default is not dataclasses.MISSING or item.default_factory is not dataclasses.MISSING,
            item.metadata.get(_CODEC),
        )
        for item in dataclasses.fields(kind)
        if item.compare and item.init
    }


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"documents have names for keys, not {key!r}")
    return str(key)


def _shown(value: object) -> str:
    """A value for a message, shortened where it is long."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**20:
        return "an integer of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
