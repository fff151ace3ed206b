"""The step `realtime`: how often the background must run, as `torquec realtime plan` says it."""

from __future__ import annotations

from torquec.foundation.time_limit import TimeLimit
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
    with context.work.limited(TimeLimit.after(part.seconds)):
        found = plan_background(
            model, specification, period=part.period, latency=part.latency, order=part.order, work=context.work
        )
    context.write_document(DOCUMENT, "plan", plan_document(found))
    period, coarse = found.recommended[found.order], found.bound.coarse
    cut = f"; bounds of {', '.join(coarse)} are coarser than with more than {part.seconds:g} s" if coarse else ""
    if period is None:
        return f"a period of {1e3 * found.period:.3g} ms; the specification leaves no room to recommend one{cut}"
    return f"the background may take {1e3 * period:.3g} ms{cut}"
