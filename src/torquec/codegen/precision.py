"""The floating-point numbers that written code computes in."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """What written code computes in."""

    DOUBLE = "double"
    """64 bits, about 16 digits."""
    SINGLE = "single"
    """32 bits, about 7 digits: for processors without hardware for more."""
