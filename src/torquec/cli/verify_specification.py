"""`torquec verify-specification DIR`: a simplified model in closed loop, against the control requirements it is for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.options import argument, option
from torquec.cli.output import progress
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.simplification.specification import Specification

_MODEL = ".tq.json"
POSTURES = 8
"""Start configurations that are drawn from the specification's box."""


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(StochasticOptions):
    """The folder, and how much is simulated."""

    folder: Path = argument(..., "What torquec simplify wrote, or its model file.", metavar="DIR")
    postures: int = option(POSTURES, "Start configurations, drawn from the specification's box.", least=1, metavar="N")
    rate: float = option(1000.0, "How often the controller is called.", metavar="HZ")


@command(
    "verify-specification",
    VerifyOptions,
    example="torquec verify-specification stanford_small",
    without_model=True,
)
def verify_specification(options: VerifyOptions) -> Outcome:
    """Drive the full robot with a simplified model: step, ramp, parabola and damping.

    The control scheme is that of Chang & Lee: a PD law with critical damping by the model's own inertia, and its
    torques as feedforward. Errors that remain, and damping, are compared with the control requirements of the
    specification that the model was certified for. Exit status 1 where one is not met.
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
    """The document and the text about a model on its own robot."""
    from torquec.report.verification import closed_loop_text, verification_document
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
