"""Design study of a control law (`torquec design`): gains, robustness, guarantees, and their plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.codegen.precision import Precision
from torquec.foundation.json_text import document_text
from torquec.foundation.work import Work, as_work
from torquec.project.law_choice import LawChoice, asked_law, law_gains, lqr_weights
from torquec.project.promises import law_errors, promises
from torquec.report.result_document import ROBOT_AS_USED, as_used
from torquec.robot.drives import assumed_drives

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.control.law_options import LawKind
    from torquec.control.laws import LawEntry
    from torquec.control.stability_interval import RootLocus, StabilityInterval, WorstCase
    from torquec.control.uncertainty import Uncertainty
    from torquec.linearization.linearize import LinearModel
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.trajectory import Trajectory

DOCUMENT = "design.json"

_STRIDE = 3  # a page shows one in this many points of a root locus; the dots of its branches still touch

DETAILS = ("controller", "poles", "sampled", "evaluation")
"""Design details in the file of a controller."""


@dataclass(frozen=True, eq=False)
class DesignStudy:
    """A law and its JSON document; `looked_at` and `worst` are the linear models of the study.

    They are None for a law that places no poles, and `worst` also without a motion. `witness` proves the guarantee
    (:mod:`torquec.control.tracking_witness`); None if the guarantee is only computed.
    """

    kind: LawKind
    law: Controller
    document: dict[str, Any]
    robot: Robot
    looked_at: LinearModel | None = None
    worst: WorstCase | None = None
    witness: Mapping[str, Any] | None = None

    @property
    def details(self) -> dict[str, Any]:
        """Design details in the file of the controller, and its robot as used."""
        return {**{key: self.document[key] for key in DETAILS}, ROBOT_AS_USED: as_used(self.robot)}


def design_study(
    model: Model,
    choice: LawChoice,
    *,
    point: Sequence[tuple[float, ...]],
    motion: Trajectory | None = None,
    uncertainty: Uncertainty | None = None,
    guarantee: Mapping[str, Any] | None = None,
    work: Work | None = None,
) -> DesignStudy:
    """Design the chosen law for a model, and study it at the state `point` (q, qd, qdd) and along a motion.

    Its `guarantee` is computed unless it is given: for all robots within the `uncertainty`, or without one for the
    nominal robot.
    """
    from torquec.control.law_options import LawKind
    from torquec.control.laws import LAWS
    from torquec.linearization.linearize import linearize

    work = as_work(work)
    kind, robot = choice.kind, model.robot
    entry = LAWS[kind]
    with work.step(f"making the law {kind}"):
        law = asked_law(model, kind, choice, at=point[0], motion=motion)
    document: dict[str, Any] = {
        "robot": robot.name,
        "controller": kind.value,
        "joints": list(robot.joint_names),
        "poles": _poles(model, kind, choice),
        "period": choice.period,
        "sampled": choice.sampled,
        "evaluation": _evaluation(entry, choice),
        "gains": law_gains(model, kind, choice, point[0]),
        "operations": dict(vars(law.operations)),
        "eigenvalues": [],
        "robustness": {},
        "files": [],
        "pictures": [],
    }
    if kind is LawKind.LQR:
        document["weights"] = vars(lqr_weights(robot, choice.weights))
    looked_at, worst = None, None
    if entry.places_poles:
        looked_at = linearize(model, *point)
        worst = _worst(model, choice, kind, motion, work)
        document |= _robustness(model, looked_at, choice, kind, worst)
    known: dict[str, Any] = {"uncertainty": uncertainty, "guarantee": guarantee}
    document["assumed"] = assumed_drives(robot)
    document |= promises(model, kind, choice, motion, tuple(point), **known, work=work)
    return DesignStudy(kind, law, document, robot, looked_at, worst, document.pop("witness"))


def write_witness(study: DesignStudy, folder: Path) -> list[Path]:
    """Write the witness of a study into a folder; gives the file, none without a witness."""
    from torquec.control.tracking_witness import FILE_NAME

    if study.witness is None:
        return []
    (folder / FILE_NAME).write_text(document_text(study.witness), encoding="ascii")
    return [folder / FILE_NAME]


def complex_list(values: Any) -> list[list[float]]:
    """Complex numbers as [re, im]."""
    return [[float(value.real), float(value.imag)] for value in values]


def _poles(model: Model, kind: LawKind, choice: LawChoice) -> list[list[list[float]]]:
    """The poles of every joint; empty if the law is not made from poles."""
    from torquec.control.laws import LAWS

    if not LAWS[kind].has_poles:
        return []
    return [complex_list((pair.first, pair.second)) for pair in choice.pairs(model.robot).pairs]


def _evaluation(entry: LawEntry, choice: LawChoice) -> str:
    """The state at which the law evaluates its model."""
    chosen = choice.evaluation if "evaluation" in entry.takes else None
    return str(chosen or entry.evaluates_at.value)


def _worst(model: Model, choice: LawChoice, kind: LawKind, motion: Trajectory | None, work: Work) -> WorstCase | None:
    from torquec.control.stability_interval import worst_case

    if motion is None:
        return None
    poles = choice.pairs(model.robot)
    return worst_case(
        model, motion, poles, errors=law_errors(kind, choice), period=choice.period, sampled=choice.sampled, work=work
    )


def _robustness(
    model: Model, looked_at: LinearModel, choice: LawChoice, kind: LawKind, worst: WorstCase | None
) -> dict[str, Any]:
    """Eigenvalues and stability intervals, at the point or over the motion."""
    from torquec.control.robustness import ErrorFactor, closed_loop_eigenvalues
    from torquec.control.stability_interval import stability_interval

    poles, errors = choice.pairs(model.robot), law_errors(kind, choice)
    period, sampled = choice.period, choice.sampled
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


@dataclass(frozen=True, eq=False)
class ShownLocus:
    """A root locus with its stability limits, and its time in the motion."""

    locus: RootLocus
    interval: StabilityInterval
    time: float | None


def root_loci(model: Model, study: DesignStudy, choice: LawChoice, motion: Trajectory | None) -> tuple[ShownLocus, ...]:
    """One root locus per factor, for the loop that the text reports: along a motion, that at the worst point.

    Empty for a law that places no poles.
    """
    from torquec.control.robustness import ErrorFactor
    from torquec.control.stability_interval import root_locus, stability_interval
    from torquec.linearization.linearize import linearize
    from torquec.report.design import locus_values

    if study.looked_at is None:
        return ()
    poles, errors = choice.pairs(model.robot), law_errors(study.kind, choice)
    period, sampled = choice.period, choice.sampled
    found = []
    for factor in ErrorFactor:
        here, when = study.looked_at, None
        if study.worst is not None and motion is not None:
            lower, upper = study.worst.times[factor]
            when = upper if study.worst.intervals[factor].upper < float("inf") else lower
            state = motion.at([when])
            here = linearize(model, state.q[0], state.qd[0], state.qdd[0])
        interval = stability_interval(here, poles, factor, errors=errors, period=period, sampled=sampled)
        locus = root_locus(here, poles, factor, locus_values(interval), errors=errors, period=period, sampled=sampled)
        found.append(ShownLocus(locus, interval, when))
    return tuple(found)


def write_design(
    folder: Path,
    name: str,
    study: DesignStudy,
    loci: Sequence[ShownLocus],
    *,
    precision: Precision = Precision.DOUBLE,
    force: bool = False,
) -> list[Path]:
    """Write the controller as C and JSON, the document of the design and the page, atomically.

    `name`: prefix of the names of files and functions. Raises `ArgumentError` for existing files that are not
    Torquec's.
    """
    from torquec.control.controller_file import write_controller
    from torquec.foundation.package_manifest import add_to_package
    from torquec.foundation.writing import new_folder
    from torquec.report.report import PAGE, write_report
    from torquec.report.result_document import result_text

    with new_folder(folder, force=force) as scratch:
        files = write_controller(
            study.law,
            scratch,
            prefix=name,
            precision=precision,
            details=study.details,
            guarantee=study.document["guarantee"],
            force=True,
        )
        (scratch / DOCUMENT).write_text(
            result_text("design", study.document | loop_curves(study, loci), study.robot), encoding="ascii"
        )
        files += write_witness(study, scratch)
        made = write_report(scratch, scratch / PAGE, called=str(folder), live=False)
        add_to_package(scratch)
        names = [path.name for path in (*files, scratch / DOCUMENT, made.page, made.twin)]
    return [folder / each for each in names]


def loop_curves(study: DesignStudy, loci: Sequence[ShownLocus]) -> dict[str, Any]:
    """Curves of the loop for a page: open-loop eigenvalues and root loci."""
    opened = [] if study.looked_at is None else complex_list(study.looked_at.eigenvalues)
    return {"open_loop": opened, "root_loci": [_written(one) for one in loci]}


def _written(shown: ShownLocus) -> dict[str, Any]:
    """A root locus for the page: every eigenvalue that is finite, with the factor's value."""
    import numpy as np

    rows = sorted({*range(0, len(shown.locus.values), _STRIDE), int(np.argmin(np.abs(shown.locus.values - 1.0)))})
    roots = shown.locus.eigenvalues[rows]
    finite = np.isfinite(roots)
    values = np.broadcast_to(shown.locus.values[rows, None], roots.shape)[finite]
    columns = {"values": values, "real": roots.real[finite], "imaginary": roots.imag[finite]}
    written: dict[str, Any] = {"factor": shown.locus.factor.value, "time": shown.time}
    return written | {name: [float(f"{value:.6g}") for value in column] for name, column in columns.items()}


def draw_design(study: DesignStudy, loci: Sequence[ShownLocus], folder: Path) -> list[Path]:
    """Pictures of the eigenvalues and of the root loci."""
    from torquec.report.design import plot_design

    limits = {one.locus.factor.value: (one.interval.lower, one.interval.upper) for one in loci}
    return plot_design(study.document | loop_curves(study, loci), limits, folder, robot=study.robot.name)
