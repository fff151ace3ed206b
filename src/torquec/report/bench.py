"""Execution times of `torquec bench`: this robot's functions on one machine, beside installed peers."""

from __future__ import annotations

from typing import Any

from torquec.report.blocks import Axis, Bars, Block, Cell, DataTable, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Statement, measured
from torquec.report.tables import NANO_TO_MICRO, number, table

_US = "\N{GREEK SMALL LETTER MU}s"


def bench_text(document: dict[str, Any]) -> str:
    """The document of `torquec bench` as a table."""
    lines = [
        f"{document['cpu']}; " + ", ".join(f"{name} {version}" for name, version in document["versions"].items()),
        "One call from Python, nanoseconds; ratio: its time over ours, fastest rounds.",
        "",
    ]
    rows, previous = [], ""
    for row in document["rows"]:
        shown = "" if row["function"] == previous else row["function"]
        previous = row["function"]
        rows.append([shown, row["contestant"], f"{row['ns']:.0f}", f"{row['median_ns']:.0f}", f"{row['ratio']:.1f}"])
    lines.append(table(["function", "contestant", "fastest", "median", "ratio"], rows, left=2))
    if "casadi" in document["versions"]:
        lines.append("\ncasadi is this model in CasADi's virtual machine, without a C compiler.")
    lines += [f"\n{name} was not timed: {reason}" for name, reason in document["absent"].items()]
    lines += [f"\n{function} is not timed: {reason}" for function, reason in document.get("refused", {}).items()]
    for item in document["disagreements"]:
        lines.append(
            f"\nCHECK FAILED: {item['contestant']} differs in {item['function']} by {number(item['difference'], 2)}"
        )
    if document["snap_effect"]:
        lines.append(
            f"\nSnapped angles change torques by up to {number(document['snap_effect'], 2)} of the largest one."
        )
    return "\n".join(lines)


def execution_times_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec bench`."""
    values = document.values
    versions = ", ".join(f"{name} {version.text}" for name, version in values["versions"].items())
    on = measured(f"{values['cpu'].text}; {versions}")
    rows: list[tuple[Cell, ...]] = []
    own: list[tuple[str, Number]] = []
    for row in values["rows"]:
        name, contestant = row["function"].text, row["contestant"].text
        time = Number(NANO_TO_MICRO * row["ns"].number, on, _US, 3)
        median = row.get("median_ns")
        middle = None if median is None else Number(NANO_TO_MICRO * median.number, on, _US, 3)
        rows.append((name, contestant, time, middle, row["ratio"].shown(on, digits=3)))
        if contestant == "torquec":
            own.append((name, time))
    head = ("function", "who", "best", "median", "times ours")
    blocks: list[Block] = []
    if own:
        names = tuple(name.replace("_", " ") for name, _ in own)
        times = tuple(time for _, time in own)
        axis = Axis("time of a call from Python", _US)
        blocks.append(Bars("One call, best of all rounds", axis, names, (("torquec", times),)))
    blocks.append(DataTable(head, tuple(rows), "Times of a call"))
    for name, reason in values["absent"].items():
        blocks.append(paragraph(f"{name} was not timed: ", Statement(reason.text, on)))
    for row in values["disagreements"]:
        words = f"{row['contestant'].text} disagrees in {row['function'].text} by "
        blocks.append(paragraph(words, row["difference"].shown(on, digits=3), tone=Tone.BAD))
    if not own:
        return Shown(tuple(blocks))
    return Shown(tuple(blocks), (fact(f"one call of {own[0][0].replace('_', ' ')}", own[0][1]),))
