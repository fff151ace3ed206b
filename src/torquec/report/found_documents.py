"""Documents in a folder, recognised by their content: results, models, certificates, robots.

Of a file's name, only the suffix matters: it selects candidates. Files are untrusted: they are read through
:mod:`torquec.foundation.reading`, links out of the folder are not followed, and an unreadable file is reported as a
problem without ending the report.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.reading import FileKind, is_below, is_folder, open_file, read_json, read_text
from torquec.report.result_document import RESULT_FORMAT
from torquec.report.stored_values import StoredValue
from torquec.robot.load import READERS

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.robot.robot import Robot

MODEL = "model"
CERTIFICATE = "certificate"
CONTROLLER = "controller"
PACKAGE = "package"
ROBOT_FILE = "robot file"
RUN_MANIFEST = "manifest of a run"

RUN_FILE = "run.csv"
"""The recorded run beside the document of a simulation."""

_FORMATS = (
    ("torquec-model", MODEL),
    ("torquec certificate", CERTIFICATE),
    ("torquec controller", CONTROLLER),
    ("torquec package", PACKAGE),
    ("torquec run", RUN_MANIFEST),
)
"""Kinds of JSON documents by the beginning of their field `format`; results are named by their command."""

_HEAD = 2048  # bytes that are searched for the format of a document, its first field
_STATED = re.compile(rb'"format"\s*:\s*"(torquec[^"]{0,60})"')
_ROBOT_ROOT = re.compile(r"<(robot|mujoco)[\s>]")
_DH_TABLE = re.compile(r"^\s*convention\s*=", re.MULTILINE)
_MOST_FILES = 5000
"""Largest number of files: a folder with more is not a folder of results."""
_DEEPEST = 6  # largest depth of nested folders: a run has one per step


@dataclass(frozen=True)
class FoundDocument:
    """A recognised file: its name inside the folder, its kind (for results, the command's name), and its hash."""

    name: str
    kind: str
    path: Path
    sha256: str

    @cached_property
    def values(self) -> StoredValue:
        """The JSON document; raises `ArgumentError` if the file is not one."""
        return StoredValue(read_json(self.path, FileKind.RESULT, remedy="make it again"), self.name)

    @cached_property
    def model(self) -> Model:
        """The model of a model file; raises `ModelFileError`."""
        from torquec.model.save import load_model

        return load_model(self.path)

    @property
    def folder(self) -> str:
        """The folder of the file, relative to that of the report; empty for the report's folder itself."""
        return self.name.rpartition("/")[0]


@dataclass(frozen=True)
class FoundFolder:
    """The documents of a folder; `called`: name of the folder in the commands that a page prints.

    `live`: show the robot in motion.
    """

    path: Path
    called: str
    documents: tuple[FoundDocument, ...]
    problems: tuple[str, ...] = ()
    live: bool = True

    def of_kind(self, kind: str) -> tuple[FoundDocument, ...]:
        """The documents of one kind, by name."""
        return tuple(document for document in self.documents if document.kind == kind)

    def location(self, name: str) -> str:
        """Path of a file or folder inside, for use in commands."""
        return f"{self.called}/{name}".rstrip("/") if name else self.called

    @cached_property
    def model(self) -> Model | None:
        """The representative model of the folder: a certified one, else the first readable one, or a robot file's."""
        found = list(self._each_model())
        return next((model for model in found if model.record is not None), found[0] if found else None)

    @property
    def robot(self) -> Robot | None:
        """The robot of that model."""
        return None if self.model is None else self.model.robot

    def _each_model(self) -> Iterator[Model]:
        from torquec.model.model import as_model
        from torquec.robot.load import load

        for document in self.of_kind(MODEL) or self.of_kind(ROBOT_FILE):
            try:
                yield document.model if document.kind == MODEL else as_model(load(document.path))
            except TorquecError:
                continue  # the section that shows the document names the problem


def find_documents(folder: Path, *, called: str = "", live: bool = True) -> FoundFolder:
    """Everything in a folder that a report can show; raises `ArgumentError` where there is no such folder."""
    if not is_folder(folder):
        raise ArgumentError("there is no such folder", where=str(folder), remedy="name the folder that holds results")
    found: list[FoundDocument] = []
    problems: list[str] = []
    for count, path in enumerate(_files(folder, folder, _DEEPEST)):
        if count == _MOST_FILES:
            problems.append(f"the folder holds more than {_MOST_FILES} files; the others were not looked at")
            break
        name = path.relative_to(folder).as_posix()
        try:
            kind = _kind(path)
            if kind:
                found.append(FoundDocument(name, kind, path, _sha256(path)))
        except (TorquecError, OSError) as error:
            problems.append(f"{name}: {getattr(error, 'found', error)}")
    return FoundFolder(folder, called or str(folder), tuple(found), tuple(problems), live)


def _files(folder: Path, root: Path, depth: int) -> Iterator[Path]:
    """Regular files below a folder, by name; hidden ones and what an unfinished command keeps are left out."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") or entry.name.endswith(".partial") or not is_below(path, root):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth > 0:
                yield from _files(path, root, depth - 1)
        elif entry.is_file():
            yield path


def _kind(path: Path) -> str:
    """The kind of a file; empty for files that a report does not use."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        with open_file(path, FileKind.MODEL) as stream:
            stated = _STATED.search(stream.read(_HEAD))
        form = stated.group(1).decode("utf-8", "replace") if stated else ""
        if form == RESULT_FORMAT:
            command = read_json(path, FileKind.RESULT, remedy="make it again").get("command")
            return command if isinstance(command, str) else ""
        return next((kind for begin, kind in _FORMATS if form.startswith(begin)), "")
    # XML and TOML files may contain other things, too.
    looks = {".xml": _ROBOT_ROOT, ".toml": _DH_TABLE}.get(suffix)
    if suffix not in READERS or (looks is not None and not looks.search(read_text(path, FileKind.ROBOT))):
        return ""
    return ROBOT_FILE


def _sha256(path: Path) -> str:
    with open_file(path, FileKind.MODEL) as stream:
        return hashlib.sha256(stream.read(FileKind.MODEL.most_bytes)).hexdigest()


def guaranteed_tube(folder: FoundFolder) -> dict[str, float]:
    """The guaranteed error of every joint, from a design or its falsification; empty without a guarantee."""
    found = [document.values["guarantee"] for document in folder.of_kind("design")]
    attacks = [document.values.get("attack") for document in folder.of_kind("simulate")]
    for guarantee in (*found, *(attack["guarantee"] for attack in attacks if attack is not None)):
        if guarantee["valid"].truth:
            return {joint: bound["value"].number for joint, bound in guarantee["bounds"].items()}
    return {}
