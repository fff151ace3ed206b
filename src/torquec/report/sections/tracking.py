"""Tracking: how far each joint was from its reference in simulation, and the torques that this took."""

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
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed
from torquec.report.simulated_conditions import limit_sentences, simulated_conditions, stated_unit
from torquec.report.stored_values import StoredValue

_MILLI = 1e3  # rad to mrad, m to mm, s to ms
_NEAR = 3.0
"""A limit is drawn where it is within so many times of what was wanted; else it would flatten the curves."""


def tracking_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec simulate`: one run, or many."""
    values = document.values
    runs = values.get("runs")
    kind = values["controller"].text
    chosen = assumed(f"the options of the simulation {document.name}")
    what = "one run" if runs is None else f"{runs.number} runs with scattered parameters"
    by = computed(f"simulation of {kind}, {what} ({document.name})")
    facts = [fact("law", kind), fact("called every", Number(_MILLI * values["period"].number, chosen, "ms"))]
    facts += simulated_conditions(values, document.name)
    if runs is not None:
        diverged = Number(values["diverged"].number, by)
        facts.append(fact("runs", Number(runs.number, chosen), ", of which ", diverged, " left all bounds"))
    tip = values.get("tip")
    if tip is not None:
        rms, most = (Number(_MILLI * tip[key].number, by, "mm") for key in ("rmse", "max"))
        facts.append(fact(f"distance of {tip['frame'].text} from where it should be", rms, " rms, ", most, " at most"))
    experiment = values.get("experiment")
    title = "" if experiment is None else experiment.text
    lost = values.get("diverged")
    if lost is not None and runs is None:
        return Shown(
            (Facts(tuple(facts)), paragraph("The loop is not stable: ", Statement(lost.text, by), tone=Tone.BAD)),
            (),
            title,
        )
    blocks: list[Block] = [Facts(tuple(facts)), _errors(values, by)]
    saturated = values["saturated"].texts
    at_limit = f"At their torque limits at times: {', '.join(saturated)}."
    words = at_limit if saturated else "No drive came to its torque limit."
    blocks += [paragraph(Statement(f"{text}.", by), tone=Tone.BAD) for text in limit_sentences(values)]
    if values.get("passed_limits") is None:
        blocks.append(paragraph("Whether the joints kept their ranges and speed limits is not in this document."))
    elif runs is not None:
        blocks.append(paragraph("Speeds of many runs are not kept: whether all kept their limits is not known."))
    blocks.append(paragraph(words, tone=Tone.WARNING if saturated else Tone.GOOD))
    still = values.get("unmoved")
    if still is not None and still.texts:
        text = f"Hardly moving at all: {', '.join(still.texts)}. Friction holds it, or its drive is too weak."
        blocks.append(paragraph(Statement(text, by), tone=Tone.BAD))
    blocks += _curves(values, by)
    worst = [(error.number, joint) for joint, error in values["max_error"].items() if error.value is not None]
    if not worst:
        return Shown(tuple(blocks), (), title)
    most_of_all, joint = max(worst)
    largest = Number(_MILLI * most_of_all, by, f"m{stated_unit(values, joint)}")
    where = f" in '{title}'" if title else "" if runs is None else " in many runs"
    label = f"largest tracking error{where}, at {joint}"
    return Shown(tuple(blocks), (fact(label, largest),), title)


def _errors(values: StoredValue, by: Provenance) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    median = values.get("median_error")
    for joint, rms in values["rmse"].items():
        unit = f"m{stated_unit(values, joint)}"
        numbers = [rms.number_or_none, values["max_error"][joint].number_or_none]
        if median is not None:
            numbers.append(median[joint].number_or_none)
        rows.append((joint, *(None if n is None else Number(_MILLI * n, by, unit) for n in numbers)))
    head = ("joint", "rms error", "largest error", *(("median of the largest",) if median is not None else ()))
    return DataTable(head, tuple(rows), "Tracking errors")


def _curves(values: StoredValue, by: Provenance) -> list[Block]:
    samples = values.get("samples")
    if samples is None:
        return []
    errors, torques = [], []
    for joint, curve in samples["joints"].items():
        unit = stated_unit(values, joint)
        t = curve["t"].numbers
        error = tuple(_MILLI * value for value in curve["error"].numbers)
        series = [Series("error" if curve.get("low") is None else "average", t, error, by)]
        if (low := curve.get("low")) is not None:
            high = tuple(_MILLI * value for value in curve["high"].numbers)
            band = tuple(_MILLI * value for value in low.numbers)
            series.insert(0, Series("all runs", t, high, by, Style.BAND, low=band))
        errors.append(Plot(joint, Axis("time", "s"), Axis("tracking error", f"m{unit}"), tuple(series)))
        if (tau := curve.get("torque")) is not None:
            torques.append(_torque(joint, curve, tau, by, unit))
    blocks: list[Block] = [Gallery(tuple(errors), "Tracking error of every joint")]
    if torques:
        blocks.append(Gallery(tuple(torques), "Torque that the controller asked for"))
    return blocks


def _torque(joint: str, curve: StoredValue, tau: StoredValue, by: Provenance, unit: str) -> Plot:
    force = "N" if unit == "m" else "N m"
    wanted = tau.numbers
    limit = curve.get("limit")
    rules: tuple[LimitLine, ...] = ()
    if limit is not None and limit.number <= _NEAR * max(map(abs, wanted), default=0.0):
        stated = assumed("the limits of the drives in the robot file")
        rules = tuple(LimitLine("limit", Number(sign * limit.number, stated, force)) for sign in (1.0, -1.0))
    series = (Series("torque", curve["torque_t"].numbers, wanted, by),)
    return Plot(joint, Axis("time", "s"), Axis("torque" if force == "N m" else "force", force), series, rules)
