"""Real time: what holding coefficients between runs of the background costs, and how punctual a run was."""

from __future__ import annotations

from torquec.report.blocks import (
    Axis,
    Block,
    Cell,
    DataTable,
    Facts,
    Gallery,
    Items,
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
from torquec.report.period_note import HOLDING, period_note
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed, measured
from torquec.report.stored_values import StoredValue

_MILLI = 1e3  # s to ms
_MICRO = 1e6  # s to microseconds
_ORDERS = ("zeroth", "first")
_PARTS = ("p50", "p99", "p99.9", "max")
_SIMULATED_DRIVER = "simulated"


def real_time_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec realtime plan` or of `torquec realtime run`."""
    if document.kind == "realtime run":
        return _run(document.values, document.name)
    return _plan(document.values, document.name)


def _plan(values: StoredValue, name: str) -> Shown:
    bound = HOLDING
    looked = computed("the largest error among motions that a search tried")
    stated = assumed("the specification")
    chosen = assumed(f"the options of the plan {name}")
    order = values["order"].text
    period = Number(_MILLI * values["period"].number, chosen, "ms")
    facts = [fact("background period", period), fact("what is held", f"coefficients, {order} order")]
    allowed = values.get("allowed")
    for each, longest in values["recommended"].items():
        limit = longest.number_or_none
        none = "none is recommended" if allowed is None else "none is short enough"
        words = none if limit is None else Number(_MILLI * limit, bound, "ms", at_least=True)
        facts.append(fact(f"longest background period, {each} order", words))
    rows: list[tuple[Cell, ...]] = []
    for joint, total in values["total"].items():
        held = [Number(values[each][joint].number, bound) for each in _ORDERS]
        found = [Number(values["found"][each][joint].number, looked) for each in _ORDERS]
        stop = None if allowed is None else Number(allowed[joint].number, stated)
        rows.append((joint, held[0], found[0], held[1], found[1], Number(total.number, bound), stop))
    head = ("joint", "zeroth order, at most", "found", "first order, at most", "found ", "with the model", "allowed")
    caption = "Torque error of coefficients that are one background period old [N m, N]"
    note = period_note(values, name)
    blocks: list[Block] = [Facts(tuple(facts)), *(() if note is None else (note,))]
    blocks += [DataTable(head, tuple(rows), caption), *_curve(values, bound, looked)]
    coarse = values.get("coarse")
    if coarse is not None and coarse.texts:
        text = f"Time was short for the bounds of {', '.join(coarse.texts)}: they hold, and more time would lower them."
        blocks.append(paragraph(text, tone=Tone.WARNING))
    recommended = values["recommended"].get(order)
    if recommended is None:
        return Shown(tuple(blocks))
    slowest = Number(_MILLI * recommended.number, bound, "ms", at_least=True)
    return Shown(tuple(blocks), (fact("longest background period", slowest),))


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
        title, x_axis = joint, Axis("background period", "ms", log=True)
        plots.append(Plot(title, x_axis, Axis("torque error", "N m or N", log=True), tuple(series), (planned,)))
    return [Gallery(tuple(plots), "Error of holding coefficients against the background period")]


def _run(values: StoredValue, name: str) -> Shown:
    on = measured(f"the machine that ran torquec realtime run ({name})")
    chosen = assumed(f"the options of the run {name}")
    law, robot, driver = (values[key].text for key in ("law", "robot", "driver"))
    cycles, missed, late = (Number(values[key].number, on) for key in ("cycles", "missed", "late"))
    rate = Number(values["rate"].number, on, "Hz")
    facts = [
        fact("what ran", f"{law} on {robot}, driver {driver}"),
        fact("rate", rate, " of ", Number(1.0 / values["period"].number, chosen, "Hz")),
        fact("cycles", cycles),
    ]
    on_time = missed.value == 0 and late.value == 0
    verdict = paragraph(missed, " cycles were missed, ", late, " ended late.", tone=_tone(on_time))
    faults = values["faults"].texts
    kept = paragraph(
        "No guard stopped the robot." if not faults else f"Guards acted: {', '.join(faults)}.", tone=_tone(not faults)
    )
    rows: list[tuple[Cell, ...]] = []
    for key, words in (
        ("latency", "how late cycles began"),
        ("compute", "law and guards"),
        ("cycle", "cycle to cycle"),
    ):
        rows.append((words, *(_microseconds(values[key][part], on) for part in _PARTS)))
    times = DataTable(("time", "half are below", "99 %", "99.9 %", "longest"), tuple(rows), "Times of the cycles")
    blocks: list[Block] = [Facts(tuple(facts)), verdict, kept, times, *_run_errors(values, driver, name)]
    if notes := values["notes"].texts:
        blocks.append(Items(tuple(Statement(note, on) for note in notes)))
    return Shown(tuple(blocks), (fact(f"{law} in real time: cycles missed", missed, " of ", cycles),))


def _tone(good: bool) -> Tone:
    return Tone.GOOD if good else Tone.WARNING


def _microseconds(value: StoredValue, on: Provenance) -> Number:
    return Number(_MICRO * value.number, on, "\N{GREEK SMALL LETTER MU}s", 3)


def _run_errors(values: StoredValue, driver: str, name: str) -> list[Block]:
    """Tracking errors of the run; of a simulated robot they are computed, though in real time."""
    words = f"the largest error in the run {name}"
    way = computed(f"{words}, of a simulated robot") if driver == _SIMULATED_DRIVER else measured(words)
    rows: list[tuple[Cell, ...]] = []
    for joint, error in values["max_error"].items():
        most = error.number_or_none
        rows.append((joint, None if most is None else Number(_MILLI * most, way)))
    return [DataTable(("joint", "largest error [mrad, mm]"), tuple(rows), "Tracking errors")] if rows else []
