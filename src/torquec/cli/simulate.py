"""`torquec simulate ROBOT`: closed-loop simulation of a controller along a motion, with tracking errors."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, StochasticOptions, command
from torquec.cli.design import LawOptions, asked_estimator, asked_observer
from torquec.cli.files import Writes
from torquec.cli.motions import STANDARD, MotionOptions, asked_motion, hold_missing
from torquec.cli.options import degrees_option, force_option, numbers, option
from torquec.cli.output import progress, step_report
from torquec.cli.source import read_payload
from torquec.errors import ArgumentError
from torquec.project.law_choice import asked_law

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.model.model import Model
    from torquec.simulation.closed_loop import LoopOptions
    from torquec.simulation.monte_carlo import MonteCarloResult
    from torquec.simulation.plant import Plant
    from torquec.simulation.plant_force import PlantForce
    from torquec.simulation.simulation_result import SimulationResult
    from torquec.trajectory import Trajectory

_ONE_TURN = 2.0 * math.pi
"""Tracking error [rad] above which a run counts as diverged."""


class FrictionChoice(StrEnum):
    """Coulomb friction of the simulated robot; see `torquec.simulation.plant`."""

    NONE = "none"
    SMOOTH = "smooth"
    SIGN = "sign"
    STICK = "stick"
    MEMORY = "memory"


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(MotionOptions, LawOptions, StochasticOptions):
    """The law, the motion, the true plant, its sensors, and the files to write."""

    law: Path | None = option(None, "Run the law of a controller.json of torquec design.", metavar="FILE")
    plant: str | None = option(None, "The true plant; the controller uses the nominal model ROBOT.", metavar="ROBOT")
    plant_payload: list[str] | None = option(
        None,
        "A point mass on the plant that the controller's model does not include; repeat for more.",
        metavar="FRAME:KG[,x,y,z]",
    )
    qd: str | None = option(
        None, "Rates at the start, nv numbers, of a robot with a floating base (docs/simulation.md).", metavar="LIST"
    )
    friction: FrictionChoice = option(FrictionChoice.STICK, "Coulomb friction near rest.")
    resolution: float = option(0.0, "Encoder resolution [rad or m]; speeds are then differences.", metavar="STEP")
    noise: float = option(0.0, "Noise of measured positions [rad or m].", metavar="STD")
    delay: int = option(0, "Delay of the measurements.", metavar="SAMPLES")
    substeps: int | None = option(None, "Integration steps per control interval.  [default: 2, or as many as needed]")
    adaptive: bool = option(False, "Adaptive integration; with --friction smooth or none.", "--adaptive")
    runs: int = option(1, "With more than one: repeat with parameters scattered by --spread.")
    spread: float = option(0.05, "Relative deviation of inertias and friction in --runs.")
    uncertainty: Path | None = option(
        None,
        "Sets of friction, payload, sensors and timing (docs/guarantee.md), for --worst and --observe.",
        metavar="TOML",
    )
    observe: float | None = option(
        None,
        "Run a momentum observer of external torques with this bandwidth [1/s]; with --uncertainty also alarms.",
        metavar="K",
    )
    estimate: str | None = option(
        None, "Estimate friction and the mass of a payload in this frame, recursively.", metavar="FRAME"
    )
    push: str | None = option(
        None, "A force [N] on a frame, base axes, from T seconds on.", metavar="FRAME:FX,FY,FZ[@T]"
    )
    worst: int | None = option(
        None, "Attack the guarantee of --uncertainty with this number of robots in its sets.", metavar="RUNS"
    )
    frame: str | None = option(None, "Also give the position error of this frame.")
    output: Path | None = option(
        None,
        "Write a page of the simulation, and the run as CSV.",
        "--output",
        "-o",
        metavar="DIR",
        writes=Writes.FOLDER,
    )
    csv: Path | None = option(
        None, "Write the run as CSV.", "--csv", metavar="FILE", writes=Writes.FILE, endings=(".csv",)
    )
    force: bool = force_option()
    errors: Path | None = option(
        None,
        "Plot the tracking errors, for many runs the band that contains them (extra plot).",
        "--plot",
        "--errors",
        metavar="FILE",
        writes=Writes.PICTURE,
    )
    torques: Path | None = option(
        None,
        "Draw torques against limits (extra plot).",
        "--plot-torques",
        "--torques",
        metavar="FILE",
        writes=Writes.PICTURE,
    )
    deg: bool = degrees_option()


@command(
    "simulate",
    SimulateOptions,
    example="torquec simulate puma560 --controller computed-torque --rate 500 --resolution 1e-4",
)
def simulate(model: Model, options: SimulateOptions) -> Outcome:
    """Simulate a controller on the robot along a motion.

    The loop runs as native code: measure, control, saturate, integrate. Prints the tracking error of each joint, and
    the drives that reached their limits. The default law is computed-torque; --law runs one that torquec design wrote.
    A robot with a floating base moves freely from --from and --qd: passive, or with its joints servoed along --to or
    --trajectory; energy, momentum and center of mass are printed.
    """
    from torquec.cli.free_motion import free_motion, moves_freely
    from torquec.project.simulation_document import run_summary, simulation_conditions, write_simulation
    from torquec.report.sample_curves import run_curves
    from torquec.report.simulation import attack_text, simulation_text
    from torquec.simulation.closed_loop import simulate as run

    if moves_freely(model.robot):
        return free_motion(model, options, _plant(model, options))
    if options.qd is not None:
        raise ArgumentError("--qd is the start of a floating robot", remedy="leave it out: the motion begins at rest")
    _check_runs(options)
    _check_sets(options)
    given = None if options.law is None else _given_law(options)
    if given is not None:
        model = hold_missing(model, given.joints, "the law")
    period = options.period if given is None or given.period is None else given.period
    model, motion = asked_motion(model, options, period, degrees=options.deg)
    kind = options.kind
    law = given or asked_law(model, kind, options, at=tuple(motion.q[0].tolist()), motion=motion)
    plant = _plant(model, options)
    name = law.name if given is not None else kind.value
    progress(f"simulating {name} on {plant.robot.name} ...")
    document: dict[str, Any] = {"controller": name, "period": period, "joints": list(law.joints)}
    document["plant"] = plant.model.kind.value
    units = {each.name: each.position_unit for each in plant.robot.coordinates}
    document["units"] = units
    loop = _loop_options(options)
    file = "" if options.to is not None else options.trajectory or STANDARD
    document["conditions"] = simulation_conditions(plant, motion, loop, file=file)
    result: SimulationResult | MonteCarloResult
    if options.runs > 1:
        found, result = _many(plant, law, motion, options, loop)
        document |= found
        files = _write_all(law.name, result, options)
    else:
        result = run(plant, law, motion, options=loop)
        document |= run_summary(plant.robot, result)
        if options.frame is not None:
            document["tip"] = _tip(plant, options.frame, result)
        files = _write(law.name, result, options)
        if options.observe is not None:
            document["observer"] = _observed(model, motion, options, result)
        if options.estimate is not None:
            document["payload_estimate"] = _estimated(model, options.estimate, result)
    attack, worst = "", None
    if options.worst is not None:
        document["attack"], worst = _attack(model, law, motion, options)
        attack = "\n\n" + attack_text(document["attack"])
    if options.output is not None:
        kept = document | ({} if worst is None else {"attack": document["attack"] | {"samples": run_curves(worst)}})
        files += write_simulation(options.output, kept, result, robot=model.robot, force=options.force)
    document["files"] = [str(path) for path in files]
    text = simulation_text(plant.robot.name, units, document) + attack
    return Outcome(document, text, tuple(files), robot=model.robot)


def _attack(
    model: Model, law: Controller, motion: Trajectory, options: SimulateOptions
) -> tuple[dict[str, Any], SimulationResult]:
    """The robot of the sets whose error comes closest to the bound that is guaranteed for the law, and its run."""
    from torquec.control.uncertainty import load_uncertainty
    from torquec.foundation.work import Work
    from torquec.project.promises import law_guarantee
    from torquec.simulation.worst_plant import worst_plant

    assert options.uncertainty is not None
    assert options.worst is not None
    sets = load_uncertainty(options.uncertainty, model)
    guarantee = law_guarantee(model, options.kind, options, motion, sets)
    work = Work(report=step_report())
    found = worst_plant(model.robot, law, motion, guarantee, sets, runs=options.worst, seed=options.seed, work=work)
    return {**found.to_document(), "guarantee": guarantee.to_document()}, found.result


def _observed(model: Model, motion: Trajectory, options: SimulateOptions, result: SimulationResult) -> dict[str, Any]:
    """Results of a momentum observer with the law's model along the run."""
    from torquec.control.uncertainty import load_uncertainty
    from torquec.simulation.observed_run import observed_run

    assert options.observe is not None
    sets = None if options.uncertainty is None else load_uncertainty(options.uncertainty, model)
    kind, period = options.kind, float(result.t[1] - result.t[0])
    observer = asked_observer(model, kind, options, motion, sets, bandwidth=options.observe, period=period)
    return observed_run(result, observer).to_document(observer)


