"""Typed access to values of an untrusted JSON document; errors name the file and the path.

>>> result = StoredValue({"rmse": {"q1": 0.5}}, "run.json")
>>> result["rmse"]["q1"].number
0.5
>>> result["rmse"]["q2"]
Traceback (most recent call last):
...
torquec.errors.ArgumentError: run.json: rmse.q2 is missing
  remedy: make the document again with the command that wrote it
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from torquec.errors import ArgumentError
from torquec.report.provenance import Number, Provenance

_REMEDY = "make the document again with the command that wrote it"


@dataclass(frozen=True)
class StoredValue:
    """A JSON value, the file that it is from, and its path in the document."""

    value: Any
    file: str
    path: str = ""

    def refuse(self, text: str) -> NoReturn:
        """Raise `ArgumentError` about this value."""
        raise ArgumentError(f"{self.path or 'the document'} {text}", where=self.file, remedy=_REMEDY)

    def __getitem__(self, key: str) -> StoredValue:
        """The value under a key of an object; refused where it is missing."""
        found = self.get(key)
        if found is None:
            StoredValue(None, self.file, self._inner(key)).refuse("is missing")
        return found

    def get(self, key: str) -> StoredValue | None:
        """The value under a key of an object, None where there is none or it is null."""
        if not isinstance(self.value, dict):
            self.refuse("is no object")
        found = self.value.get(key)
        return None if found is None else StoredValue(found, self.file, self._inner(key))

    def items(self) -> Iterator[tuple[str, StoredValue]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            self.refuse("is no object")
        for key, value in self.value.items():
            yield key, StoredValue(value, self.file, self._inner(key))

    def __iter__(self) -> Iterator[StoredValue]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            self.refuse("is no list")
        for k, value in enumerate(self.value):
            yield StoredValue(value, self.file, f"{self.path}[{k}]")

    @property
    def is_empty(self) -> bool:
        """Whether this is null, or an object, list or text without anything in it."""
        return self.value is None or (isinstance(self.value, dict | list | str) and not self.value)

    @property
    def number(self) -> float:
        """A finite number; whole ones stay whole."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
            self.refuse("is not a finite number")
        return value

    def shown(
        self, by: Provenance, unit: str = "", digits: int = 4, *, at_least: bool = False, at_most: bool = False
    ) -> Number:
        """The finite number as a report shows it; the options are those of `Number`."""
        return Number(self.number, by, unit, digits, at_least, at_most)

    @property
    def number_or_none(self) -> float | None:
        """A finite number, or None for null, which documents write for a missing limit."""
        return None if self.value is None else self.number

    @property
    def numbers(self) -> tuple[float, ...]:
        """A list of finite numbers."""
        return tuple(element.number for element in self)

    @property
    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            self.refuse("is no text")
        return str(self.value)

    @property
    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(element.text for element in self)

    @property
    def truth(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refuse("is neither true nor false")
        return bool(self.value)

    def _inner(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False
