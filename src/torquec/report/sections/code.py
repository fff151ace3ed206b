"""Generated code: the operations of every function, and what the self-tests compared."""

from __future__ import annotations

from torquec.report.blocks import Block, Cell, DataTable, Shown, Tone, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Statement, assumed, computed, measured
from torquec.report.stored_values import StoredValue

_COUNTED = ("mul", "add", "div", "sincos", "other")


def code_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec generate`, or of `torquec selftest`."""
    if document.kind == "selftest":
        return _tested(document.values, document.name)
    return _generated(document.values)


def _generated(values: StoredValue) -> Shown:
    counted = computed("counted in the programs")
    rows: list[tuple[Cell, ...]] = []
    for name, function in values["functions"].items():
        # A run generates for several targets at once; a command for one.
        inner = [(name, function)] if function.get("mul") is not None else list(function.items())
        for quantity, count in inner:
            target = name if quantity != name else ""
            rows.append((target, quantity, *(Number(count[key].number, counted) for key in _COUNTED)))
    head = ("target", "function", "multiplications", "additions", "divisions", "sin, cos", "other")
    named = any(row[0] for row in rows)
    shown = tuple(row if named else row[1:] for row in rows)
    return Shown((DataTable(head if named else head[1:], shown, "Operations of every function"),) if rows else ())


def _tested(values: StoredValue, name: str) -> Shown:
    here, most = measured(f"the machine that ran the self-test ({name})"), assumed("what the self-test allows")
    rows: list[tuple[Cell, ...]] = []
    for row in values["rows"]:
        difference, reason = row.get("difference"), row["reason"].text
        found: Cell = Statement(reason, here) if reason else None
        if difference is not None and not reason:
            found = Number(difference.number, here, digits=2)
        allowed = None if reason else Number(row["allowed"].number, most, digits=2)
        rows.append((row["quantity"].text, row["against"].text, found, allowed))
    ok = values["ok"].truth
    words = "The self-tests agree." if ok else "A self-test does not agree."
    blocks: tuple[Block, ...] = (paragraph(words, tone=Tone.GOOD if ok else Tone.BAD),)
    head = ("what", "against", "largest difference, of the largest value", "allowed")
    return Shown((*blocks, DataTable(head, tuple(rows), "Comparisons", folded=ok)))
