"""Generated C on every platform: how far each is from Python, what the tests reached, and what a call costs."""

from __future__ import annotations

from torquec.report.blocks import Block, Cell, DataTable, Facts, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, measured
from torquec.report.stored_values import StoredValue

_PERCENT = 100.0  # parts to percent
_PASSED = {True: "passes", False: "fails"}


def verification_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec verify-package`."""
    values = document.values
    on = measured(f"compilers and emulators of the machine that ran torquec verify-package ({document.name})")
    functions = values["functions"].texts
    ok = values["ok"].truth
    words = (
        "Every platform that could be tried gives what Python gives."
        if ok
        else "A platform does not give what Python gives, or none could be tried."
    )
    count = Number(len(functions), on)
    blocks: list[Block] = [
        paragraph(f"{values['prefix'].text}: ", count, f" functions in {values['real'].text}."),
        paragraph(words, tone=Tone.GOOD if ok else Tone.BAD),
        _platforms(values, on),
    ]
    if missing := values["missing"].texts:
        blocks.append(paragraph(f"Not installed, and so not tried: {', '.join(missing)}.", tone=Tone.WARNING))
    blocks += [*_coverage(values, on), *_costs(values, functions, on)]
    tried = [row for row in values["platforms"] if row["status"].text != "missing"]
    agreeing = Number(sum(row["status"].text == "agrees" for row in tried), on)
    label = f"platforms on which {values['prefix'].text} gives what Python gives"
    return Shown(tuple(blocks), (fact(label, agreeing, " of ", Number(len(tried), on)),))


def _platforms(values: StoredValue, on: Provenance) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for row in values["platforms"]:
        difference, tested, why = row.get("difference"), row.get("selftest"), row["why"].text
        other, every = (Number(row[key].number, on) for key in ("different_numbers", "numbers"))
        note: Cell = Statement(why, on) if why else None
        if not why and every.value:
            same = "bit for bit" if not other.value else f"{other} of {every} differ, most in {row['worst'].text}"
            note = Statement(same, on)
        largest = None if difference is None else Number(difference.number, on, digits=2)
        passed = None if tested is None else _PASSED[tested.truth]
        rows.append((row["name"].text, row["status"].text, largest, passed, note))
    head = ("platform", "result", "largest difference, of the largest value", "self-test", "")
    return DataTable(head, tuple(rows), "The same states through Python and every platform")


def _coverage(values: StoredValue, on: Provenance) -> list[Block]:
    found = values.get("coverage")
    if found is None:
        return []
    reached = [
        fact(f"{what} reached", Number(found[f"{what}_reached"].number, on), " of ", Number(found[what].number, on))
        for what in ("branches", "lines")
    ]
    return [Facts(tuple(reached))]


def _costs(values: StoredValue, functions: tuple[str, ...], on: Provenance) -> list[Block]:
    stacks = dict(values["stack"].items())
    counts = values.get("instructions")
    emulated = next((row["instructions"] for row in values["platforms"] if row.get("instructions") is not None), None)
    head = ["function", *(f"stack, {name}" for name in stacks)]
    head += [] if counts is None else ["instructions of a call", "spread"]
    head += [] if emulated is None else ["on a Cortex-M7"]
    rows: list[tuple[Cell, ...]] = []
    for name in functions:
        row: list[Cell] = [name]
        for stack in stacks.values():
            used = stack.get(name)
            row.append(None if used is None else Number(used.number, on, "bytes"))
        if counts is not None:
            count = counts[name]
            spread = Number(_PERCENT * count["spread"].number, on, "%", 2)
            row += [Number(count["most"].number, on), spread]
        if emulated is not None:
            cycles = emulated.get(name)
            row.append(None if cycles is None else Number(cycles.number, on))
        rows.append(tuple(row))
    sizes = [fact(f"code, {name}", Number(size.number, on, "bytes")) for name, size in values["size"].items()]
    blocks: list[Block] = [Facts(tuple(sizes))] if sizes else []
    if len(head) > 1:
        blocks.append(DataTable(tuple(head), tuple(rows), "What a call costs"))
    return blocks
