"""`torquec identify ROBOT LOG...`: the parameters of the real robot."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.check_log import logs_argument, map_option, read_logs
from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import SIMULATED, Reads, Writes, need_extra
from torquec.cli.options import force_option, option
from torquec.cli.output import progress, step_report
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.project.identify_document import describe
from torquec.report.tables import number

if TYPE_CHECKING:
    from torquec.identification.file_fits import FileFits
    from torquec.identification.floating_base import MotionEstimate
    from torquec.identification.identify_options import IdentifyOptions
    from torquec.identification.open_logs import LogOrPath
    from torquec.identification.result.estimate import Estimate
    from torquec.model.model import Model
    from torquec.report.identification_text import Findings
    from torquec.robot.robot import Robot
    from torquec.trajectory.log import Log

_TAKEN = ("logs", "cutoff", "friction", "rotors", "urdf", "force")
"""Options of `identify` of a robot with a floating base, besides those of every command."""
_STANDSTILL = 0.01
"""Speed [rad/s or m/s] below which stiction may hold a joint; no model predicts its torque then."""


@dataclass(frozen=True, kw_only=True)
class IdentifyCommandOptions(CommandOptions):
    """The logs, the options of the fit, and the files to write."""

    logs: list[Path] = logs_argument()
    validate: list[Path] | None = option(
        None, "A log that is only predicted (repeat for more).", metavar="LOG", reads=Reads.LOGS
    )
    cutoff: float | None = option(None, "Cut-off of the low pass.  [default: from the data]", metavar="HZ")
    method: str = option("consistent", "One of {methods}.")
    friction: str | None = option(None, "One of {friction models}.  [default: by cross-validation]", metavar="MODEL")
    rotors: bool | None = option(
        None, "Estimate rotor inertias.  [default: by cross-validation]", "--rotors/--no-rotors"
    )
    strength: float | None = option(None, "Weight of the prior, in samples.  [default: by cross-validation]")
    memory: bool = option(
        True,
        "Try friction with memory (Dahl), too; code has it as total_torque_step, MJCF omits it.",
        "--memory/--no-memory",
    )
    partial: bool = option(False, "Continue if the logs excite only a part of the parameters.", "--partial")
    fit_gravity: bool = option(
        False, "Fit the direction of gravity, too: for a robot on a tilted base, a wall or a ceiling.", "--fit-gravity"
    )
    skip_standstill: bool = option(
        False, "Ignore rows in which no joint is faster than 0.01 rad/s or m/s.", "--skip-standstill"
    )
    columns: Path | None = option(
        None, "A TOML file with further columns (gas springs, recorded ones).", metavar="FILE"
    )
    log_map: Path | None = map_option()
    stream: bool = option(False, "Stream the logs (default for files that do not fit into memory).", "--stream")
    eliminate: bool = option(
        False,
        "Also drop parameters below 1 % of the largest torque, one by one, and print both tables (Izaguirre et al.); "
        "simulated then means ten short runs.",
        "--eliminate",
    )
    payload_log: list[Path] | None = option(
        None, "A log of the loaded robot: identify its payload (repeat for more).", metavar="LOG", reads=Reads.LOGS
    )
    frame: str | None = option(None, "The frame that carries the payload.  [default: the last link's]", metavar="NAME")
    compare: Path | None = option(None, "A CSV file of published combinations: expression, value, std.", metavar="FILE")
    output: Path | None = option(
        None,
        "Write report, URDF, MJCF, model, C with self-tests and the document.",
        "--output",
        "-o",
        metavar="DIR",
        writes=Writes.FOLDER,
    )
    urdf: Path | None = option(
        None,
        "Write the identified robot into its URDF, drives beside it.",
        metavar="FILE",
        writes=Writes.FILE,
        endings=(".urdf",),
    )
    mjcf: Path | None = option(
        None, "Write the identified robot as MJCF, for MuJoCo.", metavar="FILE", writes=Writes.FILE, endings=(".xml",)
    )
    plot: Path | None = option(
        None, "Draw measured and predicted torques of the last log.", metavar="FILE", writes=Writes.PICTURE
    )
    details: bool = option(False, "Print statistics of the residuals and correlated parameters, too.", "--details")
    jobs: int = option(1, "Processes for streamed files, one per file.", least=1, metavar="N")
    force: bool = force_option()


@command(
    "identify",
    IdentifyCommandOptions,
    example="torquec identify planar2r simulated --cutoff 10 --urdf identified.urdf",
    bodies="estimates the parameters of a robot's bodies",
    extra="identify",
)
def identify(model: Model, options: IdentifyCommandOptions) -> Outcome:
    """Identify base parameters and friction from logs, with their uncertainty, and say whether to trust them."""
    from torquec.cli.free_motion import moves_freely
    from torquec.cli.worker_pool import worker_pool
    from torquec.foundation.work import Work
    from torquec.identification.identify import identify as fit
    from torquec.project.identify_files import logs_to_fit, shown_logs
    from torquec.report.identification_text import identification_text
    from torquec.trajectory.log import Log
    from torquec.trajectory.log_map import read_log_map

    robot = model.robot
    if moves_freely(robot):
        return identify_floating(robot, options)
    how = _options(options)
    if how.method.needs_prior or any((options.output, options.urdf, options.mjcf)):
        need_extra("identify", "fitting physically consistent bodies", also=("clarabel",))
    sources = _training(robot, options, how)
    predicted = logs_to_fit(robot, options.validate or [], options.log_map, how, progress)
    size = "piece by piece"
    if not _check_pieces(options, [*sources, *predicted]):
        size = f"from {sum(len(log) for log in sources if isinstance(log, Log))} samples"
    loaded = read_logs(robot, options.payload_log or [], options.log_map)
    progress(f"identifying {robot.name}, {size} ...")
    meaning = None if options.log_map is None else read_log_map(options.log_map)
    with worker_pool(options.jobs) as pool:
        work = Work(executor=pool, report=step_report())
        estimate = fit(robot, sources, validate=predicted, log_map=meaning, options=how, work=work)
    training, others = (shown_logs(robot, logs, options.log_map) for logs in (sources, predicted))
    findings = _further(estimate, training, loaded, options)
    fits = None
    if options.output is not None or options.urdf is not None or options.mjcf is not None:
        fits = _fits(estimate, robot, sources, training, options)
        findings = dataclasses.replace(findings, files=fits)
    files = _written(findings, fits, (training, others), options)
    lines = [identification_text(findings, details=options.details)]
    if files and estimate.unbound:
        lines.append(f"fitted without, in every file but the report: {', '.join(estimate.unbound)}")
    if files and not estimate.realization.physically_consistent:
        remedy = " (--method consistent finds one)" if _has_masses(robot) else ""
        lines.append(f"no URDF and no MJCF: no physically consistent robot has these parameters{remedy}")
    document = describe(findings) | {"files": [str(path) for path in files]}
    return Outcome(document, "\n".join(lines), tuple(files))


def _options(options: IdentifyCommandOptions) -> IdentifyOptions:
    """Options of the fit; raises `ArgumentError` for unknown words and for options that need another one."""
    from torquec.identification.estimators.method import Method
    from torquec.identification.identify_options import IdentifyOptions, Reading
    from torquec.identification.torque.friction_law import FrictionModel
    from torquec.identification.torque.torque_columns import read_columns
    from torquec.trajectory.log_map import read_log_map

    method = chosen(Method, options.method, "method")
    friction = None if options.friction is None else chosen(FrictionModel, options.friction, "friction model")
    if options.frame is not None and not options.payload_log:
        raise ArgumentError("--frame without --payload-log", remedy="give --payload-log a log of the loaded robot")
    return IdentifyOptions(
        method=method,
        friction=friction,
        cutoff=options.cutoff,
        rotors=options.rotors,
        strength=options.strength,
        columns=() if options.columns is None else read_columns(options.columns),
        transmission=None if options.log_map is None else read_log_map(options.log_map).transmission,
        partial=options.partial,
        memory=options.memory,
        fit_gravity=options.fit_gravity,
        slowest=_STANDSTILL if options.skip_standstill else 0.0,
        reading=Reading.PIECES if options.stream else Reading.BY_MEMORY,
    )


def _has_masses(robot: Robot) -> bool:
    """Whether every body has a mass, which the methods with a prior need."""
    return all(float(body.inertia.m) > 0.0 for body in robot.bodies)


def _training(robot: Robot, options: IdentifyCommandOptions, how: IdentifyOptions) -> Sequence[LogOrPath]:
    """The logs to fit; for elimination, `simulated` alone stands for ten runs."""
    if options.eliminate and [str(path) for path in options.logs] == [SIMULATED]:
        from torquec.papers.simulated_runs import simulated_runs

        return simulated_runs(robot)
    from torquec.project.identify_files import logs_to_fit

    return logs_to_fit(robot, options.logs, options.log_map, how, progress)


def _check_pieces(options: IdentifyCommandOptions, sources: Sequence[LogOrPath]) -> bool:
    """Whether any log is read in pieces; raises `ArgumentError` for options that need whole logs, or logs in pieces."""
    from torquec.trajectory.log import Log

    in_pieces = not all(isinstance(log, Log) for log in sources)
    whole = {
        "--eliminate": options.eliminate,
        "--payload-log": bool(options.payload_log),
        "--compare": options.compare is not None,
    }
    for word, given in whole.items():
        if given and in_pieces:
            raise ArgumentError(f"{word} with logs in pieces", remedy="give shorter logs, without --stream")
    if options.jobs > 1 and not in_pieces:
        raise ArgumentError("--jobs with logs that are read whole", remedy="add --stream, or leave out --jobs")
    return in_pieces


def _further(estimate: Estimate, logs: list[Log], loaded: list[Log], options: IdentifyCommandOptions) -> Findings:
    """Requested results besides the estimate."""
    from torquec.identification.payload import identify_payload
    from torquec.identification.result.comparison import compare_estimate, read_combinations
    from torquec.papers.elimination import log_elimination
    from torquec.report.identification_text import Findings

    compared = None
    if options.compare is not None:
        compared = compare_estimate(estimate, logs, read_combinations(options.compare, estimate.model))
    return Findings(
        estimate,
        log_elimination(estimate, logs) if options.eliminate else None,
        identify_payload(estimate, loaded, frame=options.frame) if loaded else None,
        compared,
    )


def _fits(
    estimate: Estimate, robot: Robot, sources: Sequence[LogOrPath], training: list[Log], options: IdentifyCommandOptions
) -> FileFits:
    """The estimate, refitted with the terms of each requested file; raises first if a file cannot be written."""
    from torquec.identification.file_fits import fit_files
    from torquec.project.identify_files import robot_of
    from torquec.trajectory.log_map import read_log_map

    for path in (options.urdf, options.mjcf):
        if path is not None:
            robot_of(estimate, where=str(path))
    mujoco = options.mjcf is not None or (options.output is not None and estimate.realization.physically_consistent)
    progress("fitting each file with the terms that its format supports ...")
    return fit_files(
        estimate,
        robot,
        sources,
        training,
        log_map=None if options.log_map is None else read_log_map(options.log_map),
        options=_options(options),
        mujoco=mujoco,
    )


def _written(
    findings: Findings, fits: FileFits | None, logs: tuple[list[Log], list[Log]], options: IdentifyCommandOptions
) -> list[Path]:
    """Write the requested files."""
    from torquec.identification.result.prediction import predict
    from torquec.project.identify_files import write_mjcf_of, write_results, write_urdf_of
    from torquec.report.identification import plot_prediction

    files: list[Path] = []
    estimate, (training, others) = findings.estimate, logs
    if options.output is not None and fits is not None:
        progress(f"writing {options.output} ...")
        files += write_results(options.output, findings, fits, logs, describe(findings))
    if options.plot is not None:
        files.append(plot_prediction(predict(estimate, (others or training)[-1], fitted=not others), options.plot))
    if options.urdf is not None and fits is not None:
        files += write_urdf_of(fits, options.urdf, force=options.force)
    if options.mjcf is not None and fits is not None:
        files += write_mjcf_of(fits, options.mjcf, force=options.force)
    return files


def identify_floating(robot: Robot, options: IdentifyCommandOptions) -> Outcome:
    """The outcome for a robot with a floating base (:mod:`torquec.identification.floating_base`)."""
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
    document = _floating_document(found) | {"files": [str(path) for path in files]}
    return Outcome(document, _floating_text(document), tuple(files))


def _floating_document(found: MotionEstimate) -> dict[str, Any]:
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


def _floating_text(document: dict[str, Any]) -> str:
    samples, rows = document["samples"], len(document["rows"])
    wide = max(len(each["name"]) for each in document["parameters"])
    lines = [f"{len(document['parameters'])} parameters from {samples} samples, {rows} rows each"]
    lines += [
        f"  {each['name']:<{wide}}  {number(each['value']):>11}  +- {number(each['std'])}"
        for each in document["parameters"]
    ]
    lines += ["", "residual (root mean square) of every row [N or N m]"]
    lines += [f"  {name:<{wide}}  {number(value):>11}" for name, value in document["rmse"].items()]
    built = "" if document["physically_consistent"] else "; no physically consistent robot has these parameters"
    lines.append(f"\nrelative error {document['relative_error']:.2%}, condition {document['condition']:.3g}{built}")
    return "\n".join(lines)
