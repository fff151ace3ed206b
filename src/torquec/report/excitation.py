"""Exciting motions of `torquec excite`: condition number, limits, and how well logs excite each parameter."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.identification.excitation.excitation import Excitation
from torquec.identification.excitation.excitation_options import Criterion
from torquec.report.blocks import (
    Axis,
    Bars,
    Block,
    Cell,
    DataTable,
    Facts,
    LimitLine,
    Plot,
    Series,
    Shown,
    Style,
    Tone,
    fact,
    paragraph,
)
from torquec.report.figure import write_picture
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed
from torquec.report.sample_curves import sampled_series
from torquec.report.stored_values import StoredValue
from torquec.report.tables import PERCENT, number, table
from torquec.robot.robot import Robot

if TYPE_CHECKING:
    from torquec.identification.excitation.log_excitation import LogExcitation

_LISTED_LIMITS = 6
"""Number of limits shown, the most used first; the document has all."""
_STATED = assumed("the robot file and the options of the search")
_DRAWN_LIMITS = 12
"""Number of limits drawn, the tightest first; the table has all."""
_RATINGS = {
    "good": ("are excited well", Tone.GOOD),
    "fair": ("are excited fairly", Tone.PLAIN),
    "poor": ("are excited poorly", Tone.WARNING),
    "not excited": ("are not excited at all", Tone.BAD),
}
"""Words for numbers of parameters."""


def excitation_text(document: dict[str, Any]) -> str:
    """The document of `torquec excite` as a page."""
    kept = "every limit is kept, proved for every instant" if document["limits_kept"] else "limits are VIOLATED"
    tight = sorted(document["limits"].items(), key=lambda item: -item[1])[:_LISTED_LIMITS]
    known = f"{document['duration']:g} s, {len(document['parameters'])} parameters"
    condition = f"{number(document['condition'], 4)} ({number(document['unit_condition'], 4)} with unit columns)"
    lines = [
        f"{document['file']}: {known}, condition number {condition}, {kept}",
        "",
        table(["tightest limits", "used"], [[name, f"{share:.1%}"] for name, share in tight]),
    ]
    if document.get("uncertainty"):
        lines.append(f"torques are kept with masses and friction up to {document['uncertainty']:.0%} off")
    if document["assumed"]:
        lines.append(f"assumed, where the robot's file has no limits: {', '.join(document['assumed'])}")
    return "\n".join(lines)


def log_excitation_text(found: LogExcitation) -> str:
    """How well logs excite each parameter."""
    rows = [
        [
            p.name,
            number(p.value, 4),
            _relative_text(p.relative_deviation),
            f"{p.independence:.3f}",
            f"{p.contribution:.2%}",
            f"{p.uncertainty:.2%}" if math.isfinite(p.uncertainty) else "-",
            str(p.rating),
        ]
        for p in found.parameters
    ]
    counts = {rating: sum(p.rating == rating for p in found.parameters) for rating in ("good", "fair", "poor")}
    header = ["parameter", "value", "std", "independence", "of torque", "its std", "excited"]
    return (
        f"{table(header, rows)}\n\n{found.samples} samples, cut-off {number(found.cutoff, 3)} Hz, condition number "
        f"{number(found.condition, 4)} ({number(found.unit_condition, 4)} with unit columns)\n"
        f"{counts['good']} parameters known to 10 % (or 1 % of the torque), {counts['fair']} to 50 % (or 5 %), "
        f"{counts['poor']} worse, "
        f"{len(found.parameters) - sum(counts.values())} not excited"
    )


def _relative_text(relative: float) -> str:
    """A relative deviation in per cent; '>100%' for all larger ones."""
    return f"{relative:.1%}" if relative <= 1.0 else ">100%"


def excitation_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec excite`: a designed motion, or logs that were assessed."""
    if document.values.get("logs") is not None:
        return _judged(document.values, document.name)
    return _designed(document.values, document.name)


def _designed(values: StoredValue, name: str) -> Shown:
    chosen = assumed(f"the options of the search {name}")
    by = computed("the regressor along the motion")
    condition = values["condition"].shown(by)
    count = Number(len(values["parameters"].texts), computed("counted among the robot's base parameters"))
    facts = Facts(
        (
            fact(
                "motion",
                f"{values['shape'].text}, ",
                values["duration"].shown(chosen, "s"),
                f", in {values['file'].text}",
            ),
            fact(
                "chosen by",
                f"{values['criterion'].text}, among ",
                values["evaluations"].shown(chosen),
                " motions",
            ),
            fact("parameters that it separates", count),
            fact("condition number", condition, "; with unit columns ", values["unit_condition"].shown(by)),
        )
    )
    kept = values["limits_kept"].truth
    words = (
        "Every limit is kept at every instant: proved for the motion's formula, not only for its samples."
        if kept
        else "Limits are violated: do not run this motion."
    )
    blocks: list[Block] = [facts, paragraph(words, tone=Tone.GOOD if kept else Tone.BAD), *_limits(values, kept=kept)]
    if held := values["assumed"].texts:
        statement = Statement(", ".join(held), assumed("the search itself: the robot's file has no such limits"))
        blocks.append(paragraph("Assumed, where the robot's file states no limits: ", statement, tone=Tone.WARNING))
    return Shown(tuple(blocks), (fact("condition number of the exciting motion", condition),))


