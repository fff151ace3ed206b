"""Motions of the command line: a CSV file or the standard trajectory; joints that they lack are held still."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions
from torquec.cli.options import joint_values, option
from torquec.cli.output import progress
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.trajectory import Trajectory

STANDARD = "standard"
_STANDARD_ROBOT = "puma560"


@dataclass(frozen=True, kw_only=True)
class MotionOptions(CommandOptions):
    """The motion of a command that needs one."""

    trajectory: str | None = option(None, "The motion; 'standard' is the PUMA 560's, and its default.", metavar="CSV")
    start: str | None = option(
        None, "Start of a motion to --to.  [default: 0, or between the limits]", "--from", metavar="LIST"
    )
    to: str | None = option(None, "Move there with minimum jerk, one value per joint.", "--to", metavar="LIST")
    duration: float = option(2.0, "Duration of a motion to --to.", metavar="S")
    limits: bool = option(True, "Whether the motion must keep the robot's limits.", "--limits/--no-limits")


def asked_motion(model: Model, options: MotionOptions, period: float, *, degrees: bool) -> tuple[Model, Trajectory]:
    """The requested motion, and the model of the joints that it moves."""
    from torquec.trajectory import check_limits, minimum_jerk

    robot = model.robot
    if options.to is None:
        if options.trajectory is None and not has_standard_motion(model):
            raise ArgumentError("there is no motion", remedy="give --trajectory motion.csv, or --to with --duration")
        return read_motion(model, options.trajectory or STANDARD, period, limits=options.limits)
    if options.trajectory is not None:
        raise ArgumentError("both --to and --trajectory are given", remedy="leave out one of them")
    start = asked_start(robot, options, degrees=degrees)
    goal = joint_values(robot, options.to, "--to", degrees=degrees)
    motion = minimum_jerk(start, goal, options.duration, joints=robot.joint_names, period=period)
    if options.limits:
        check_limits(robot, motion)
    return model, motion


def asked_start(robot: Robot, options: MotionOptions, *, degrees: bool) -> tuple[float, ...]:
    """Start of a motion: `--from`, else a position within the limits."""
    from torquec.robot.state_coordinate import start_posture

    if options.start is None:
        return tuple(start_posture(robot))
    return joint_values(robot, options.start, "--from", degrees=degrees)


def has_standard_motion(model: Model) -> bool:
    """Whether the standard trajectory (Clover's, of the PUMA 560) is for this robot."""
    return model.robot.name == _STANDARD_ROBOT


def read_motion(model: Model, argument: str, period: float, *, limits: bool = True) -> tuple[Model, Trajectory]:
    """The trajectory of a CSV file, or the standard one, and the model of the joints that it moves.

    Unless `limits` is False, a motion that does not keep the robot's limits is refused.
    """
    from torquec.robot.degrees import warn_of_degrees
    from torquec.trajectory import check_limits, puma560_standard_trajectory, read_trajectory
    from torquec.trajectory.limits import text_of_degrees

    if argument == STANDARD:
        if not has_standard_motion(model):
            raise ArgumentError(
                f"the standard trajectory is the PUMA 560's, not for '{model.robot.name}'", remedy="give a CSV file"
            )
        motion = puma560_standard_trajectory(period=period)
    else:
        model = hold_missing(model, read_trajectory(argument, period=period).joints, "the trajectory")
        motion = read_trajectory(argument, joints=model.robot.joint_names, period=period)
        if text := text_of_degrees(model.robot, motion, "write radians into the file"):
            warn_of_degrees(text, argument)
    if limits:
        check_limits(model.robot, motion)
    return model, motion


def hold_missing(model: Model, moved: Iterable[str], what: str, *, at: Mapping[str, float] | None = None) -> Model:
    """The model with only the joints `moved`; the others are locked at `at`, else at zero.

    If a name is not a joint of the robot, the model stays unchanged: the reader of the motion reports the name.
    """
    from torquec.robot.lock_joints import lock_joints

    robot = model.robot
    named = set(moved)
    missing = [name for name in robot.joint_names if name not in named]
    if not missing or not named or not named <= set(robot.joint_names):
        return model
    if model.functions or model.kind.follows_program:
        raise ArgumentError(
            f"{what} says nothing about {', '.join(missing)}, and the joints of a '{model.kind}' model cannot be held",
            remedy="give all joints, or make the model from the robot with these joints locked",
        )
    positions = {name: (at or {}).get(name, 0.0) for name in missing}
    held = ", ".join(f"{name} at {value:g}" for name, value in positions.items())
    progress(f"{what} has no values for some joints, which are held still: {held}")
    return dataclasses.replace(model, robot=lock_joints(robot, positions))
