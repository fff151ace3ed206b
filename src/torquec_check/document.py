"""Strict JSON documents: what a certificate, a model or a robot file of the checker may look like.

Refused: NaN and infinities, a key twice in one object, unknown or missing fields, a number where a text is expected and
the other way round. Nothing takes a default, so that no field is ignored silently.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any


class RefusedError(Exception):
    """A claim that is not proven, or a document that cannot be read: what was found, where, and the remedy."""

    def __init__(self, found: str, *, where: str = "", remedy: str = "make it again with torquec simplify") -> None:
        super().__init__(found, where, remedy)
        self.found, self.where, self.remedy = found, where, remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.found}" if self.where else self.found
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text


def parse_document(content: bytes) -> dict[str, Any]:
    """The JSON object in a text; raises `RefusedError` for anything that is not strict JSON."""
    try:
        values = json.loads(content.decode(), parse_constant=_finite, parse_float=_finite, object_pairs_hook=_unique)
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
    wanted = names.split()
    if unknown := sorted(set(table(values, where)) - set(wanted) - set(ignored.split())):
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


def table(value: Any, where: str) -> dict[str, Any]:
    """An object with any keys."""
    if not isinstance(value, dict):
        raise RefusedError(f"{where}: an object was expected")
    return value


def items(value: Any, where: str, count: int | None = None) -> list[Any]:
    """A list, of `count` elements where that is given."""
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise RefusedError(f"{where}: a list{'' if count is None else f' of {count}'} was expected")
    return value


def numbers(value: Any, where: str, count: int | None = None) -> tuple[float, ...]:
    """A list of finite numbers."""
    return tuple(number(x, where) for x in items(value, where, count))


def _finite(digits: str) -> float:
    if not math.isfinite(float(digits)):
        raise ValueError(f"{digits[:40]} is no number, or beyond all doubles")
    return float(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
