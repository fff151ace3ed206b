"""Save and load a model as one JSON file that other tools can read; `docs/model-file.md` describes it.

The file holds the whole model: its kind, the robot with attached payloads and locked joints, the program of each
quantity as a list of operations with its hash, certificate, parameters with their covariance. A SHA-256 covers all of
it: a file that was cut short or edited by hand is refused as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NoReturn

from torquec import __version__
from torquec.errors import ArgumentError, CheckError, ExpressionError, ModelFileError, TorquecError
from torquec.expr import Function, OperationCount, count_operations, function_from_dict, function_to_dict
from torquec.foundation.documents import DocumentFormat
from torquec.foundation.json_text import checksum, document_text
from torquec.foundation.reading import FileKind, read_json, to_path
from torquec.foundation.writing import write_files
from torquec.model.check_programs import check_programs
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind, ModelParameters
from torquec.model.quantities import check_ports
from torquec.model.routes import Route
from torquec.model.torque_program import check_torque_structure
from torquec.proof.torque.certificate import Certificate
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_from_dict, robot_to_dict

FORMAT = "torquec-model"
VERSION = 2
OLDER = 1
"""Older file version with a robot and programs only; still read, as an exact model."""

_OLDER_FIELDS = ("format", "version", "written_by", "robot", "quantities")

_REMEDY = "save the model again with torquec.save"
_REMEDY_OLDER = "make it again, from the robot's file"
_VALUES = DocumentFormat("model", error=ModelFileError, remedy=_REMEDY, defaults=True)

_COEFFICIENT_FIELDS = ("assumed_regular", "quantities", "refused")
_FIELDS = (
    *("format", "version", "written_by", "kind", "route", "robot", "parameters", "certificate", "coefficients"),
    *_COEFFICIENT_FIELDS,
)


@dataclass(frozen=True)
class _Choices:
    """The plain fields of a document."""

    kind: ModelKind
    route: Route
    assumed_regular: bool
    parameters: ModelParameters | None
    refused: Mapping[str, str]


def save(model: Model, path: str | os.PathLike[str], *, quantities: Sequence[str] | None = None) -> None:
    """Write the model with the programs of `quantities`: by default all that it has, or those of the file it is from.

    The file appears whole or not at all. Raises `ArgumentError` for an unknown quantity, a robot that could not be read
    back or a path that cannot be written, `RobotError` for friction that drives its joint, and `RefusedQuantityError`
    for a quantity that the model does not have.
    """
    write_files({to_path(path): document_text(model_document(model, quantities=quantities))})


def model_document(model: Model, *, quantities: Sequence[str] | None = None) -> dict[str, Any]:
    """The JSON values that `save` writes; raises as it does."""
    check_friction_is_passive(model.robot)
    robot = robot_to_dict(model.robot)
    try:
        robot_from_dict(robot, any_inertia=_any_inertia(model.kind))
    except ModelFileError as error:
        raise ArgumentError(f"the model cannot be saved: {error.found}", where=model.robot.source) from None
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"torquec {__version__}",
        "kind": model.kind.value,
        "route": model.route.value,
        "assumed_regular": model.assumed_regular,
        "robot": robot,
        "parameters": _VALUES.to_values(model.parameters),
        "certificate": None if model.record is None else model.record.to_dict(),
        **_served(model, quantities),
        "coefficients": None,
    }
    if model.coefficients is not None:
        second = model.coefficients
        document["coefficients"] = {"assumed_regular": second.assumed_regular, **_served(second, None)}
    document["sha256"] = checksum(document)
    return document


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model of a file written by `save`.

    Raises `ModelFileError` when the file is missing, cut short, edited, of another format or of an unknown version, and
    for an invalid field, with the field's name.
    """
    where = str(to_path(path))
    document = read_json(to_path(path), FileKind.MODEL, remedy=_REMEDY)
    if document.get("format") != FORMAT:
        raise ModelFileError("this is not a saved model", where=where, remedy=_REMEDY)
    if document.get("version") not in (OLDER, VERSION):
        raise ModelFileError(
            f"the file has version {document.get('version')!r}, this torquec reads versions {OLDER} and {VERSION}",
            where=where,
            remedy="use the torquec that wrote it, or save the model again",
        )
    if document.pop("sha256", None) != checksum(document):
        raise ModelFileError("the checksum does not fit: the file was changed or damaged", where=where, remedy=_REMEDY)
    return _Reader(where).model(document)


