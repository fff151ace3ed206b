"""Strict JSON documents: certificates, models and robots.

Refused: NaN and infinities, a key twice in one object, unknown or missing fields, a value of another type. No field has
a default, so that none is ignored silently.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, TypeVar

Kind = TypeVar("Kind", int, str, dict[str, Any], list[Any])
_KINDS: dict[type, str] = {int: "a whole number", str: "a text", dict: "an object", list: "a list"}


class RefusedError(Exception):
    """A claim that is not proven, or a document that cannot be read: what was found, where, and the remedy."""

    def __init__(self, found: str, *, where: str = "", remedy: str = "make it again with torquec simplify") -> None:
        super().__init__(found, where, remedy)
        self.found, self.where, self.remedy = found, where, remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.found}" if self.where else self.found
        text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)  # names may hold what moves a cursor
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text


def parse_document(content: bytes) -> dict[str, Any]:
    """The JSON object in a text; raises `RefusedError` for anything that is not strict JSON."""
    try:
        values = json.loads(content.decode(), parse_constant=_finite, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"not strict JSON: {str(error)[:200]}") from None
    return expect(dict, values, "document")


def canonical_hash(values: Any) -> str:
    """SHA-256 of the canonical JSON text of values: keys sorted, no spaces, ASCII."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def fields(values: Any, names: str, where: str, *, ignored: str = "") -> list[Any]:
    """The values of an object's fields, in the order of `names`; each must be there, and no others but `ignored`."""
    wanted = names.split()
    if unknown := sorted(set(expect(dict, values, where)) - set(wanted) - set(ignored.split())):
        raise RefusedError(f"{where}: the field '{unknown[0]}' is not known")
    if missing := [name for name in wanted if name not in values]:
        raise RefusedError(f"{where}: the field '{missing[0]}' is missing")
    return [values[name] for name in wanted]


def expect(kind: type[Kind], value: Any, where: str) -> Kind:
    """A value of this type; True and False are no whole numbers."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RefusedError(f"{where}: {_KINDS[kind]} was expected, not {str(value)[:40]!r}")
    return value


def number(value: Any, where: str) -> float:
    """A finite number; whole ones that are no doubles are refused, not rounded."""
    if type(value) not in (int, float) or not abs(value) <= 1e300 or float(value) != value:
        raise RefusedError(f"{where}: a finite number was expected, not {str(value)[:40]!r}")
    return float(value)


def numbers(value: Any, where: str, count: int | None = None) -> tuple[float, ...]:
    """A list of finite numbers, of `count` where that is given."""
    return tuple(number(x, where) for x in items(value, where, count))


def items(value: Any, where: str, count: int | None = None) -> list[Any]:
    """A list, of `count` elements where that is given."""
    found = expect(list, value, where)
    if count not in (None, len(found)):
        raise RefusedError(f"{where}: a list of {count} was expected")
    return found


def _finite(digits: str) -> float:
    if not math.isfinite(float(digits)):
        raise ValueError(f"{digits[:40]} is no number, or beyond all doubles")
    return float(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
