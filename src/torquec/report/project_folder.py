"""From a project file to the folder that a run of it left: the one whose manifest names the project."""

from __future__ import annotations

from pathlib import Path

from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.reading import FileKind, is_file, is_folder, read_json

_MANIFEST = "run.json"
_SUFFIX = ".toml"


def report_folder(named: Path) -> Path:
    """The folder itself or, for a project file, that of its run, beside the file or in the working folder.

    Raises `ArgumentError` where there is no such file, no run of it, or more than one.
    """
    if named.suffix.lower() != _SUFFIX or is_folder(named):
        return named
    if not is_file(named):
        raise ArgumentError("there is no such file", where=str(named), remedy="name a project file, or a folder")
    found: dict[Path, Path] = {}
    for place in (named.parent, Path()):
        for folder in sorted(place.iterdir()):
            if not folder.is_symlink() and is_folder(folder) and _is_run_of(folder, named.name):
                found.setdefault(folder.resolve(), folder)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        names = ", ".join(str(folder) for folder in found.values())
        raise ArgumentError(
            f"there are several runs of it: {names}", where=str(named), remedy="name one of the folders"
        )
    raise ArgumentError(
        "no run of it lies beside it or in the working folder",
        where=str(named),
        remedy=f"run it with torquec run {named} -o DIR, or name the folder of its run",
    )


def _is_run_of(folder: Path, project: str) -> bool:
    manifest = folder / _MANIFEST
    if not is_file(manifest):
        return False
    try:
        values = read_json(manifest, FileKind.RESULT, remedy="run the project again")
    except TorquecError:
        return False
    return str(values.get("format")).startswith("torquec run") and values.get("project") == project
