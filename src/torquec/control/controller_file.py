"""Controllers as files: a C package (or another target) beside a JSON document that a program can load again.

(1)  <prefix>.c, <prefix>.h and so on: the step, `<prefix>_<controller>(q_ref, qd_ref, qdd_ref, q, qd, .., tau, ..)`
(2)  controller.json: names, period, state, schedule and the straight-line program itself, all digits
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from torquec.codegen.target import Target, generate_package
from torquec.control.controller import Controller, Schedule, StateSlot
from torquec.errors import ExpressionError, ModelFileError
from torquec.expr import function_from_dict, function_to_dict
from torquec.foundation.reading import FileKind, read_json, to_path
from torquec.foundation.writing import write_folder

FORMAT = "torquec controller"
VERSION = 1
FILE_NAME = "controller.json"


def write_controller(
    controller: Controller,
    directory: str | os.PathLike[str],
    *,
    prefix: str,
    target: Target = Target.C,
    details: Mapping[str, Any] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write (1) and (2) into a directory; gives the files. `details` are JSON values to keep beside the program.

    Raises `ArgumentError` where the directory cannot be written, and without `force` for a file in the way that Torquec
    did not write.
    """
    path = to_path(directory)
    files = generate_package(
        [controller.function],
        path,
        prefix=prefix,
        target=target,
        description=_description(controller),
        notes={controller.function.name: _note(controller)},
        force=force,
    )
    document = {**controller_to_dict(controller), "details": dict(details or {})}
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    return [*files, *write_folder(path, {FILE_NAME: text}, force=force)]


def read_controller(path: str | os.PathLike[str]) -> Controller:
    """The controller of a file that `write_controller` wrote; raises `ModelFileError` for anything else."""
    source = to_path(path)
    document = read_json(source, FileKind.CONTROLLER, remedy=_REMEDY)
    try:
        return controller_from_dict(document)
    except ModelFileError as error:
        raise ModelFileError(error.found, where=str(source), remedy=error.remedy) from error


def controller_to_dict(controller: Controller) -> dict[str, Any]:
    """The controller as JSON values."""
    schedule = controller.schedule
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": controller.name,
        "joints": list(controller.joints),
        "period": controller.period,
        "state": [{"name": slot.name, "initial": list(slot.initial)} for slot in controller.slots],
        "schedule": None if schedule is None else {"t": schedule.t.tolist(), "gains": schedule.gains.tolist()},
        "function": function_to_dict(controller.function),
    }


def controller_from_dict(document: Mapping[str, Any]) -> Controller:
    """The inverse of `controller_to_dict`; raises `ModelFileError` for anything else."""
    try:
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ValueError(f"format {document['format']!r}, version {document['version']!r}")
        schedule = document["schedule"]
        return Controller(
            str(document["name"]),
            tuple(str(joint) for joint in document["joints"]),
            function_from_dict(document["function"]),
            tuple(StateSlot(str(s["name"]), tuple(float(x) for x in s["initial"])) for s in document["state"]),
            None if document["period"] is None else float(document["period"]),
            None if schedule is None else Schedule(np.array(schedule["t"]), np.array(schedule["gains"])),
        )
    except (KeyError, TypeError, ValueError, OverflowError, ExpressionError) as error:
        raise ModelFileError(f"this is no controller: {error}", remedy=_REMEDY) from error


_REMEDY = "give a controller.json that torquec design wrote"


def _description(controller: Controller) -> str:
    every = "" if controller.period is None else f", to be called every {controller.period:g} s"
    return f"Controller {controller.name} for the joints {', '.join(controller.joints)}{every}. SI units, radians."


def _note(controller: Controller) -> str:
    if not controller.slots:
        return "Reference and measured state in, drive torques out."
    parts = ", ".join(f"{slot.name} ({slot.size})" for slot in controller.slots)
    return f"Reference, measured state and memory in, drive torques and memory out. Memory: {parts}."
