"""Floating-point precision of generated code."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """A floating-point precision of generated code."""

    DOUBLE = "double"
    """64 bits, about 16 digits."""
    SINGLE = "single"
    """32 bits, about 7 digits: for processors without double-precision hardware."""
