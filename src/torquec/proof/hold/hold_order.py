"""Order of the hold between two background runs: zeroth (held coefficients) or first (with derivatives by q and qd)."""

from __future__ import annotations

from enum import StrEnum


class HoldOrder(StrEnum):
    """Order of the hold between two runs of the background."""

    ZEROTH = "zeroth"
    FIRST = "first"
    """Includes the functions of zeroth order, as a fallback for applications."""
