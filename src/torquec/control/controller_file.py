"""Controllers as files: a C package (or another target) and a JSON document that can be loaded again.

(1)  <prefix>.c, <prefix>.h and so on: the step, `<prefix>_<controller>(q_ref, qd_ref, qdd_ref, q, qd, .., tau, ..)`
(2)  controller.json: the straight-line program with all digits, names, period, state, schedule; its design
     (law, options) and the model that it was made from (kind and hashes)

The loaded program is the same: its torques are bit-identical.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, Target
from torquec.control.controller import Controller
from torquec.control.law_options import ControllerOptions
from torquec.control.observer import Observer
from torquec.control.poles import joint_poles
from torquec.control.recursive_estimator import RecursiveEstimator
from torquec.control.tracking_claim import guarantee_sentence, robot_words
from torquec.dynamics.sampled_function import STATE
from torquec.errors import ArgumentError, ModelFileError
from torquec.expr import Function, function_from_dict, function_to_dict
from torquec.foundation.choice import chosen
from torquec.foundation.documents import Codec, DocumentFormat
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import PackageMaking
from torquec.foundation.reading import FileKind, read_json, to_path
from torquec.foundation.writing import write_package
from torquec.model.model_function import ModelOrigin
from torquec.robot.robot import Robot
from torquec_check.claim import capitalized, rounded_up

FORMAT = "torquec controller"
VERSION = 2
FILE_NAME = "controller.json"

Sampled: TypeAlias = Controller | Observer | RecursiveEstimator
"""The kinds of sampled function that a file can hold."""

SIDE_FILES = {Observer.KIND: "observer.json", RecursiveEstimator.KIND: "estimator.json"}
"""File names of the observer and the estimator beside a law in a package."""


def write_controller(
    controller: Sampled,
    directory: str | os.PathLike[str],
    *,
    prefix: str | None = None,
    target: Target | str = Target.C,
    precision: Precision | str = Precision.DOUBLE,
    details: Mapping[str, Any] | None = None,
    guarantee: Mapping[str, Any] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write (1) and (2) into a directory; gives the files. `details` are JSON values to keep beside the program.

    `prefix` begins the names of files and functions; it is the controller's own name unless given. `guarantee`: the
    document of the tracking guarantee (`TrackingGuarantee.to_document`), whose claim stands at the top of the code.
    With `precision` "single" the code computes in 32 bits; its claim then says that the bound excludes this rounding.

    Raises `ArgumentError` for a target without that precision, for a directory that is not writable, and, unless
    `force` is true, for an existing file that Torquec did not write.
    """
    language, begin = chosen(Target, target, "target"), prefix or controller.name
    numbers = chosen(Precision, precision, "precision")
    if numbers not in BACK_ENDS[language].precisions:
        raise ArgumentError(f"{language} code has no {numbers} precision", remedy="leave out the precision")
    contents = BACK_ENDS[language].make(
        code_functions(controller),
        prefix=begin,
        description=_description(controller, guarantee, numbers),
        notes={controller.function.name: _note(controller)},
        precision=numbers,
        triple=None,
        cpu=None,
    )
    stated = {"details": dict(details or {}), "guarantee": None if guarantee is None else dict(guarantee)}
    contents = {**contents, FILE_NAME: document_text({**controller_to_dict(controller), **stated})}
    making = PackageMaking(begin, numbers.value, options={"controller": FILE_NAME})
    name = prefix_identifier(begin)
    return write_package(to_path(directory), contents, name=name, target=language.value, making=making, force=force)


def law_prefix(robot: Robot) -> str:
    """Beginning of the names in the code of a robot's law: those of its dynamics begin with the robot's name alone.

    Observers and estimators have NAME_observer and NAME_estimator, so that one program may contain all of them.
    """
    return f"{robot.name}_controller"


def code_functions(controller: Sampled) -> list[Function]:
    """The functions to generate code for: the step, and the initial state of an observer."""
    start = controller.start if isinstance(controller, Observer) else None
    return [controller.function, *([] if start is None else [start])]


def read_controller(path: str | os.PathLike[str]) -> Controller:
    """The controller of a file that `write_controller` wrote: its torques are bit-identical.

    Raises `ModelFileError`, with the place in the document, for anything else.
    """
    return _read(path, Controller)


def read_observer(path: str | os.PathLike[str]) -> Observer:
    """The observer of a file that `write_controller` wrote; raises `ModelFileError` for anything else."""
    return _read(path, Observer)


