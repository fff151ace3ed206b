"""`torquec identify ROBOT LOG...`: the parameters of the real robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.check_log import SIMULATED, LogsArgument, MapOption, read_logs
from torquec.cli.excite import refuse_existing
from torquec.cli.identify_document import Findings, describe, text
from torquec.cli.identify_files import refuse_directory, robot_of, write_results
from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import print_json, progress
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.identification.identify_options import IdentifyOptions
    from torquec.identification.result.estimate import Estimate
    from torquec.robot.robot import Robot
    from torquec.trajectory.log import Log

EXAMPLE = "torquec identify planar2r simulated --cutoff 10 --urdf identified.urdf"

_SHOWN_ROWS = 100_000
"""Of a log in pieces, this many rows are drawn."""


def identify(
    robot: RobotArgument,
    logs: LogsArgument,
    validate: Annotated[
        list[Path] | None, typer.Option(metavar="LOG", help="A log that is only predicted (give it again for more).")
    ] = None,
    cutoff: Annotated[
        float | None, typer.Option(metavar="HZ", help="Cut-off of the low pass.  [default: from the data]")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="consistent, entropic, ridge (with a prior); weighted, ordinary, huber, total, instrumental (without)."
        ),
    ] = "consistent",
    friction: Annotated[
        str | None,
        typer.Option(
            help="none, viscous, symmetric, offset, directional, stribeck, load or curved.  "
            "[default: by cross-validation]"
        ),
    ] = None,
    rotors: Annotated[
        bool | None,
        typer.Option("--rotors/--no-rotors", help="Seek rotor inertias.  [default: by cross-validation]"),
    ] = None,
    strength: Annotated[
        float | None, typer.Option(help="Weight of the prior, in samples.  [default: by cross-validation]")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Go on where the logs excite only a part of the parameters.")
    ] = False,
    columns: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with further columns (gas springs, recorded ones).")
    ] = None,
    log_map: MapOption = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Read the logs piece by piece (as files are that would not fit into memory)."),
    ] = False,
    eliminate: Annotated[
        bool,
        typer.Option(
            "--eliminate",
            help="Also drop parameters below 1 % of the largest torque, one by one, and print both tables (Izaguirre "
            "et al.); simulated then means ten short runs.",
        ),
    ] = False,
    payload: Annotated[
        list[Path] | None,
        typer.Option(
            "--payload-log",
            metavar="LOG",
            help="A log of the loaded robot: identify its payload (give it again for more).",
        ),
    ] = None,
    frame: Annotated[
        str | None, typer.Option(metavar="NAME", help="The frame that carries the payload.  [default: the last link's]")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A CSV file of published combinations: expression, value, std.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Write report, pictures, URDF, C with self-tests and the document."
        ),
    ] = None,
    urdf: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the identified robot as URDF.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw measured and predicted torques of the last log.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print statistics of the residuals and correlated parameters, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Identify base parameters and friction from logs, with their uncertainty, and say whether to trust them."""
    from torquec.identification.estimators.method import Method
    from torquec.identification.identify import identify as fit
    from torquec.identification.identify_options import IdentifyOptions, Reading
    from torquec.identification.open_logs import is_read_in_pieces
    from torquec.identification.torque.torque_columns import FrictionModel, read_columns
    from torquec.trajectory.log_map import read_log_map

    for name, kinds, what in ((method, Method, "method"), (friction, FrictionModel, "friction model")):
        if name is not None and name not in tuple(kinds):
            raise ArgumentError(f"there is no {what} '{name}'", remedy=f"there are {', '.join(kinds)}")
    if frame is not None and not payload:
        raise ArgumentError("--frame without --payload-log", remedy="give --payload-log a log of the loaded robot")
    for target in (urdf, plot):
        if target is not None:
            refuse_existing(target, force=force)
    if output is not None:
        refuse_directory(output, force=force)
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    options = IdentifyOptions(
        method=Method(method),
        friction=None if friction is None else FrictionModel(friction),
        cutoff=cutoff,
        rotors=rotors,
        strength=strength,
        columns=() if columns is None else read_columns(columns),
        transmission=None if log_map is None else read_log_map(log_map).transmission,
        partial=partial,
        reading=Reading.PIECES if stream else Reading.BY_MEMORY,
    )
    heavy: list[Log] = []
    if any(is_read_in_pieces(path, loaded, options) for path in (*logs, *(validate or []))):
        whole = {"--eliminate": eliminate, "--payload-log": bool(payload), "--compare": compare is not None}
        estimate, training, others = _streamed(loaded, logs, validate or [], log_map, options, whole=whole)
    else:
        training = _training(loaded, logs, log_map, runs=eliminate)
        others = read_logs(loaded, validate or [], log_map)
        heavy = read_logs(loaded, payload or [], log_map)
        progress(f"identifying {loaded.name} from {sum(len(log) for log in training)} samples ...")
        estimate = fit(loaded, training, validate=others, options=options)
    findings = _further(estimate, training, heavy, eliminate=eliminate, frame=frame, compare=compare)
    files = _written(findings, training, others, output=output, urdf=urdf, plot=plot)
    if json:
        print_json(describe(findings) | {"files": files})
        return
    typer.echo(text(findings, details=details))
    if files:
        typer.echo("\nwritten:\n" + "\n".join(f"  {path}" for path in files))
        if estimate.unbound:
            typer.echo(f"in no robot file, which has no words for them: {', '.join(estimate.unbound)}")
        if not estimate.realization.physically_consistent:
            remedy = " (--method consistent finds one)" if _has_masses(loaded) else ""
            typer.echo(f"no URDF: no robot that could be built has these parameters{remedy}")


