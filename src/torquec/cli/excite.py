"""`torquec excite ROBOT -o FILE`: a motion to record for identification; with --log, how well logs excite."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.check_log import MapOption, read_logs
from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import number, print_json, progress, table
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.identification.excitation import Excitation, ExcitationOptions
    from torquec.identification.excitation.log_excitation import LogExcitation
    from torquec.robot.robot import Robot

EXAMPLE = "torquec excite planar2r -o excite.csv --evaluations 200"

_SAID_EVERY = 500
_TIGHT = 6


def excite(
    robot: RobotArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The CSV file to write: t, q, qd, qdd, tau.")
    ] = None,
    duration: Annotated[float, typer.Option(help="Length of the motion [s].")] = 10.0,
    shape: Annotated[str, typer.Option(help="What the motion is made of: fourier or spline.")] = "fourier",
    harmonics: Annotated[int, typer.Option(help="Harmonics of the Fourier series.")] = 5,
    waypoints: Annotated[int, typer.Option(help="Way-points of the spline.")] = 12,
    acceleration: Annotated[
        float | None, typer.Option(help="Largest acceleration of any joint.  [default: no limit]")
    ] = None,
    floor: Annotated[
        float | None, typer.Option(metavar="Z", help="No frame goes below this height [m].  [default: no floor]")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file of planes, boxes and distances to keep.")
    ] = None,
    criterion: Annotated[
        str, typer.Option(help="What to optimise: condition, unit-condition or determinant.")
    ] = "condition",
    friction: Annotated[
        str | None,
        typer.Option(
            help="Friction to excite: none, viscous, symmetric, offset, curved, directional.  [default: none]"
        ),
    ] = None,
    evaluations: Annotated[int, typer.Option(help="How many motions to try.")] = 3000,
    period: Annotated[float, typer.Option(help="Sampling interval of the file [s].")] = 0.005,
    seed: Annotated[int, typer.Option(help="Another seed gives another motion.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw positions and speeds against limits, and the search.")
    ] = None,
    log: Annotated[
        list[Path] | None,
        typer.Option(metavar="LOG", help="Design nothing: say how well this log excites (give it again for more)."),
    ] = None,
    log_map: MapOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Design a motion, within the robot's limits, from which its parameters can be told apart."""
    from torquec.identification.excitation import Criterion, ExcitationOptions, MotionShape, Plane, read_workspace
    from torquec.identification.torque.torque_columns import FrictionModel

    for target in (output, plot):
        if target is not None:
            refuse_existing(target, force=force)
    for word, kinds, what in (
        (criterion, Criterion, "criterion"),
        (shape, MotionShape, "shape"),
        (friction or "none", FrictionModel, "friction model"),
    ):
        if word not in tuple(kinds):
            raise ArgumentError(f"there is no {what} '{word}'", remedy=f"there are {', '.join(kinds)}")
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    if log:
        columns = FrictionModel.OFFSET if friction is None else FrictionModel(friction)
        _say_how_excited(loaded, log, log_map, columns, json=json)
        return
    if output is None:
        raise ArgumentError("there is no file to write", remedy="name one: -o excite.csv, or give a log: --log LOG")
    rules = () if workspace is None else read_workspace(workspace)
    options = ExcitationOptions(
        duration=duration,
        harmonics=harmonics,
        acceleration=math.inf if acceleration is None else acceleration,
        criterion=Criterion(criterion),
        evaluations=evaluations,
        seed=seed,
        period=period,
        shape=MotionShape(shape),
        waypoints=waypoints,
        friction=FrictionModel(friction or "none"),
        rules=rules if floor is None else (*rules, Plane(offset=floor)),
    )
    _design(loaded, options, output, plot, json=json)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise `ArgumentError` where a file would be overwritten without `--force`."""
    if path.exists() and not force:
        raise ArgumentError("this file exists already", where=str(path), remedy="name another, or add --force")


def _design(robot: Robot, options: ExcitationOptions, output: Path, plot: Path | None, *, json: bool) -> None:
    """Search, write, draw, tell."""
    from torquec.identification.excitation import Criterion, excitation
    from torquec.identification.extras import need
    from torquec.model.model import compile
    from torquec.report.excitation_plot import plot_excitation
    from torquec.trajectory.csv_file import write_trajectory

    # What would fail after the search fails before it.
    for target in (output, plot):
        if target is not None and not target.absolute().parent.is_dir():
            raise ArgumentError("there is no such folder", where=str(target.parent), remedy="make it, or name another")
    if plot is not None:
        need("matplotlib", "drawing a motion", extra="plot")
    progress(f"searching a motion for {robot.name} ...")
    said = [0]

    def report(done: int, cost: float) -> None:
        if done - said[0] >= _SAID_EVERY:
            said[0] = done
            what = "-log det / b" if options.criterion is Criterion.DETERMINANT else str(options.criterion)
            value = cost if options.criterion is Criterion.DETERMINANT else math.exp(cost)
            progress(f"  {done} of {options.evaluations} motions: {what} {number(value, 4)}")

    found = excitation(robot, options=options, report=report)
    motion = found.trajectory
    torques = compile(robot).total_torque(motion.q, motion.qd, motion.qdd)
    file = write_trajectory(motion, output, torques=torques)
    drawn = None if plot is None else plot_excitation(robot, found, plot, criterion=options.criterion)
    if json:
        print_json(
            {
                "condition": found.condition,
                "unit_condition": found.unit_condition,
                "duration": options.duration,
                "limits_kept": found.limits_kept,
                "file": str(file),
                "plot": None if drawn is None else str(drawn),
                "shape": str(options.shape),
                "criterion": str(options.criterion),
                "evaluations": options.evaluations,
                "parameters": list(found.parameters),
                "limits": found.shares,
                "assumed": list(found.assumed),
            }
        )
        return
    typer.echo(_text(found, options, file))
    if found.assumed:
        typer.echo(f"assumed, where the robot's file has no limits: {', '.join(found.assumed)}")
    if drawn is not None:
        typer.echo(f"drawn: {drawn}")


def _text(found: Excitation, options: ExcitationOptions, file: Path) -> str:
    kept = "every limit is kept, proved for every instant" if found.limits_kept else "limits are NOT kept"
    tight = sorted(found.shares.items(), key=lambda item: -item[1])[:_TIGHT]
    return (
        f"{file}: {options.duration:g} s, {len(found.parameters)} parameters, condition number "
        f"{number(found.condition, 4)} ({number(found.unit_condition, 4)} with unit columns), {kept}\n\n"
        + table(["tightest limits", "used"], [[name, f"{share:.1%}"] for name, share in tight])
    )


def _say_how_excited(robot: Robot, paths: list[Path], log_map: Path | None, friction: Any, *, json: bool) -> None:
    from torquec.identification.excitation.log_excitation import log_excitation

    found = log_excitation(robot, read_logs(robot, paths, log_map), friction=friction)
    if json:
        print_json(
            {
                "logs": [str(path) for path in paths],
                "samples": found.samples,
                "cutoff": found.cutoff,
                "condition": found.condition,
                "unit_condition": found.unit_condition,
                "parameters": [
                    {
                        "name": p.name,
                        "value": p.value,
                        "std": p.deviation,
                        "relative_std": p.relative_deviation,
                        "independence": p.independence,
                        "contribution": p.contribution,
                        "uncertainty": p.uncertainty,
                        "rating": str(p.rating),
                    }
                    for p in found.parameters
                ],
            }
        )
        return
    typer.echo(_excitation_table(found))


def _excitation_table(found: LogExcitation) -> str:
    rows = [
        [
            p.name,
            number(p.value, 4),
            _percent(p.relative_deviation),
            f"{p.independence:.3f}",
            f"{p.contribution:.2%}",
            f"{p.uncertainty:.2%}" if math.isfinite(p.uncertainty) else "-",
            str(p.rating),
        ]
        for p in found.parameters
    ]
    counts = {rating: sum(p.rating == rating for p in found.parameters) for rating in ("good", "fair", "poor")}
    header = ["parameter", "value", "std", "independence", "of torque", "its std", "excited"]
    return (
        f"{table(header, rows)}\n\n{found.samples} samples, cut-off {number(found.cutoff, 3)} Hz, condition number "
        f"{number(found.condition, 4)} ({number(found.unit_condition, 4)} with unit columns)\n"
        f"{counts['good']} parameters known to 10 % (or 1 % of the torque), {counts['fair']} to 50 % (or 5 %), "
        f"{counts['poor']} worse, "
        f"{len(found.parameters) - sum(counts.values())} not excited"
    )


def _percent(relative: float) -> str:
    """A relative deviation; beyond the value itself it says no more than that."""
    return f"{relative:.1%}" if relative <= 1.0 else ">100%"