def read_estimator(path: str | os.PathLike[str]) -> RecursiveEstimator:
    """The estimator of a file that `write_controller` wrote; raises `ModelFileError` for anything else."""
    return _read(path, RecursiveEstimator)


Kind = TypeVar("Kind", Controller, Observer, RecursiveEstimator)


def _read(path: str | os.PathLike[str], kind: type[Kind]) -> Kind:
    source = to_path(path)
    document = read_json(source, FileKind.CONTROLLER, remedy=_REMEDY)
    try:
        return sampled_of_kind(document, kind)
    except ModelFileError as error:
        raise ModelFileError(error.found, where=str(source), remedy=error.remedy) from error


def sampled_of_kind(document: object, kind: type[Kind]) -> Kind:
    """As `controller_from_dict`, for one kind; raises `ModelFileError` for another."""
    found = controller_from_dict(document)
    if not isinstance(found, kind):
        raise ModelFileError(
            f"this is {_ARTICLES[found.KIND]}", remedy=f"read it with read_{found.KIND}, or give {_ARTICLES[kind.KIND]}"
        )
    return found


_ARTICLES = {"controller": "a controller", "observer": "an observer", "estimator": "an estimator"}


def controller_to_dict(controller: Sampled) -> dict[str, Any]:
    """The controller, observer or estimator as JSON values."""
    return {"format": FORMAT, "version": VERSION, **_DOCUMENTS.to_values(controller)}


def controller_from_dict(document: object) -> Sampled:
    """The inverse of `controller_to_dict`; raises `ModelFileError` for anything else.

    The ports of the program must match joints, state and schedule. Version 1, without design and model origin, is
    read as well.
    """
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise ModelFileError("this is not a Torquec controller", remedy=_REMEDY)
    version = document.get("version")
    values = {key: value for key, value in document.items() if key not in ("format", "version", "details", "guarantee")}
    if version == 1:
        if isinstance(values.get("state"), list):
            values["slots"] = values.pop("state")
        values |= {"kind": Controller.KIND, "origin": None, "design": None, "reference": _JOINTS}
    elif version != VERSION:
        raise ModelFileError(f"version {version!r} is not known", remedy=f"the newest version here is {VERSION}")
    found: Sampled
    if values.get("kind") == Observer.KIND:
        values.setdefault("moving", [])  # older files had no thresholds from an uncertainty
        found = _DOCUMENTS.from_values(Observer, values)
    elif values.get("kind") == RecursiveEstimator.KIND:
        found = _DOCUMENTS.from_values(RecursiveEstimator, values)
    else:
        found = _DOCUMENTS.from_values(Controller, values)
    _check(found)
    return found


def _check(found: Sampled) -> None:
    """Check the consistency of the fields beyond their types."""
    n = found.n
    if n == 0 or len(set(found.joints)) != n:
        _DOCUMENTS.refuse("controller.joints", "joints have different names, one or more")
    if found.period is not None and not found.period > 0.0:
        _DOCUMENTS.refuse("controller.period", f"{found.period} s is not a sampling interval")
    memory = len(found.initial_state)
    state: Ports = {"q": (n,), "qd": (n,)}
    watched: Ports = {**state, "tau": (n,), STATE: (memory,)}
    if isinstance(found, RecursiveEstimator):
        _check_ports("function", found.function, watched, 6)
        return
    if isinstance(found, Observer):
        _check_ports("function", found.function, watched, 4 if found.moving else 3)
        if found.start is None:
            _DOCUMENTS.refuse("controller.start", "an observer needs a program for its initial state")
        _check_ports("start", found.start, state, 1)
        return
    schedule = found.schedule
    if schedule is not None:
        if schedule.gains.shape != (len(schedule.t), n, 2 * n) or len(schedule.t) == 0:
            _DOCUMENTS.refuse("controller.schedule", f"gains of shape {schedule.gains.shape} are not (N, {n}, {2 * n})")
        if not np.all(np.diff(schedule.t) > 0.0):
            _DOCUMENTS.refuse("controller.schedule.t", "times do not increase")
    _check_ports("function", found.function, found.ports, 2 if memory else 1)
    design = found.design
    if design is not None and design.options.poles is not None:
        try:
            joint_poles(found.joints, design.options.poles)
        except ArgumentError as error:
            _DOCUMENTS.refuse("controller.design.options.poles", error.found)


