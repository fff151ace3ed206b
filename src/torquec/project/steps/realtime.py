"""The step `realtime`: how often the background must run, as `torquec realtime plan` says it."""

from __future__ import annotations

from torquec.project.plan_document import plan_document
from torquec.project.step import StepContext
from torquec.realtime.plan import plan_background

DOCUMENT = "plan.json"


def realtime_step(context: StepContext) -> str:
    """Bound what holding coefficients costs for every motion of the specification."""
    specification = context.project.specification
    part = context.project.realtime
    assert specification is not None
    assert part is not None
    model = context.best_model()
    found = plan_background(
        model, specification, period=part.period, latency=part.latency, order=part.order, work=context.work
    )
    context.write_document(DOCUMENT, "plan", plan_document(found))
    period = found.recommended[found.order]
    if period is None:
        return f"a period of {1e3 * found.period:.3g} ms; the specification leaves no room to recommend one"
    return f"the background may take {1e3 * period:.3g} ms"
