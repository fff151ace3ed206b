"""A model as one JSON file that other tools can read; `docs/model-file.md` describes it.

The file holds the robot, the program of each quantity as a list of operations, and a SHA-256 over all of it: a file
that was cut short or edited by hand is refused, never half read.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from torquec import __version__
from torquec.errors import ArgumentError, ExpressionError, ModelFileError
from torquec.expr import Function, count_operations, function_from_dict, function_to_dict
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.model.model import Model
from torquec.model.quantities import check_ports, default_quantities
from torquec.model.robot_document import robot_from_dict, robot_to_dict

FORMAT = "torquec-model"
VERSION = 1

_REMEDY = "save the model again with torquec.save"


def save(model: Model, path: str | os.PathLike[str], *, quantities: Sequence[str] | None = None) -> None:
    """Write the model: its robot and the programs of `quantities` (all that the robot has when not given).

    The file appears whole or not at all. Raises `ArgumentError` for an unknown quantity or a path that cannot be
    written.
    """
    names = default_quantities() if quantities is None else tuple(quantities)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"torquec {__version__}",
        "robot": robot_to_dict(model.robot),
        "quantities": {name: _entry(model.function(name)) for name in names},
    }
    document["sha256"] = _checksum(document)
    write_files({to_path(path): json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"})


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model of a file written by `save`.

    Raises `ModelFileError` when the file is missing, cut short, edited, of another format or of an unknown version.
    """
    where = str(to_path(path))
    document = _read_document(where)
    if document.get("format") != FORMAT:
        raise ModelFileError("this is not a saved model", where=where, remedy=_REMEDY)
    if document.get("version") != VERSION:
        raise ModelFileError(
            f"the file has version {document.get('version')!r}, this torquec reads version {VERSION}",
            where=where,
            remedy="use the torquec that wrote it, or save the model again",
        )
    if document.pop("sha256", None) != _checksum(document):
        raise ModelFileError("the checksum does not fit: the file was changed or damaged", where=where, remedy=_REMEDY)
    robot = robot_from_dict(document.get("robot"), where=where)
    entries = document.get("quantities")
    if not isinstance(entries, dict):
        raise ModelFileError("'quantities' is missing", where=where, remedy=_REMEDY)
    functions = {}
    for name, entry in entries.items():
        try:
            functions[name] = function_from_dict(entry["function"])
            check_ports(robot, name, functions[name])
        except (ArgumentError, ExpressionError, KeyError, TypeError) as error:
            raise ModelFileError(f"quantity '{name}': {error}", where=where, remedy=_REMEDY) from error
    return Model(robot, MappingProxyType(functions))


def _entry(function: Function) -> dict[str, Any]:
    return {"operations": dataclasses.asdict(count_operations(function)), "function": function_to_dict(function)}


def _checksum(document: dict[str, Any]) -> str:
    """SHA-256 of the document in its one canonical form: keys sorted, no spaces, ASCII."""
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _read_document(where: str) -> dict[str, Any]:
    def refuse_constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not a number of JSON")

    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError("a key occurs twice in one object")
        return dict(pairs)

    try:
        with Path(where).open(encoding="utf-8") as stream:
            document = json.load(stream, parse_constant=refuse_constant, object_pairs_hook=refuse_duplicates)
    except OSError as error:
        raise ModelFileError(
            f"cannot be read: {error.strerror or error}", where=where, remedy="check the path"
        ) from None
    except json.JSONDecodeError as error:
        raise ModelFileError(f"not JSON: {error.msg}", where=f"{where}:{error.lineno}", remedy=_REMEDY) from None
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"not a saved model: {error}", where=where, remedy=_REMEDY) from None
    if not isinstance(document, dict):
        raise ModelFileError("this is not a saved model", where=where, remedy=_REMEDY)
    return document
