"""The two-rate plan (`torquec realtime plan`): hold error and background period."""

from __future__ import annotations

from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import period_words, shorter_than_cycle
from torquec.realtime.plan import HoldPlan
from torquec.report.blocks import (
    Axis,
    Block,
    Cell,
    DataTable,
    Facts,
    Gallery,
    LimitLine,
    Paragraph,
    Part,
    Plot,
    Series,
    Shown,
    Style,
    Tone,
    fact,
    paragraph,
)
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Statement, assumed, computed, proved
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, table
from torquec_check.claim import Standing, rounded_down, rounded_up

HOLDING = computed("interval arithmetic over all motions of the specification; docs/real-time.md has the argument")
"""Provenance of hold errors bounded at any period."""
_PROVED = proved("the witness of this period and order, which the checker has proven; rt-c packages contain it")
_WITHOUT = {
    Standing.PROVEN: "the checker has proven it; a package for rt-c contains the witness",
    Standing.COMPUTED: "without a witness: the checker does not prove it within its limits, or not of such a model",
}
_ORDERS = ("zeroth", "first")


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
        f"{plan.errors.standing}: {_WITHOUT[plan.errors.standing]}",
        "",
        table(head, rows),
        "",
    ]
    for order, period in plan.recommended.items():
        if plan.allowed is None:
            continue
        recommended_period = "none is short enough" if period is None else f"{rounded_down(1e3 * period, 4)} ms"
        lines.append(f"longest background period, {order.value} order: {recommended_period}")
    if plan.allowed is None:
        lines.append("no background period is recommended: the specification states no torque errors")
    if plan.bound.jerk is None:
        lines.append("accelerations may jump: state `jerk` in the specification where they do not")
    return "\n".join(lines)


def period_note(values: StoredValue, name: str) -> Paragraph | None:
    """The warning of a result of `torquec realtime plan`; None where its period is short enough.

    In a run, the plan has the controller's cycle, and a background period below that cycle also gives a warning.
    """
    period = Number(MILLI * values["period"].number, assumed(f"the options of the plan {name}"), "ms")
    allowed = values.get("allowed")
    if allowed is None:
        return None
    times = [
        (total.number / allowed[joint].number, joint)
        for joint, total in values["total"].items()
        if allowed[joint].number > 0.0
    ]
    most, joint = max(times, default=(0.0, ""))
    order = values["order"].text
    longest = values["recommended"].get(order)
    if most <= 1.0 and longest is not None:
        return _shorter_than_cycle(values, period)
    parts: list[Part] = ["With the background period of ", period, " the torque error may be "]
    parts += [Number(most, HOLDING, digits=3), f" times what is allowed, at {joint}: "]
    if longest is None:
        parts.append(f"no period is short enough to prove it, {order} order.")
    else:
        parts += [
            "a background period of ",
            Number(MILLI * longest.number, HOLDING, "ms", at_least=True),
            " is short enough.",
        ]
    return paragraph(*parts, tone=Tone.WARNING)


def _shorter_than_cycle(values: StoredValue, period: Number) -> Paragraph | None:
    """Warning that two rates gain nothing, where the background period is shorter than a cycle."""
    cycle = values.get("cycle")
    if cycle is None or values["period"].number >= cycle.number:
        return None
    words = Statement(shorter_than_cycle(cycle.number), period.provenance)
    return paragraph("The background period of ", period, " is ", words, ".", tone=Tone.WARNING)


def hold_plan_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec realtime plan`, or of the step `plan` of a run."""
    values, name, bound = document.values, document.name, HOLDING
    looked = computed("the largest error among motions that a search tried")
    stated = assumed("the specification")
    chosen = assumed(f"the options of the plan {name}")
    order = values["order"].text
    period = Number(MILLI * values["period"].number, chosen, "ms")
    facts = [fact("background period", period), fact("what is held", f"coefficients, {order} order")]
    allowed = values.get("allowed")
    for each, longest in values["recommended"].items():
        limit = longest.number_or_none
        none = "none is recommended" if allowed is None else "none is short enough"
        words = none if limit is None else Number(MILLI * limit, bound, "ms", at_least=True)
        facts.append(fact(f"longest background period, {each} order", words))
    whole = bound if values.get("witness") is None else _PROVED
    rows: list[tuple[Cell, ...]] = []
    for joint, total in values["total"].items():
        held = [values[each][joint].shown(bound) for each in _ORDERS]
        found = [values["found"][each][joint].shown(looked) for each in _ORDERS]
        stop = None if allowed is None else allowed[joint].shown(stated)
        rows.append((joint, held[0], found[0], held[1], found[1], total.shown(whole), stop))
    head = ("joint", "zeroth order, at most", "found", "first order, at most", "found ", "with the model", "allowed")
    caption = "Torque error of coefficients that are one background period old [N m, N]"
    note = period_note(values, name)
    blocks: list[Block] = [Facts(tuple(facts)), *(() if note is None else (note,))]
    blocks += [DataTable(head, tuple(rows), caption)]
    if values.get("curve") is not None:
        caption = "Hold error against the background period"
        blocks.append(Gallery(hold_plots(values), caption, folded=True))
    coarse = values.get("coarse")
    if coarse is not None and coarse.texts:
        text = f"Time was short for the bounds of {', '.join(coarse.texts)}: they hold, and more time would lower them."
        blocks.append(paragraph(text, tone=Tone.WARNING))
    recommended = values["recommended"].get(order)
    if recommended is None:
        return Shown(tuple(blocks))
    slowest = Number(MILLI * recommended.number, bound, "ms", at_least=True)
    return Shown(tuple(blocks), (fact("longest background period", slowest),))


def hold_plots(values: StoredValue) -> tuple[Plot, ...]:
    """A plot for every joint: bounds of both orders, errors found as dots, the allowed error and the planned period."""
    curve, bound = values["curve"], HOLDING
    looked = computed("the largest error among motions that a search tried")
    periods = tuple(MILLI * value for value in curve["period"].numbers)
    dots, allowed = values.get("found_curve"), values.get("allowed")
    planned = LimitLine("planned", Number(MILLI * values["period"].number, assumed("the plan"), "ms"), vertical=True)
    plots = []
    for joint, zeroth in curve["zeroth"].items():
        by_order = {"zeroth": zeroth.numbers, "first": curve["first"][joint].numbers}
        series = [Series(f"{order} order, at most", periods, y, bound) for order, y in by_order.items()]
        if dots is not None:
            x = tuple(MILLI * value for value in dots["period"].numbers)
            for order in _ORDERS:
                y = dots[order][joint].numbers
                series.append(Series(f"{order} order, found", x, y, looked, Style.POINTS))
        left = 0.0 if allowed is None else allowed[joint].number - values["proven"][joint].number
        rules = (LimitLine("allowed", Number(left, assumed("the specification"))),) if left > 0.0 else ()
        x_axis, y_axis = Axis("background period", "ms", log=True), Axis("torque error", "N m or N", log=True)
        plots.append(Plot(joint, x_axis, y_axis, tuple(series), (planned, *rules)))
    return tuple(plots)
