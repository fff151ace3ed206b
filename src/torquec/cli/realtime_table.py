"""`torquec realtime table ROBOT`: what one cycle of a controller costs, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.output import progress
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class TableOptions(CommandOptions):
    """Which frame."""

    frame: Annotated[str | None, typer.Option(help="The frame of the hand.  [default: the robot's]")] = None


@command("table", TableOptions, example="torquec realtime table puma560", metavar="MODEL")
def cycle(model: Model, options: TableOptions) -> Outcome:
    """Time and count the tasks of one control cycle, beside Clover's Table I.

    Trajectory, inverse kinematics, inverse dynamics, Jacobian, gains and collision of two boxes: microseconds here,
    operations, and instructions of the generated C (gcc and valgrind, where installed).
    """
    from torquec.papers.cycle_table import cycle_table, table_rows

    progress(f"timing and counting the tasks of {model.robot.name} ...")
    found = cycle_table(model, frame=options.frame)
    document = {
        "robot": found.robot,
        "frame": found.frame,
        "rows": list(table_rows(found)),
        "seconds": found.seconds,
        "printed_seconds": found.printed,
        "without": list(found.without),
    }
    return Outcome(document, cycle_text(document))


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
