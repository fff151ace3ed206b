"""`torquec check-log ROBOT LOG...`: what is wrong with a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import print_json

if TYPE_CHECKING:
    from torquec.robot.robot import Robot
    from torquec.trajectory.log import Log

EXAMPLE = "torquec check-log planar2r simulated"

SIMULATED = "simulated"

LogsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOG...",
        help="CSV or npz files (t, q1.., tau1.., perhaps dq1.., or joint names), or the word simulated.",
    ),
]
MapOption = Annotated[
    Path | None, typer.Option("--map", metavar="FILE", help="A TOML file that says what the log's columns mean.")
]


def check_log(
    robot: RobotArgument,
    logs: LogsArgument,
    log_map: MapOption = None,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Look for missing rows, gaps, wrong signs, order, units and gravity; exit status 1 if a log cannot be used."""
    from torquec.identification.check_log import check_log as findings_of
    from torquec.trajectory.log import Severity

    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    documents: list[dict[str, Any]] = []
    for log in read_logs(loaded, logs, log_map):
        found = findings_of(loaded, log)
        documents.append(
            {
                "file": log.source,
                "samples": len(log),
                "duration": log.duration,
                "rate": 1.0 / log.period,
                "joints": list(log.joints),
                "usable": not any(finding.severity is Severity.ERROR for finding in found),
                "findings": [
                    {
                        "kind": str(finding.kind),
                        "severity": str(finding.severity),
                        "column": finding.column,
                        "rows": None if finding.rows is None else list(finding.rows),
                        "text": finding.text,
                    }
                    for finding in found
                ],
            }
        )
        if not json:
            typer.echo(f"{log.source}: {len(log)} samples, {log.duration:.3g} s at {1.0 / log.period:.4g} Hz")
            for finding in found:
                typer.echo(f"  {finding}")
            if not found:
                typer.echo("  nothing to report")
    if json:
        print_json({"logs": documents})
    if not all(document["usable"] for document in documents):
        raise typer.Exit(1)


def read_logs(robot: Robot, paths: list[Path], log_map: Path | None) -> list[Log]:
    """The logs of a command line, all with the same map; `simulated` stands for a log of the robot's own model."""
    from torquec.identification.simulated_log import simulated_log
    from torquec.trajectory.log_map import read_log_map
    from torquec.trajectory.read_log import read_log

    meaning = None if log_map is None else read_log_map(log_map)
    return [
        simulated_log(robot) if str(path) == SIMULATED else read_log(path, robot, log_map=meaning) for path in paths
    ]
