"""The steps of a run that make models: `check` of the robot, `identify` from logs, `simplify` with a certificate.

Where no simplified model can be used, the run continues with the exact one and the results state why: nothing simpler
was found or proven in time, the proof could not be checked in time, or the mass matrix may be singular. A model whose
proof is not checked yet is still written: `torquec check` can check it later.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torquec.dynamics.rotorless_joints import rotorless_text
from torquec.foundation.budget import Budget
from torquec.foundation.reading import FileKind, read_json
from torquec.model.model import Model
from torquec.model.simplified import simplified_and_checked
from torquec.project.identify_document import describe
from torquec.project.identify_files import DOCUMENT as IDENTIFIED
from torquec.project.identify_files import logs_to_fit, shown_logs, write_results
from torquec.project.project import design_motion
from torquec.project.promises import tracked_loop
from torquec.project.simplification import DOCUMENT as SIMPLIFIED
from torquec.project.simplification import Simplification
from torquec.project.step import TRACKING, StepContext, StepResult
from torquec.report.robot import robot_facts
from torquec.simplification.pipeline import STOPPED_BY_TIME
from torquec.simplification.specification import Specification
from torquec_check.claim import rounded_up

if TYPE_CHECKING:
    from torquec.control.tracking_budget import TrackedModel, TrackingBudget
    from torquec.control.tracking_guarantee import TrackingGuarantee


def robot_check_step(context: StepContext) -> str:
    """Write the document of `torquec info`."""
    robot = context.project.robot
    facts = robot_facts(robot)
    rotorless = rotorless_text(robot)
    facts["warnings"] += [f"{robot.source}: {rotorless}"] if rotorless else []
    context.write_document("robot.json", "info", {**facts, "content_hash": robot.content_hash})
    warned = len(facts["warnings"])
    said = f", {warned} warning{'s' if warned != 1 else ''}" if warned else ""
    return f"{robot.name}: {robot.n} joints, {robot.moving_mass:.4g} kg move{said}"


def identify_step(context: StepContext) -> str:
    """Fit the logs, predict the others, and write report, model, robot files and C."""
    from torquec.identification.file_fits import fit_files
    from torquec.identification.identify import identify
    from torquec.report.identification_text import Findings
    from torquec.trajectory.log_map import read_log_map

    project, part = context.project, context.project.identify
    assert part is not None
    robot, work = project.robot, context.work
    said: list[str] = []
    meaning = None if part.log_map is None else read_log_map(part.log_map)
    sources, predicted = (
        logs_to_fit(robot, paths, part.log_map, part.options, said.append) for paths in (part.logs, part.validate)
    )
    estimate = identify(robot, sources, validate=predicted, log_map=meaning, options=part.options, work=work)
    training, others = (shown_logs(robot, logs, part.log_map) for logs in (sources, predicted))
    with work.step("fitting each file with the terms that its format supports"):
        fits = fit_files(
            estimate,
            robot,
            sources,
            training,
            log_map=meaning,
            options=part.options,
            mujoco=estimate.realization.physically_consistent,
        )
    findings = Findings(estimate, files=fits)
    with work.step("writing the identified robot"):
        write_results(context.folder, findings, fits, (training, others), describe(findings))
    assert (context.folder / IDENTIFIED).exists()
    read = f"{sum(len(log) for log in training)} samples"
    if any(source is not log for source, log in zip(sources, training, strict=True)):
        read = f"{len(sources)} log{'s' * (len(sources) > 1)}, read in pieces"
    return f"{len(estimate.parameters)} parameters from {read}, error {100 * fits.program.promise.error:.2g} % expected"


def simplify_step(context: StepContext) -> str | StepResult:
    """Search, prove and check with independent code within the project's time, and write all files.

    Tracking errors are first converted to torque errors; if that fails, separately stated torque errors are used.
    """
    specification = context.project.specification
    assert specification is not None
    if not specification.tracks:
        return _simplified(context, specification)
    from torquec.control.tracking_budget import TrackedModel, simplify_within, tracking_budget, without_tracking

    model, work = context.exact_model(), context.work
    assert context.project.design is not None
    stated = context.project.uncertainty
    sets = None if stated is None else stated.with_identified(model)
    loop = tracked_loop(model.robot, context.project.design, design_motion(context.project), sets)
    budget = tracking_budget(model, specification, loop, work=work)
    if budget.specification is not None:
        time = Budget.after(context.project.simplify.seconds)
        return _finished(context, simplify_within(model, budget, loop, time, work=work))
    assert budget.shortfall is not None
    short = f"{budget.shortfall.text}; {budget.shortfall.remedy}"
    if any(joint.torque_error is None for joint in specification.joints):
        return _finished(context, TrackedModel(model, budget.exact, budget), short)
    found = _simplified(context, without_tracking(specification))
    _write_tracking(context, budget, None)
    said = found if isinstance(found, StepResult) else StepResult(found)
    return replace(said, summary=f"{said.summary}; tracking errors are not kept: {short}")


def _finished(context: StepContext, found: TrackedModel, why: str = "") -> str | StepResult:
    """Write the model and its guarantee; `why`: the reason if no simplified model keeps the tracking errors."""
    if found.model.record is None:
        usual = f"nothing simpler than the exact model was found and proven{_allowed(context)}"
        said = _nothing_simpler(context, why or usual)
        _write_tracking(context, found.budget, found.guarantee)
        return said
    result = _written(context, found.model, checked=found.checked)
    unused = isinstance(result, StepResult) and result.fallback
    _write_tracking(context, found.budget, found.budget.exact if unused else found.guarantee)
    if unused:
        return result
    left = [f"{joint.joint} {rounded_up(joint.position, 3)}" for joint in found.guarantee.joints]
    return f"{result}; tracking errors of at most {', '.join(left)} [rad, m]"


def _write_tracking(context: StepContext, budget: TrackingBudget, guarantee: TrackingGuarantee | None) -> None:
    """Write the budget of the tracking errors and, if known, the guarantee of the model that the run continues with."""
    document = budget.to_document() | ({} if guarantee is None else {"guarantee": guarantee.to_document()})
    written = read_json(context.folder / SIMPLIFIED, FileKind.RUN, remedy="run the project again")
    context.write_document(SIMPLIFIED, "simplify", written | {TRACKING: document})


def _allowed(context: StepContext) -> str:
    seconds = context.project.simplify.seconds
    return "" if seconds is None else f" in the {seconds:g} s that [simplify] allows"


def _simplified(context: StepContext, specification: Specification) -> str | StepResult:
    """The model within the torque errors of a specification."""
    budget = Budget.after(context.project.simplify.seconds)
    exact = context.exact_model()
    found = simplified_and_checked(exact, specification, budget, work=context.work, only_simpler=True)
    if found is None:
        return _nothing_simpler(
            context, f"nothing simpler than the exact model was found and proven{_allowed(context)}"
        )
    return _written(context, found[0], checked=found[1])


def _written(context: StepContext, model: Model, *, checked: bool) -> str | StepResult:
    """Write a simplified model; the result states the reason if the run continues without it."""
    work = context.work
    with work.step("checking whether its mass matrix is nonsingular"):
        unused = _unusable(model)
    if not checked:
        late = f"its proof could not be checked again{_allowed(context)}: run torquec check later"
        unused = f"a simpler model was found, but {late}"
    stopped = STOPPED_BY_TIME in work.notes
    made = Simplification(model, None, checked=checked, seconds=work.seconds, unused=unused, stopped=stopped)
    with work.step("writing equations, code and certificate") as step:
        made.write(context.folder, lambda text: step.show(note=text))
    made.write_document(context.folder)
    before, after = made.operations
    said = f"{before.mul} mul, {before.add} add -> {after.mul} mul, {after.add} add, proven"
    said += f" (the time limit of {context.project.simplify.seconds:g} s ended the search)" if stopped else ""
    return StepResult(f"{said}; the run continues with the exact model: {unused}", unused) if unused else said


def _nothing_simpler(context: StepContext, why: str) -> StepResult:
    """Write only a document: the run continues with the exact model."""
    context.write_document(SIMPLIFIED, "simplify", {"unused": why})
    return StepResult(f"the run continues with the exact model: {why}", why)


def _unusable(model: Model) -> str:
    """Why a model is unusable for a controller: its forward dynamics are refused; empty if it is usable."""
    reason = model.refusal("forward_dynamics")
    return f"{reason}; smaller torque errors in [specification] keep it nonsingular" if reason else ""
