"""Real time: what holding coefficients between runs of the background costs, and how punctual a run was."""

from __future__ import annotations

from torquec.report.blocks import (
    Axis,
    Block,
    Cell,
    DataTable,
    Facts,
    Gallery,
    LimitLine,
    Plot,
    Series,
    Shown,
    Style,
    Tone,
    fact,
    paragraph,
)
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, assumed, computed, measured, proved
from torquec.report.stored_values import StoredValue

_MILLI = 1e3  # s to ms
_ORDERS = ("zeroth", "first")


def real_time_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec realtime plan` or of `torquec realtime run`."""
    if document.kind == "realtime run":
        return _run(document.values, document.name)
    return _plan(document.values, document.name)


def _plan(values: StoredValue, name: str) -> Shown:
    bound = proved("interval arithmetic over all motions of the specification; docs/real-time.md has the argument")
    looked = computed("the largest error among motions that a search tried")
    stated = assumed("the specification")
    chosen = assumed(f"the options of the plan {name}")
    order = values["order"].text
    period = Number(_MILLI * values["period"].number, chosen, "ms")
    facts = [fact("period of the background", period), fact("what is held", f"coefficients, {order} order")]
    for each, longest in values["recommended"].items():
        limit = longest.number_or_none
        words = "none is short enough" if limit is None else Number(_MILLI * limit, bound, "ms")
        facts.append(fact(f"longest period, {each} order", words))
    rows: list[tuple[Cell, ...]] = []
    allowed = values.get("allowed")
    for joint, total in values["total"].items():
        held = [Number(values[each][joint].number, bound) for each in _ORDERS]
        found = [Number(values["found"][each][joint].number, looked) for each in _ORDERS]
        stop = None if allowed is None else Number(allowed[joint].number, stated)
        rows.append((joint, held[0], found[0], held[1], found[1], Number(total.number, bound), stop))
    head = ("joint", "zeroth order, at most", "found", "first order, at most", "found ", "with the model", "allowed")
    caption = "Torque error of coefficients that are one period old [N m, N]"
    blocks: list[Block] = [Facts(tuple(facts)), DataTable(head, tuple(rows), caption), *_curve(values, bound, looked)]
    recommended = values["recommended"].get(order)
    if recommended is None:
        return Shown(tuple(blocks))
    slowest = Number(_MILLI * recommended.number, bound, "ms")
    return Shown(tuple(blocks), (fact("the background may take as long as", slowest),))


def _curve(values: StoredValue, bound: Provenance, looked: Provenance) -> list[Block]:
    curve = values.get("curve")
    if curve is None:
        return []
    periods = tuple(_MILLI * value for value in curve["period"].numbers)
    dots = values.get("found_curve")
    planned = LimitLine("planned", Number(_MILLI * values["period"].number, assumed("the plan"), "ms"), vertical=True)
    plots = []
    for joint, zeroth in curve["zeroth"].items():
        by_order = {"zeroth": zeroth.numbers, "first": curve["first"][joint].numbers}
        series = [Series(f"{order} order, at most", periods, y, bound) for order, y in by_order.items()]
        if dots is not None:
            x = tuple(_MILLI * value for value in dots["period"].numbers)
            for order in _ORDERS:
                y = dots[order][joint].numbers
                series.append(Series(f"{order} order, found", x, y, looked, Style.POINTS))
        title, x_axis = joint, Axis("period of the background", "ms", log=True)
        plots.append(Plot(title, x_axis, Axis("torque error", "N m or N", log=True), tuple(series), (planned,)))
    return [Gallery(tuple(plots), "Error of holding coefficients against the period of the background")]


def _run(values: StoredValue, name: str) -> Shown:
    on = measured(f"the machine that ran torquec realtime run ({name})")
    facts = [fact("cycles", Number(values["cycles"].number, on))]
    rows: list[tuple[Cell, ...]] = []
    for key, words in (("jitter", "how late a cycle began"), ("compute_us", "time of a cycle's work")):
        found = values.get(key)
        if found is not None:
            rows += [
                (words, part, Number(value.number, on)) for part, value in found.items() if value.value is not None
            ]
    misses = Number(values["misses"].number, on)
    faults = [f"cycle {fault['cycle'].number}: {fault['kind'].text}" for fault in values["faults"]]
    late = misses.value > 0.0
    verdict = paragraph(misses, " deadlines were missed.", tone=Tone.WARNING if late else Tone.GOOD)
    blocks: list[Block] = [Facts(tuple(facts)), verdict]
    if faults:
        blocks.append(paragraph("Faults: ", "; ".join(faults), tone=Tone.WARNING))
    if rows:
        blocks.append(DataTable(("what", "part", "microseconds"), tuple(rows), "Punctuality"))
    return Shown(tuple(blocks), (fact("deadlines missed", misses, " of ", Number(values["cycles"].number, on)),))
