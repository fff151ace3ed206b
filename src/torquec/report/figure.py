"""An empty figure, and a figure as a file that is whole or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from torquec.errors import ArgumentError, MissingExtraError
from torquec.robot.file import to_path


def new_figure(width: float, height: float, **options: Any) -> Any:
    """A matplotlib figure of this size [inch], without any window; raises `MissingExtraError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a picture") from None
    return Figure(figsize=(width, height), **options)


def save_figure(figure: Any, path: str | os.PathLike[str], *, dpi: int = 120) -> Path:
    """Write a figure beside its place and rename it; the suffix of `path` chooses the format.

    Raises `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    scratch = target.with_name(f".{target.stem}.part{target.suffix}")
    try:
        figure.savefig(scratch, dpi=dpi)
        scratch.replace(target)
    except (OSError, ValueError) as error:
        scratch.unlink(missing_ok=True)
        raise ArgumentError(
            f"cannot draw there: {error}", where=str(target), remedy="name a .png, .svg or .pdf file"
        ) from error
    return target
