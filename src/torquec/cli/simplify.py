"""`torquec simplify ROBOT --spec SPEC.toml`: the cheapest dynamics that provably meets a specification.

Everything is written into `DIR.partial` beside the output folder and moved there at the end. Finished steps stay in
`DIR.partial` when the command is stopped, and the same command resumes from there. The best model proven so
far stays there, too, as a model file for all other commands.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import option
from torquec.cli.output import progress, step_report
from torquec.errors import ArgumentError, SpecificationError, TorquecError

if TYPE_CHECKING:
    from torquec.control.tracked_loop import TrackedLoop
    from torquec.foundation.work import Work
    from torquec.model.model import Model
    from torquec.project.simplification import Simplification
    from torquec.robot.robot import Robot
    from torquec.simplification.problem import Simplified
    from torquec.simplification.specification import Specification

_FEW_JOINTS = 3
"""Number of joints up to which proofs take less time than starting processes."""


@dataclass(frozen=True, kw_only=True)
class SimplifyOptions(CommandOptions):
    """The specification, the control loop of its tracking errors, and the options of the computation."""

    spec: Path = option(..., "The specification of the model (docs/specification.md).", "--spec", metavar="SPEC.toml")
    output: Path = option(..., "Where the files go.", "--output", "-o", metavar="DIR", writes=Writes.FOLDER)
    trajectory: str | None = option(
        None, "The motion of the tracking errors; 'standard' is the PUMA 560's.", metavar="CSV"
    )
    uncertainty: Path | None = option(
        None, "Tracking errors hold for all robots in these sets (docs/guarantee.md).", metavar="TOML"
    )
    poles: str | None = option(
        None, "Poles of the computed-torque law [1/s].  [default: {usual poles}]", metavar="LIST"
    )
    rate: float | None = option(None, "Calls of the controller per second.  [default: 500]", metavar="HZ")
    trade_off: bool = option(
        False, "Also simplify for a quarter to four times the stated error, and plot the operations.", "--trade-off"
    )
    check: bool = option(True, "Prove the certificate again, with independent code.")
    minutes: float | None = option(
        None,
        "Time limit in minutes of search, proof and check, without bounds on tracking errors; the result is the best "
        "model proven (and checked, unless --no-check is given) by then.  [default: no limit]",
        metavar="M",
    )
    jobs: int | None = option(None, "Processes to use.  [default: one per processor]", least=1, metavar="N")
    force: bool = option(False, "Replace files in DIR.", "--force")


@command(
    "simplify",
    SimplifyOptions,
    example="torquec simplify planar2r --spec examples/specifications/planar2r.toml -o planar2r_small",
    bodies="starts from the exact dynamics of a robot's bodies",
    extra="optimize",
)
def simplify(model: Model, options: SimplifyOptions) -> Outcome:
    """Simplify the dynamics to a specification, with a proof; write equations, C, model and certificate.

    If the command is stopped, the same command resumes where it was.
    """
    from torquec.project.manifest import claimed_partial, forget_partial
    from torquec.report.design import guarantee_text

    output = options.output
    if options.trade_off and options.minutes is not None:
        raise ArgumentError(
            "--trade-off finds a model for each of several errors, and --minutes would limit them unevenly",
            remedy="leave out one of the two",
        )
    with claimed_partial(output) as partial:
        try:
            made, further = _simplified(model.robot, partial, options)
            files = _move(partial, output, force=options.force)
        except KeyboardInterrupt:
            if partial.exists():
                progress(f"\nstopped; finished steps are kept in {partial}: give the same command again to resume")
            raise
        except TorquecError:
            forget_partial(partial)  # a resumed run would fail again
            raise
    verified = further.pop("verification_text", "")
    if "tracking" in further:
        verified = "\n\n".join(filter(None, [verified, guarantee_text(further["tracking"]["guarantee"])]))
    document = made.document(output) | further | {"files": [str(path) for path in files]}
    return Outcome(document, "\n\n".join(filter(None, [made.summary(output), verified])), tuple(files))


def _simplified(robot: Robot, partial: Path, options: SimplifyOptions) -> tuple[Simplification, dict[str, Any]]:
    """The whole computation, and further fields of the document; the files are in `partial/result` at the end."""
    from torquec.cli.worker_pool import worker_pool
    from torquec.control.tracking_budget import simplify_for_tracking
    from torquec.foundation.budget import Budget
    from torquec.foundation.work import Work
    from torquec.model.simplified import restated, simplified_and_checked
    from torquec.model.simplified import trade_off as curve_of
    from torquec.project.manifest import BEST
    from torquec.project.simplification import Simplification
    from torquec.proof.check_certificate import check_certificate
    from torquec.simplification.pipeline import STOPPED_BY_TIME
    from torquec.simplification.specification import load_specification

    stated = load_specification(options.spec, robot)
    loop = _tracked_loop(robot, stated, options)
    workers = options.jobs or (1 if robot.n <= _FEW_JOINTS else os.cpu_count() or 1)
    budget = Budget.after(None if options.minutes is None else 60.0 * options.minutes, workers=workers)
    say = _timed(progress)
    result = partial / "result"
    with worker_pool(workers) as pool:
        work = Work(executor=pool, report=step_report(say), keep=partial / "work")
        with work.step("everything else", shown=False):
            keep, curve = _kept_at(partial / BEST, robot, say), None
            check = options.check and not options.trade_off
            if loop is None:
                found = simplified_and_checked(robot, stated, budget, work=work, check=check, on_proven=keep)
                assert found is not None
                model, checked = found
                tracked = {}
            else:
                minutes = options.minutes
                seconds = None if minutes is None else 60.0 * minutes
                kept = simplify_for_tracking(robot, stated, loop, seconds=seconds, check=check, work=work)
                model, checked, stated = kept.model, kept.checked, kept.budget.specification or stated
                tracked = {"tracking": {**kept.budget.to_document(), "guarantee": kept.guarantee.to_document()}}
                if model.record is None:
                    raise SpecificationError(
                        "no model simpler than the exact one meets the tracking errors",
                        remedy="allow larger ones, or more --minutes; the exact model meets them",
                    )
            if check and not checked:
                say("the time limit was reached before the proof was checked again: run torquec check later")
            if options.trade_off:
                curve = curve_of(robot, stated, known={1.0: model}, work=work)
                # A level with a smaller error may have led to a cheaper model.
                model = model if curve.best is None else restated(curve.best, stated)
                if options.check:
                    assert model.record is not None
                    check_certificate(robot, model.record, work=work)
                    checked = True
            made = Simplification(model, curve, checked, work.seconds, stopped=STOPPED_BY_TIME in work.notes)
            shutil.rmtree(result, ignore_errors=True)
            made.write(result, say)
            further = {**_coefficient_equations(made, stated, result, work), **_verified(made, stated, result, say)}
            further |= tracked
    work.seconds["total"] = sum(work.seconds.values())
    made.write_page(result, options.output)
    return made, further


def _tracked_loop(robot: Robot, stated: Specification, options: SimplifyOptions) -> TrackedLoop | None:
    """The loop of the tracking errors in the specification; without tracking errors its options are refused."""
    from torquec.cli.motions import read_motion
    from torquec.control.uncertainty import load_uncertainty
    from torquec.model.model import as_model
    from torquec.project.law_choice import LawChoice
    from torquec.project.promises import tracked_loop

    if not stated.tracks:
        for name in ("trajectory", "uncertainty", "poles", "rate"):
            if getattr(options, name) is not None:
                raise ArgumentError(
                    f"--{name} is about tracking errors, and {options.spec} requires none",
                    remedy="leave it out, or state tracking_error",
                )
        return None
    if options.trade_off:
        raise ArgumentError("--trade-off is about stated torque errors", remedy="leave it out")
    choice, motion = LawChoice(poles=options.poles, rate=options.rate), None
    if options.trajectory is not None:
        _, motion = read_motion(as_model(robot), options.trajectory, choice.period)
    sets = None if options.uncertainty is None else load_uncertainty(options.uncertainty, robot)
    return tracked_loop(robot, choice, motion, sets)


def _coefficient_equations(made: Simplification, stated: Specification, folder: Path, work: Work) -> dict[str, Any]:
    """Write the equations with simplified coefficients, if the model has them; gives their part of the document."""
    from torquec.foundation.json_text import document_text
    from torquec.report.simplified_equations import COEFFICIENT_EQUATIONS, COEFFICIENT_SEARCH, coefficient_page
    from torquec.simplification.fitting.fit_entries import BasisSearch
    from torquec.simplification.meet_coefficients import FELL_BACK
    from torquec.simplification.torque_coefficients import torque_coefficients

    model, robot = made.model.coefficients, made.model.robot
    if model is None:
        return {}
    found = torque_coefficients(robot, model.function("inverse_dynamics"))
    layered = stated.search is BasisSearch.MIN_BASIS_GEN
    names = list(work.notes.get(FELL_BACK, ())) if layered else None
    title = f"{robot.name}: equations of motion, coefficients simplified (Chang & Lee)"
    text = coefficient_page(title, found, names)
    document = {"search": stated.search.value, "fell_back": names, "terms": found.terms}
    (folder / COEFFICIENT_EQUATIONS).write_text(text, encoding="utf-8", newline="\n")
    (folder / COEFFICIENT_SEARCH).write_text(document_text(document), encoding="utf-8", newline="\n")
    return {"coefficient_equations": document}


def _verified(made: Simplification, stated: Specification, folder: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Simulate the closed loop of the control requirements, and write the document; gives the document and its text."""
    from torquec.cli.verify_specification import DOCUMENT, POSTURES, verification
    from torquec.foundation.json_text import document_text

    if not stated.joints or any(joint.control is None or joint.motor is None for joint in stated.joints):
        return {}
    if len(stated.joints) != made.model.robot.n:
        return {}
    document, text = verification(made.model, stated, postures=POSTURES)
    say(text.splitlines()[0])
    (folder / DOCUMENT).write_text(document_text(document), encoding="utf-8", newline="\n")
    return {"verification": document, "verification_text": text}


