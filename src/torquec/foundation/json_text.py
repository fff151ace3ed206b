"""JSON text in and out: a strict parser that gives file and line, one canonical form, and a checksum over it.

Refused on reading, besides what is not JSON: NaN and infinities, a key that occurs twice in an object, numbers above
the largest double, integers of more than 300 digits, half a surrogate pair, lists and objects nested too deep for the
Python stack.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from torquec.errors import ArgumentError, TorquecError

_LONG_INTEGER = re.compile(r"[0-9]{20}")  # in a text without a match, no integer needs a check
_MOST_DIGITS = 300  # the largest double has 309 digits; Python refuses to read integers of some thousand

_LARGE_POWER = re.compile(r"[eE]\+?[0-9]{3}")
"""In a text without a match and without long integers, no number overflows."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, *, where: str, error: type[TorquecError] = ArgumentError, remedy: str = "") -> Any:
    r"""The JSON values of a text; raises `error` with file and line for anything that is not strict JSON.

    >>> parse_json('{"a": [1, 2.5]}', where="a.json")
    {'a': [1, 2.5]}
    """
    long = _LONG_INTEGER.search(text) is not None
    try:
        values = json.loads(
            text,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
            parse_int=_integer if long else None,
            parse_float=_float if long or _LARGE_POWER.search(text) else None,
        )
        if _SURROGATE.search(text):
            _refuse_surrogates(values)
    except json.JSONDecodeError as fault:
        raise error(f"not JSON: {fault.msg}", where=f"{where}:{fault.lineno}", remedy=remedy) from None
    except RecursionError:
        raise error("lists and objects are nested too deep", where=where, remedy=remedy) from None
    except ValueError as fault:
        raise error(f"not strict JSON: {fault}", where=where, remedy=remedy) from None
    return values


def finite_json(document: Mapping[str, Any]) -> str:
    """A document for people and other programs as text; numbers that are not finite become null (JSON has none).

    >>> print(finite_json({"upper": float("inf")}))
    {
      "upper": null
    }
    """
    return json.dumps(finite_values(document), indent=2, ensure_ascii=False, allow_nan=False)


def document_text(values: Any) -> str:
    """JSON values as the text of a file: ASCII, a value a line; raises `ValueError` for numbers that are not finite."""
    return json.dumps(values, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def finite_values(values: Any) -> Any:
    """The same values with null where a number is not finite (JSON has none), and lists for tuples.

    >>> finite_values({"upper": math.inf, "rows": (1.5, math.nan)})
    {'upper': None, 'rows': [1.5, None]}
    """
    if isinstance(values, float):
        return values if math.isfinite(values) else None
    if isinstance(values, Mapping):
        return {key: finite_values(item) for key, item in values.items()}
    if isinstance(values, list | tuple):
        return [finite_values(item) for item in values]
    return values


def canonical_bytes(values: Any) -> bytes:
    """JSON values in their one canonical form: keys sorted, no spaces, ASCII.

    >>> canonical_bytes({"b": 1, "a": [0.5, None]})
    b'{"a":[0.5,null],"b":1}'
    """
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def checksum(values: Any) -> str:
    """SHA-256 of the canonical form."""
    return hashlib.sha256(canonical_bytes(values)).hexdigest()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return values


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]} is beyond all doubles")
    return value


def _refuse_surrogates(values: Any) -> None:
    for text in _texts(values):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a text holds half a surrogate pair") from None


def _texts(values: Any) -> Iterator[str]:
    """Every text of a document, keys too."""
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
