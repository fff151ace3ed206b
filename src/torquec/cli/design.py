"""`torquec design ROBOT`: a controller with chosen poles, its robustness, and its code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.motions import read_motion
from torquec.cli.options import degrees_option, force_option, joint_values, option, state_option
from torquec.cli.options import option as command_option
from torquec.cli.output import step_report
from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError
from torquec.project.law_choice import LawChoice

if TYPE_CHECKING:
    from torquec.control.law_options import LawKind
    from torquec.control.observer import Observer
    from torquec.control.recursive_estimator import RecursiveEstimator
    from torquec.control.uncertainty import Uncertainty
    from torquec.model.model import Model
    from torquec.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class LawOptions(CommandOptions, LawChoice):
    """The control law and its options."""

    controller: str | None = command_option(
        None, "Which law: {laws}.  [default: {usual law}]", metavar="LAW", show_default=False
    )
    poles: str | None = command_option(
        None,
        "Poles [1/s]: one for all joints, or one each; a conjugate is added; a/b is a pair.  [default: {usual poles}]",
        metavar="LIST",
    )
    rate: float | None = command_option(None, "Calls of the controller per second.  [default: 500]", metavar="HZ")
    sampled: bool = command_option(False, "Place poles for this rate, not for a continuous controller.", "--sampled")
    evaluation: str | None = command_option(
        None,
        "State at which computed torque evaluates the model: measured or reference.  [default: measured]",
        metavar="WHERE",
    )
    friction_at: str | None = command_option(
        None,
        "Speed for friction compensation: nothing, reference, measured.  [default: reference; nothing for pd and pid]",
        metavar="SPEED",
    )
    abbreviated: bool = command_option(
        False, "Use the abbreviated model (Clover's rule): fewer operations.", "--abbreviated"
    )
    threshold: float | None = command_option(
        None, "With --abbreviated: drop coefficients below X (SI units).  [default: 0.01]", metavar="X"
    )
    weights: str | None = command_option(
        None,
        "LQR: tolerable errors and torques (rad or m, per second, Nm or N).  [default: {tolerable errors} "
        "and the limits of the drives]",
        metavar="POSITION,SPEED[,TORQUE]",
    )
    option: list[str] | None = command_option(
        None, "Another option of the law: {law options}; repeat for more.", metavar="NAME=VALUE"
    )
    saturate: bool = command_option(False, "Limit torques to what the robot's file allows.", "--saturate")
    effort: float = command_option(
        1.0, "Use only this fraction of the torque limits; below 1, torques saturate there.", metavar="SHARE"
    )


def asked_estimator(model: Model, frame: str, period: float) -> RecursiveEstimator:
    """A recursive payload estimator at a frame, for the model of a law."""
    from torquec.control.recursive_estimator import recursive_estimator

    return recursive_estimator(model, frame, period=period, window=max(0.1, 10.0 * period))


def asked_observer(
    model: Model,
    kind: LawKind,
    options: LawChoice,
    motion: Trajectory | None,
    sets: Uncertainty | None,
    *,
    bandwidth: float,
    period: float,
) -> Observer:
    """A momentum observer for the model of a law, with thresholds along the motion if an uncertainty is given."""
    from torquec.control.observer import momentum_observer
    from torquec.project.promises import law_guarantee

    if sets is None:
        return momentum_observer(model, bandwidth=bandwidth, period=period)
    guarantee = None if motion is None else law_guarantee(model, kind, options, motion, sets)
    return momentum_observer(
        model, bandwidth=bandwidth, period=period, uncertainty=sets, motions=motion, guarantee=guarantee
    )


@dataclass(frozen=True, kw_only=True)
class DesignOptions(LawOptions):
    """The point or the motion to analyse, and the files to write."""

    trajectory: str | None = option(
        None, "Analyse the worst point of this motion; 'standard' is the PUMA 560's. LQR needs one.", metavar="CSV"
    )
    uncertainty: Path | None = option(
        None, "Bound the tracking error for all robots in these sets (docs/guarantee.md).", metavar="TOML"
    )
    for_guarantee: bool = option(
        False,
        "Choose law and poles so that the bound proven for --uncertainty is smallest.",
        "--for-guarantee",
    )
    seconds: float = option(60.0, "Time limit of --for-guarantee, without witness and files.", metavar="S")
    observe: float | None = option(
        None, "Bandwidth [1/s] of a momentum observer for --observer; its thresholds follow --uncertainty.", metavar="K"
    )
    observer: Path | None = option(None, "Write the observer as C and JSON.", metavar="DIR", writes=Writes.FOLDER)
    estimate: str | None = option(
        None, "Frame of an unknown payload: a recursive estimator for --estimator.", metavar="FRAME"
    )
    estimator: Path | None = option(None, "Write the estimator as C and JSON.", metavar="DIR", writes=Writes.FOLDER)
    precision: Precision | None = option(
        None,
        "Precision of the written code: double, or single (32 bits) for small processors.  [default: double, or "
        "single for a model that was certified in it]",
    )
    prefix: str | None = option(
        None, "Prefix of the names of files and functions of -o.  [default: NAME_controller for the robot NAME]"
    )
    q: str | None = state_option()
    qd: str | None = state_option()
    qdd: str | None = state_option()
    output: Path | None = option(
        None, "Write the controller as C and JSON, and a page.", "--output", "-o", metavar="DIR", writes=Writes.FOLDER
    )
    plot: Path | None = option(
        None,
        "Draw eigenvalues and root loci (extra plot).",
        "--plot",
        "--pictures",
        metavar="DIR",
        writes=Writes.PICTURES,
    )
    force: bool = force_option()
    deg: bool = degrees_option()


@command(
    "design", DesignOptions, example="torquec design puma560 --rate 500 --trajectory standard -o puma560_controller"
)
def design(model: Model, options: DesignOptions) -> Outcome:
    """Design a controller: feedforward and feedback in one function.

    Prints the modelling errors that it tolerates: the sampled loop stays stable for the printed factors alpha, beta and
    gamma on the model's stiffness, damping and inertia. For computed torque at the measured state with a certified
    model it prints a bound on the tracking error, along the trajectory or for every reference in the certified box.
    With --uncertainty the bound is for every robot whose friction, payload, sensors and timing are in the sets of a
    file. With --for-guarantee the command chooses law and poles for the smallest such bound. `torquec simulate --law
    DIR/controller.json` runs what -o writes.
    """
    from torquec.control.controller_file import law_prefix, write_controller
    from torquec.control.laws import LAWS
    from torquec.control.uncertainty import load_uncertainty
    from torquec.foundation.work import Work
    from torquec.model.generate import usual_precision
    from torquec.project.design_study import design_study, draw_design, root_loci, write_design
    from torquec.project.promises import best_guarantee
    from torquec.report.design import design_text

    kind = options.kind
    if options.plot is not None and not LAWS[kind].places_poles:
        raise ArgumentError(
            f"{kind} places no poles, so there are no root loci to draw", remedy="leave out --plot, or choose another"
        )
    if (options.observe is None) != (options.observer is None):
        raise ArgumentError("--observe and --observer go together", remedy="give both: --observe 50 --observer DIR")
    if (options.estimate is None) != (options.estimator is None):
        raise ArgumentError(
            "--estimate and --estimator go together", remedy="give both: --estimate FRAME --estimator DIR"
        )
    motion = None
    if options.trajectory is not None:
        model, motion = read_motion(model, options.trajectory, options.period)
    robot = model.robot
    point = tuple(
        joint_values(robot, text, f"--{name}", degrees=options.deg)
        for name, text in (("q", options.q), ("qd", options.qd), ("qdd", options.qdd))
    )
    sets = None if options.uncertainty is None else load_uncertainty(options.uncertainty, model)
    work, found, known = Work(report=step_report()), None, None
    if options.for_guarantee:
        options, found = best_guarantee(model, options, motion, sets, seconds=options.seconds, work=work)
        kind, known = options.kind, found.best.guarantee.to_document()
    study = design_study(model, options, point=point, motion=motion, uncertainty=sets, guarantee=known, work=work)
    document, files = study.document, []
    if found is not None:
        document["for_guarantee"] = found.to_document()
    precision = document["precision"] = options.precision or usual_precision(model, "c")
    loci = root_loci(model, study, options, motion) if options.plot or options.output else ()
    if options.plot is not None:
        files = draw_design(study, loci, options.plot)
        document["pictures"] = [str(path) for path in files]
    if options.output is not None:
        prefix = options.prefix or law_prefix(robot)
        written = write_design(options.output, prefix, study, loci, precision=precision, force=options.force)
        document["files"] = [str(path) for path in written]
        files = [*written, *files]
    if options.observe is not None and options.observer is not None:
        observer = asked_observer(model, kind, options, motion, sets, bandwidth=options.observe, period=options.period)
        files += write_controller(
            observer, options.observer, prefix=f"{robot.name}_observer", precision=precision, force=options.force
        )
        document["observer"] = {
            "bandwidth": observer.bandwidth,
            "detection_time": observer.detection_time,
            "smallest_torque": dict(zip(observer.joints, observer.smallest_torque, strict=True)),
        }
    if options.estimate is not None and options.estimator is not None:
        estimator = asked_estimator(model, options.estimate, options.period)
        files += write_controller(
            estimator, options.estimator, prefix=f"{robot.name}_estimator", precision=precision, force=options.force
        )
        document["estimator"] = {key: getattr(estimator, key) for key in ("frame", "window", "memory")}
    return Outcome(document, design_text(robot.name, document), tuple(files), robot=robot)
