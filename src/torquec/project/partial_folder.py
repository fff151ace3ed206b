"""`DIR.partial`: where a command keeps finished steps until its folder is complete; never a folder of somebody else's.

A note in it says that it is ours. A folder of that name without the note is refused, and only what was made here is
deleted in the end. It belongs to one process at a time: :mod:`torquec.foundation.folder_lock`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from torquec.errors import ArgumentError
from torquec.foundation.folder_lock import folder_lock
from torquec.foundation.reading import is_folder
from torquec.foundation.writing import is_ours, new_folder

NOTE = "README.txt"
_TEXT = "Written by torquec: finished steps of a command that was stopped. The same command goes on from here.\n"
_PARTS = ("work", "result")

BEST = "best.tq.json"
"""In it: the best model that is proven by now."""

_PATIENCE = 2.0
"""Seconds to wait for another process: it may be a run that takes hours, or one that publishes its last files."""


@contextlib.contextmanager
def claimed_partial(output: Path) -> Iterator[Path]:
    """The folder `output`.partial, made where it is missing; `output` is locked until the context ends.

    Raises `ArgumentError` for a folder of that name that is not ours, and where another process, which is named,
    writes `output`.
    """
    with folder_lock(output, patience=_PATIENCE):
        yield _claimed(output)


def _claimed(output: Path) -> Path:
    partial = output.with_name(f"{output.name}.partial")
    if os.path.lexists(partial) and (partial.is_symlink() or not _is_ours_or_empty(partial)):
        raise ArgumentError(
            "this name is needed for unfinished work, and somebody else's files are there",
            where=str(partial),
            remedy="move it away, or name another folder with -o",
        )
    # With its note from the first moment on: a folder that a killed command left must be known as ours.
    with new_folder(partial, names=[NOTE]) as scratch:
        (scratch / NOTE).write_text(_TEXT, encoding="utf-8")
    return partial


def _is_ours_or_empty(folder: Path) -> bool:
    return is_ours(folder / NOTE) or (is_folder(folder) and not any(folder.iterdir()))


def forget_partial(partial: Path) -> None:
    """Delete what was made in the folder, and the folder unless somebody put something else into it."""
    for part in _PARTS:
        shutil.rmtree(partial / part, ignore_errors=True)
    (partial / BEST).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        (partial / NOTE).unlink()
        partial.rmdir()
