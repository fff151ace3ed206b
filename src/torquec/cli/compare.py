"""`torquec compare A B`: two models of one robot along a motion."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.check_log import map_option, read_logs
from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.files import Writes
from torquec.cli.motions import MotionOptions, asked_motion
from torquec.cli.options import argument, degrees_option, force_option, option
from torquec.cli.output import step_report
from torquec.errors import ArgumentError
from torquec.project.law_choice import DEFAULT_RATE, LawChoice

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.simulation.comparison_of_models import ModelComparison, ModelFacts
    from torquec.trajectory import Trajectory
    from torquec.trajectory.log import Log


@dataclass(frozen=True, kw_only=True)
class CompareOptions(MotionOptions, StochasticOptions):
    """The other model, the motion, and the plots to draw."""

    other: str | None = argument(None, "The other one: a robot file, a model or a classic.", metavar="B")
    controllers: str | None = option(
        None, "In place of B: compare control laws of A: {laws}.", metavar="LAW,LAW", show_default=False
    )
    plant: str | None = option(None, "The plant of both controllers.  [default: A]", metavar="ROBOT")
    poles: str | None = option(
        None,
        "Poles of the controllers [1/s].  [default: {usual poles}; pd and pid: as inertias and torque limits allow]",
        metavar="LIST",
    )
    rate: float = option(DEFAULT_RATE, "Calls of the controllers per second.", metavar="HZ")
    resolution: float = option(0.0, "Encoder resolution [rad or m] with --controllers.", metavar="STEP")
    at: float | None = option(None, "Instant of the linear models.  [default: the middle]", metavar="S")
    random: int = option(0, "Also compare at N random states (Clover's Table IV).", metavar="N", least=0)
    speed: float = option(10.0, "Speed of all joints at random states, either sign.")
    acceleration: float = option(100.0, "Acceleration at random states, either sign.")
    log: Path | None = option(None, "A log of the robot: both models are compared with it.", metavar="LOG")
    log_map: Path | None = map_option()
    rounds: int = option(5, "Rounds of timing.", least=1)
    output: Path | None = option(
        None, "Write a page of the comparison, and its document.", "--output", "-o", metavar="DIR", writes=Writes.FOLDER
    )
    plot: Path | None = option(
        None, "Write all plots into this folder (extra plot).", metavar="DIR", writes=Writes.PICTURES
    )
    force: bool = force_option()
    deg: bool = degrees_option()


@command("compare", CompareOptions, example="torquec compare planar2r planar2r --to 0.5,0.4 --rounds 1", metavar="A")
def compare(model: Model, options: CompareOptions) -> Outcome:
    """Compare two models of one robot, or control laws of one model, along a motion.

    Models: torques and their difference, eigenvalues and responses of the linear models, operations and time, and the
    tracking and acceleration errors of computed torque with each model on one plant; with a log also the measured
    torques. With --controllers: tracking errors of control laws on one plant, stuck joints and chattering torques.
    """
    from torquec.foundation.work import Work
    from torquec.report.comparison import comparison_curves, comparison_text, plot_comparison
    from torquec.simulation.comparison_of_models import compare as compared

    if not options.rate > 0.0:
        raise ArgumentError(f"--rate {options.rate:g}", remedy="give a positive number of calls per second")
    period = 1.0 / options.rate
    if options.controllers is not None:
        return _compare_controllers(model, options, period)
    if options.other is None:
        raise ArgumentError(
            "nothing to compare with", remedy="give a second model, or --controllers pd,computed-torque"
        )
    if options.resolution:
        raise ArgumentError("--resolution is for --controllers", remedy="leave it out")
    other = options.source.read(options.other)
    model, motion = asked_motion(model, options, period, degrees=options.deg)
    names = (options.source.argument, options.other)
    log = None
    if options.log is not None:
        (log,) = read_logs(model.robot, [options.log], options.log_map)
    found = compared(
        model,
        other,
        motion,
        poles=[(pair.first, pair.second) for pair in LawChoice(poles=options.poles).pairs(model.robot).pairs],
        period=period,
        plant=None if options.plant is None else options.source.read(options.plant),
        at=options.at,
        log=log,
        rounds=options.rounds,
        work=Work(report=step_report()),
    )
    document = {"robot": model.robot.name, "names": dict(zip(("a", "b"), names, strict=True)), **describe(found)}
    if options.random:
        document["random"] = _at_random(model, other, options)
    files: list[Path] = []
    if options.plot is not None:
        files = plot_comparison(found, options.plot, names)
        document["pictures"] = [str(path) for path in files]
    if options.output is not None:
        kept = document | {"curves": comparison_curves(found)}
        files += _write(options.output, "compare", kept, found.a.model.robot, force=options.force)
    return Outcome(document, comparison_text(names, document), tuple(files), robot=model.robot)


def _compare_controllers(model: Model, options: CompareOptions, period: float) -> Outcome:
    """Control laws of one model on one plant; PD and PID have the poles of `drive_poles` unless --poles is given."""
    from torquec.control.uncertainty import SpeedSource
    from torquec.foundation.work import Work
    from torquec.report.simulation import controllers_curves, controllers_document, controllers_text
    from torquec.report.tracking_plots import plot_errors
    from torquec.simulation.closed_loop import LoopOptions
    from torquec.simulation.comparison_of_controllers import compare_controllers
    from torquec.simulation.plant import DryFriction, Plant
    from torquec.simulation.sensors import Sensors

    for flag, value in (
        ("B", options.other),
        ("--log", options.log),
        ("--at", options.at),
        ("--random", options.random),
    ):
        if value:
            raise ArgumentError(f"{flag} is for two models, not for --controllers", remedy=f"leave out {flag}")
    assert options.controllers is not None
    model, motion = asked_motion(model, options, period, degrees=options.deg)
    laws = {}
    for word in options.controllers.split(","):
        kind, law = _asked_controller(model, word.strip(), options, motion)
        laws[kind] = law
    real = model if options.plant is None else options.source.read(options.plant)
    plant = Plant(real, friction=DryFriction.STICK)
    speed = SpeedSource.DIFFERENCE if options.resolution else SpeedSource.MEASURED
    sensors = Sensors(resolution=options.resolution, speed=speed)
    loop = LoopOptions(sensors=sensors, seed=options.seed, largest_error=2.0 * math.pi)
    runs = compare_controllers(plant, laws, motion, options=loop, work=Work(report=step_report()))
    document = {"robot": model.robot.name, "plant": plant.robot.name, "poles_given": options.poles is not None}
    document |= controllers_document(model.robot, runs, period=period)
    files: list[Path] = []
    results = {name: run.result for name, run in runs.items() if run.result is not None}
    if options.plot is not None and results:
        options.plot.mkdir(parents=True, exist_ok=True)
        files.append(plot_errors(results, options.plot / "tracking_errors.svg"))
        document["pictures"] = [str(path) for path in files]
    if options.output is not None:
        kept = document | {"curves": controllers_curves(runs)}
        files += _write(options.output, "compare-controllers", kept, model.robot, force=options.force)
    return Outcome(document, controllers_text(plant.robot.name, document), tuple(files), robot=model.robot)


def _asked_controller(model: Model, word: str, options: CompareOptions, motion: Trajectory) -> tuple[str, Controller]:
    """A law by its name, with the poles of --poles, else its default poles."""
    from torquec.control.independent_joint import drive_poles
    from torquec.control.law_options import LawKind
    from torquec.control.laws import LAWS
    from torquec.project.law_choice import asked_law

    start = tuple(motion.q[0].tolist())
    choice = LawChoice(controller=word, rate=options.rate)
    kind = choice.kind
    if LAWS[kind].has_poles:
        poles = options.poles
        if poles is None and kind in (LawKind.PD, LawKind.PID):
            poles = ",".join(f"{pole:.6g}" for pole in drive_poles(model, start, choice.period))
        choice = dataclasses.replace(choice, poles=poles)
    return kind.value, asked_law(model, kind, choice, at=start, motion=motion)


def _write(folder: Path, kind: str, document: dict[str, Any], robot: Robot, *, force: bool) -> list[Path]:
    """The document with its curves, and the page."""
    from torquec.foundation.writing import new_folder
    from torquec.report.report import PAGE, write_report
    from torquec.report.result_document import result_text

    names = ["comparison.json", PAGE, f"{Path(PAGE).stem}.json"]
    with new_folder(folder, names=names, force=force) as scratch:
        (scratch / names[0]).write_text(result_text(kind, document, robot), encoding="ascii")
        write_report(scratch, scratch / PAGE, called=str(folder), live=False)
    return [folder / name for name in names]


def describe(found: ModelComparison) -> dict[str, Any]:
    """The JSON document of `torquec compare`."""
    from torquec.project.design_study import complex_list

    sides = found.sides
    document: dict[str, Any] = {
        "joints": list(found.joints),
        "units": {each.name: each.position_unit for each in found.a.model.robot.coordinates},
        "kinds": {side: facts.model.kind.value for side, facts in sides.items()},
        "samples": len(found.motion.t),
        "torque": {joint: dataclasses.asdict(row) for joint, row in found.differences.items()},
        "at": found.at,
        "eigenvalues": {side: complex_list(facts.response.eigenvalues) for side, facts in sides.items()},
        "tracking": {side: _tracking(facts) for side, facts in sides.items()},
        "operations": {
            side: {name: dataclasses.asdict(count) for name, count in facts.operations.items()}
            for side, facts in sides.items()
        },
        "ns": {side: dict(facts.ns) for side, facts in sides.items()},
    }
    if found.log is not None:
        document["log"] = {
            "file": found.log.source,
            "joints": list(found.joints),
            **{side: _beside_log(facts, found.log) for side, facts in sides.items()},
        }
    return document


def _tracking(facts: ModelFacts) -> dict[str, Any]:
    import numpy as np

    if facts.loop is None:
        return {"refused": facts.refused}
    loop = facts.loop
    error = loop.qdd_ref - loop.qdd

    def by_joint(values: Any) -> dict[str, float]:
        return dict(zip(loop.joints, np.asarray(values).tolist(), strict=True))

    return {
        "rmse": loop.rmse,
        "max_error": loop.max_error,
        "acceleration_rmse": by_joint(np.sqrt((error**2).mean(axis=0))),
        "acceleration_max": by_joint(np.abs(error).max(axis=0)),
        "saturated": list(loop.saturated),
    }


def _beside_log(facts: ModelFacts, log: Log) -> dict[str, Any]:
    """Torques of the simulated loop minus the measured ones, at the loop's samples."""
    import numpy as np

    if facts.replayed is None:
        return {}
    loop = facts.replayed
    t = log.t - log.t[0]
    measured = np.column_stack([np.interp(loop.t[: len(loop.tau)], t, log.tau[:, k]) for k in range(log.n)])
    rms = np.sqrt(((loop.tau - measured) ** 2).mean(axis=0))
    return {"torque_rms": dict(zip(loop.joints, rms.tolist(), strict=True)), "rmse": loop.rmse}


