"""`torquec run PROJECT.toml -o DIR`: everything that a project asks for; what has not changed is not done again."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import need_extra
from torquec.cli.options import ForceOption
from torquec.cli.output import progress, step_report

if TYPE_CHECKING:
    from torquec.project.project import Project
    from torquec.project.run_project import RunResult


@dataclass(frozen=True, kw_only=True)
class RunCommandOptions(CommandOptions):
    """The project, where its results go, and how to work."""

    project: Annotated[Path, typer.Argument(metavar="PROJECT.toml", help="What to do; torquec new writes one.")]
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the results go.")]
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes to use.  [default: one per processor]")
    ] = None
    force: ForceOption = False


@command(
    "run", RunCommandOptions, example="torquec run examples/projects/planar2r.toml -o planar2r_run", without_model=True
)
def run(options: RunCommandOptions) -> Outcome:
    """Do everything that a project file asks for, from the robot's file to the report.

    Check the file, identify from logs, simplify with a proof, design a controller, prove what it keeps, simulate,
    plan the two rates, write source code, test it, and report. What has not changed since the last run is not done
    again; a run that was stopped goes on where it was; DIR changes all at once, when everything is done.
    """
    from torquec.project.read_project import read_project

    project = read_project(options.project)
    need_extras(project)
    result, seconds = run_with_progress(project, options.output, jobs=options.jobs, force=options.force)
    document = run_document(result, seconds)
    return Outcome(document, run_text(result, seconds), failed=failure_text(result))


def failure_text(result: RunResult) -> str:
    """Why a run that left its report has not done everything; empty where it has."""
    failed = result.manifest.failed
    if not failed:
        return ""
    steps = f"the steps {', '.join(failed)}" if len(failed) > 1 else f"the step {failed[0]}"
    return f"{steps} failed, for the reasons above; everything else is done, and the report says what"


def need_extras(project: Project) -> None:
    """Raise `MissingExtraError` before the work where a part of the project needs a package that is not installed."""
    if project.specification is not None:
        need_extra("optimize", "simplifying a model")
    if project.identify is not None:
        also = ("clarabel",) if project.identify.options.method.needs_prior else ()
        need_extra("identify", "identifying a robot", also=also)


def run_with_progress(
    project: Project, output: Path, *, jobs: int | None = None, force: bool = False
) -> tuple[RunResult, float]:
    """The run, told on stderr, by as many processes as there are processors; and the seconds that it took."""
    from torquec.cli.worker_pool import worker_pool
    from torquec.foundation.work import Work
    from torquec.project.run_project import run_project

    began = time.perf_counter()
    with worker_pool(jobs or os.cpu_count() or 1) as pool:
        work = Work(executor=pool, report=step_report())
        try:
            result = run_project(project, output, force=force, work=work)
        except KeyboardInterrupt:
            progress(f"\nstopped; what is done is kept in {output}.partial: give the same command again to go on")
            raise
    return result, time.perf_counter() - began


def run_document(result: RunResult, seconds: float) -> dict[str, Any]:
    """For `--json`."""
    return {
        "folder": str(result.folder),
        "report": None if result.report is None else str(result.report),
        "seconds": round(seconds, 3),
        "done": list(result.done),
        "steps": {
            record.name: {
                "status": record.status if record.name in result.done or not record.is_done else "kept",
                "summary": record.summary,
                "skipped": record.skipped,
                "failed": record.failed,
                "fallback": record.fallback,
                "seconds": record.seconds,
            }
            for record in result.manifest.steps
        },
        "files": [str(result.folder / name) for name in result.manifest.files],
    }


def run_text(result: RunResult, seconds: float, *, more: str = "") -> str:
    """For the screen: a line for each step, what `more` there is to say, and where to look."""
    width = max(len(record.name) for record in result.manifest.steps)
    lines = []
    for record in result.manifest.steps:
        how = f"{record.seconds:.1f} s" if record.name in result.done else "kept" if record.is_done else ""
        lines.append(f"  {record.name:{width}}  {how:>7}  {record.said}")
    counted = f"{len(result.done)} step{'s' if len(result.done) != 1 else ''} in {seconds:.1f} s"
    return "\n".join([*lines, "", counted, *([more] if more else []), str(result.report or result.folder)])
