"""`torquec design ROBOT`: a controller with chosen poles, its robustness, and its code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import Outcome, command
from torquec.cli.laws import LawOptions, asked_law, law_gains, lqr_weights
from torquec.cli.linearize import complex_list
from torquec.cli.motions import read_motion
from torquec.cli.options import DegreesOption, ForceOption, StateOption, joint_values
from torquec.cli.output import step_report
from torquec.cli.promises import law_errors, promises
from torquec.cli.writes import Writes
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.control.law_options import LawKind
    from torquec.control.laws import LawEntry
    from torquec.control.worst_case import WorstCase
    from torquec.foundation.work import Work
    from torquec.linearization.linearize import LinearModel
    from torquec.model.model import Model
    from torquec.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class DesignOptions(LawOptions):
    """The point or the motion that is looked at, and what to write."""

    trajectory: Annotated[
        str | None,
        typer.Option(
            metavar="CSV", help="Look at the worst point of this motion; 'standard' is the PUMA 560's. LQR needs one."
        ),
    ] = None
    q: StateOption = None
    qd: StateOption = None
    qdd: StateOption = None
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write the controller as C and JSON."),
        Writes.FOLDER,
    ] = None
    plot: Annotated[
        Path | None,
        typer.Option("--plot", "--pictures", metavar="DIR", help="Draw eigenvalues and root loci (extra plot)."),
        Writes.PICTURES,
    ] = None
    force: ForceOption = False
    deg: DegreesOption = False


@command(
    "design",
    DesignOptions,
    example="torquec design puma560 --poles -12+45j --rate 500 --trajectory standard -o puma560_controller",
)
def design(model: Model, options: DesignOptions) -> Outcome:
    """Design a controller: feedforward and feedback in one function.

    Prints what modelling errors it survives: alpha, beta and gamma are factors on the model's stiffness, damping and
    inertia, for which the sampled loop stays stable. For computed torque at the measured state with a certified model
    it prints a proven bound of the tracking error, along the trajectory or for every reference in the certified box.
    The default law is pole-placement. `torquec simulate --law DIR/controller.json` runs what -o writes.
    """
    from torquec.control.controller_file import write_controller
    from torquec.control.law_options import LawKind
    from torquec.control.laws import LAWS
    from torquec.foundation.work import Work
    from torquec.linearization.linearize import linearize
    from torquec.report.design_text import design_text

    kind = options.kind("pole-placement")
    entry = LAWS[kind]
    if options.plot is not None and not entry.places_poles:
        raise ArgumentError(
            f"{kind} places no poles, so there are no root loci to draw", remedy="leave out --plot, or choose another"
        )
    period = options.period
    motion = None
    if options.trajectory is not None:
        model, motion = read_motion(model, options.trajectory, period)
    robot = model.robot
    point = tuple(
        joint_values(robot, text, f"--{name}", degrees=options.deg)
        for name, text in (("q", options.q), ("qd", options.qd), ("qdd", options.qdd))
    )
    work = Work(report=step_report())
    with work.step(f"making the law {kind}"):
        law = asked_law(model, kind, options, at=point[0], motion=motion)
    document: dict[str, Any] = {
        "controller": kind.value,
        "joints": list(robot.joint_names),
        "poles": _poles(model, kind, options),
        "period": period,
        "sampled": options.sampled,
        "evaluation": _evaluation(entry, options),
        "gains": law_gains(model, kind, options, point[0]),
        "operations": dict(vars(law.operations)),
        "eigenvalues": [],
        "robustness": {},
        "files": [],
        "pictures": [],
    }
    if kind is LawKind.LQR:
        document["weights"] = vars(lqr_weights(robot, options.weights))
    files: list[Path] = []
    if entry.places_poles:
        looked_at = linearize(model, *point)
        worst = _worst(model, options, kind, motion, work)
        document |= _robustness(model, looked_at, options, kind, worst)
        if options.plot is not None:
            drawn = _draw(model, looked_at, options, kind, worst, motion)
            document["pictures"] = [str(path) for path in drawn]
            files += drawn
    document |= promises(model, kind, options, motion, point, work=work)
    if options.output is not None:
        details = {key: document[key] for key in ("controller", "poles", "sampled", "evaluation")}
        written = write_controller(law, options.output, prefix=robot.name, details=details, force=options.force)
        document["files"] = [str(path) for path in written]
        files = [*written, *files]
    return Outcome(document, design_text(robot.name, document), tuple(files))


def _poles(model: Model, kind: LawKind, options: DesignOptions) -> list[list[list[float]]]:
    """The poles of every joint; none where the law is not made from them."""
    from torquec.control.laws import LAWS

    if not LAWS[kind].has_poles:
        return []
    return [complex_list((pair.first, pair.second)) for pair in options.pairs(model.robot).pairs]


def _evaluation(entry: LawEntry, options: DesignOptions) -> str:
    """Where the law evaluates its model."""
    chosen = options.evaluation if "evaluation" in entry.takes else None
    return str(chosen or entry.evaluates_at.value)


def _worst(
    model: Model, options: DesignOptions, kind: LawKind, motion: Trajectory | None, work: Work
) -> WorstCase | None:
    from torquec.control.worst_case import worst_case

    if motion is None:
        return None
    poles = options.pairs(model.robot)
    return worst_case(
        model,
        motion,
        poles,
        errors=law_errors(kind, options),
        period=options.period,
        sampled=options.sampled,
        work=work,
    )


def _robustness(
    model: Model, looked_at: LinearModel, options: DesignOptions, kind: LawKind, worst: WorstCase | None
) -> dict[str, Any]:
    """Eigenvalues and stability intervals, at the point or over the motion."""
    from torquec.control.robustness import ErrorFactor, closed_loop_eigenvalues
    from torquec.control.stability_interval import stability_interval

    poles, errors = options.pairs(model.robot), law_errors(kind, options)
    period, sampled = options.period, options.sampled
    found = closed_loop_eigenvalues(looked_at, poles, errors=errors, period=period, sampled=sampled)
    document: dict[str, Any] = {"eigenvalues": complex_list(found)}
    if worst is None:
        intervals = {
            factor: stability_interval(looked_at, poles, factor, errors=errors, period=period, sampled=sampled)
            for factor in ErrorFactor
        }
    else:
        intervals = worst.intervals
        document["robustness_times"] = {factor.value: list(times) for factor, times in worst.times.items()}
        document["slowest"] = {"rate": worst.slowest, "time": worst.slowest_at}
    document["robustness"] = {factor.value: [i.lower, i.upper] for factor, i in intervals.items()}
    return document


def _draw(
    model: Model,
    looked_at: LinearModel,
    options: DesignOptions,
    kind: LawKind,
    worst: WorstCase | None,
    motion: Trajectory | None,
) -> list[Path]:
    """Eigenvalues and one root locus per factor, of the loop that the text reports; of a motion at its worst point."""
    from torquec.control.robustness import ErrorFactor, closed_loop_eigenvalues
    from torquec.control.root_locus import root_locus
    from torquec.control.stability_interval import stability_interval
    from torquec.linearization.linearize import linearize
    from torquec.report.eigenvalue_plots import locus_values, plot_eigenvalues, plot_root_locus

    assert options.plot is not None
    robot, poles, errors = model.robot, options.pairs(model.robot), law_errors(kind, options)
    period, sampled = options.period, options.sampled
    groups = {
        "open loop": looked_at.eigenvalues,
        str(kind): closed_loop_eigenvalues(looked_at, poles, errors=errors, period=period, sampled=sampled),
    }
    how = f"{kind}, {'sampled design' if sampled else 'continuous design'}, {1.0 / period:g} Hz"
    title = f"{robot.name}: eigenvalues ({how})"
    files = [plot_eigenvalues(groups, options.plot / "eigenvalues.png", title=title)]
    for factor in ErrorFactor:
        here, when = looked_at, ""
        if worst is not None and motion is not None:
            lower, upper = worst.times[factor]
            time = upper if worst.intervals[factor].upper < float("inf") else lower
            state = motion.at([time])
            here, when = linearize(model, state.q[0], state.qd[0], state.qdd[0]), f" at t = {time:.3g} s"
        interval = stability_interval(here, poles, factor, errors=errors, period=period, sampled=sampled)
        locus = root_locus(here, poles, factor, locus_values(interval), errors=errors, period=period, sampled=sampled)
        shown = f"{robot.name}: root locus of {factor}{when} ({how})"
        path = options.plot / f"root_locus_{factor}.png"
        files.append(plot_root_locus(locus, path, title=shown, interval=interval))
    return files
