"""Input and output files of a command, checked before imports of packages and before the work."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from torquec.errors import ArgumentError, MissingExtraError

SIMULATED = "simulated"
"""Word in place of a log: a log simulated with the robot's own model."""


class Reads(StrEnum):
    """Kind of file that an option or argument names."""

    LOGS = "logs"
    """Log files or folders of bags, or the word for a simulated log."""


def check_sources(paths: Sequence[Path]) -> None:
    """Raise `ArgumentError` for the first log that is not there."""
    from torquec.foundation.reading import FileKind, missing_file

    for path in paths:
        if str(path) != SIMULATED and not path.exists():
            raise missing_file(path, FileKind.LOG)


class Writes(StrEnum):
    """Kind of file that an option writes."""

    FILE = "file"
    FOLDER = "folder"
    PACKAGE = "files beside others in a folder"
    """Without force, the writer refuses to replace files that are not Torquec's, before it writes anything."""
    PICTURE = "picture"
    PICTURES = "folder of pictures"
    PAGE = "page"
    """An HTML file with the script of the pages, which must be there."""


_PICTURES = (".png", ".svg", ".pdf")
_PACKAGES = {
    "plot": ("matplotlib",),
    "identify": ("scipy", "threadpoolctl"),
    "optimize": ("scipy", "threadpoolctl"),
    "ros2": ("rclpy",),
}
"""Packages that a command needs before it begins, by extra; options with further needs check them themselves."""


def named_path(text: str) -> Path:
    """A path as it was written; raises `ArgumentError` for an empty one, which Python takes for the working folder."""
    if not text.strip():
        raise ArgumentError("the name of the output is empty", remedy="name a file or a folder, or '.'")
    return Path(text)


_FILE_ENDINGS = (".html", ".htm", ".csv", ".json", ".toml", ".urdf", ".xml", ".c", ".h", ".txt", ".png", ".svg", ".pdf")
"""Endings that files of Torquec have, and no folders."""


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Raise `ArgumentError` for a file name with another ending; one without an ending is accepted."""
    ending = path.suffix.lower()
    if not ending or ending in endings:
        return
    near = difflib.get_close_matches(ending, endings, n=1)
    # Without a similar ending the only one is meant.
    meant = near[0] if near else endings[0] if len(endings) == 1 else ""
    full = f"{path}{meant}" if ending in (".drives", ".project") else path.with_suffix(meant)  # of NAME.drives.toml
    remedy = f"did you mean {full}?" if meant else f"use {', '.join(endings)}"
    raise ArgumentError(
        f"the ending '{path.suffix}' is not that of the format to write", where=str(path), remedy=remedy
    )


def check_folder_name(path: Path) -> None:
    """Raise `ArgumentError` for a name that no folder can have, and for a new folder with the ending of a file."""
    if not path.name:
        raise ArgumentError("this is not a valid folder name", where=str(path), remedy="name a folder that can be made")
    if path.suffix.lower() in _FILE_ENDINGS and not path.is_dir():
        raise ArgumentError(
            "several files are written into a folder, and this is the name of a file",
            where=str(path),
            remedy=f"did you mean {path.with_suffix('')}?",
        )


def check_target(path: Path, kind: Writes, *, force: bool, endings: Sequence[str] = ()) -> None:
    """Raise `ArgumentError` where a file or folder cannot be written or, without `force`, would replace another one.

    The name of a file has one of the `endings`, if there are any, or none. Pictures need an ending that names their
    format and, but for SVG, the extra `plot` (`MissingExtraError`); pages need their script (`TorquecError`).
    """
    from torquec.foundation.writing import check_output, check_output_folder

    is_picture = kind in (Writes.PICTURE, Writes.PICTURES)
    if is_picture and path.suffix.lower() != ".svg":  # SVG needs no extra
        need_extra("plot", "drawing a picture")
    if kind is Writes.PACKAGE:
        check_output_folder(path, force=True)
        if path.name:  # the working folder may hold a package
            check_folder_name(path)
        return
    if kind in (Writes.FOLDER, Writes.PICTURES):
        check_output_folder(path, force=force)
        check_folder_name(path)
        return
    check_output(path, force=force)
    if path.exists() and not force:  # protects earlier results of Torquec, too
        raise ArgumentError("this file exists already", where=str(path), remedy="name another, or add --force")
    if endings:
        check_ending(path, endings)
    if kind is Writes.PICTURE and path.suffix.lower() not in _PICTURES:
        raise ArgumentError(
            f"the ending '{path.suffix}' is not that of a picture",
            where=str(path),
            remedy=f"use {', '.join(_PICTURES)}",
        )
    if kind is Writes.PAGE:
        from torquec.page.self_contained import check_bundle

        check_bundle()


def need_extra(extra: str, purpose: str, *, also: Sequence[str] = ()) -> None:
    """Raise `MissingExtraError` unless the packages of an optional dependency, and those in `also`, are installed."""
    for package in (*_PACKAGES[extra], *also):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)
