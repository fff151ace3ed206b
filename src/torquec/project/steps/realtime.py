"""The step `realtime`: how often the background must run, as `torquec realtime plan` says it."""

from __future__ import annotations

from torquec.foundation.budget import Budget
from torquec.foundation.rounded_bound import rounded_down
from torquec.project.plan_document import plan_document
from torquec.project.step import StepContext
from torquec.realtime.background_period import USUAL_PERIOD, period_words, shorter_than_cycle
from torquec.realtime.plan import HoldPlan, plan_background

DOCUMENT = "plan.json"


def realtime_step(context: StepContext) -> str:
    """Bound what holding coefficients costs for every motion of the specification."""
    specification = context.project.specification
    part = context.project.realtime
    assert specification is not None
    assert part is not None
    model = context.best_model()
    with context.work.within(Budget.after(part.seconds).within(context.work.budget)):
        found = plan_background(
            model, specification, period=part.period, latency=part.latency, order=part.order, work=context.work
        )
    cycle = None if context.project.design is None else context.project.design.period
    context.write_document(DOCUMENT, "plan", plan_document(found) | {"cycle": cycle})
    coarse = found.bound.coarse
    cut = f"; bounds of {', '.join(coarse)} are coarser than with more than {part.seconds:g} s" if coarse else ""
    short = f"; {shorter_than_cycle(cycle)}" if cycle is not None and found.period < cycle else ""
    return f"{period_words(found.period)}, {_why(found)}{short}{cut}"


def _why(found: HoldPlan) -> str:
    """Why a plan has the background period that it has."""
    longest = found.recommended[found.order]
    if longest == found.period:
        return "the longest that keeps the allowed torque errors"
    given = "the usual one" if found.period == USUAL_PERIOD else "as given"
    if found.allowed is None:
        return f"{given}: the specification states no torque errors that would limit it"
    if longest is None:
        return f"{given}: none is short enough to prove the allowed torque errors"
    return f"{given}; at most {rounded_down(1e3 * longest, 4)} ms keep the allowed torque errors"
