"""How long tests wait for something that is sure to come."""

from __future__ import annotations

import time
from collections.abc import Callable

HANGS = 3600.0
"""Seconds after which a process hangs. Never a measure of slowness: no test takes so long, however busy the machine."""

_LOOK_EVERY = 0.02


def until(is_so: Callable[[], bool], what: str) -> None:
    """Wait until something is so; fails with `what` where it never becomes so."""
    end = time.monotonic() + HANGS
    while not is_so():
        assert time.monotonic() < end, f"it never became true: {what}"
        time.sleep(_LOOK_EVERY)
