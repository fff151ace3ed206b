"""`DIR.partial`: where a command keeps finished steps until its folder is complete; never a folder of somebody else's.

A note in it says that it is ours. A folder of that name without the note is refused, and only what was made here is
deleted in the end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from torquec.errors import ArgumentError
from torquec.foundation.writing import is_ours, write_files

NOTE = "README.txt"
_TEXT = "Written by torquec: finished steps of a command that was stopped. The same command goes on from here.\n"
_PARTS = ("work", "result")


def claimed_partial(output: Path) -> Path:
    """The folder `output`.partial, made where it is missing; raises `ArgumentError` for one that is not ours."""
    partial = output.with_name(f"{output.name}.partial")
    if os.path.lexists(partial) and (partial.is_symlink() or not is_ours(partial / NOTE)):
        raise ArgumentError(
            "this name is needed for unfinished work, and somebody else's files are there",
            where=str(partial),
            remedy="move it away, or name another folder with -o",
        )
    try:
        partial.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "name a folder where you may write"
        raise ArgumentError(f"cannot be made: {error.strerror}", where=str(partial), remedy=remedy) from None
    write_files({partial / NOTE: _TEXT})
    return partial


def forget_partial(partial: Path) -> None:
    """Delete what was made in the folder, and the folder unless somebody put something else into it."""
    for part in _PARTS:
        shutil.rmtree(partial / part, ignore_errors=True)
    with contextlib.suppress(OSError):
        (partial / NOTE).unlink()
        partial.rmdir()