Ports = dict[str, tuple[int, ...]]


def _check_ports(name: str, function: Function, inputs: Ports, outputs: int) -> None:
    found = {port.name: port.shape for port in function.inputs}
    if found != inputs or len(function.outputs) != outputs:
        _DOCUMENTS.refuse(
            f"controller.{name}", f"its inputs are {found}, not {inputs}, or its number of outputs is wrong"
        )


_JOINTS = {"space": "joint", "frame": ""}
_REMEDY = "give a controller.json that torquec design wrote"

# An option that an older file lacks takes its default: files stay readable when a law gains an option.
_OPTIONS = DocumentFormat("controller.design.options", ModelFileError, _REMEDY, defaults=True)
_DOCUMENTS = DocumentFormat(
    "controller",
    ModelFileError,
    _REMEDY,
    codecs={
        Function: Codec(function_to_dict, function_from_dict),
        ControllerOptions: Codec(_OPTIONS.to_values, lambda values: _OPTIONS.from_values(ControllerOptions, values)),
    },
)


def _description(controller: Sampled, guarantee: Mapping[str, Any] | None, precision: Precision) -> str:
    """Header comment of the generated code: controller, model, poles and the guarantee."""
    every = "" if controller.period is None else f", to be called every {controller.period:g} s"
    kind, joints = controller.KIND.capitalize(), ", ".join(controller.joints)
    about = f"{kind} {controller.name} for the joints {joints}{every}. SI units, radians."
    lines = [about, *_model_lines(controller.origin)]
    design = getattr(controller, "design", None)
    if design is not None and design.options.poles is not None:
        pairs = joint_poles(controller.joints, design.options.poles).pairs
        lines.append("Poles that it is designed for [1/s]:")
        lines += [f"  {name}: {pair}" for name, pair in zip(controller.joints, pairs, strict=True)]
    if guarantee is not None:
        robot = guarantee.get("robot")
        lines += [] if robot is None else [f"Designed for {robot_words(robot)}."]
        lines.append(f"{capitalized(guarantee_sentence(guarantee))}.")
    if precision is Precision.SINGLE:
        lines.append(
            "This code computes in single precision; bounds stated here are those of the law in double precision."
        )
    return "\n".join(lines)


def _model_lines(origin: ModelOrigin | None) -> list[str]:
    if origin is None:
        return []
    if origin.certificate_hash is None:
        exact = "" if origin.kind.follows_program else ", with all terms"
        return [f"Model of {origin.robot}: {origin.kind.value}{exact}."]
    return [
        f"SIMPLIFIED: its model is not the exact dynamics of {origin.robot}. Its errors are bounded by the certificate",
        "whose field sha256, a checksum of its contents, is",
        f"  {origin.certificate_hash}",
        "and for the motions of the certificate only: torquec check proves it again.",
    ]


def _note(controller: Sampled) -> str:
    if isinstance(controller, Observer):
        return observer_note(controller)
    if isinstance(controller, RecursiveEstimator):
        return estimator_note(controller)
    if not controller.slots:
        return "Reference and measured state in, drive torques out."
    parts = ", ".join(f"{slot.name} ({slot.size})" for slot in controller.slots)
    return f"Reference, measured state and memory in, drive torques and memory out. Memory: {parts}."


def observer_note(observer: Observer) -> str:
    """Inputs and outputs of an observer, and the external torques that it detects on every robot in its sets."""
    parts = ", ".join(f"{slot.name} ({slot.size})" for slot in observer.slots)
    text = (
        "Measured state, the torque that acted since the call before, and memory in; external torques, alarms (0 or 1) "
        f"and memory out, which begins as {observer.name}_start gives it. Memory: {parts}."
    )
    if not observer.moving:
        return text
    rows = zip(observer.joints, observer.smallest_torque, strict=True)
    detected = ", ".join(f"{name} {rounded_up(torque or 0.0, 3)}" for name, torque in rows)
    return f"{text}\nNo alarm within the stated uncertainty; detected for certain: {detected} (Nm or N)."


def estimator_note(estimator: RecursiveEstimator) -> str:
    """Inputs and outputs of an estimator."""
    return (
        "Measured state, the torque that acted since the call before, and memory in, zeros at first; out: mass [kg] "
        f"and first moment [kg m] of the payload in frame {estimator.frame}, its 95 % interval, corrections of Coulomb "
        f"and viscous friction, memory. Results change every {estimator.window:g} s of motion."
    )
