"""The steps of a run that make packages: two-rate plan (`realtime`), source code, self-test, report."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torquec.codegen.precision import Precision
from torquec.foundation.arrays import Array
from torquec.foundation.budget import Budget
from torquec.project.self_test import run_c_self_test, self_test
from torquec.project.step import DESIGN, REALTIME, StepContext, StepResult
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import period_words, shorter_than_cycle
from torquec.realtime.plan import HoldPlan, plan_background
from torquec.realtime.targets import TARGETS, TargetOptions, check_request, write_target
from torquec.realtime.tuning import TUNING
from torquec.report.report import PAGE, write_report
from torquec_check.claim import rounded_down

PLAN = "plan.json"


def realtime_step(context: StepContext) -> str:
    """Bound the hold error for every motion of the specification.

    Torque errors that the budget of the tracking errors gave to the model are added to the stated ones.
    """
    specification = context.project.specification
    part = context.project.realtime
    assert specification is not None
    used = context.tracking().get("torque_errors", {})
    errors = [None if j.torque_error is None else j.torque_error + used.get(j.name, 0.0) for j in specification.joints]
    joints = zip(specification.joints, errors, strict=True)
    specification = replace(specification, joints=tuple(replace(j, torque_error=error) for j, error in joints))
    assert part is not None
    model = context.best_model()
    with context.work.within(Budget.after(part.seconds).within(context.work.budget)):
        found = plan_background(
            model, specification, period=part.period, latency=part.latency, order=part.order, work=context.work
        )
    cycle = None if context.project.design is None else context.project.design.period
    context.write_document(PLAN, "plan", plan_document(found) | {"cycle": cycle})
    coarse = found.bound.coarse
    cut = f"; bounds of {', '.join(coarse)} are coarser than with more than {part.seconds:g} s" if coarse else ""
    short = f"; {shorter_than_cycle(cycle)}" if cycle is not None and found.period < cycle else ""
    return f"{period_words(found.period)}, {_why(found)}{short}{cut}"


def _why(found: HoldPlan) -> str:
    """The reason for the background period of a plan."""
    longest = found.recommended[found.order]
    if longest == found.period:
        return "the longest that keeps the allowed torque errors"
    given = "the usual one" if found.period == TUNING.usual_background_period else "as given"
    if found.allowed is None:
        return f"{given}: the specification states no torque errors that would limit it"
    if longest is None:
        return f"{given}: none is short enough to prove the allowed torque errors"
    return f"{given}; at most {rounded_down(1e3 * longest, 4)} ms keep the allowed torque errors"


def generate_step(context: StepContext) -> str:
    """Write the code of each target into a folder of its own."""
    part, model = context.project.generate, context.best_model()
    options = _options(context)
    written = {}
    for target in part.targets:
        with context.work.step(f"writing {target}"):
            # The project states one precision for all targets; those without it compute in double precision.
            precision = part.precision if part.precision in TARGETS[target].precisions else Precision.DOUBLE
            check_request(target, model)
            chosen = dataclasses.replace(options, precision=precision)
            written[target] = write_target(model, context.folder / target, target, chosen).functions
    functions = {
        target: {name: dataclasses.asdict(count) for name, count in counts.items()}
        for target, counts in written.items()
    }
    document = {"targets": list(part.targets), "precision": part.precision.value, "functions": functions}
    context.write_document("generate.json", "generate", document | {"files": context.names()})
    return f"{', '.join(part.targets)}: {sum(map(len, written.values()))} functions"


def _options(context: StepContext) -> TargetOptions:
    """Inputs from the file and from earlier steps: run-time parameters, controller, bounds of the hold error."""
    from torquec.control.controller_file import FILE_NAME, read_controller
    from torquec.realtime.plan import HeldErrors

    part = context.project.generate
    taken = {name for target in part.targets for name in TARGETS[target].options}
    designed = "law" in taken and DESIGN in context.results
    planned = "spec" in taken and REALTIME in context.results
    law = read_controller(context.results[DESIGN] / FILE_NAME) if designed else None
    errors = HeldErrors.of_document(context.read_document(REALTIME, PLAN)) if planned else None
    order = None if errors is None else errors.order
    return TargetOptions(update=part.update, law=law, plan=errors, order=order)


def selftest_step(context: StepContext) -> str | StepResult:
    """Self-test; fails, with all rows in its document, if this machine computes a wrong result."""
    rows = list(self_test(context.best_model(), seed=context.project.seed, work=context.work))
    package = context.results["generate"] / "c" if "generate" in context.results else None
    if package is not None and package.is_dir():
        with context.work.step("building and running the self-test of the C code"):
            rows.append(run_c_self_test(package))
    wrong = [row for row in rows if not row.ok]
    document = {"ok": not wrong, "rows": [{**dataclasses.asdict(row), "ok": row.ok} for row in rows]}
    context.write_document("selftest.json", "selftest", document)
    if wrong:
        row = wrong[0]
        found = f"{row.quantity} differs from {row.against} by {row.difference:.2g} of its largest value"
        remedy = "run torquec selftest, and report what it says with the output of torquec version"
        return StepResult("", failed=f"{found}; {remedy}")
    compared = [row for row in rows if not row.reason]
    return f"{len(compared)} comparisons agree, {len(rows) - len(compared)} could not be made"


def report_step(context: StepContext) -> str:
    """Write the report as page and JSON; documents that could not be shown are counted."""
    made = write_report(context.results[""], context.folder / PAGE, called=str(context.output))
    missing = f", {len(made.problems)} documents could not be shown" if made.problems else ""
    return f"{PAGE}, {made.page.stat().st_size / 1e6:.1f} MB{missing}"


def plan_document(found: HoldPlan) -> dict[str, Any]:
    """Torque errors by joint, bounded and found, and the recommended periods."""

    def by_joint(values: Any) -> dict[str, float]:
        return dict(zip(found.joints, map(float, values), strict=True))

    assert found.found is not None
    return {
        "period": found.period,
        "latency": found.latency,
        "order": found.order.value,
        "zeroth": by_joint(found.held(HoldOrder.ZEROTH)),
        "first": by_joint(found.held(HoldOrder.FIRST)),
        "proven": by_joint(found.proven),
        "total": by_joint(found.total),
        "found": {"zeroth": by_joint(found.found.zeroth), "first": by_joint(found.found.first)},
        "allowed": None if found.allowed is None else by_joint(found.allowed),
        "recommended_period": found.recommended[found.order],
        "recommended": {order.value: period for order, period in found.recommended.items()},
        "coarse": list(found.bound.coarse),
        "witness": found.witness,
        "curve": by_period(found.joints, found.curve()),
    }


def by_period(joints: Sequence[str], curve: Mapping[str, Array]) -> dict[str, Any]:
    """Bounds against the period for the plots of a report, as a list for every joint."""
    orders = {order: values for order, values in curve.items() if order != "period"}
    by_order = {order: dict(zip(joints, values.T.tolist(), strict=True)) for order, values in orders.items()}
    return {"period": curve["period"].tolist(), **by_order}
