"""`torquec simulate ROBOT`: a controller on a robot along a motion, and how well it keeps to it."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.design import ControllerKind, LawOptions, make, parse_poles, read_motion
from torquec.cli.options import (
    DegreesOption,
    GravityOption,
    JsonOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    joint_values,
    read_robot,
)
from torquec.cli.output import number, print_json, progress, table
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.robot.robot import Robot
    from torquec.simulation.closed_loop import LoopOptions, SimulationResult
    from torquec.simulation.plant import Plant
    from torquec.trajectory import Trajectory

EXAMPLE = "torquec simulate puma560 --controller computed-torque --rate 500 --resolution 1e-4"

_STANDARD = "puma560"
_ONE_TURN = 2.0 * math.pi
"""An error that no controlled joint has."""


class SimulatedLaw(StrEnum):
    """The controllers that can be simulated: those of `torquec design`, and none."""

    POLE_PLACEMENT = "pole-placement"
    COMPUTED_TORQUE = "computed-torque"
    DIAGONAL = "diagonal"
    PD = "pd"
    PID = "pid"
    LQR = "lqr"
    OPEN_LOOP = "open-loop"
    OPEN_LOOP_GRAVITY = "open-loop-gravity"


class FrictionChoice(StrEnum):
    """Coulomb friction of the simulated robot; see `torquec.simulation.plant`."""

    NONE = "none"
    SMOOTH = "smooth"
    SIGN = "sign"
    STICK = "stick"


def simulate(
    robot: RobotArgument,
    controller: Annotated[SimulatedLaw, typer.Option(help="Which law.")] = SimulatedLaw.COMPUTED_TORQUE,
    poles: Annotated[str, typer.Option(metavar="LIST", help="Poles [1/s], as in torquec design.")] = "-12+45j",
    rate: Annotated[float, typer.Option(metavar="HZ", help="How often the controller is called.")] = 500.0,
    trajectory: Annotated[
        str | None,
        typer.Option(metavar="CSV", help="The motion; 'standard' is the PUMA 560's, and its default."),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="LIST", help="Where a motion to --to begins.  [default: 0]")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="LIST", help="Move there with minimum jerk, one value per joint.")
    ] = None,
    duration: Annotated[float, typer.Option(metavar="S", help="How long a motion to --to takes.")] = 2.0,
    plant: Annotated[
        str | None,
        typer.Option(metavar="ROBOT", help="The robot that really moves; the controller still believes in ROBOT."),
    ] = None,
    payload: Annotated[
        str | None, typer.Option(metavar="FRAME:KG", help="A point mass in the hand that the controller ignores.")
    ] = None,
    friction: Annotated[FrictionChoice, typer.Option(help="Coulomb friction near rest.")] = FrictionChoice.STICK,
    resolution: Annotated[
        float, typer.Option(metavar="STEP", help="Encoder resolution [rad or m]; speeds are then differences.")
    ] = 0.0,
    noise: Annotated[float, typer.Option(metavar="STD", help="Noise of measured positions [rad or m].")] = 0.0,
    delay: Annotated[int, typer.Option(metavar="SAMPLES", help="Measurements arrive late.")] = 0,
    substeps: Annotated[int, typer.Option(help="Integration steps per control interval.")] = 2,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Adaptive integration; with --friction smooth or none.")
    ] = False,
    limits: Annotated[
        bool, typer.Option("--limits/--no-limits", help="Whether the motion must keep the robot's limits.")
    ] = True,
    runs: Annotated[int, typer.Option(help="With more than one: repeat with parameters scattered by --spread.")] = 1,
    spread: Annotated[float, typer.Option(help="Relative deviation of inertias and friction in --runs.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Of noise and scatter.")] = 0,
    frame: Annotated[
        str | None, typer.Option(help="Also give the distance of this frame from where it should be.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the run.")] = None,
    errors: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the tracking errors (extra plot).")] = None,
    torques: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw torques against limits (extra plot).")
    ] = None,
    deg: DegreesOption = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Simulate a controller on the robot along a motion.

    The loop runs as native code: measure, control, saturate, integrate. Prints how far each joint was from where it
    should be, and which drives were at their limits.
    """
    from torquec.simulation.plant import FrictionModel, Plant

    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    if not rate > 0.0:
        raise ArgumentError(f"--rate {rate:g}", remedy="give a positive number of calls per second")
    _check_runs(runs, {"--frame": frame, "--csv": csv, "--errors": errors, "--torques": torques})
    ends = (joint_values(loaded, start, "--from", degrees=deg), to and joint_values(loaded, to, "--to", degrees=deg))
    motion = _motion(loaded, trajectory, ends, duration, 1.0 / rate, limits=limits)
    law = _law(loaded, controller, poles, motion, 1.0 / rate)
    moved = read_robot(plant, snap=snap, strict=strict, gravity=gravity) if plant else loaded
    if payload is not None:
        moved = _loaded(moved, payload)
    real = Plant(moved, friction=FrictionModel(friction.value))
    options = _loop_options(resolution, noise, delay, substeps, seed, adaptive=adaptive)
    progress(f"simulating {controller} on {moved.name} ...")
    document: dict[str, Any] = {"controller": controller.value, "period": 1.0 / rate, "joints": list(law.joints)}
    if runs > 1:
        document |= _many(real, law, motion, options, runs, spread)
    else:
        document |= _one(real, law, motion, options, frame, {"csv": csv, "errors": errors, "torques": torques})
    if json:
        print_json(document)
    else:
        typer.echo(_text(moved, document))