def _has_masses(robot: Robot) -> bool:
    """Whether every body has a mass, which the methods with a prior need."""
    return all(float(body.inertia.m) > 0.0 for body in robot.bodies)


def _training(robot: Robot, logs: list[Path], log_map: Path | None, *, runs: bool) -> list[Log]:
    """The logs to fit; for elimination, `simulated` alone stands for ten runs."""
    if runs and [str(path) for path in logs] == [SIMULATED]:
        from torquec.identification.elimination import simulated_runs

        return simulated_runs(robot)
    return read_logs(robot, logs, log_map)


def _streamed(
    robot: Robot,
    logs: list[Path],
    others: list[Path],
    log_map: Path | None,
    options: IdentifyOptions,
    *,
    whole: dict[str, bool],
) -> tuple[Estimate, list[Log], list[Log]]:
    """The estimate from files in pieces, and the beginnings of the files, for pictures and the self-test in C."""
    from torquec.identification.identify import identify as fit
    from torquec.trajectory.log_map import read_log_map
    from torquec.trajectory.read_log import read_log_chunks

    meaning = None if log_map is None else read_log_map(log_map)
    for option, given in whole.items():
        if given:
            raise ArgumentError(f"{option} with logs in pieces", remedy="give shorter logs, without --stream")
    if SIMULATED in map(str, (*logs, *others)):
        raise ArgumentError(f"'{SIMULATED}' is no file to read in pieces", remedy="leave out --stream")
    if meaning is not None and meaning.estimate_delay:
        raise ArgumentError(
            "estimate_delay with logs in pieces",
            where=str(log_map),
            remedy="find the delay with check-log on a shorter log, and give it in the map (delay = seconds)",
        )
    progress(f"identifying {robot.name}, piece by piece ...")
    estimate = fit(robot, logs, validate=others, log_map=meaning, options=options)
    shown = [
        [next(read_log_chunks(path, robot, log_map=meaning, rows=_SHOWN_ROWS)) for path in paths]
        for paths in (logs, others)
    ]
    return estimate, shown[0], shown[1]


def _further(
    estimate: Estimate, logs: list[Log], heavy: list[Log], *, eliminate: bool, frame: str | None, compare: Path | None
) -> Findings:
    """What was asked for beside the estimate."""
    from torquec.identification.elimination import log_elimination
    from torquec.identification.payload import identify_payload
    from torquec.identification.result.comparison import compare_estimate, read_combinations

    return Findings(
        estimate,
        log_elimination(estimate, logs) if eliminate else None,
        identify_payload(estimate, heavy, frame=frame) if heavy else None,
        None if compare is None else compare_estimate(estimate, logs, read_combinations(compare, estimate.model)),
    )


def _written(
    findings: Findings, logs: list[Log], others: list[Log], *, output: Path | None, urdf: Path | None, plot: Path | None
) -> list[str]:
    """The files that were asked for."""
    from torquec.identification.result.prediction import predict
    from torquec.report.prediction_plots import plot_prediction
    from torquec.robot import write_urdf

    files: list[Path] = []
    estimate = findings.estimate
    # What can fail comes first: nothing is written for a robot that has no URDF.
    bound = None if urdf is None else robot_of(estimate, where=str(urdf))
    if output is not None:
        progress(f"writing {output} ...")
        files += write_results(output, findings, logs, others, describe(findings))
    if plot is not None:
        files.append(plot_prediction(predict(estimate, (others or logs)[-1], fitted=not others), plot))
    if urdf is not None and bound is not None:
        files += write_urdf(bound, urdf)
    return [str(path) for path in files]
