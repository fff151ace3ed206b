"""What `torquec realtime table` shows: the tasks of one cycle beside Clover's Table I."""

from __future__ import annotations

from typing import Any

from torquec.report.tables import number, table


def cycle_text(document: dict[str, Any]) -> str:
    """The text for a document of `torquec realtime table`."""
    rows = []
    for row in document["rows"]:
        here = "-" if row["seconds"] is None else number(row["seconds"] * 1e6, 3)
        printed = "-" if row["printed_seconds"] is None else f"{row['printed_seconds'] * 1e6:.0f}"
        count = "-" if row["instructions"] is None else str(row["instructions"])
        rows.append([row["task"], here, printed, count, row["operations"] or row["missing"]])
    rows.append(["together", number(document["seconds"] * 1e6, 3), f"{document['printed_seconds'] * 1e6:.0f}", "", ""])
    # The last column is text: padded to the left like the first.
    width = max(len(row[4]) for row in rows)
    shown = table(
        ["task", "here [us]", "Clover [us]", "instructions", "operations".ljust(width)],
        [[*row[:4], row[4].ljust(width)] for row in rows],
    )
    lines = [
        f"{document['robot']}, frame {document['frame']}: one cycle, native code, one call of each task",
        "",
        shown,
    ]
    if document["without"]:
        lines.append(f"\nMISSING, so that instructions are not counted: {', '.join(document['without'])}")
    return "\n".join(lines)
