"""Strict JSON documents: what a certificate, a model or a robot file of the checker may look like.

Refused: NaN and infinities, a key twice in one object, unknown or missing fields, a number where a text is expected and
the other way round. Nothing takes a default, so that no field is ignored silently.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

MOST_BYTES = 200_000_000
"""Size of a file that is read at most."""


class RefusedError(Exception):
    """A claim that is not proven, or a document that cannot be read: what was found, where, and the remedy."""

    def __init__(self, found: str, *, where: str = "", remedy: str = "make it again with torquec simplify") -> None:
        super().__init__(found, where, remedy)
        self.found, self.where, self.remedy = found, where, remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.found}" if self.where else self.found
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text


def read_document(path: Path) -> dict[str, Any]:
    """The JSON object in a regular file; raises `RefusedError`, naming the file."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        raise RefusedError("not a regular file of a size that is read", where=str(path), remedy="name another one")
    try:
        return parse_document(path.read_bytes())
    except RefusedError as error:
        raise RefusedError(error.found, where=str(path), remedy=error.remedy) from None


def parse_document(content: bytes) -> dict[str, Any]:
    """The JSON object in a text; raises `RefusedError` for anything that is not strict JSON."""
    try:
        values = json.loads(
            content.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"not strict JSON: {str(error)[:200]}") from None
    if not isinstance(values, dict):
        raise RefusedError("not a JSON object")
    return values


def canonical_hash(values: Any) -> str:
    """SHA-256 of the canonical JSON text of values: keys sorted, no spaces, ASCII."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def fields(values: Any, names: str, where: str, *, ignored: str = "") -> list[Any]:
    """The values of an object's fields, in the order of `names`; each must be there, and no others but `ignored`."""
    if not isinstance(values, dict):
        raise RefusedError(f"{where}: an object was expected")
    wanted = names.split()
    if unknown := sorted(set(values) - set(wanted) - set(ignored.split())):
        raise RefusedError(f"{where}: the field '{unknown[0]}' is not known")
    if missing := [name for name in wanted if name not in values]:
        raise RefusedError(f"{where}: the field '{missing[0]}' is missing")
    return [values[name] for name in wanted]


def number(value: Any, where: str) -> float:
    """A finite number; whole ones that are no doubles are refused, not rounded."""
    if type(value) not in (int, float) or not abs(value) <= 1e300 or float(value) != value:
        raise RefusedError(f"{where}: a finite number was expected, not {str(value)[:40]!r}")
    return float(value)


def integer(value: Any, where: str) -> int:
    """A whole number; True and False are none."""
    if type(value) is not int:
        raise RefusedError(f"{where}: a whole number was expected, not {str(value)[:40]!r}")
    return value


def text(value: Any, where: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise RefusedError(f"{where}: a text was expected, not {str(value)[:40]!r}")
    return value


def items(value: Any, where: str, count: int | None = None) -> list[Any]:
    """A list, of `count` elements where that is given."""
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise RefusedError(f"{where}: a list{'' if count is None else f' of {count}'} was expected")
    return value


def numbers(value: Any, where: str, count: int | None = None) -> tuple[float, ...]:
    """A list of finite numbers."""
    return tuple(number(x, where) for x in items(value, where, count))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]} is beyond all doubles")
    return value


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} stands twice in one object")
        found[key] = value
    return found
