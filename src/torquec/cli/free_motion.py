"""`torquec simulate` of robots with a floating base, ball or planar joints: passive, or with their joints servoed."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.cli.command import Outcome
from torquec.cli.motions import MotionOptions
from torquec.cli.options import joint_values, numbers
from torquec.cli.output import progress
from torquec.errors import ArgumentError
from torquec.report.simulation import passed_limit_text
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.cli.simulate import SimulateOptions
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.simulation.free_motion import MotionRun
    from torquec.simulation.plant import Plant
    from torquec.trajectory import Trajectory

_USUAL_RATE = 1000.0  # Hz

_TAKEN = ("rate", "poles", "friction", "substeps", "effort", "csv", "qd", "deg", "seed")
"""Options of `simulate` that free motion supports, besides those of the motion and of every command."""


def moves_freely(robot: Robot) -> bool:
    """Whether the robot has a joint with several coordinates."""
    return any(joint.kind.nv > 1 for joint in robot.joints)


def free_motion(model: Model, options: SimulateOptions, plant: Plant) -> Outcome:
    """The outcome of `torquec simulate` for a robot that moves freely."""
    from torquec.simulation.free_motion import simulate_motion, write_motion

    _check_options(options)
    robot = model.robot
    period = 1.0 / (options.rate or _USUAL_RATE)
    start = joint_values(robot, options.start, "--from", degrees=options.deg)
    speed = joint_values(robot, options.qd, "--qd", degrees=options.deg)
    motion = _asked_motion(robot, options, start, period)
    pole = _pole(options)
    progress(f"simulating {robot.name} in free motion ...")
    run = simulate_motion(
        plant,
        start,
        speed,
        duration=options.duration if motion is None else None,
        trajectory=motion,
        pole=pole,
        period=period,
        substeps=options.substeps,
    )
    document = _document(model, run, period, pole)
    files: list[Path] = [] if options.csv is None else [write_motion(run, options.csv)]
    document["files"] = [str(path) for path in files]
    return Outcome(document, _text(document), tuple(files), robot=robot)


def _check_options(options: SimulateOptions) -> None:
    """Refuse the options that need a control loop of a robot on a fixed base."""
    from torquec.cli.command import CommandOptions

    shared = {field.name for kind in (CommandOptions, MotionOptions) for field in dataclasses.fields(kind)}
    for field in dataclasses.fields(options):
        if field.name in shared or field.name in _TAKEN or getattr(options, field.name) == field.default:
            continue
        raise ArgumentError(
            f"--{field.name.replace('_', '-')} is for robots on a fixed base",
            remedy="a robot with a floating base is simulated with --from, --qd, --duration, --to or --trajectory, "
            "--poles, --rate, --friction, --substeps, --effort and --csv; or fix the base: --base fixed",
        )


def _asked_motion(robot: Robot, options: SimulateOptions, start: tuple[float, ...], period: float) -> Trajectory | None:
    """The motion of the one-coordinate joints: from a file, or minimum jerk to --to; None for a passive robot."""
    from torquec.trajectory import minimum_jerk, read_trajectory

    if options.trajectory is not None:
        if options.to is not None:
            raise ArgumentError("both --to and --trajectory are given", remedy="leave out one of them")
        return read_trajectory(options.trajectory, period=period)
    if options.to is None:
        return None
    names = [joint.name for joint in robot.joints if joint.kind.nv == 1]
    goal = numbers(options.to, "--to")
    if len(goal) != len(names) or not names:
        raise ArgumentError(
            f"--to has {len(goal)} values", remedy=f"give one for each of {', '.join(names) or 'no joint'}"
        )
    if options.deg:
        turned = {each.joint.name: each.turns for each in robot.coordinates}
        goal = tuple(float(np.radians(x)) if turned[name] else x for x, name in zip(goal, names, strict=True))
    at = dict(zip(robot.position_names, start, strict=True))
    return minimum_jerk([at[name] for name in names], goal, options.duration, joints=names, period=period)


def _pole(options: SimulateOptions) -> float:
    from torquec.control.laws import USUAL_POLES

    if options.poles is None:
        return abs(USUAL_POLES)
    given = numbers(options.poles, "--poles")
    if len(given) != 1 or given[0] == 0.0:
        raise ArgumentError(f"--poles {options.poles}", remedy="give one number for all joints, as in --poles 20")
    return abs(given[0])


def _document(model: Model, run: MotionRun, period: float, pole: float) -> dict[str, Any]:
    robot, exact = model.robot, model.exact
    ends = np.ascontiguousarray(run.q[[0, -1]])
    center = exact.center_of_mass(ends)
    units = {each.name: each.position_unit for each in robot.coordinates}
    document: dict[str, Any] = {
        "robot": robot.name,
        "controller": "passive" if run.q_ref is None else "servo",
        "period": period,
        "duration": float(run.t[-1]),
        "positions": list(robot.position_names),
        "rates": list(robot.coordinate_names),
        "q": ends.tolist(),
        "qd": run.qd[[0, -1]].tolist(),
        "energy": run.energy[[0, -1]].tolist(),
        "energy_range": float(np.ptp(run.energy)),
        "momentum": run.momentum[[0, -1]].tolist(),
        "center_of_mass": center.tolist(),
        "units": {name: unit for name, unit in units.items() if name in run.joints},
        "passed_limits": [dataclasses.asdict(passed) for passed in run.passed_limits],
        "steps": run.steps,
        "steps_per_second": run.steps / run.seconds if run.seconds > 0.0 else 0.0,
    }
    if run.error is not None:
        document["pole"] = pole
        document["max_error"] = dict(zip(run.joints, np.abs(run.error).max(axis=0).tolist(), strict=True))
    return document


def _text(document: dict[str, Any]) -> str:
    units = document["units"]
    what = "passive" if "pole" not in document else f"joints servoed with poles at -{document['pole']:g} 1/s"
    rows = [["energy [J]", *(number(value, 8) for value in document["energy"])]]
    for name, part in (("linear momentum [N s]", slice(0, 3)), ("angular momentum about it [N m s]", slice(3, 6))):
        rows.append([name, *(_vector(value[part]) for value in document["momentum"])])
    rows.insert(1, ["center of mass [m]", *(_vector(value) for value in document["center_of_mass"])])
    lines = [
        f"{document['robot']} in free motion, {what}; torques held for {document['period']:g} s",
        "",
        table(["", "start", f"after {document['duration']:g} s"], rows),
    ]
    if "max_error" in document:
        errors = [[name, number(value, 4), units[name]] for name, value in document["max_error"].items()]
        lines += ["", table(["joint", "max error", "unit"], errors)]
    for passed in document["passed_limits"]:
        values = {key: passed[key] for key in ("time", "value", "limit")}
        lines.append(
            f"{passed_limit_text(passed['joint'], passed['quantity'], **values, unit=units[passed['joint']])}."
        )
    lines += ["", f"{document['steps']} steps, {document['steps_per_second']:,.0f} per second"]
    return "\n".join(lines)


def _vector(values: list[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values)