def _check_runs(runs: int, of_one_run: dict[str, object]) -> None:
    if runs < 1:
        raise ArgumentError(f"--runs {runs}", remedy="give a positive whole number")
    asked = [option for option, value in of_one_run.items() if value is not None]
    if runs > 1 and asked:
        raise ArgumentError(f"{asked[0]} is about one run, not {runs}", remedy=f"leave out --runs or {asked[0]}")


def _one(
    plant: Plant,
    law: Controller,
    motion: Trajectory,
    options: LoopOptions,
    frame: str | None,
    files: dict[str, Path | None],
) -> dict[str, Any]:
    """The document of one run, its files written."""
    from torquec.simulation.closed_loop import simulate as run
    from torquec.simulation.tip_error import tip_error

    result = run(plant, law, motion, options=options)
    document = summary(result)
    if frame is not None:
        distance = tip_error(plant.robot, frame, result)
        document["tip"] = {"frame": frame, "rmse": float((distance**2).mean() ** 0.5), "max": float(distance.max())}
    document["files"] = [str(path) for path in _write(law.name, result, files)]
    return document


def summary(result: SimulationResult) -> dict[str, Any]:
    """A run as the JSON document of `torquec simulate`."""
    return {
        "rmse": result.rmse,
        "max_error": result.max_error,
        "saturated": list(result.saturated),
        "first_saturation": result.first_saturation,
        "steps": result.steps,
        "steps_per_second": result.steps_per_second,
    }


def _write(name: str, result: SimulationResult, files: dict[str, Path | None]) -> list[Path]:
    from torquec.report.closed_loop_plots import plot_errors, plot_torques
    from torquec.simulation.csv_file import write_result

    written = []
    if files["csv"] is not None:
        written.append(write_result(result, files["csv"]))
    if files["errors"] is not None:
        written.append(plot_errors({name: result}, files["errors"]))
    if files["torques"] is not None:
        written.append(plot_torques({name: result}, files["torques"]))
    return written


def _many(
    plant: Plant, law: Controller, motion: Trajectory, options: LoopOptions, runs: int, spread: float
) -> dict[str, Any]:
    """The document of many runs: the worst of each joint, and how the errors are distributed."""
    import os
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    from torquec.simulation.monte_carlo import Spread, monte_carlo

    scatter = Spread(spread, spread)
    with ThreadPoolExecutor(os.cpu_count()) as cores:  # the loop runs without the interpreter's lock
        result = monte_carlo(plant, law, motion, runs=runs, spread=scatter, options=options, executor=cores)
    stable = np.isnan(result.diverged)
    kept = result.rmse[stable] if stable.any() else np.full((1, len(law.joints)), np.nan)
    worst = result.max_error[stable] if stable.any() else np.full((1, len(law.joints)), np.nan)
    saturated = result.saturated[stable].max(axis=0, initial=0.0) > 0.0

    def by_joint(values: Any) -> dict[str, float]:
        return dict(zip(law.joints, np.asarray(values).tolist(), strict=True))

    return {
        "rmse": by_joint(np.sqrt((kept**2).mean(axis=0))),
        "max_error": by_joint(worst.max(axis=0)),
        "median_error": by_joint(np.median(worst, axis=0)),
        "saturated": [name for name, hit in zip(law.joints, saturated, strict=True) if hit],
        "runs": runs,
        "diverged": int((~stable).sum()),
        "steps": runs * result.steps,
        "steps_per_second": result.steps_per_second,
        "files": [],
    }


