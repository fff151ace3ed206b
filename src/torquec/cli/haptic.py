"""`torquec haptic ROBOT`: experiments with a virtual object; `torquec haptic-region ROBOT`: its passivity region."""

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
import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions
from torquec.cli.options import state_option
from torquec.errors import CheckError
from torquec.haptics.haptic_choices import RenderingKind

if TYPE_CHECKING:
    from torquec.haptics.cutoff_stability import CutoffStability
    from torquec.haptics.passive_hand import PassiveHands
    from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class HapticOptions(StochasticOptions):
    """The experiment, the virtual object and the control loop."""

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
    wall_frequency: float | None = option(
        None, "Natural frequency of the contact (wall, two-cubes).  [default: 25]", metavar="HZ"
    )
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
    hand's force fed forward, drives and friction. Prints the mass that the hand feels: force over acceleration, as in
    the paper, and an unbiased estimate with its 95 % interval. With contact, prints how object and arm behave at the
    stiff wall or the second cube.
    """
    from torquec.haptics.haptic_experiment import run_experiment
    from torquec.haptics.haptic_file import experiment_document
    from torquec.report.haptic_region import haptic_text

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


_LINEAR = {"mass": "kg", "damping": "N s/m", "stiffness": "N/m", "force": "N"}
_ANGULAR = {"mass": "kg m^2", "damping": "N m s/rad", "stiffness": "N m/rad", "force": "N m"}
_GRIPS = {False: "2000,10", True: "5,0.025"}
"""Stiffness and damping of a grip along (False) and about (True) an axis, of the size measured on grasping hands.

