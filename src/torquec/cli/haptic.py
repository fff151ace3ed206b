"""`torquec haptic ROBOT`: haptic experiments with a virtual object, rendered through an arm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.files import Writes
from torquec.cli.options import degrees_option, force_option, joint_values, listed, option
from torquec.cli.output import progress
from torquec.errors import ArgumentError
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.project.law_choice import parse_poles

if TYPE_CHECKING:
    from torquec.haptics.haptic_experiment import ExperimentResult
    from torquec.haptics.haptic_plan import ExperimentOptions
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class HapticOptions(StochasticOptions):
    """The experiment, and what is around the arm."""

    experiment: HapticExperiment = option(
        HapticExperiment.MASS_5, "Which experiment: those of Clover IV, combined, two-cubes."
    )
    frame: str | None = option(None, "The frame that is held.  [default: the hand's]", metavar="NAME")
    posture: str | None = option(None, "Start position of all joints.  [default: searched]", metavar="LIST")
    poles: str = option("-45+45j", "Pole of the law, for all joints [1/s].", metavar="POLE")
    effort: float = option(1.0, "Fraction of the effort limits; the paper uses 0.5.")
    impact: float | None = option(None, "Speed at the contact (wall, two-cubes).  [default: 0.3]", metavar="M/S")
    one_sided: bool = option(False, "A contact that never pulls (wall, two-cubes).", "--one-sided")
    mass: float | None = option(None, "Mass of the object.  [default: the experiment's]", metavar="KG")
    inertia: float | None = option(None, "Its inertia about every axis.  [default: the experiment's]", metavar="KG*M^2")
    offset: str = option("0,0,0", "Its mass centre from the held frame [m].", metavar="X,Y,Z")
    damping: str = option("0,0", "Its damping, along [N s/m] and about [N m s] every axis.", metavar="C,CR")
    weight: bool = option(False, "The object has weight, which the hand carries.", "--weight")
    wall_frequency: float | None = option(None, "Of the contact (wall, two-cubes).  [default: 25]", metavar="HZ")
    wall_damping: float | None = option(None, "Its damping ratio (wall, two-cubes).  [default: 1]", metavar="RATIO")
    cutoff: float = option(100.0, "Cut-off of the force sensor's filter.", metavar="HZ")
    resolution: float = option(1e-4, "Encoder resolution [rad or m].", metavar="STEP")
    rate: float = option(500.0, "Haptic cycles per second.", metavar="HZ")
    pace: float = option(1.0, "How fast the hand moves: less than 1 for an arm with slow joints.")
    free: str | None = option(None, "The joint that stands still, for a redundant arm.", metavar="JOINT")
    output: Path | None = option(
        None,
        "Write CSV, JSON, a page and, with extra plot, a picture.",
        "--output",
        "-o",
        metavar="DIR",
        writes=Writes.FOLDER,
    )
    force: bool = force_option()
    deg: bool = degrees_option()


@command("haptic", HapticOptions, example="torquec haptic scara --experiment wall --impact 0.1")
def haptic(model: Model, options: HapticOptions) -> Outcome:
    """Run a haptic experiment: a simulated hand moves a virtual object through the arm.

    The whole loop of Clover IV runs natively: hand, force sensor, object, inverse kinematics, computed torque with the
    hand's force fed forward, drives and friction. Prints the mass that the hand feels, by force over acceleration as in
    the paper and without bias with its 95 % interval, or how object and arm behave at a stiff wall or a second cube.
    """
    from torquec.haptics.haptic_experiment import run_experiment
    from torquec.haptics.haptic_file import experiment_document
    from torquec.report.haptic_text import haptic_text

    progress(f"{options.experiment.value} on {model.robot.name} ...")
    result = run_experiment(model.robot, options.experiment, _experiment_options(model, options))
    document = experiment_document(result)
    files = _write(result, document, options) if options.output is not None else ()
    document["files"] = [str(path) for path in files]
    return Outcome(document, haptic_text(document), files=files)


def _experiment_options(model: Model, options: HapticOptions) -> ExperimentOptions:
    from torquec.haptics.force_sensor import ForceSensor
    from torquec.haptics.haptic_loop import HapticSetting
    from torquec.haptics.haptic_plan import ExperimentOptions

    if not 0.0 < options.rate < float("inf"):
        raise ArgumentError(f"--rate {options.rate:g}", remedy="give a positive number of cycles per second")
    pole = parse_poles(options.poles)
    if not isinstance(pole, complex):
        raise ArgumentError(f"--poles {options.poles}", remedy="give one pole for all joints, as in -45+45j")
    setting = HapticSetting(
        sensor=replace(ForceSensor(), cutoff=options.cutoff), resolution=options.resolution, seed=options.seed
    )
    posture = None
    if options.posture is not None:
        posture = tuple(joint_values(model.robot, options.posture, "--posture", degrees=options.deg))
    x, y, z = listed(options.offset, "--offset", 3)
    along, about = listed(options.damping, "--damping", 2)
    return ExperimentOptions(
        mass=options.mass,
        inertia=options.inertia,
        offset=(x, y, z),
        damping=(along, about),
        gravity=options.weight,
        wall_frequency=options.wall_frequency,
        wall_damping=options.wall_damping,
        frame=options.frame,
        posture=posture,
        poles=pole,
        effort=options.effort,
        impact=options.impact,
        two_sided=False if options.one_sided else None,
        setting=setting,
        period=1.0 / options.rate,
        free=options.free,
        pace=options.pace,
    )


def _write(result: ExperimentResult, document: dict[str, Any], options: HapticOptions) -> tuple[Path, ...]:
    """Table, document with its curves, page and, where it can be drawn, the picture."""
    from torquec.errors import MissingExtraError
    from torquec.foundation.writing import new_folder
    from torquec.haptics.haptic_file import experiment_table
    from torquec.report.haptics import curve_samples, experiment_curves, plot_experiment
    from torquec.report.report import PAGE, write_report
    from torquec.report.result_document import result_text

    assert options.output is not None
    name = result.experiment.value
    names = [f"{name}.csv", f"{name}.json", PAGE, f"{Path(PAGE).stem}.json"]
    kept = document | {"curves": curve_samples(experiment_curves(result))}
    with new_folder(options.output, names=names, force=options.force) as scratch:
        (scratch / names[0]).write_text(experiment_table(result), encoding="ascii")
        (scratch / names[1]).write_text(result_text("haptic", kept, result.robot), encoding="ascii")
        try:
            plot_experiment(result, kept, scratch / f"{name}.png")
            names.append(f"{name}.png")
        except MissingExtraError as error:
            progress(f"no picture: {error}")
        write_report(scratch, scratch / PAGE, called=str(options.output), live=False)
    return tuple(options.output / each for each in names)
