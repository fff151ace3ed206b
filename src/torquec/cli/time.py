"""`torquec time ROBOT --waypoints FILE -o FILE`: the fastest motion along a path within the robot's limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.motions import STANDARD, read_motion
from torquec.cli.options import degrees_option, force_option, joint_values, numbers, option
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.planning.joint_path import JointPath
    from torquec.planning.time_optimal import TimeOptimalMotion

STANDARD_PERIOD = 0.002  # [s] of the standard motion's samples


@dataclass(frozen=True, kw_only=True)
class TimeOptions(CommandOptions):
    """The path, and the usable shares of the limits."""

    waypoints: Path | None = option(
        None, "A CSV file of waypoints: joint positions, or x,y,z,qw,qx,qy,qz of a frame.", metavar="FILE"
    )
    path: str | None = option(
        None,
        "A CSV file of a path with many rows, such as a motion, whose timing is replaced, or 'standard'.",
        metavar="FILE",
    )
    output: Path | None = option(
        None, "The motion: t, q, qd, qdd, tau.", "--output", "-o", metavar="FILE", writes=Writes.FILE, endings=(".csv",)
    )
    effort_share: float = option(1.0, "Fraction of the torque limits that may be used.", metavar="SHARE")
    torque_reserve: str | None = option(
        None, "Torque reserve within that, one value or one per joint.  [default: 0]", metavar="LIST"
    )
    velocity_share: float = option(1.0, "Fraction of the speed limits that may be used.", metavar="SHARE")
    acceleration: str | None = option(
        None, "Largest accelerations, one value or one per joint.  [default: no limit]", metavar="LIST"
    )
    tip_speed: float | None = option(None, "Largest speed of the frame's origin [m/s].  [default: no limit]")
    frame: str | None = option(
        None, "The frame of --tip-speed and of Cartesian waypoints.  [default: the hand's]", metavar="NAME"
    )
    near: str | None = option(
        None, "Joint positions near which Cartesian waypoints start.  [default: zero, within limits]", metavar="LIST"
    )
    start_speed: float = option(0.0, "Speed along the path at its start: distance in joint space per second.")
    end_speed: float = option(0.0, "The same at its end.")
    points: int = option(1000, "Grid cells of the path.", least=10, metavar="N")
    uncertainty: Path | None = option(
        None, "A TOML file of sets: torque limits are kept by every robot in them.", metavar="FILE"
    )
    plot: Path | None = option(
        None, "Draw torques against limits, and which limit is reached.", metavar="FILE", writes=Writes.PICTURE
    )
    deg: bool = degrees_option()
    force: bool = force_option()


@command(
    "time",
    TimeOptions,
    example="torquec time puma560 --path standard -o fast.csv",
    bodies="evaluates the torque of a robot's bodies, drives and friction along a path",
)
def time(model: Model, options: TimeOptions) -> Outcome:
    """Find the fastest motion along a path within torque, speed and acceleration limits.

    The path is the spline through waypoints of the joints or of a frame. Torques include friction, drives and payload.
    Their limits are proven between the rows of the file, too; exit status 1 if that proof fails.
    """
    from torquec.control.uncertainty import load_uncertainty
    from torquec.planning.time_optimal import time_optimal
    from torquec.report.time_optimal import plot_time_optimal, time_optimal_curves, time_optimal_text
    from torquec.trajectory.csv_file import write_trajectory

    if options.output is None:
        raise ArgumentError("there is no file to write", remedy="name one: -o fast.csv")
    path = _path(model, options)
    turn = math.pi / 180.0 if options.deg else 1.0
    found = time_optimal(
        model,
        path,
        effort_share=options.effort_share,
        torque_reserve=_list(options.torque_reserve, "--torque-reserve") or 0.0,
        velocity_share=options.velocity_share,
        acceleration=_accelerations(model, options, turn),
        tip_speed=options.tip_speed,
        frame=_tip_frame(model, options),
        start_speed=options.start_speed * turn,
        end_speed=options.end_speed * turn,
        points=options.points,
        uncertainty=None if options.uncertainty is None else load_uncertainty(options.uncertainty, model),
    )
    motion = found.trajectory
    files = [write_trajectory(motion, options.output, torques=model.total_torque(motion.q, motion.qd, motion.qdd))]
    if options.plot is not None:
        files.append(plot_time_optimal(model, found, options.plot))
    document = {**_document(model, found, options), "curves": time_optimal_curves(model, found)}
    failed = "" if found.proven else "the motion is not proven to keep every limit between its rows"
    return Outcome(document, time_optimal_text(document), tuple(files), failed=failed)


def _path(model: Model, options: TimeOptions) -> JointPath:
    from torquec.planning.cartesian_path import path_through, read_path

    if (options.waypoints is None) == (options.path is None):
        raise ArgumentError("time needs one of --waypoints and --path", remedy="write --waypoints FILE")
    if options.path == STANDARD:
        return path_through(read_motion(model, STANDARD, STANDARD_PERIOD)[1])
    near = None if options.near is None else joint_values(model.robot, options.near, "--near", degrees=options.deg)
    source = options.waypoints if options.path is None else Path(options.path)
    assert source is not None
    return read_path(model, source, dense=options.path is not None, frame=options.frame, near=near)


def _document(model: Model, found: TimeOptimalMotion, options: TimeOptions) -> dict[str, Any]:
    coordinates = model.robot.coordinates
    margin = zip(coordinates, found.torque_margin.tolist(), strict=True)
    return {
        "duration": found.duration,
        "file": str(options.output),
        "plot": None if options.plot is None else str(options.plot),
        "torque_margin": {one.name: value for one, value in margin if math.isfinite(value)},
        "limiting": [
            {"from": span.start, "to": span.end, "joint": span.joint, "kind": span.kind.value}
            for span in found.limiting
        ],
        "proven": found.proven,
        "uncertainty": None if options.uncertainty is None else str(options.uncertainty),
        "rows": len(found.trajectory),
        "waypoints": len(found.path.knots),
        "limits": {
            "effort": {
                one.name: float(limit)
                for one, limit in zip(coordinates, found.limits.effort, strict=True)
                if math.isfinite(limit)
            },
            "tip_speed": options.tip_speed,
        },
    }


def _tip_frame(model: Model, options: TimeOptions) -> str | None:
    if options.tip_speed is None:
        return None
    if options.frame is not None:
        return options.frame
    from torquec.robot.gripper_joints import hand_frame

    return hand_frame(model.robot)


def _list(text: str | None, option: str) -> tuple[float, ...] | float | None:
    """One number, or a list of them."""
    if text is None:
        return None
    values = numbers(text, option)
    return values[0] if len(values) == 1 else tuple(values)


def _accelerations(model: Model, options: TimeOptions, turn: float) -> tuple[float, ...] | None:
    given = _list(options.acceleration, "--acceleration")
    if given is None:
        return None
    coordinates = model.robot.coordinates
    values = given if isinstance(given, tuple) else (given,) * len(coordinates)
    if len(values) != len(coordinates):
        raise ArgumentError(f"--acceleration has {len(values)} values", remedy=f"give 1 or {len(coordinates)}")
    return tuple(value * turn if one.turns else value for value, one in zip(values, coordinates, strict=True))
