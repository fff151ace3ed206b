"""`torquec identify ROBOT LOG...`: the parameters of the real robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.check_log import LogsArgument, MapOption, read_logs
from torquec.cli.excite import refuse_existing
from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import number, print_json, progress, table
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.identification.estimate import Estimate, LogError

EXAMPLE = "torquec identify planar2r simulated --cutoff 10 --urdf identified.urdf"


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
        typer.Option(help="consistent, entropic, ridge (with a prior); weighted, ordinary, huber, total (without)."),
    ] = "consistent",
    friction: Annotated[
        str | None,
        typer.Option(
            help="none, viscous, symmetric, offset, directional, stribeck, load.  [default: offset or load, by "
            "cross-validation]"
        ),
    ] = None,
    rotors: Annotated[
        bool | None,
        typer.Option("--rotors/--no-rotors", help="Seek rotor inertias.  [default: by cross-validation]"),
    ] = None,
    strength: Annotated[
        float | None, typer.Option(help="Weight of the prior, in samples.  [default: by cross-validation]")
    ] = None,
    columns: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with further columns (gas springs, recorded ones).")
    ] = None,
    log_map: MapOption = None,
    urdf: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the identified robot as URDF.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw measured and predicted torques of the last log.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Identify base parameters and friction from logs, with their uncertainty, and say whether to trust them."""
    from torquec.identification.identify import IdentifyOptions, Method
    from torquec.identification.identify import identify as fit
    from torquec.identification.plot_torques import plot_torques
    from torquec.identification.torque_columns import FrictionModel, read_columns
    from torquec.robot import write_urdf
    from torquec.trajectory.log_map import read_log_map

    for name, kinds, what in ((method, Method, "method"), (friction, FrictionModel, "friction model")):
        if name is not None and name not in tuple(kinds):
            raise ArgumentError(f"there is no {what} '{name}'", remedy=f"there are {', '.join(kinds)}")
    for target in (urdf, plot):
        if target is not None:
            refuse_existing(target, force=force)
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    training = read_logs(loaded, logs, log_map)
    others = read_logs(loaded, validate or [], log_map)
    coupled = None if log_map is None else read_log_map(log_map).transmission
    progress(f"identifying {loaded.name} from {sum(len(log) for log in training)} samples ...")
    estimate = fit(
        loaded,
        training,
        validate=others,
        options=IdentifyOptions(
            method=Method(method),
            friction=None if friction is None else FrictionModel(friction),
            cutoff=cutoff,
            rotors=rotors,
            strength=strength,
            columns=() if columns is None else read_columns(columns),
            transmission=coupled,
        ),
    )
    files = [] if urdf is None else [str(path) for path in write_urdf(estimate.robot, urdf)]
    if plot is not None:
        files.append(str(plot_torques(estimate, (others or training)[-1], plot)))
    if json:
        print_json(describe(estimate) | {"files": files})
        return
    typer.echo(_text(estimate))
    if files:
        typer.echo("\nwritten:\n" + "\n".join(f"  {path}" for path in files))
    if urdf is not None and estimate.unbound:
        typer.echo(f"not in the URDF, which has no words for them: {', '.join(estimate.unbound)}")


def describe(estimate: Estimate) -> dict[str, Any]:
    """The JSON document of `torquec identify`."""
    return {
        "robot": estimate.model.robot.name,
        "parameters": [
            {"name": p.name, "value": p.value, "std": p.std, "significant": p.significant} for p in estimate.parameters
        ],
        "rmse": estimate.rmse,
        "relative_error": estimate.relative_error,
        "cross_validation_error": estimate.validation_error,
        "condition": estimate.condition,
        "unit_condition": estimate.unit_condition,
        "physically_consistent": estimate.physically_consistent,
        "method": estimate.estimator,
        "friction": str(estimate.model.friction),
        "rotors": bool(estimate.model.robot.drives.motors),
        "strength": estimate.strength,
        "cutoff": estimate.cutoff,
        "verdict": estimate.verdict,
        "not_in_urdf": list(estimate.unbound),
        "notes": list(estimate.notes),
        "training": [_error(error) for error in estimate.training],
        "validation": [_error(error) for error in estimate.validation],
    }


def _error(error: LogError) -> dict[str, Any]:
    return {
        "file": error.file,
        "rmse": error.rmse,
        "relative_error": error.relative_error,
        "average": error.average,
        "std": error.std,
        "max": error.largest,
        "min": error.smallest,
    }


def _text(estimate: Estimate) -> str:
    rows = [[p.name, number(p.value), number(p.std, 2), "yes" if p.significant else "no"] for p in estimate.parameters]
    lines = [table(["parameter", "value", "std", "significant"], rows), ""]
    errors = [
        [error.file, kind, f"{error.relative_error:.2%}", *(number(value, 3) for value in error.rmse.values())]
        for kind, group in (("fitted", estimate.training), ("predicted", estimate.validation))
        for error in group
    ]
    joints = [f"{joint} [Nm]" for joint in estimate.model.robot.joint_names]
    lines += [table(["log", "", "|e|/|tau|", *joints], errors, left=2), ""]
    prior = "" if estimate.strength is None else f", prior worth {number(estimate.strength)} samples"
    consistent = "physically consistent" if estimate.physically_consistent else "not physically consistent"
    lines.append(
        f"method {estimate.estimator}, friction {estimate.model.friction}, cut-off {number(estimate.cutoff, 3)} Hz"
        + prior
    )
    lines.append(
        f"relative error {estimate.relative_error:.2%}, cross-validated {estimate.validation_error:.2%}; "
        f"condition {number(estimate.condition, 4)}; {consistent}"
    )
    lines.append(estimate.verdict)
    return "\n".join(lines)
