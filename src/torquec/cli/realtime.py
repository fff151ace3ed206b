"""`torquec realtime plan`: background period and hold error; `torquec realtime table`: cost of a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.cli.output import progress, step_report
from torquec.proof.hold.hold_order import HoldOrder
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class PlanOptions(CommandOptions):
    """What is planned for."""

    spec: Path = option(..., "The specification: speeds, accelerations, jerks, errors.", metavar="FILE")
    period: float | None = option(None, "The background period [s].  [default: the recommended one]")
    latency: float = option(0.0, "Run time of the background [s].")
    order: HoldOrder = option(HoldOrder.FIRST, "What is held.")
    plot: Path | None = option(None, "Error against period.", metavar="FILE", writes=Writes.PICTURE)
    force: bool = force_option()


@command(
    "plan",
    PlanOptions,
    example="torquec realtime plan planar2r --spec examples/specifications/planar2r.toml --period 0.02",
    metavar="MODEL",
)
def plan(model: Model, options: PlanOptions) -> Outcome:
    """Say what holding coefficients costs, with a bound, and how long the background period may be.

    Bounds hold for every motion of the specification; friction is not in them. docs/real-time.md says more.
    """
    from torquec.foundation.work import Work
    from torquec.project.package_steps import by_period, plan_document
    from torquec.realtime.plan import found_at, plan_background
    from torquec.report.figure import write_picture
    from torquec.report.hold_plan import hold_plots, plan_text
    from torquec.report.stored_values import StoredValue
    from torquec.simplification.specification import load_specification

    specification = load_specification(options.spec, model.robot)
    progress(f"bounding the hold error of {model.robot.name} ...")
    found = plan_background(
        model,
        specification,
        period=options.period,
        latency=options.latency,
        order=options.order,
        work=Work(report=step_report()),
    )
    document = plan_document(found)
    files: tuple[Path, ...] = ()
    if options.plot is not None:
        dots = by_period(found.joints, found_at(model, specification, options.latency))
        plots = hold_plots(StoredValue(document | {"found_curve": dots}, "the plan"))
        title = f"{model.robot.name}: hold error (lines: bounds, dots: found)"
        files = (write_picture(plots, options.plot, title=title),)
    return Outcome(document, plan_text(found), files)


@dataclass(frozen=True, kw_only=True)
class TableOptions(CommandOptions):
    """Which frame."""

    frame: str | None = option(None, "The frame of the hand.  [default: the robot's]")


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
