"""`torquec realtime table ROBOT`: what one cycle of a controller costs, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.output import progress

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
    from torquec.papers.clover.cycle_table import cycle_table, table_rows
    from torquec.report.cycle_text import cycle_text

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
