"""`run.json`, the manifest of a run (inputs, versions, files with hashes), and `DIR.partial`, its unfinished folder.

The manifest determines which steps can be skipped, and shows whether the files of a folder have changed since the run.

`DIR.partial` holds finished steps until the folder is complete. A marker file identifies it as Torquec's: a folder of
that name without the marker is refused, and only Torquec's own files are deleted at the end. One process at a time may
use it: :mod:`torquec.foundation.folder_lock`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torquec
from torquec.errors import ArgumentError
from torquec.foundation.documents import DocumentFormat
from torquec.foundation.folder_lock import folder_lock
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import check_inner_name
from torquec.foundation.reading import FileKind, is_file, is_folder, read_json
from torquec.foundation.result_cache import source_identity
from torquec.foundation.writing import is_ours, new_folder

MANIFEST = "run.json"
FORMAT = "torquec run 1"

_PACKAGES = ("numpy", "llvmlite", "python-flint", "scipy", "clarabel", "matplotlib", "mujoco", "pin")
"""Packages that results can depend on, if installed."""


@dataclass(frozen=True)
class StepRecord:
    """Record of a step: its key and its files; `files` are hashes by name inside the folder of the run.

    `skipped` and `failed`: the reason, empty otherwise; `summary`: its one-line result. `fallback`: why later steps do
    not use the result of a step that succeeded.
    """

    name: str
    key: str = ""
    summary: str = ""
    skipped: str = ""
    seconds: float = 0.0
    files: dict[str, str] = field(default_factory=dict)
    failed: str = ""
    fallback: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it was done, now or in an earlier run."""
        return not self.skipped and not self.failed

    @property
    def status(self) -> str:
        """The outcome in one word, for documents."""
        return "failed" if self.failed else "skipped" if self.skipped else "done"

    @property
    def said(self) -> str:
        """The result of the step in one line.

        >>> StepRecord("design", failed="the mass matrix may be singular").said
        'failed: the mass matrix may be singular'
        """
        if self.failed:
            return f"failed: {self.failed}"
        return f"not done: {self.skipped}" if self.skipped else self.summary

    @property
    def content(self) -> str:
        """Hash of its files, on which later steps depend."""
        return hashlib.sha256(repr(sorted(self.files.items())).encode()).hexdigest()


@dataclass(frozen=True)
class RunManifest:
    """A whole run: the project file and all files that it names by hash, versions, the seed, and the steps."""

    format: str
    written_by: str
    project: str
    inputs: dict[str, str]
    source: str
    versions: dict[str, str]
    seed: int
    steps: tuple[StepRecord, ...]

    def step(self, name: str) -> StepRecord | None:
        """The record of a step."""
        return next((record for record in self.steps if record.name == name), None)

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the run left, without the manifest."""
        return tuple(name for record in self.steps for name in record.files)

    @property
    def failed(self) -> tuple[str, ...]:
        """The steps that failed, by name."""
        return tuple(record.name for record in self.steps if record.failed)


_DOCUMENT = DocumentFormat("run", remedy="run the project again")


def manifest_of(project: str, inputs: dict[str, str], seed: int, steps: tuple[StepRecord, ...]) -> RunManifest:
    """The manifest of a run that ends now, on this machine."""
    version = f"torquec {torquec.__version__}"
    return RunManifest(FORMAT, version, project, inputs, source_identity(), versions(), seed, steps)


def manifest_text(manifest: RunManifest) -> str:
    """The manifest as the text of its file."""
    return document_text(_DOCUMENT.to_values(manifest))


def read_manifest(folder: Path) -> RunManifest | None:
    """The manifest in a folder; None if there is none that can be read."""
    path = folder / MANIFEST
    if not is_file(path):
        return None
    try:
        values = read_json(path, FileKind.RUN, remedy="run the project again")
        if values.get("format") != FORMAT:
            return None
        manifest = _DOCUMENT.from_values(RunManifest, values)
        for name in manifest.files:
            check_inner_name(name)
        return manifest
    except ArgumentError:
        return None


def record_text(record: StepRecord) -> str:
    """The record of one step as text."""
    return document_text(_DOCUMENT.to_values(record))


def read_record(path: Path) -> StepRecord | None:
    """The record of one step; None where there is none that can be read."""
    if not is_file(path):
        return None
    try:
        record = _DOCUMENT.from_values(StepRecord, read_json(path, FileKind.RUN, remedy="run the project again"))
        for name in record.files:
            check_inner_name(name)
        return record
    except ArgumentError:
        return None


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results can depend on."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def file_hash(path: Path) -> str:
    """SHA-256 of a file; empty where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


NOTE = "README.txt"
_TEXT = "Written by torquec: finished steps of a command that was stopped. The same command resumes from here.\n"
_PARTS = ("work", "result")

BEST = "best.tq.json"
"""File in `DIR.partial` with the best model proven so far."""

_PATIENCE = 2.0
"""Time [s] to wait for the lock of another process, which may be about to finish."""


@contextlib.contextmanager
def claimed_partial(output: Path) -> Iterator[Path]:
    """The folder `output`.partial, made where it is missing; `output` is locked until the context ends.

    Raises `ArgumentError` if a folder of that name is not Torquec's, or if another process writes `output`; the message
    names that process.
    """
    with folder_lock(output, patience=_PATIENCE):
        yield _claimed(output)


def _claimed(output: Path) -> Path:
    partial = output.with_name(f"{output.name}.partial")
    if os.path.lexists(partial) and (partial.is_symlink() or not _is_ours_or_empty(partial)):
        raise ArgumentError(
            "this name is reserved for unfinished work, and other files are there",
            where=str(partial),
            remedy="move it away, or name another folder with -o",
        )
    # Created with its marker: the folder of a killed command must be recognised as ours.
    with new_folder(partial, names=[NOTE]) as scratch:
        (scratch / NOTE).write_text(_TEXT, encoding="utf-8")
    return partial


def _is_ours_or_empty(folder: Path) -> bool:
    return is_ours(folder / NOTE) or (is_folder(folder) and not any(folder.iterdir()))


def forget_partial(partial: Path) -> None:
    """Delete Torquec's files in the folder, and the folder itself unless it holds other files."""
    for part in _PARTS:
        shutil.rmtree(partial / part, ignore_errors=True)
    (partial / BEST).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        (partial / NOTE).unlink()
        partial.rmdir()