def _at_random(a: Model, b: Model, options: CompareOptions) -> dict[str, Any]:
    """Torque differences at random positions, with speeds and accelerations of given size and random signs."""
    import numpy as np

    from torquec.simulation.comparison_of_models import torque_differences

    n = a.robot.n
    rng = np.random.default_rng(options.seed)
    sliding = np.array([not each.turns for each in a.robot.coordinates])
    turns = rng.uniform(0.0, 2.0 * np.pi, (options.random, n))
    lower = np.array([joint.limits.lower for joint in a.robot.joints])
    upper = np.array([joint.limits.upper for joint in a.robot.joints])
    if np.any(sliding & ~(np.isfinite(lower) & np.isfinite(upper))):
        raise ArgumentError("a prismatic joint has no limits to draw positions from", remedy="leave out --random")
    slides = rng.uniform(0.0, 1.0, turns.shape)
    q = np.where(sliding, np.where(sliding, lower, 0.0) + slides * np.where(sliding, upper - lower, 0.0), turns)
    signs = rng.choice([-1.0, 1.0], (2, options.random, n))
    state = (q, options.speed * signs[0], options.acceleration * signs[1])
    found = torque_differences(a.robot.joint_names, a.total_torque(*state), b.total_torque(*state))
    return {joint: dataclasses.asdict(row) for joint, row in found.items()}
