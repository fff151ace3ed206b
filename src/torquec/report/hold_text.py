"""What `torquec realtime plan` shows: the error of holding by joint, and the period that is recommended."""

from __future__ import annotations

from torquec.foundation.rounded_bound import rounded_down, rounded_up
from torquec.realtime.background_period import period_words
from torquec.realtime.choices import HoldOrder
from torquec.realtime.plan import HoldPlan
from torquec.report.tables import table


def plan_text(plan: HoldPlan) -> str:
    """The plan as text."""
    zeroth, first, total = plan.held(HoldOrder.ZEROTH), plan.held(HoldOrder.FIRST), plan.total
    head = ["joint", "zeroth", "first", "proven", "total"]
    if plan.found is not None:
        head[1:3] = ["zeroth", "(found)", "first", "(found)"]
    if plan.allowed is not None:
        head.append("allowed")
    rows = []
    for i, name in enumerate(plan.joints):
        row = [name, *(rounded_up(float(bound[i]), 4) for bound in (zeroth, first, plan.proven, total))]
        if plan.found is not None:
            row[1:3] = [row[1], f"({plan.found.zeroth[i]:.4g})", row[2], f"({plan.found.first[i]:.4g})"]
        if plan.allowed is not None:
            row.append(rounded_down(float(plan.allowed[i]), 4))
        rows.append(row)
    age = 1e3 * (plan.period + plan.latency)
    lines = [
        f"{period_words(plan.period)}: torque error [N m, N] of coefficients up to {rounded_down(age, 4)} ms old",
        f"total: {plan.order.value} order, and what is proven of the model",
        "",
        table(head, rows),
        "",
    ]
    for order, period in plan.recommended.items():
        if plan.allowed is None:
            continue
        said = "none is short enough" if period is None else f"{rounded_down(1e3 * period, 4)} ms"
        lines.append(f"longest background period, {order.value} order: {said}")
    if plan.allowed is None:
        lines.append("no background period is recommended: the specification states no torque errors")
    if plan.bound.jerk is None:
        lines.append("accelerations may jump: state `jerk` in the specification where they do not")
    return "\n".join(lines)