def _motion(
    robot: Robot, argument: str | None, ends: Any, duration: float, period: float, *, limits: bool
) -> Trajectory:
    """The motion that was asked for."""
    from torquec.trajectory import check_limits, minimum_jerk, puma560_standard_trajectory, read_trajectory

    start, goal = ends
    if argument is None and not goal and robot.name != _STANDARD:
        raise ArgumentError("there is no motion", remedy="give --trajectory motion.csv, or --to with --duration")
    if goal:
        motion = minimum_jerk(start, goal, duration, joints=robot.joint_names, period=period)
        if limits:
            check_limits(robot, motion)
        return motion
    if limits:
        return read_motion(robot, argument or "standard", period)
    if argument in (None, "standard"):
        return puma560_standard_trajectory(period=period)
    assert argument is not None
    return read_trajectory(argument, joints=robot.joint_names, period=period)


def _law(robot: Robot, kind: SimulatedLaw, poles: str, motion: Trajectory, period: float) -> Controller:
    """The controller of a kind."""
    from torquec.control.independent_joint import feedforward_torque
    from torquec.control.poles import joint_poles

    if kind in (SimulatedLaw.OPEN_LOOP, SimulatedLaw.OPEN_LOOP_GRAVITY):
        return feedforward_torque(robot, online_gravity=kind is SimulatedLaw.OPEN_LOOP_GRAVITY)
    wanted = joint_poles(robot.joint_names, parse_poles(poles))
    options = LawOptions(period, False, False, tuple(motion.q[0].tolist()))
    return make(robot, ControllerKind(kind.value), wanted, options, motion)


def _loaded(robot: Robot, text: str) -> Robot:
    """The robot with a payload written as FRAME:KG."""
    from torquec.robot import attach_payload

    frame, colon, mass = text.rpartition(":")
    try:
        weight = float(mass)
    except ValueError:
        weight = -1.0
    if not colon or not weight >= 0.0:
        raise ArgumentError(f"--payload {text}", remedy="write a frame and a mass, as in --payload link6:2.5")
    return attach_payload(robot, frame, mass=weight)


def _loop_options(
    resolution: float, noise: float, delay: int, substeps: int, seed: int, *, adaptive: bool
) -> LoopOptions:
    from torquec.simulation.closed_loop import LoopOptions
    from torquec.simulation.integrators import DormandPrince, Integrator, RungeKutta4
    from torquec.simulation.sensors import Sensors, SpeedSource

    source = SpeedSource.DIFFERENCE if resolution else SpeedSource.MEASURED
    sensors = Sensors(resolution=resolution, speed=source, position_noise=noise, delay=delay)
    integrator: Integrator = DormandPrince() if adaptive else RungeKutta4(substeps)
    return LoopOptions(sensors=sensors, integrator=integrator, seed=seed, largest_error=_ONE_TURN)


def _text(robot: Robot, document: dict[str, Any]) -> str:
    units = {joint.name: "m" if joint.type.is_prismatic else "rad" for joint in robot.joints}
    rows = [
        [name, number(document["rmse"][name], 4), number(document["max_error"][name], 4), units[name]]
        for name in document["joints"]
    ]
    lines = [
        f"{document['controller']} on {robot.name}, a sample every {document['period']:g} s",
        "",
        table(["joint", "rmse", "max error", "unit"], rows),
        "",
    ]
    if "runs" in document:
        lines.append(
            f"{document['runs']} runs, {document['diverged']} of them diverged; the errors are over the others."
        )
    if "tip" in document:
        tip = document["tip"]
        lines.append(f"{tip['frame']}: rmse {number(1e3 * tip['rmse'], 4)} mm, max {number(1e3 * tip['max'], 4)} mm")
    for name in document["saturated"]:
        when = document.get("first_saturation", {}).get(name)
        at = "" if when is None else f", first at t = {when:.4g} s"
        lines.append(f"{name} asked for more than its drive can give{at}: make the motion slower, or the poles.")
    lines.append(f"{document['steps']} steps, {document['steps_per_second']:,.0f} per second")
    lines += [f"wrote {path}" for path in document["files"]]
    return "\n".join(lines)