def _estimated(model: Model, frame: str, result: SimulationResult) -> dict[str, Any]:
    """The payload and friction that a recursive estimator of the law's model finds along the run."""
    from torquec.simulation.observed_run import estimated_run

    estimator = asked_estimator(model, frame, float(result.t[1] - result.t[0]))
    return estimated_run(result, estimator).to_document(estimator)


def _check_sets(options: SimulateOptions) -> None:
    """Raise `ArgumentError` where the options about an uncertainty do not go together."""
    if options.worst is not None and options.uncertainty is None:
        raise ArgumentError("--worst and --uncertainty go together", remedy="give both: --uncertainty TOML --worst 50")
    if options.uncertainty is not None and options.worst is None and options.observe is None:
        raise ArgumentError("--uncertainty is for --worst or --observe", remedy="give one: --worst 50 or --observe 50")
    if options.uncertainty is not None and options.law is not None:
        raise ArgumentError(
            "--uncertainty is about a law made here", remedy="leave out --law, and give --controller and --poles"
        )


def _check_runs(options: SimulateOptions) -> None:
    of_one_run = {
        "--observe": options.observe,
        "--estimate": options.estimate,
        "--frame": options.frame,
        "--csv": options.csv,
        "--plot-torques": options.torques,
    }
    if options.runs < 1:
        raise ArgumentError(f"--runs {options.runs}", remedy="give a positive whole number")
    asked = [option for option, value in of_one_run.items() if value is not None]
    if options.runs > 1 and asked:
        raise ArgumentError(
            f"{asked[0]} is about one run, not {options.runs}", remedy=f"leave out --runs or {asked[0]}"
        )


