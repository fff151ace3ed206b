"""`torquec excite ROBOT -o FILE`: a motion to record for identification."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import number, print_json, progress
from torquec.errors import ArgumentError

EXAMPLE = "torquec excite planar2r -o excite.csv --evaluations 200"


def excite(
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The CSV file to write.")],
    duration: Annotated[float, typer.Option(help="Length of the motion [s].")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Harmonics of the Fourier series.")] = 5,
    acceleration: Annotated[
        float | None, typer.Option(help="Largest acceleration of any joint.  [default: no limit]")
    ] = None,
    criterion: Annotated[str, typer.Option(help="What to optimise: condition or determinant.")] = "condition",
    evaluations: Annotated[int, typer.Option(help="How many motions to try.")] = 3000,
    period: Annotated[float, typer.Option(help="Sampling interval of the file [s].")] = 0.005,
    seed: Annotated[int, typer.Option(help="Another seed gives another motion.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Design a motion, within the robot's limits, from which its parameters can be told apart."""
    from torquec.identification.excitation import Criterion, ExcitationOptions, excitation
    from torquec.trajectory.csv_file import write_trajectory

    refuse_existing(output, force=force)
    if criterion not in tuple(Criterion):
        raise ArgumentError(f"there is no criterion '{criterion}'", remedy=f"there are {', '.join(Criterion)}")
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    progress(f"searching a motion for {loaded.name} ...")
    found = excitation(
        loaded,
        options=ExcitationOptions(
            duration=duration,
            harmonics=harmonics,
            acceleration=math.inf if acceleration is None else acceleration,
            criterion=Criterion(criterion),
            evaluations=evaluations,
            seed=seed,
            period=period,
        ),
    )
    file = write_trajectory(found.trajectory, output)
    document = {
        "condition": found.condition,
        "unit_condition": found.unit_condition,
        "duration": duration,
        "limits_kept": found.limits_kept,
        "file": str(file),
    }
    if json:
        print_json(document)
        return
    kept = "every limit is kept" if found.limits_kept else "limits are NOT kept"
    typer.echo(
        f"{file}: {duration:g} s, condition number {number(found.condition, 4)} "
        f"({number(found.unit_condition, 4)} with unit columns), {kept}"
    )


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise `ArgumentError` where a file would be overwritten without `--force`."""
    if path.exists() and not force:
        raise ArgumentError("this file exists already", where=str(path), remedy="name another, or add --force")
