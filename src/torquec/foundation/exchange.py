"""Exchanging two folders in one step, so that no moment sees neither or a mixture of both."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
"""Of Linux's renameat2: names relative to the working directory; swap the two."""

_RENAME_SWAP = 2
"""Of macOS's renamex_np: swap the two."""


def exchange(one: Path, other: Path) -> None:
    """Let two folders of one file system trade names; raises `OSError` where that fails.

    Where the system has no call for it, `other` is moved aside and `one` put in its place: a process killed in between
    leaves the content of `other`, whole, under a hidden name.
    """
    call = _system_call(os.fsencode(one), os.fsencode(other))
    if call is None:
        aside = one.with_name(f"{one.name}.old")
        other.rename(aside)
        try:
            one.rename(other)
        except OSError:
            aside.rename(other)
            raise
        aside.rename(one)
    elif call != 0:
        raise OSError(call, os.strerror(call), str(other))


def _system_call(one: bytes, other: bytes) -> int | None:
    """0 when done, the error's number, or None where there is no such call."""
    library: Any = ctypes.CDLL(None, use_errno=True) if sys.platform != "win32" else None
    if hasattr(library, "renameat2"):
        done = library.renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE)
    elif hasattr(library, "renamex_np"):
        done = library.renamex_np(one, other, _RENAME_SWAP)
    else:
        return None
    return 0 if done == 0 else ctypes.get_errno()
