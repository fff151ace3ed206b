"""What `torquec papers` shows: the list of comparisons, and our numbers beside the printed ones."""

from __future__ import annotations

from typing import Any

from torquec.papers.printed_row import DifferenceKind
from torquec.report.tables import number, table

_DIGITS = 5  # more than any of the papers prints, so that differences in the last printed digit show

_WHOLE = 10.0  # [%], from which whole per cents are digits enough


def comparison_list_text(document: dict[str, Any]) -> str:
    """The text for a document without rows."""
    rows = [[found["name"], found["paper"], found["what"]] for found in document["comparisons"]]
    return "\n".join([table(["name", "paper", "what"], rows, left=3), "", "torquec papers NAME compares the numbers"])


def comparison_rows_text(document: dict[str, Any]) -> str:
    """The text for a document with rows: one table for each comparison, notes below it."""
    return "\n\n".join(_comparison_text(found) for found in document["comparisons"])


def _comparison_text(found: dict[str, Any]) -> str:
    notes = list(dict.fromkeys(row["note"] for row in found["rows"] if row["note"]))
    cells = [
        [
            row["quantity"],
            row["source"],
            f"[{notes.index(row['note']) + 1}]" if row["note"] else "",
            number(row["ours"], _DIGITS),
            number(row["printed"], _DIGITS),
            _difference(row),
        ]
        for row in found["rows"]
    ]
    lines = [
        f"{found['name']} ({found['paper']}): {found['what']}",
        "",
        table(["quantity", "printed in", "", "ours", "printed", "difference"], cells, left=3),
    ]
    if notes:
        lines += ["", *(f"  [{k}] {note}" for k, note in enumerate(notes, start=1))]
    return "\n".join(lines)


def _difference(row: dict[str, Any]) -> str:
    """In per cent where relative, without an exponent where it is large; rounding error is shown as it is."""
    if row["difference"] is None:
        return "-"
    if row["kind"] == DifferenceKind.ABSOLUTE:
        return f"{row['difference']:+.2g}"
    percent = 100.0 * row["difference"]
    return f"{percent:+.0f} %" if abs(percent) >= _WHOLE else f"{percent:+.2g} %"