The values about an axis assume a lever of 5 cm.
"""

_OBJECTS = {False: (5.0, 10.0), True: (0.83, 0.5)}
"""Mass and damping: the lighter objects of Clover, Table IV 2, with barely perceptible damping."""

_PERSONS = {False: (1.5, 10.0, 300.0), True: (0.004, 0.02, 0.8)}
"""Mass, damping and stiffness of an operator who holds still: assumed values, typical of measured arms."""

_CUTOFFS = (1.0, 2000.0, 34)  # first and last [Hz], number: the usual range of force and speed filters


@dataclass(frozen=True, kw_only=True)
class HapticRegionOptions(CommandOptions):
    """The axis, the object and the loop."""

    frame: str | None = option(None, "The frame that is held.  [default: the hand's]", metavar="NAME")
    q: str | None = state_option()
    deg: bool = degrees_option()
    direction: str = option("0,0,1", "The axis, in the base.", metavar="X,Y,Z")
    about: bool = option(
        False, "Rotation about the axis instead of translation; units are then those of rotation.", "--about"
    )
    mass: float | None = option(None, "Mass of the object [kg, kg m^2].  [default: 5, about an axis 0.83]")
    damping: float | None = option(None, "Its damping [N s/m, N m s/rad].  [default: 10, about an axis 0.5]")
    stiffness: float = option(0.0, "Its stiffness to a fixed place [N/m, N m/rad].")
    rendering: RenderingKind = option(
        RenderingKind.ADMITTANCE, "Motion from a measured force, or force from a measured motion."
    )
    rate: float = option(500.0, "Samples a second.")
    poles: str = option("-45,45", "The pair of poles of the arm's feedback [1/s].", metavar="RE,IM")
    force_cutoff: float = option(100.0, "Cut-off of the force filter [Hz].")
    force_delay: float = option(0.0, "Delay of the force sensor [s].")
    velocity_cutoff: float | None = option(None, "Cut-off of the filter of measured speeds [Hz].  [default: no filter]")
    computation_delay: int = option(0, "Periods between a sample and its torque.")
    encoder: float = option(1e-4, "One count of a joint's encoder [rad, m].")
    model_error: float | None = option(None, "Relative error of the model's mass.  [default: the proven one]")
    grip: str | None = option(
        None,
        "Spring and damper between every hand and the handle; none: rigidly attached.  [default: 2000,10 or 5,0.025]",
        metavar="K,C|none",
    )
    check: bool = option(False, "Exit status 1 if the object is outside.", "--check")
    plot: Path | None = option(None, "The region as a picture.", metavar="FILE", writes=Writes.PICTURE)
    force: bool = force_option()


@command(
    "haptic-region",
    HapticRegionOptions,
    example="torquec haptic-region puma560 --frame link6 --q 0,0.7,-2.4,0.3,1.2,0 --mass 5 --damping 20",
)
def haptic_region(model: Model, options: HapticRegionOptions) -> Outcome:
    """Compute the passivity region: virtual objects that are stable with every passive operator.

    For one axis of a frame: least mass, largest damping and stiffness of the sampled loop with sensor delay, filters
    and model error. If the object is outside the region, also a passive hand that destabilizes the loop
    (docs/haptics.md).
    """
    from dataclasses import replace

    from torquec.control.poles import PolePair
    from torquec.haptics.haptic_port import haptic_port
    from torquec.haptics.haptic_region import haptic_region as region_of
    from torquec.haptics.passive_hand import arm_hand
    from torquec.haptics.port_loop import PortLoop, RenderedImpedance
    from torquec.report.haptic_region import haptic_region_text
    from torquec.robot.gripper_joints import hand_frame

    direction = listed(options.direction, "--direction", 3)
    port = haptic_port(
        model,
        options.frame,
        joint_values(model.robot, options.q, "--q", degrees=options.deg),
        direction,
        about=options.about,
        encoder_step=options.encoder,
    )
    if options.model_error is not None:
        port = replace(port, model_error=options.model_error)
    if not (math.isfinite(options.rate) and options.rate > 0.0):
        raise ArgumentError(f"--rate is {options.rate}", remedy="give a positive number of samples a second")
    re, im = listed(options.poles, "--poles", 2)
    loop = PortLoop(
        port,
        period=1.0 / options.rate,
        poles=PolePair(complex(re, im), complex(re, -im)),
        rendering=options.rendering,
        force_cutoff=options.force_cutoff,
        force_delay=options.force_delay,
        velocity_cutoff=options.velocity_cutoff,
        computation_delay=options.computation_delay,
        grip=_grip(options),
    )
    mass, damping = _OBJECTS[options.about]
    if options.rendering is RenderingKind.IMPEDANCE:
        mass, damping = 0.0, 0.0
    rendered = RenderedImpedance(
        mass if options.mass is None else options.mass,
        damping if options.damping is None else options.damping,
        options.stiffness,
    )
    progress("computing the passivity region ...")
    found = region_of(loop, rendered)
    person = arm_hand(*_PERSONS[options.about])
    filters = _filters(loop, rendered, person)
    units = _ANGULAR if options.about else _LINEAR
    document: dict[str, Any] = {
        "robot": model.robot.name,
        "frame": options.frame or hand_frame(model.robot),
        "axis": f"{'about' if options.about else 'along'} {', '.join(f'{x:g}' for x in direction)}",
        "units": units,
        "port": asdict(port),
        "loop": {
            "rendering": loop.rendering.value,
            "rate": options.rate,
            "poles": [[re, im], [re, -im]],
            "force_cutoff": loop.force_cutoff,
            "force_delay": loop.force_delay,
            "velocity_cutoff": loop.velocity_cutoff,
            "computation_delay": loop.computation_delay,
        },
        "grip": None if loop.grip is None else asdict(loop.grip),
        "rendered": asdict(rendered),
        "inside": found.is_inside,
        "worst": {
            "margin": found.worst.margin,
            "frequency": found.worst.frequency / (2.0 * math.pi),
            "mass_error": found.worst.mass_error,
        },
        "intervals": {
            name.value: None if one is None else {"lower": one.lower, "upper": _finite(one.upper)}
            for name, one in found.intervals.items()
        },
        "encoder": {"force": found.encoder_force, "leak": found.encoder_leak},
        "destabilizing": None if found.is_inside else _destabilizing(loop, rendered, units),
        "filters": [
            {
                "filter": study.place.value,
                "cutoff": study.cutoff.tolist(),
                "lag": study.lag.tolist(),
                "growth": study.growth.tolist(),
                "inside": study.is_passive.tolist(),
                "stable_from": study.stable_from,
            }
            for study in filters
        ],
    }
    files: tuple[Path, ...] = ()
    if options.plot is not None:
        from torquec.haptics.haptic_region import region_planes
        from torquec.report.haptic_region import plot_haptic_region

        title = f"{model.robot.name}: {document['frame']} {document['axis']}, {loop.rendering.value}"
        planes = region_planes(loop, rendered)
        files = (plot_haptic_region(planes, filters, options.plot, rendered=rendered, units=units, title=title),)
    failed = "the object is outside of the renderable region" if options.check and not found.is_inside else ""
    return Outcome(document, haptic_region_text(document), files, failed)


def _grip(options: HapticRegionOptions) -> Grip | None:
    from torquec.haptics.port_loop import Grip

    said = _GRIPS[options.about] if options.grip is None else options.grip
    return None if said == "none" else Grip(*listed(said, "--grip", 2))


def _filters(loop: PortLoop, rendered: RenderedImpedance, person: PassiveHands) -> list[CutoffStability]:
    """Stability over the cut-offs of both filters, up to the largest that the sampling period allows each."""
    import numpy as np

    from torquec.haptics.cutoff_stability import FilterPlace, cutoff_stability

    grid = np.geomspace(*_CUTOFFS)
    found = []
    if loop.rendering is RenderingKind.ADMITTANCE:
        low = grid[grid * loop.period <= 4.0]
        found.append(cutoff_stability(loop, rendered, person, low, place=FilterPlace.FORCE))
    below = grid[grid * loop.period < 0.45]
    found.append(cutoff_stability(loop, rendered, person, below, place=FilterPlace.VELOCITY))
    return found


def _destabilizing(loop: PortLoop, rendered: RenderedImpedance, units: dict[str, str]) -> dict[str, Any] | None:
    """A passive hand that makes the loop unstable, in words and numbers; None for an object just outside the region."""
    from torquec.haptics.destabilizing_hand import destabilizing_hand

    try:
        found = destabilizing_hand(loop, rendered)
    except CheckError:
        return None
    pieces = found.hands.pieces
    hand = pieces[0]
    mass, damper, order = float(hand.mass[0]), float(hand.D[0]), hand.G.shape[1]
    parts = [f"a mass of {mass:.4g} {units['mass']}"] if mass > 0.0 else []
    if len(pieces) > 1:
        parts.append(f"a resonance at {found.frequency / (2.0 * math.pi):.3g} Hz whose lever changes with every sample")
    elif order == 1:
        parts.append(f"a spring of {float(hand.G[0, 0]) ** 2:.4g} {units['stiffness']}")
    elif order:
        parts.append(f"{order // 2} resonances")
    if damper > 1e-9:
        parts.append(f"a damper of {damper:.4g} {units['damping']}")
    text = " and ".join(parts) or "no hand at all: the arm's own feedback is unstable"
    return {
        "text": f"{text} (grows by {100.0 * math.expm1(found.growth / loop.period):.3g} % a second)",
        "mass": mass,
        "damping": damper,
        "F": hand.F[0].tolist(),
        "G": hand.G[0].tolist(),
        "levers": [piece.G[0].tolist() for piece in pieces] if len(pieces) > 1 else None,
        "growth": found.growth,
        "frequency": found.frequency / (2.0 * math.pi),
        "mass_error": found.mass_error,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