def _kept_at(path: Path, robot: Robot, say: Callable[[str], None]) -> Callable[[Simplified], None]:
    """Writes an intermediate proven program as a model file, replacing the previous one.

    Its terms are not counted: with seven joints that would take half a minute of the search time.
    """
    from torquec.model.model_kinds import certified_model
    from torquec.model.save import save

    def keep(found: Simplified) -> None:
        model = certified_model(robot, found.certificate)
        save(model, path)
        say(f"proven so far: {model.operation_count('inverse_dynamics')}, in {path}")

    return keep


def _move(partial: Path, output: Path, *, force: bool) -> list[Path]:
    """Put the finished files into the output folder, all at once, then delete the kept steps."""
    from torquec.foundation.writing import is_ours, new_folder
    from torquec.project.manifest import forget_partial

    names = sorted(path.name for path in (partial / "result").iterdir())
    # Earlier certificates, which only force replaces: one of another robot would contradict this result.
    stale = [path.name for path in sorted(output.glob("*.certificate.json")) if is_ours(path)]
    with new_folder(output, names=names, stale=stale, force=force) as scratch:
        for name in names:
            (partial / "result" / name).replace(scratch / name)
    forget_partial(partial)
    return [output / name for name in names]


def _timed(say: Callable[[str], None]) -> Callable[[str], None]:
    """Progress with the seconds since the beginning."""
    start = time.perf_counter()
    return lambda text: say(f"[{time.perf_counter() - start:6.1f} s] {text}")
