"""Order of the hold: zeroth (held coefficients) or first (with their rates), between two background runs."""

from __future__ import annotations

from enum import StrEnum


class HoldOrder(StrEnum):
    """What is held between two runs of the background."""

    ZEROTH = "zeroth"
    FIRST = "first"
    """And the functions of zeroth order too, which an application can fall back on."""
