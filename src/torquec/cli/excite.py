"""`torquec excite ROBOT -o FILE`: a motion to record for identification; with --log, how well logs excite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.cli.check_log import map_option, read_logs
from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.cli.output import step_report
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen

if TYPE_CHECKING:
    from torquec.identification.excitation.excitation_options import ExcitationOptions
    from torquec.model.model import Model
    from torquec.robot.robot import Robot


@dataclass(frozen=True, kw_only=True)
class ExciteOptions(StochasticOptions):
    """The motion to design, or the logs to assess."""

    output: Path | None = option(
        None,
        "The CSV file to write: t, q, qd, qdd, tau.",
        "--output",
        "-o",
        metavar="FILE",
        writes=Writes.FILE,
        endings=(".csv",),
    )
    duration: float = option(10.0, "Length of the motion [s].")
    shape: str = option("fourier", "Kind of the motion: fourier or spline.")
    harmonics: int = option(5, "Harmonics of the Fourier series.")
    waypoints: int = option(12, "Way-points of the spline.")
    acceleration: float | None = option(None, "Largest acceleration of any joint.  [default: no limit]")
    effort: float = option(
        0.8, "Use only this fraction of the torque limits with the masses of the file.", metavar="SHARE"
    )
    uncertainty: float = option(
        0.2,
        "Keep torque limits for all robots whose masses and friction are wrong by up to this fraction.",
        metavar="SHARE",
    )
    floor: float | None = option(
        None, "No frame goes below this height [m].  [default: 0, the base plane]", metavar="Z"
    )
    no_floor: bool = option(False, "Frames may go below the base plane.", "--no-floor")
    workspace: Path | None = option(None, "A TOML file of planes, boxes and distances to keep.", metavar="FILE")
    criterion: str = option("condition", "What to optimise: condition, unit-condition or determinant.")
    friction: str | None = option(None, "Friction to excite: {friction to excite}.  [default: none]", metavar="MODEL")
    evaluations: int = option(3000, "How many motions to try.")
    period: float = option(0.005, "Sampling interval of the file [s].")
    plot: Path | None = option(
        None, "Draw positions and speeds against limits, and the search.", metavar="FILE", writes=Writes.PICTURE
    )
    log: list[Path] | None = option(
        None, "Design nothing; report how well this log excites the parameters (repeat for more).", metavar="LOG"
    )
    log_map: Path | None = map_option()
    jobs: int = option(1, "Processes to use; the motion is the same.", least=1, metavar="N")
    force: bool = force_option()


@command(
    "excite",
    ExciteOptions,
    example="torquec excite planar2r -o excite.csv --evaluations 200",
    bodies="tells the parameters of a robot's bodies apart",
    extra="identify",
)
def excite(model: Model, options: ExciteOptions) -> Outcome:
    """Design an exciting motion for identification, within the robot's limits."""
    wanted = _wanted(model.robot, options)
    if options.log:
        return _judged(model, options)
    if options.output is None:
        raise ArgumentError("there is no file to write", remedy="name one: -o excite.csv, or give a log: --log LOG")
    return _designed(model, wanted, options.output, options)


def _wanted(robot: Robot, options: ExciteOptions) -> ExcitationOptions:
    from torquec.identification.excitation.excitation_options import Criterion, ExcitationOptions, MotionShape
    from torquec.identification.excitation.workspace import Plane, read_workspace, stands_upright
    from torquec.identification.torque.friction_law import FrictionModel

    if options.no_floor and options.floor is not None:
        raise ArgumentError("--floor and --no-floor", remedy="give the one or the other")
    floor = None if options.no_floor else options.floor
    if floor is None and not options.no_floor and stands_upright(robot):
        floor = 0.0
    rules = () if options.workspace is None else read_workspace(options.workspace)
    return ExcitationOptions(
        duration=options.duration,
        harmonics=options.harmonics,
        acceleration=math.inf if options.acceleration is None else options.acceleration,
        criterion=chosen(Criterion, options.criterion, "criterion"),
        evaluations=options.evaluations,
        seed=options.seed,
        period=options.period,
        shape=chosen(MotionShape, options.shape, "shape"),
        waypoints=options.waypoints,
        friction=chosen(FrictionModel, options.friction or "none", "friction model"),
        rules=rules if floor is None else (*rules, Plane(offset=floor)),
        effort=options.effort,
        uncertainty=options.uncertainty,
    )


def _designed(model: Model, options: ExcitationOptions, output: Path, given: ExciteOptions) -> Outcome:
    """Search for the motion, write it, draw it and report its excitation."""
    from torquec.cli.worker_pool import worker_pool
    from torquec.foundation.work import Work
    from torquec.identification.excitation.excitation import excitation
    from torquec.identification.excitation.workspace import Plane
    from torquec.report.excitation import excitation_text, plot_excitation
    from torquec.trajectory.csv_file import write_trajectory

    robot, plot = model.robot, given.plot
    with worker_pool(given.jobs) as pool:
        found = excitation(robot, options=options, work=Work(executor=pool, report=step_report()))
    motion = found.trajectory
    files = [write_trajectory(motion, output, torques=model.total_torque(motion.q, motion.qd, motion.qdd))]
    if plot is not None:
        files.append(plot_excitation(robot, found, plot, criterion=options.criterion))
    document = {
        "condition": found.condition,
        "unit_condition": found.unit_condition,
        "duration": options.duration,
        "limits_kept": found.limits_kept,
        "file": str(output),
        "plot": None if plot is None else str(plot),
        "shape": str(options.shape),
        "criterion": str(options.criterion),
        "evaluations": options.evaluations,
        "parameters": list(found.parameters),
        "limits": found.shares,
        "assumed": list(found.assumed),
        "effort": options.effort,
        "uncertainty": options.uncertainty,
        "floor": next((rule.offset for rule in reversed(options.rules) if isinstance(rule, Plane)), None),
    }
    return Outcome(document, excitation_text(document), tuple(files))


def _judged(model: Model, options: ExciteOptions) -> Outcome:
    """Excitation of the parameters by logs."""
    from torquec.identification.excitation.log_excitation import log_excitation
    from torquec.identification.torque.friction_law import FrictionModel
    from torquec.report.excitation import log_excitation_text

    paths = options.log or []
    friction = chosen(FrictionModel, options.friction or "offset", "friction model")
    found = log_excitation(model.robot, read_logs(model.robot, paths, options.log_map), friction=friction)
    document = {
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
    return Outcome(document, log_excitation_text(found))