def _limits(values: StoredValue, *, kept: bool) -> list[Block]:
    way = computed("bounds over every instant of the motion's formula" if kept else "the motion's samples")
    shares = sorted(((name, share.number) for name, share in values["limits"].items()), key=lambda item: -item[1])
    if not shares:
        return []
    rows: tuple[tuple[Cell, ...], ...] = tuple((name, _percent(share, way)) for name, share in shares)
    tight = shares[:_DRAWN_LIMITS]
    whole = LimitLine("limit", Number(PERCENT, _STATED, "%"))
    bars = Bars(
        "The limits that are used most",
        Axis("used", "%"),
        tuple(name for name, _ in tight),
        (("at most", tuple(_percent(share, way) for _, share in tight)),),
        whole,
    )
    return [bars, DataTable(("limit", "used, at most"), rows, "All limits", folded=True)]


def _percent(share: float, way: Provenance) -> Number:
    return Number(PERCENT * share, way, "%", 3)


def _judged(values: StoredValue, name: str) -> Shown:
    logs = ", ".join(values["logs"].texts)
    by = computed(f"a least-squares fit to {logs}, with the deviation of its residuals ({name})")
    condition = values["condition"].shown(by)
    facts = Facts(
        (
            fact("logs", logs),
            fact("samples used", values["samples"].shown(by)),
            fact("cut-off", values["cutoff"].shown(by, "Hz", 3)),
            fact("condition number", condition, "; with unit columns ", values["unit_condition"].shown(by)),
        )
    )
    rows: list[tuple[Cell, ...]] = []
    counts = dict.fromkeys(_RATINGS, 0)
    for row in values["parameters"]:
        rating = row["rating"].text
        counts[rating] = counts.get(rating, 0) + 1
        shares = [row.get(key) for key in ("relative_std", "independence", "contribution", "uncertainty")]
        scales = (PERCENT, 1.0, PERCENT, PERCENT)
        units = ("%", "", "%", "%")
        cells = [
            None if share is None else Number(scale * share.number, by, unit, 3)
            for share, scale, unit in zip(shares, scales, units, strict=True)
        ]
        rows.append((row["name"].text, row["value"].shown(by), *cells, rating))
    notes = [
        paragraph(Number(counts[rating], by), f" parameters {words}.", tone=tone)
        for rating, (words, tone) in _RATINGS.items()
        if counts[rating]
    ]
    head = ("parameter", "value", "deviation", "independence", "share of the torque", "its deviation", "excited")
    table = DataTable(head, tuple(rows), "Accuracy of every parameter in a fit to these logs")
    known = Number(counts["good"], by)
    return Shown(
        (facts, *notes, table), (fact("parameters that the logs excite well", known, " of ", Number(len(rows), by)),)
    )


def plot_excitation(
    robot: Robot, excitation: Excitation, path: str | os.PathLike[str], *, criterion: Criterion = Criterion.CONDITION
) -> Path:
    """Draw positions and speeds of every joint against their limits, and the search; raises as `write_picture` does."""
    motion, by = excitation.trajectory, computed("the motion's formula")
    plots = []
    for j, joint in enumerate(robot.coordinates):
        ends = (joint.limits.lower, joint.limits.upper) if joint.has_position_limits else ()
        speed = joint.limits.velocity
        for what, values, limits, unit in (
            ("position", motion.q, ends, joint.position_unit),
            ("speed", motion.qd, (-speed, speed), joint.speed_unit),
        ):
            rules = tuple(LimitLine("limit", Number(limit, _STATED, unit)) for limit in limits if math.isfinite(limit))
            curve = sampled_series("motion", motion.t, values[:, j], by)
            plots.append(Plot(f"{joint.name}: {what}", Axis("time", "s"), Axis(what, unit), (curve,), rules))
    plots.append(_search_plot(excitation, criterion))
    kept = "every limit kept at every instant" if excitation.limits_kept else "limits NOT kept"
    known = f"condition {excitation.condition:.3g}, {excitation.unit_condition:.3g} with unit columns"
    return write_picture(plots, path, title=f"{robot.name}: {known}; {kept}")


def _search_plot(excitation: Excitation, criterion: Criterion) -> Plot:
    """The criterion of the best motion so far, over the number of motions tried."""
    done, values = zip(*excitation.history, strict=True)
    is_log = criterion is not Criterion.DETERMINANT
    shown = tuple(math.exp(value) if is_log else float(value) for value in values)
    series = Series("motion", tuple(map(float, done)), shown, computed("the search"), Style.STEPS)
    axis = Axis(str(criterion) if is_log else "-log det / b", log=is_log)
    return Plot("The best motion so far", Axis("motions tried"), axis, (series,))