class _Reader:
    """Builds a model from a document whose checksum is right."""

    def __init__(self, where: str) -> None:
        self.where = where

    def model(self, document: dict[str, Any]) -> Model:
        """The whole file."""
        if document["version"] == OLDER:
            if foreign := [name for name in document if name not in _OLDER_FIELDS]:
                raise ModelFileError(
                    f"'{foreign[0]}' is not known in a file of version {OLDER}", where=self.where, remedy=_REMEDY_OLDER
                )
            robot = robot_from_dict(document.get("robot"), where=self.where, older=True)
            functions = self._functions(robot, document, hashed=False)
            return self._checked(Model(robot, functions, kept=tuple(functions)))
        self._check_fields({"robot": None, **document}, _FIELDS)
        plain = {name: document[name] for name in _Choices.__dataclass_fields__}
        choices = _VALUES.from_values(_Choices, plain, where=self.where)
        robot = robot_from_dict(document.get("robot"), where=self.where, any_inertia=_any_inertia(choices.kind))
        functions = self._functions(robot, document)
        record = self._certificate(robot, document["certificate"], choices.kind)
        self._check_program(robot, choices.kind, functions, record)
        model = Model(
            robot,
            functions,
            route=choices.route,
            record=record,
            kind=choices.kind,
            parameters=choices.parameters,
            assumed_regular=choices.assumed_regular,
            kept=tuple(functions),
        )
        return self._checked(replace(model, coefficients=self._second(model, document["coefficients"])))

    def _checked(self, model: Model) -> Model:
        """The model, after a check that each program computes its quantity."""
        try:
            check_programs(model)
        except CheckError as error:
            raise ModelFileError(error.found, where=self.where, remedy=_REMEDY) from None
        return model

    def _second(self, model: Model, document: Any) -> Model | None:
        """The model by coefficients of a control requirement."""
        inner = None if model.record is None else model.record.coefficients
        expected = model.kind is ModelKind.CERTIFIED_TORQUE and inner is not None
        if expected != (document is not None):
            self._refuse("coefficients", "they are there without their certificate, or the other way round")
        if document is None:
            return None
        assert model.record is not None
        if not isinstance(document, dict):
            self._refuse("coefficients", "an object was expected")
        self._check_fields(document, _COEFFICIENT_FIELDS, "coefficients")
        functions = self._functions(model.robot, document, "coefficients.")
        record = model.record.of_second_program()
        self._check_program(model.robot, ModelKind.CERTIFIED_COEFFICIENTS, functions, record)
        if not isinstance(document["assumed_regular"], bool):
            self._refuse("coefficients.assumed_regular", "bool was expected")
        return self._checked(
            replace(
                model,
                functions=functions,
                record=record,
                kind=ModelKind.CERTIFIED_COEFFICIENTS,
                assumed_regular=document["assumed_regular"],
                kept=tuple(functions),
            )
        )

    def _functions(
        self, robot: Robot, document: Mapping[str, Any], prefix: str = "", *, hashed: bool = True
    ) -> Mapping[str, Function]:
        entries = document.get("quantities")
        if not isinstance(entries, dict):
            raise ModelFileError(f"'{prefix}quantities' is missing", where=self.where, remedy=_REMEDY)
        functions = {}
        for name, entry in entries.items():
            try:
                functions[name] = function_from_dict(entry["function"])
                check_ports(robot, name, functions[name])
                if hashed:
                    self._check_entry(entry, functions[name])
            except (ArgumentError, ExpressionError, KeyError, TypeError) as error:
                raise ModelFileError(f"{prefix}quantity '{name}': {error}", where=self.where, remedy=_REMEDY) from error
        return MappingProxyType(functions)

    def _check_entry(self, entry: Mapping[str, Any], function: Function) -> None:
        """Raise `ArgumentError` where hash or operation count are not those of the program."""
        if entry["sha256"] != function.content_hash:
            raise ArgumentError("its sha256 is not that of its program")
        if _COUNTS.from_values(OperationCount, entry["operations"]) != count_operations(function):
            raise ArgumentError("its operations are not those of its program")
        if unknown := set(entry) - {"operations", "sha256", "function"}:
            raise ArgumentError(f"'{min(unknown)}' is not known")

    def _certificate(self, robot: Robot, document: Any, kind: ModelKind) -> Certificate | None:
        certified = kind in (ModelKind.CERTIFIED_TORQUE, ModelKind.CERTIFIED_COEFFICIENTS)
        if certified != (document is not None):
            self._refuse("certificate", f"a model of the kind '{kind}' has {'one' if certified else 'none'}")
        if document is None:
            return None
        try:
            record = Certificate.from_dict(document)
        except (TorquecError, TypeError, AttributeError) as error:
            self._refuse("certificate", getattr(error, "found", str(error)))
        if record.robot_hash != robot.content_hash:
            self._refuse("certificate.robot_hash", "it is about another robot")
        return record

    def _check_program(
        self, robot: Robot, kind: ModelKind, functions: Mapping[str, Function], record: Certificate | None
    ) -> None:
        """Refuse a simplified model whose program is missing, has another structure or is not the certified one."""
        if not kind.follows_program:
            return
        program = functions.get("inverse_dynamics")
        if program is None:
            self._refuse("quantities", f"a model of the kind '{kind}' needs its inverse_dynamics")
        try:
            check_torque_structure(program, robot)
        except ExpressionError as error:
            self._refuse("quantities.inverse_dynamics", error.found)
        if record is not None and record.program != program:
            self._refuse("quantities.inverse_dynamics", "it is not the program that the certificate is about")

    def _check_fields(self, document: Mapping[str, Any], fields: Sequence[str], place: str = "") -> None:
        begin = f"{place}." if place else ""
        if missing := [name for name in fields if name not in document]:
            raise ModelFileError(f"'{begin}{missing[0]}' is missing", where=self.where, remedy=_REMEDY)
        if unknown := [name for name in document if name not in fields]:
            raise ModelFileError(f"'{begin}{unknown[0]}' is not known", where=self.where, remedy=_REMEDY)

    def _refuse(self, field: str, text: str) -> NoReturn:
        raise ModelFileError(f"{field}: {text}", where=self.where, remedy=_REMEDY)


_COUNTS = DocumentFormat("operations")


def _served(model: Model, quantities: Sequence[str] | None) -> dict[str, Any]:
    names = model.served() if quantities is None else tuple(quantities)
    if model.kind.follows_program and "inverse_dynamics" not in names:
        names = ("inverse_dynamics", *names)
    return {"quantities": {name: _entry(model.function(name)) for name in names}, "refused": model.refused()}


def _entry(function: Function) -> dict[str, Any]:
    return {
        "operations": _COUNTS.to_values(count_operations(function)),
        "sha256": function.content_hash,
        "function": function_to_dict(function),
    }


def _any_inertia(kind: ModelKind) -> bool:
    """Whether the robot of such a model may be physically inconsistent, as that of an estimate may."""
    return kind is ModelKind.IDENTIFIED
