"""`torquec identify` of a robot with a floating base: rows of :mod:`torquec.identification.floating_base`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome
from torquec.cli.output import progress
from torquec.errors import ArgumentError
from torquec.report.tables import number

if TYPE_CHECKING:
    from pathlib import Path

    from torquec.cli.identify import IdentifyCommandOptions
    from torquec.identification.floating_base import MotionEstimate
    from torquec.robot.robot import Robot

_TAKEN = ("logs", "cutoff", "friction", "rotors", "urdf", "force")
"""Options of `identify` that such a robot has, besides those of every command."""


def identify_floating(robot: Robot, options: IdentifyCommandOptions) -> Outcome:
    """The outcome of `torquec identify` for such a robot."""
    from torquec.identification.floating_base import identify_motion, read_motion_log
    from torquec.robot import write_urdf

    shared = {field.name for field in dataclasses.fields(CommandOptions)}
    for field in dataclasses.fields(options):
        if field.name not in shared and field.name not in _TAKEN and getattr(options, field.name) != field.default:
            raise ArgumentError(
                f"--{field.name.replace('_', '-')} is for robots on a fixed base",
                remedy="a robot with a floating base is identified with --cutoff, --friction, --rotors and --urdf",
            )
    progress(f"identifying {robot.name} on its floating base ...")
    logs = [read_motion_log(path, robot) for path in options.logs]
    friction = "symmetric" if options.friction is None else options.friction
    found = identify_motion(robot, logs, cutoff=options.cutoff, friction=friction, rotors=options.rotors)
    files: list[Path] = []
    if options.urdf is not None:
        write_urdf(found.robot, options.urdf, force=options.force)
        files.append(options.urdf)
    document = _document(found) | {"files": [str(path) for path in files]}
    return Outcome(document, _text(document), tuple(files))


def _document(found: MotionEstimate) -> dict[str, Any]:
    rows = zip(found.names, found.x.tolist(), found.std.tolist(), strict=True)
    return {
        "parameters": [{"name": name, "value": value, "std": std} for name, value, std in rows],
        "rmse": dict(found.rms),
        "relative_error": found.relative_error,
        "condition": found.condition,
        "physically_consistent": found.realization.physically_consistent,
        "rows": list(found.rows),
        "cutoff": found.cutoff,
        "samples": found.samples,
    }


def _text(document: dict[str, Any]) -> str:
    samples, rows = document["samples"], len(document["rows"])
    wide = max(len(each["name"]) for each in document["parameters"])
    lines = [f"{len(document['parameters'])} parameters from {samples} samples, {rows} rows each"]
    lines += [
        f"  {each['name']:<{wide}}  {number(each['value']):>11}  +- {number(each['std'])}"
        for each in document["parameters"]
    ]
    lines += ["", "residual (root mean square) of every row [N or N m]"]
    lines += [f"  {name:<{wide}}  {number(value):>11}" for name, value in document["rmse"].items()]
    built = "" if document["physically_consistent"] else "; no robot that could be built has these parameters"
    lines.append(f"\nrelative error {document['relative_error']:.2%}, condition {document['condition']:.3g}{built}")
    return "\n".join(lines)
