"""`torquec payload ROBOT`: the largest mass in the hand, by torque limits, tracking guarantee and linear stability."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import Outcome, command
from torquec.cli.motions import MotionOptions, asked_motion
from torquec.cli.options import degrees_option, numbers, option
from torquec.cli.output import step_report
from torquec.errors import ArgumentError
from torquec.report.tables import lower_bound

if TYPE_CHECKING:
    from torquec.model.model import Model

_RATE = 1000.0  # [Hz] usual rate of torque-controlled arms


@dataclass(frozen=True, kw_only=True)
class PayloadOptions(MotionOptions):
    """Location of the mass, motion of the robot, and control law."""

    trajectory: str | None = option(
        None,
        "Carry the mass along this motion; 'standard' is the PUMA 560's.  [default: at rest, over the workspace]",
        "--motion",
        "--trajectory",
        metavar="CSV",
    )
    workspace: bool = option(False, "Hold the mass at rest anywhere within the joint limits.", "--workspace")
    frame: str | None = option(None, "The frame that carries it.  [default: the hand's]", metavar="NAME")
    centre: str | None = option(None, "Its centre in that frame [m].  [default: the origin]", metavar="X,Y,Z")
    uncertainty: Path | None = option(None, "Other uncertainty of the robot (docs/guarantee.md).", metavar="TOML")
    within: float | None = option(None, "The guarantee must be at most this [rad or m].", metavar="ERROR")
    poles: str | None = option(None, "Poles of computed torque [1/s].  [default: {usual poles}]", metavar="LIST")
    rate: float = option(_RATE, "Calls of the controller per second.", metavar="HZ")
    evaluation: str = option(
        "measured", "State at which the law evaluates its model: measured or reference.", metavar="WHERE"
    )
    effort: float = option(1.0, "Use only this fraction of the torque limits.", metavar="SHARE")
    deg: bool = degrees_option()


@command("payload", PayloadOptions, example="torquec payload puma560 --workspace")
def payload(model: Model, options: PayloadOptions) -> Outcome:
    """Find the largest mass that the robot may carry.

    The answer is the smallest of three limits, each with its joint and its reason: drive torques, including friction;
    the tracking guarantee of computed torque with the mass unknown (along a motion); stability of the linear loop. Over
    the workspace, the torque limit is proven for every configuration at rest within the joint limits, or only sampled;
    the output states which. Collisions are not checked.
    """
    from torquec.control.payload_limits import payload_limits
    from torquec.control.uncertainty import load_uncertainty
    from torquec.foundation.work import Work
    from torquec.project.law_choice import LawChoice

    moves = options.trajectory is not None or options.to is not None
    if moves and options.workspace:
        raise ArgumentError("both a motion and --workspace are given", remedy="leave out one of them")
    law = LawChoice(poles=options.poles, rate=options.rate)
    motion = None
    if moves:
        model, motion = asked_motion(model, options, law.period, degrees=options.deg)
    robot = model.robot
    if not 0.0 < options.effort <= 1.0:
        raise ArgumentError(f"--effort {options.effort:g}", remedy="give a share of the limits, as in --effort 0.5")
    found = payload_limits(
        model,
        motion,
        poles=[(pair.first, pair.second) for pair in law.pairs(robot).pairs],
        period=law.period,
        frame=options.frame,
        centre=(0.0, 0.0, 0.0) if options.centre is None else _three(options.centre),
        uncertainty=None if options.uncertainty is None else load_uncertainty(options.uncertainty, model),
        evaluation=options.evaluation,
        efforts=[options.effort * joint.limits.effort for joint in robot.joints],
        largest_error=options.within,
        work=Work(report=step_report()),
    )
    document = {**found.to_document(), "where": "motion" if moves else "workspace"}
    return Outcome(document, payload_text(robot.name, document), robot=robot)


def _three(text: str) -> tuple[float, ...]:
    values = numbers(text, "--centre")
    if len(values) != 3:
        raise ArgumentError(f"--centre {text}", remedy="give three numbers: --centre 0,0,0.1")
    return tuple(values)


def payload_text(robot: str, document: dict[str, Any]) -> str:
    """The document in words: the answer, then each limit and its reason."""
    answer, limits = document["answer"], document["limits"]
    where = f"'{document['frame']}', " + ("along the motion" if document["where"] == "motion" else "anywhere at rest")
    if answer["kg"] is None:
        lines = [f"{robot}: nothing limits a mass at {where}"]
    else:
        lines = [f"{robot}: at most {lower_bound(answer['kg'], 3)} kg at {where}: by {answer['by']}"]
    for name, limit in limits.items():
        mass = "-" if limit["kg"] is None else f"{lower_bound(limit['kg'], 3)} kg"
        how = f" ({document['standing']})" if name == "torque" else ""
        lines.append(f"  {name:9}  {mass:>10}{how}: {limit['reason']}")
    return "\n".join(lines)
