"""Mutants that no test can find, because no result changes; `tests/mutation.py` leaves them out."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str], str] = {}
"""File and change, as a run prints them, and the reason."""
