"""An empty figure, and a figure as a file that is whole or not there."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files


def new_figure(width: float, height: float, **options: Any) -> Any:
    """A matplotlib figure of this size [inch], without any window; raises `MissingExtraError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a picture") from None
    return Figure(figsize=(width, height), **options)


def save_figure(figure: Any, path: str | os.PathLike[str], *, dpi: int = 120) -> Path:
    """Write a figure, whole or not at all; the suffix of `path` chooses the format.

    Raises `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    drawn = io.BytesIO()
    try:
        figure.savefig(drawn, dpi=dpi, format=target.suffix.removeprefix(".") or None)
    except ValueError as error:
        raise ArgumentError(
            f"cannot draw there: {error}", where=str(target), remedy="name a .png, .svg or .pdf file"
        ) from error
    write_files({target: drawn.getvalue()}, force=True)
    return target
