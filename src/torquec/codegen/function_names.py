"""The names of functions that are written together: each once."""

from __future__ import annotations

from collections.abc import Sequence

from torquec.errors import ArgumentError
from torquec.expr import Function


def check_names(functions: Sequence[Function]) -> None:
    """Raise `ArgumentError` unless there are functions and no two have one name."""
    if not functions:
        raise ArgumentError("there is no function to write", remedy="name at least one")
    names = [function.name for function in functions]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(f"more than one function is called {', '.join(map(repr, twice))}", remedy="rename one")
