"""Text of dataclasses that does not change when an optional field is added; robot hashes are taken of it."""

from __future__ import annotations

import dataclasses
from typing import Any


def without_empty(value: Any, names: tuple[str, ...]) -> str:
    """The text of a dataclass without these fields while they are empty.

    The robot's hash is taken of this text, so a field that is added later does not change the hash of a robot without
    it, and results that are cached under the hash are still found.
    """
    shown = (f for f in dataclasses.fields(value) if f.name not in names or getattr(value, f.name))
    return f"{type(value).__name__}({', '.join(f'{f.name}={getattr(value, f.name)!r}' for f in shown)})"
