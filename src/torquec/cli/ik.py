"""`torquec ik ROBOT`: every joint position that brings a frame to a pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import degrees_option, joint_values, listed, option
from torquec.cli.output import progress
from torquec.errors import ArgumentError
from torquec.kinematics.kinematics_task import (
    TOLERANCE_AXES,
    KinematicsTask,
    PoseObjective,
    PoseTolerance,
    tolerances_of,
)
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.kinematics.arm_poses import ArmPoses, NearestPose
    from torquec.kinematics.closed_kinematics import InverseKinematics
    from torquec.model.model import Model

_POSITION_ALONE = (
    "torquec: note: no --quaternion: only the position is reached, with any rotation (--task position); for a rotation "
    "give --quaternion W,X,Y,Z"
)


@dataclass(frozen=True, kw_only=True)
class IkOptions(CommandOptions):
    """The pose, and which of its solutions to show."""

    frame: str | None = option(None, "The frame to move to the pose.  [default: the hand's]", metavar="NAME")
    position: str | None = option(None, "Its origin in the base [m].", metavar="X,Y,Z")
    quaternion: str | None = option(
        None, "Its rotation in the base, scalar first, of any length.  [default: any rotation]", metavar="W,X,Y,Z"
    )
    task: KinematicsTask | None = option(
        None,
        "Part of the pose that is reached: all of it, position and z axis, or the position alone.  [default: pose with "
        "--quaternion, else position]",
    )
    tolerance: str | None = option(
        None,
        "Tolerances along (x, y, z) and about (rx, ry, rz) the target's axes: plus or minus, from:to, or free, such as "
        "z=0.001,rx=-0.1:0.2,rz=free.",
        metavar="LIST",
    )
    near: str | None = option(
        None,
        "A position of all joints: the nearest solution is chosen, and free joints stay there.  [default: "
        "zero, within limits]",
        metavar="LIST",
    )
    free: str | None = option(
        None,
        "The free joint of a redundant arm; it keeps its value in --near.  [default: chosen]",
        metavar="JOINT",
    )
    path: Path | None = option(
        None, "A CSV file of poses instead: t,x,y,z,qw,qx,qy,qz[,vx,..,wz[,ax,..,alz]]; needs -o.", metavar="FILE"
    )
    output: Path | None = option(
        None, "The joint trajectory of --path: t, q, qd, qdd.", "--output", "-o", metavar="FILE", writes=Writes.FILE,
        endings=(".csv",),
    )  # fmt: skip
    package: Path | None = option(
        None, "Write the inverse as a C package there; needs no pose.", metavar="DIR", writes=Writes.PACKAGE
    )
    force: bool = option(False, "Replace files of that name.", "--force")
    velocity: str | None = option(
        None, "Velocity of the frame, linear then angular: adds joint speeds.", metavar="LIST"
    )
    acceleration: str | None = option(None, "Acceleration of the frame, with --velocity.  [default: 0]", metavar="LIST")
    damping: float | None = option(
        None,
        "Bounds joint speeds near singular configurations, such as 0.05; the velocity error is shown.",
        metavar="D",
    )
    objective: PoseObjective | None = option(
        None, "Show the best solution by this objective, also over a free joint's range.  [default: the nearest]"
    )
    all: bool = option(False, "Every branch, not only the nearest.", "--all")
    deg: bool = degrees_option()


@command("ik", IkOptions, example="torquec ik puma560 --frame link6 --position 0.4,0.3,0.5 --quaternion 0,1,0,0 --all")
def ik(model: Model, options: IkOptions) -> Outcome:
    """Find the joint positions that bring a frame to a pose.

    Arms of a family ({arm families}) are solved in closed form, also with one more joint that keeps a given value
    (--near). Other arms are solved by iteration, and the output states it. Each solution has a name, a status (exact,
    singular, out of limits, out of reach) and its error in metres and radians. --deg is for inputs; outputs are in
    radians and metres. Exit status 1 if the pose is out of reach.
    """
    from torquec.kinematics.inverse_kinematics import inverse_kinematics
    from torquec.spatial import quaternion_rotation

    given = [one for one in (options.position, options.path, options.package) if one is not None]
    if len(given) != 1:
        raise ArgumentError("ik needs one of --position, --path and --package", remedy="write --position 0.4,0.3,0.5")
    if options.acceleration is not None and options.velocity is None:
        raise ArgumentError("--acceleration needs --velocity", remedy="give both, six numbers each")
    if options.damping is not None and options.velocity is None:
        raise ArgumentError("--damping needs --velocity", remedy="give the frame's velocity, six numbers")
    if options.quaternion is not None and options.position is None:
        raise ArgumentError("--quaternion needs --position", remedy="the file of a path has its rotations")
    task = _task(options)
    tolerance = _tolerance(options, task)
    whole = task if tolerance is None else KinematicsTask.POSE
    solver = inverse_kinematics(model.robot, options.frame, free=options.free, task=whole)
    near = None if options.near is None else joint_values(model.robot, options.near, "--near", degrees=options.deg)
    if options.path is not None:
        return _along_path(solver, options, near)
    if options.package is not None:
        return _as_package(solver, options)
    assert options.position is not None
    quaternion = None if task is KinematicsTask.POSITION else listed(options.quaternion or "", "--quaternion", 4)
    if options.quaternion is None and options.task is None:
        progress(_POSITION_ALONE)
    rotation = None if quaternion is None else quaternion_rotation(*quaternion)
    position = listed(options.position, "--position", 3)
    if options.objective is not None or tolerance is not None:
        return _best(model, solver, options, (rotation, position, near, tolerance))
    ways = solver(rotation, position, near=near)
    best = solver.nearest(rotation, position, near=near)
    shown = _shown(solver, ways) if options.all else [int(best.branch)]
    rates = _rates(options)
    document: dict[str, Any] = {
        **_arm(solver),
        "branches": [_branch(solver, ways, k, rates, options.damping) for k in shown],
        "nearest": ways.names[int(best.branch)],
        "task": task.value,
        "target": {"position": list(position), "quaternion": None if quaternion is None else list(quaternion)},
    }
    failed = _out_of_reach(best, solver, task)
    return Outcome(document, arm_pose_text(model.robot.name, document), failed=failed)


def _arm(solver: InverseKinematics) -> dict[str, Any]:
    """The arm in a document."""
    return {
        "method": solver.method.value,
        "family": solver.family.value,
        "frame": solver.frame,
        "joints": list(solver.robot.joint_names),
    }


def _best(model: Model, solver: InverseKinematics, options: IkOptions, pose: tuple[Any, ...]) -> Outcome:
    """The best solution by an objective, of the exact pose or of all poses within a tolerance."""
    import numpy as np

    from torquec.kinematics.arm_poses import ArmPoses, BranchStatus, NearestPose
    from torquec.kinematics.best_pose import best_pose

    rotation, position, near, tolerance = pose
    word = "--objective" if tolerance is None else "--tolerance"
    if options.all or (rotation is None and tolerance is None):
        raise ArgumentError(
            f"{word} is for one solution of a whole pose", remedy="give --quaternion and leave out --all"
        )
    objective = PoseObjective.DISTANCE if options.objective is None else options.objective
    found = best_pose(solver, rotation, position, objective=objective, near=near, tolerance=tolerance)
    status = np.array([found.status])
    ways = ArmPoses((found.name,), found.q[None], status, found.error[None])
    quaternion = None if options.quaternion is None else listed(options.quaternion, "--quaternion", 4)
    document: dict[str, Any] = {
        **_arm(solver),
        "branches": [_branch(solver, ways, 0, _rates(options), options.damping)],
        "nearest": found.name,
        "objective": {"name": objective.value, "value": found.value},
        "task": _task(options).value,
        "target": {"position": list(position), "quaternion": None if quaternion is None else list(quaternion)},
    }
    if tolerance is not None:
        document["tolerance"] = {
            name: [end if math.isfinite(end) else None for end in getattr(tolerance, name)]
            for name in tolerance.freedom
        }
        document["offset"] = dict(zip(TOLERANCE_AXES, found.offset.tolist(), strict=True))
        document["decided"] = found.decided
    nearest = NearestPose(found.q, np.array(0), status[0], found.error)
    failed = _out_of_reach(nearest, solver, KinematicsTask.POSE)
    if tolerance is not None and found.status & (BranchStatus.OUT_OF_REACH | BranchStatus.OUT_OF_LIMITS):
        failed = _not_within(nearest, solver, decided=found.decided)
    text = f"{arm_pose_text(model.robot.name, document)}\n{objective.value}: {number(found.value)}"
    return Outcome(document, text, failed=failed)


def _not_within(best: NearestPose, solver: InverseKinematics, *, decided: bool) -> str:
    """Why no solution within a tolerance was found, and what that proves."""
    missed = f"the nearest solution misses {best.error[0]:.3g} m and {best.error[1]:.3g} rad"
    why = "no pose within the tolerance is reached within the joint limits"
    if not decided:
        why = "the search found no pose within the tolerance and the joint limits; one may exist"
    return (
        f"frame '{solver.frame}': {why}: {missed}\n  remedy: give larger tolerances, or another reference with --near"
    )


def _tolerance(options: IkOptions, task: KinematicsTask) -> PoseTolerance | None:
    """The tolerances of a pose and the freedom of its task; raises `ArgumentError` where they contradict each other."""
    if options.tolerance is None:
        return None
    if options.position is None:
        raise ArgumentError("--tolerance goes with --position", remedy="paths and packages are of exact poses only")
    found = tolerances_of(options.tolerance, degrees=options.deg)
    free = {KinematicsTask.POSE: (), KinematicsTask.AXIS: ("rz",), KinematicsTask.POSITION: ("rx", "ry", "rz")}[task]
    for name in free:
        if found.get(name, math.inf) != math.inf:
            raise ArgumentError(
                f"--tolerance {name} with the task '{task.value}', which leaves {name} free",
                remedy="give --quaternion without --task, or leave it out",
            )
        found[name] = math.inf
    return PoseTolerance(**found)


def _task(options: IkOptions) -> KinematicsTask:
    """Tolerances and objective of a pose; raises `ArgumentError` where the options contradict each other."""
    if options.position is None:
        if options.task not in (None, KinematicsTask.POSE):
            raise ArgumentError("--task goes with --position", remedy="paths and packages support whole poses only")
        return KinematicsTask.POSE
    if options.task is None:
        return KinematicsTask.POSITION if options.quaternion is None else KinematicsTask.POSE
    if options.task is KinematicsTask.POSITION and options.quaternion is not None:
        raise ArgumentError("--task position with --quaternion", remedy="leave out one of them")
    if options.task is not KinematicsTask.POSITION and options.quaternion is None:
        raise ArgumentError(f"--task {options.task.value} without --quaternion", remedy="add --quaternion W,X,Y,Z")
    return options.task


def _out_of_reach(best: NearestPose, solver: InverseKinematics, task: KinematicsTask) -> str:
    """Why the exit status is 1: no branch reaches the target; empty where one does."""
    from torquec.kinematics.arm_poses import BranchStatus
    from torquec.kinematics.closed_kinematics import KinematicsMethod

    if not int(best.status) & BranchStatus.OUT_OF_REACH:
        return ""
    missed = f"the nearest solution misses {best.error[0]:.3g} m"
    missed += "" if task is KinematicsTask.POSITION else f" and {best.error[1]:.3g} rad"
    remedies = ["a position nearer to the base"]
    if solver.free is not None:
        remedies.insert(0, f"another value of joint '{solver.free}' with --near")
    elif solver.method is KinematicsMethod.NUMERIC:
        remedies.insert(0, "other joint positions to start from with --near")
    found = f"the {task.value} of frame '{solver.frame}' is out of reach: {missed}"
    return f"{found}\n  remedy: give {', or '.join(remedies)}"


def _as_package(solver: InverseKinematics, options: IkOptions) -> Outcome:
    """The inverse as C."""
    from torquec.kinematics.kinematics_package import write_kinematics_package

    assert options.package is not None
    files = write_kinematics_package(solver, options.package, force=options.force)
    document = {
        "method": solver.method.value,
        "family": solver.family.value,
        "frame": solver.frame,
        "names": list(solver.names),
        "files": [path.name for path in files],
    }
    how = f"{solver.method.value}, {len(solver.names)} branches"
    text = f"{solver.robot.name}: inverse kinematics of '{solver.frame}', {how}"
    return Outcome(document, text, tuple(files))


def _along_path(solver: InverseKinematics, options: IkOptions, near: Any) -> Outcome:
    """A path of poses into a joint trajectory."""
    import numpy as np

    from torquec.kinematics.arm_poses import BranchStatus
    from torquec.trajectory.csv_file import read_pose_path, write_trajectory
    from torquec.trajectory.polynomial_motion import spline_motion
    from torquec.trajectory.trajectory import Trajectory

    if options.output is None:
        raise ArgumentError("--path needs --output", remedy="add -o trajectory.csv")
    if options.all or options.velocity is not None:
        raise ArgumentError("--all and --velocity are for one pose", remedy="the file of a path has its velocities")
    path = read_pose_path(options.path)  # type: ignore[arg-type]
    tracked = solver.track(path.rotation, path.position, start=near)
    if path.velocity is None:
        ends = np.zeros((2, tracked.q.shape[1]))
        state = spline_motion(path.t, tracked.q, ends, ends).at(path.t)
        qd, qdd = state.qd, state.qdd
    else:
        rates = solver.rates(tracked.q, path.velocity, path.acceleration)
        qd, qdd = rates.qd, rates.qdd
    joints = solver.robot.joint_names
    written = write_trajectory(Trajectory(joints, path.t, tracked.q, qd, qdd), options.output)
    counts = {
        word: int(((tracked.status & flag) != 0).sum())
        for word, flag in (
            ("singular", BranchStatus.SINGULAR),
            ("out of limits", BranchStatus.OUT_OF_LIMITS),
            ("out of reach", BranchStatus.OUT_OF_REACH),
        )
    }
    named = [solver.names[int(k)] for k in tracked.branch]
    document: dict[str, Any] = {
        **_arm(solver),
        "poses": len(path.t),
        "branches": list(dict.fromkeys(named)),
        "status": counts,
        "error": {"position": float(tracked.error[:, 0].max()), "rotation": float(tracked.error[:, 1].max())},
        "jumps": tracked.jumps.tolist(),
        "file": str(written),
    }
    bad = [f"{count} poses {word}" for word, count in counts.items() if count and word != "singular"]
    if len(tracked.jumps):
        bad.append(f"jumps before poses {', '.join(map(str, tracked.jumps[:5].tolist()))}")
    lines = [f"{len(path.t)} poses of frame '{solver.frame}', {solver.method.value}: {', '.join(document['branches'])}"]
    lines += [f"{count} {word}" for word, count in counts.items() if count]
    return Outcome(document, "\n".join(lines), files=(written,), failed="; ".join(bad))


def _rates(options: IkOptions) -> list[tuple[float, ...]]:
    """Velocity and acceleration of the frame, the angular parts in radians; empty if none is requested."""
    if options.velocity is None:
        return []
    given = ((options.velocity, "--velocity"), (options.acceleration or "0,0,0,0,0,0", "--acceleration"))
    rates = [listed(text, name, 6) for text, name in given]
    return [(*row[:3], *map(math.radians, row[3:])) if options.deg else row for row in rates]


def _shown(solver: InverseKinematics, ways: ArmPoses) -> list[int]:
    """Indices of the branches to show: all named ones, and the further solutions of a calibrated arm that exist."""
    from torquec.kinematics.arm_poses import BranchStatus

    named = len(solver.closed.names)
    return [k for k in range(len(ways.names)) if k < named or not ways.status[k] & BranchStatus.OUT_OF_REACH]


def _branch(
    solver: InverseKinematics, ways: ArmPoses, k: int, rates: list[tuple[float, ...]], damping: float | None
) -> dict[str, Any]:
    from torquec.kinematics.arm_poses import status_words

    found = solver.rates(ways.q[k], *rates, damping=damping) if rates else None
    missed = None if found is None or damping is None else found.missed.tolist()
    return {
        "name": ways.names[k],
        "q": ways.q[k].tolist(),
        "qd": None if found is None else found.qd.tolist(),
        "qdd": None if found is None else found.qdd.tolist(),
        "manipulability": None if found is None else float(found.manipulability),
        "velocity_missed": None if missed is None else {"linear": missed[0], "angular": missed[1]},
        "status": status_words(int(ways.status[k])),
        "error": {"position": float(ways.error[k, 0]), "rotation": float(ways.error[k, 1])},
    }


def arm_pose_text(name: str, document: Mapping[str, Any]) -> str:
    """The document of `torquec ik` as a table."""
    branches = document["branches"]
    rows = [[joint, *(number(branch["q"][k]) for branch in branches)] for k, joint in enumerate(document["joints"])]
    for key, title in (("qd", "speed of"), ("qdd", "acceleration of")):
        if branches[0][key] is not None:
            rows += [
                [f"{title} {joint}", *(number(branch[key][k]) for branch in branches)]
                for k, joint in enumerate(document["joints"])
            ]
    heads = [str(k + 1) for k in range(len(branches))]
    how = ", ".join(document[key] for key in ("method", "family") if document[key] != "none")
    lines = [f"{name}, frame '{document['frame']}': {how} (rad, m, s)"]
    target = document["target"]
    shown = [f"{key} ({', '.join(map(number, target[key]))})" for key in ("position", "quaternion") if target[key]]
    about = {"pose": "", "axis": ", any turn about its z axis", "position": ", any rotation"}[document["task"]]
    lines += [f"target: {', '.join(shown)}{about}"]
    if tolerance := document.get("tolerance"):
        parts = [
            f"{name} {number(document['offset'][name])} "
            + ("(free)" if low is None else f"({number(low)} to {number(high)})")
            for name, (low, high) in tolerance.items()
            if target["quaternion"] or not name.startswith("r")
        ]
        lines.append(f"offset: {', '.join(parts)}")
    lines.append("")
    lines += [table(["joint", *heads], rows), ""]
    for head, branch in zip(heads, branches, strict=True):
        missed = ""
        if "out of reach" in branch["status"]:
            error = branch["error"]
            missed = f", misses {number(error['position'])} m and {number(error['rotation'])} rad"
        if (short := branch["velocity_missed"]) is not None:
            missed += f", velocity missed by {number(short['linear'])} m/s and {number(short['angular'])} rad/s"
        mark = "  <- nearest" if branch["name"] == document["nearest"] else ""
        lines.append(f"{head}  {branch['name']}: {', '.join(branch['status'])}{missed}{mark}")
    return "\n".join(lines)
