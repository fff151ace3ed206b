"""`torquec report DIR|PROJECT.toml`: HTML report of the results in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import argument, force_option, option
from torquec.cli.output import progress


@dataclass(frozen=True, kw_only=True)
class ReportOptions(CommandOptions):
    """What to report, and where the page goes."""

    folder: Path = argument(
        ...,
        "A folder with results of -o or --json; or a project file that was run.",
        metavar="DIR|PROJECT.toml",
    )
    output: Path | None = option(
        None, "The page.  [default: DIR/report.html]", "--output", "-o", metavar="FILE", writes=Writes.FILE
    )
    live: bool = option(True, "The robot in 3D, if the script bundle is installed.")
    force: bool = force_option()


@command("report", ReportOptions, example="torquec report planar2r_small -o report.html", without_model=True)
def report(options: ReportOptions) -> Outcome:
    """Collect the results of a folder in one self-contained HTML report.

    The robot, its parameters, simplified models with their proofs, controllers, tracking errors, execution times: each
    number states its origin. A JSON file beside the page has the same content. Exit status 1 if a document could not
    be shown; the page names it, and shows the rest.
    """
    from torquec.report.report import PAGE, write_report
    from torquec.report.run import report_folder

    folder = report_folder(options.folder)
    progress(f"looking through {folder} ...")
    made = write_report(folder, options.output or folder / PAGE, live=options.live, force=options.force)
    document = {
        "file": str(made.page),
        "bytes": made.page.stat().st_size,
        "json": str(made.twin),
        "problems": list(made.problems),
    }
    lines = [f"{made.page}: open it in a browser; {made.twin} holds the same for programs"]
    lines += [f"not shown: {problem}" for problem in made.problems]
    count = len(made.problems)
    failed = f"{count} document{'s' if count > 1 else ''} could not be shown" if count else ""
    return Outcome(document, "\n".join(lines), (made.page, made.twin), failed=failed)
