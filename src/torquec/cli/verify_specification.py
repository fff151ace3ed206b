"""`torquec verify-specification DIR`: a simplified model in closed loop, compared with its control requirements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.options import argument, option
from torquec.cli.output import progress
from torquec.errors import ArgumentError
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torquec.model.model import Model
    from torquec.simplification.specification import Specification
    from torquec.simulation.verify_specification import VerificationResult

_MODEL = ".tq.json"
POSTURES = 8
"""Number of start configurations, drawn from the specification's box."""

DOCUMENT = "verification.json"


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(StochasticOptions):
    """The folder, and the amount of simulation."""

    folder: Path = argument(..., "A folder of torquec simplify, or its model file.", metavar="DIR")
    postures: int = option(POSTURES, "Start configurations, drawn from the specification's box.", least=1, metavar="N")
    rate: float = option(1000.0, "Calls of the controller per second.", metavar="HZ")


@command(
    "verify-specification", VerifyOptions, example="torquec verify-specification stanford_small", without_model=True
)
def verify_specification(options: VerifyOptions) -> Outcome:
    """Drive the full robot with a simplified model: step, ramp, parabola and damping.

    The control scheme is that of Chang & Lee: a PD law, critically damped for the model's inertia, with the model's
    torques as feedforward. Remaining errors and damping are compared with the control requirements of the specification
    that the model was certified for. Exit status 1 if one is not met.
    """
    from torquec.model.save import load_model

    if not 0.0 < options.rate < float("inf"):
        raise ArgumentError(f"--rate {options.rate:g}", remedy="give a positive number of calls per second")
    path = _model_file(options.folder)
    model = load_model(path)
    progress(f"simulating {model.robot.name} from {options.postures} postures ...")
    document, text = verification(
        model,
        stated_specification(model, path),
        postures=options.postures,
        period=1.0 / options.rate,
        seed=options.seed,
    )
    failed = (
        "" if document["met"] else "the simulated loop does not meet the specification\n  remedy: see the rows with !"
    )
    return Outcome(document, text, failed=failed, robot=model.robot)


def verification(
    model: Model, specification: Specification, *, postures: int, period: float = 0.001, seed: int = 0
) -> tuple[dict[str, Any], str]:
    """Document and text of a simplified model's simulation on its own robot."""
    from torquec.simulation.verify_specification import verify_specification as verify

    result = verify(model.robot, model, specification, postures=postures, period=period, seed=seed)
    units = {each.name: each.position_unit for each in model.robot.coordinates}
    document = verification_document(result, units)
    return document, closed_loop_text(model.robot.name, document)


def stated_specification(model: Model, where: Path) -> Specification:
    """The specification that a model's certificate states; raises `ArgumentError` without one."""
    from torquec.simplification.specification import parse_specification

    if model.record is None or not model.record.specification:
        raise ArgumentError(
            "this model has no specification: it is not certified",
            where=str(where),
            remedy="give a folder that torquec simplify wrote",
        )
    return parse_specification(model.record.specification, model.robot, source=str(where))


def _model_file(folder: Path) -> Path:
    """The model file of a folder, or the file itself."""
    if not folder.exists():
        raise ArgumentError(f"there is no '{folder}'", remedy="give a folder that torquec simplify wrote")
    if folder.is_file():
        return folder
    found = sorted(path for path in folder.iterdir() if path.name.endswith(_MODEL))
    if len(found) != 1:
        raise ArgumentError(
            f"{len(found)} model files (*{_MODEL}) in '{folder}'", remedy="give a folder that torquec simplify wrote"
        )
    return found[0]


def verification_document(result: VerificationResult, units: Mapping[str, str]) -> dict[str, Any]:
    """As JSON values: {met, postures, errors {joint: {signal: ..}}, damping {joint: ..}}; `units` of joints by name."""
    errors: dict[str, dict[str, Any]] = {joint: {"unit": unit} for joint, unit in units.items()}
    for row in result.errors:
        errors[row.joint][row.signal.value] = {"error": row.error, "allowed": row.allowed, "met": row.met}
    damping = {
        row.joint: {"lowest": row.lowest, "highest": row.highest, "allowed_error": row.allowed_error, "met": row.met}
        for row in result.damping
    }
    return {"met": result.met, "postures": result.postures, "errors": errors, "damping": damping}


def closed_loop_text(name: str, document: Mapping[str, Any]) -> str:
    """The document in words: errors of each signal and damping, against the allowed ones."""
    met = "met" if document["met"] else "NOT met"
    rows = []
    for joint, errors in document["errors"].items():
        damping = document["damping"][joint]
        cells = [
            f"{number(found['error'], 3)} of {number(found['allowed'], 3)}{'' if found['met'] else ' !'}"
            for signal, found in errors.items()
            if signal != "unit"
        ]
        spread = f"{damping['lowest']:.4g} to {damping['highest']:.4g}{'' if damping['met'] else ' !'}"
        rows.append([joint, *cells, spread, f"1 -+ {damping['allowed_error']:g}", errors["unit"]])
    head = ["joint", "step", "ramp", "parabolic", "damping", "allowed", "unit"]
    return (
        f"{name}: the control specification is {met} in simulation from {document['postures']} postures "
        f"(Chang & Lee's PD scheme on the full robot)\n\n{table(head, rows)}"
    )
