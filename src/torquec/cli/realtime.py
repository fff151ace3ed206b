"""`torquec realtime plan MODEL --spec SPEC`: how often the background must run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import ForceOption
from torquec.cli.output import progress, step_report
from torquec.proof.hold.hold_order import HoldOrder

if TYPE_CHECKING:
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class PlanOptions(CommandOptions):
    """What is planned for."""

    spec: Annotated[Path, typer.Option(metavar="FILE", help="The specification: speeds, accelerations, jerks, errors.")]
    period: Annotated[float | None, typer.Option(help="The background period [s].  [default: the recommended one]")] = (
        None
    )
    latency: Annotated[float, typer.Option(help="How long a run of the background takes [s].")] = 0.0
    order: Annotated[HoldOrder, typer.Option(help="What is held.")] = HoldOrder.FIRST
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Error against period."), Writes.PICTURE] = None
    force: ForceOption = False


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
    from torquec.project.plan_document import by_period, plan_document
    from torquec.realtime.plan import found_at, plan_background
    from torquec.report.figure import write_picture
    from torquec.report.hold_plan import hold_plots, plan_text
    from torquec.report.stored_values import StoredValue
    from torquec.simplification.specification import load_specification

    specification = load_specification(options.spec, model.robot)
    progress(f"bounding what holding the coefficients of {model.robot.name} costs ...")
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
        title = f"{model.robot.name}: error of holding coefficients (lines: bounds, dots: found)"
        files = (write_picture(plots, options.plot, title=title),)
    return Outcome(document, plan_text(found), files)
