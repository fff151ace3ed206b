"""`torquec new ROBOT`: a commented project file for a robot."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.cli.output import progress, tell_written
from torquec.errors import RobotError

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.project.project import Project
    from torquec.robot.robot import Robot

_SNAPPED = 0.3
"""Largest part of an allowed torque error that snapped angles may use."""

_UNSNAPPED = "right angles would change torques by more than it allows"

_PROVEN = 7
"""Number of joints up to which simplified models and plans are proven in a minute or two."""

_TOLD = 4
"""Number of warnings of a robot's file printed in full."""


@dataclass(frozen=True, kw_only=True)
class NewOptions(CommandOptions):
    """Output file, robot and logs of the new project."""

    output: Path | None = option(
        None,
        "The file to write.  [default: NAME.project.toml]",
        "--output",
        "-o",
        metavar="PROJECT.toml",
        writes=Writes.FILE,
        endings=(".toml",),
    )
    log: list[Path] | None = option(None, "A log to identify the robot from; repeat for more.", metavar="LOG")
    force: bool = force_option()


@command(
    "new",
    NewOptions,
    example="torquec new planar2r -o planar2r.project.toml",
    bodies="writes a project about a robot's bodies",
)
def new(model: Model, options: NewOptions) -> Outcome:
    """Write a commented project file for a robot, for `torquec run`.

    Speeds, torques and a motion are chosen for the robot. The file states the given payloads, locked joints and
    gravity. It locks joints that move no inertia, and gripper joints if the robot has more joints than proofs support.
    """
    from torquec.cli.files import check_target
    from torquec.codegen.identifiers import prefix_identifier
    from torquec.foundation.writing import write_files
    from torquec.project.project_text import project_text
    from torquec.project.read_project import parse_project
    from torquec.robot import classics

    name = prefix_identifier(Path(options.source.argument).name.partition(".")[0])
    path = options.output or Path(f"{name}.project.toml")
    if options.output is None:
        check_target(path, Writes.FILE, force=options.force)
    source = options.source
    argument = source.argument if source.argument in classics.names() else _seen_from(path, Path(source.argument))
    logs = [_seen_from(path, log) for log in options.log or []]
    robot = _with_gripper_locked(_with_idle_joints_locked(model.robot))
    text = project_text(robot, argument=argument, logs=logs, gravity=source.gravity is not None)
    if not source.snap or source.strict:
        flags = "".join(f"{key} = {value}\n" for key, value in (("snap", "false"),) if not source.snap)
        flags += "strict = true\n" if source.strict else ""
        text = text.replace("seed = 0", f"{flags}seed = 0", 1)
    project = parse_project(text, path)  # raises if `torquec run` could not read it
    if _needs_unsnapped(project):
        text = text.replace("seed = 0", f"snap = false  # {_UNSNAPPED}\nseed = 0", 1)
        project = parse_project(text, path)
        progress(f"torquec: the project takes the angles of {source.argument} as they are written: {_UNSNAPPED}")
    _tell_of_warnings(project.robot, source.argument)
    write_files({path: text}, force=options.force)
    document = {"robot": project.robot.name, "joints": list(project.robot.joint_names), "files": [str(path)]}
    tell_written([path])  # before the hint on how to run it
    return Outcome(document, f"next: torquec run {path} -o {name}_run", (), robot=project.robot)


def _needs_unsnapped(project: Project) -> bool:
    """Whether taking angles as right angles uses up too much of the torque errors that the project allows."""
    from torquec.proof.torque.snap_bound import snap_bound

    specification = project.specification
    if specification is None or not project.robot.canonical.snaps:
        return False
    allowed = [joint.torque_error for joint in specification.joints]
    try:
        taken = snap_bound(project.robot, specification.motions)
    except RobotError:  # no bound exists
        return True
    return any(limit is not None and part > _SNAPPED * limit for part, limit in zip(taken, allowed, strict=True))


def _with_idle_joints_locked(robot: Robot) -> Robot:
    """The robot with joints that move no inertia locked."""
    from torquec.robot.inertialess import inertialess_joint_names
    from torquec.robot.lock_joints import lock_joints
    from torquec.robot.state_coordinate import start_posture

    idle = inertialess_joint_names(robot)
    if not idle or len(idle) == robot.n:  # the dynamics report what is missing
        return robot
    progress(
        f"torquec: warning: {robot.source}: there is no inertia at {', '.join(idle)}, which the project locks; "
        "to free a joint, give the bodies beyond it an inertia about its axis, or the joint a rotor"
    )
    place = dict(zip(robot.joint_names, start_posture(robot), strict=True))
    return lock_joints(robot, {name: place[name] for name in idle})


def _with_gripper_locked(robot: Robot) -> Robot:
    """The robot with its gripper joints locked, if it otherwise depends on more positions than proofs support."""
    from torquec.robot.gripper_joints import gripper_joints
    from torquec.robot.lock_joints import lock_joints
    from torquec.robot.state_coordinate import start_posture

    fingers = gripper_joints(robot) if robot.n > _PROVEN else ()
    if not fingers:
        return robot
    progress(
        f"torquec: the project locks {', '.join(fingers)}: proofs support about {_PROVEN} positions, and a "
        "gripper changes little; to free a joint, remove it from [lock]"
    )
    place = dict(zip(robot.joint_names, start_posture(robot), strict=True))
    return lock_joints(robot, {name: place[name] for name in fingers})


def _tell_of_warnings(robot: Robot, argument: str) -> None:
    """Print the first warnings about the robot's file: they affect numbers of the project."""
    from torquec.dynamics.rotorless_joints import rotorless_text

    found = [warning for warning in robot.warnings if not warning.is_warned_of_by_load]
    for warning in found[:_TOLD]:
        progress(f"torquec: warning: {warning.where}: {warning.text}")
    rotorless = rotorless_text(robot)
    if rotorless:
        progress(f"torquec: warning: {argument}: {rotorless}")
    if len(found) > _TOLD:
        progress(f"torquec: and {len(found) - _TOLD} more warnings: torquec info {argument}")


def _seen_from(project: Path, file: Path) -> str:
    """Path of a file relative to the folder of the project."""
    return Path(os.path.relpath(file, project.parent)).as_posix()
