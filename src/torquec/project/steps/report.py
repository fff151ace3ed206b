"""The step `report`: everything that the run left, as one page, as `torquec report` makes it."""

from __future__ import annotations

from torquec.project.step import StepContext
from torquec.report.report import PAGE, write_report


def report_step(context: StepContext) -> str:
    """Write the page and its twin for machines; documents that could not be shown are counted."""
    made = write_report(context.results[""], context.folder / PAGE, called=str(context.output))
    missing = f", {len(made.problems)} documents could not be shown" if made.problems else ""
    return f"{PAGE}, {made.page.stat().st_size / 1e6:.1f} MB{missing}"