def _given_law(options: SimulateOptions) -> Controller:
    """The law of a file; options that would make another one are refused."""
    from torquec.control.controller_file import read_controller

    shared = {field.name for field in dataclasses.fields(CommandOptions)}
    fields = {field.name: field.default for field in dataclasses.fields(LawOptions) if field.name not in shared}
    for name, default in fields.items():
        if getattr(options, name) != default and name != "effort":
            raise ArgumentError(
                f"--{name.replace('_', '-')} makes a law, and --law names a finished one",
                remedy="leave out one of them, or design the law again",
            )
    assert options.law is not None
    return read_controller(options.law)


def _plant(model: Model, options: SimulateOptions) -> Plant:
    """The true plant."""
    from torquec.simulation.applied_forces import HeldPayload
    from torquec.simulation.plant import DryFriction, Plant

    real = model
    if options.plant is not None:
        real = hold_missing(options.source.read(options.plant), model.robot.joint_names, "the controller's model")
    held = [HeldPayload(*read_payload(text, "--plant-payload")) for text in options.plant_payload or ()]
    forces = (*held, *([] if options.push is None else [_push(options.push)]))
    return Plant(real, friction=DryFriction(options.friction.value), effort=options.effort, forces=forces)


def _push(text: str) -> PlantForce:
    """The force of FRAME:FX,FY,FZ[@T]."""
    from torquec.simulation.applied_forces import FrameWrench

    frame, _, rest = text.rpartition(":")
    force, _, start = rest.partition("@")
    values = numbers(force, "--push")
    begin = numbers(start, "--push") if start else (-math.inf,)
    if not frame or len(values) != 3 or len(begin) != 1:
        raise ArgumentError(f"--push {text}", remedy="write --push FRAME:FX,FY,FZ@T, as in link6:0,0,-20@0.5")
    return FrameWrench(frame, (values[0], values[1], values[2]), start=begin[0])


def _loop_options(options: SimulateOptions) -> LoopOptions:
    from torquec.control.uncertainty import SpeedSource
    from torquec.simulation.closed_loop import LoopOptions
    from torquec.simulation.integrators import DormandPrince, Integrator, RungeKutta4
    from torquec.simulation.sensors import Sensors

    if options.adaptive and options.friction is FrictionChoice.STICK:
        raise ArgumentError(
            "sticking friction does not go with adaptive steps", remedy="add --friction smooth, or leave out --adaptive"
        )
    source = SpeedSource.DIFFERENCE if options.resolution else SpeedSource.MEASURED
    sensors = Sensors(resolution=options.resolution, speed=source, position_noise=options.noise, delay=options.delay)
    integrator: Integrator | None = DormandPrince() if options.adaptive else None
    if options.substeps is not None and not options.adaptive:
        integrator = RungeKutta4(options.substeps)
    return LoopOptions(sensors=sensors, integrator=integrator, seed=options.seed, largest_error=_ONE_TURN)


def _tip(plant: Plant, frame: str, result: SimulationResult) -> dict[str, Any]:
    from torquec.simulation.simulation_result import tip_error

    distance = tip_error(plant.robot, frame, result)
    return {"frame": frame, "rmse": float((distance**2).mean() ** 0.5), "max": float(distance.max())}


def _write(name: str, result: SimulationResult, options: SimulateOptions) -> list[Path]:
    from torquec.report.tracking_plots import plot_errors, plot_torques
    from torquec.simulation.simulation_result import write_result

    written = []
    if options.csv is not None:
        written.append(write_result(result, options.csv))
    if options.errors is not None:
        written.append(plot_errors({name: result}, options.errors))
    if options.torques is not None:
        written.append(plot_torques({name: result}, options.torques))
    return written


def _write_all(name: str, result: MonteCarloResult, options: SimulateOptions) -> list[Path]:
    """The plot of many runs: the envelope of the errors."""
    from torquec.report.tracking_plots import plot_envelope

    if options.errors is None:
        return []
    return [plot_envelope(result, options.errors, title=f"Tracking errors of {name}, {options.runs} runs")]


def _many(
    plant: Plant, law: Controller, motion: Trajectory, options: SimulateOptions, loop: LoopOptions
) -> tuple[dict[str, Any], MonteCarloResult]:
    """The document of many runs, and the runs."""
    from torquec.project.simulation_document import many_runs

    return many_runs(
        plant,
        law,
        motion,
        runs=options.runs,
        spread=options.spread,
        options=loop,
        envelope=options.errors is not None or options.output is not None,
        report=step_report(),
    )
