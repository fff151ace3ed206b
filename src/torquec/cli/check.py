"""`torquec check FILE|DIR`: prove again what a certificate, a model or a package claims."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.output import progress, step_report


@dataclass(frozen=True, kw_only=True)
class CheckOptions(CommandOptions):
    """What to check, and the robot that the claims must be about."""

    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|DIR",
            help="A certificate, a model (.tq.json), or the folder of a certified model's package ({checked targets}).",
        ),
    ]
    of_robot: Annotated[
        str | None,
        typer.Option(
            "--robot",
            metavar="ROBOT",
            help="The robot (or model) that the claims must be about. A certificate alone needs it; a model or a "
            "package holds its own, which must be the same.",
        ),
    ] = None
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Processes to use.")] = 1


@command("check", CheckOptions, example="torquec check puma560_small", without_model=True)
def check(options: CheckOptions) -> Outcome:
    """Prove again, from the files alone, what a certificate, a model or a package of generated code claims.

    Exit status 1 where a claim is refused, and where it is about another robot than that of --robot.
    """
    from torquec.cli.worker_pool import worker_pool
    from torquec.foundation.work import Work
    from torquec.realtime.check_file import check_file
    from torquec.report.proof import check_text
    from torquec.report.result_document import ROBOT_AS_USED, as_used

    robot = None if options.of_robot is None else options.source.read(options.of_robot).robot
    with worker_pool(options.jobs) as pool:
        found = check_file(options.path, robot=robot, work=Work(executor=pool, report=step_report(progress)))
    document: dict[str, Any] = {
        "ok": found.ok,
        "kind": found.kind.value,
        "claims": [dataclasses.asdict(claim) for claim in found.claims],
        "box": None if found.box is None else dataclasses.asdict(found.box),
        "specification": found.specification,
        "precision": found.precision.value,
        "slacks": dict(found.slacks),
        "seconds": round(found.seconds, 3),
        "refused": list(found.refused),
        "claim": None if found.claim is None or not found.ok else found.claim.to_document(),
        "assumptions": list(found.assumptions),
        ROBOT_AS_USED: None if found.robot is None else as_used(found.robot),
    }
    failed = "" if found.ok else f"refused: {found.refused[0]}"
    return Outcome(document, check_text(document, str(options.path), found.claim), failed=failed)
