"""`torquec run PROJECT.toml`: all steps of a project; `torquec demo`: the same on a built-in PUMA 560."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import check_folder_name, need_extra
from torquec.cli.options import argument, force_option, option
from torquec.cli.output import progress, step_report
from torquec.errors import CheckError

if TYPE_CHECKING:
    from torquec.project.manifest import RunManifest
    from torquec.project.project import Project
    from torquec.project.run_project import RunResult
    from torquec_check.claim import Claim

_AGREEMENT = 1e-9  # Nm, below the last of the ten digits that were published
_PUBLISHED = {
    "q": (0.5, 1.589, 1.103, -1.099, -0.799, 1.494),
    "qd": (-1.979, 1.285, 1.188, -0.128, -0.788, -0.886),
    "qdd": (-0.981, -0.22, 0.018, 0.214, 1.982, 1.171),
    "tau": (-15.7970937322, 20.2381933063, 5.8211557933, -1.2916246174, -1.0613691145, -0.7751800971),
}
"""A state and its torques, friction included, for Clover's parameters of the PUMA 560, to ten decimals."""
_SECONDS = 28.0
"""Time limit [s] of simplification, its proof and the check: the whole demo should take less than a minute."""
_FOLDER, _PROJECT = "torquec_demo", "puma560.project.toml"
_VERDICT = "verdict"  # the step whose claim has lines of its own


@dataclass(frozen=True, kw_only=True)
class RunCommandOptions(CommandOptions):
    """The project, its output folder, and the number of processes."""

    project: Path = argument(..., "The project file; torquec new writes one.", metavar="PROJECT.toml")
    output: Path | None = option(
        None, "Output folder.  [default: NAME_run for NAME.project.toml]", "--output", "-o", metavar="DIR"
    )
    jobs: int | None = option(None, "Processes to use.  [default: one per processor]", least=1, metavar="N")
    force: bool = force_option()


@command(
    "run", RunCommandOptions, example="torquec run examples/projects/planar2r.toml -o planar2r_run", without_model=True
)
def run(options: RunCommandOptions) -> Outcome:
    """Run a project: every step from the robot file to the report.

    Check the file, identify from logs, simplify with a proof, design a controller, prove a bound on its tracking error,
    simulate, plan the two rates, write source code, test it, and report. Steps whose inputs have not changed since the
    last run are not repeated; a run that was stopped resumes where it was; DIR changes all at once, at the end.
    """
    from torquec.codegen.identifiers import prefix_identifier
    from torquec.project.read_project import read_project

    project = read_project(options.project)
    need_extras(project)
    name = prefix_identifier(options.project.name.partition(".")[0])
    output = Path(f"{name}_run") if options.output is None else options.output
    result, seconds = run_with_progress(project, output, jobs=options.jobs, force=options.force)
    document = run_document(result, seconds)
    return Outcome(document, run_text(result, seconds), failed=failure_text(result))


def failure_text(result: RunResult) -> str:
    """Which steps of a run that wrote its report failed; empty if none did."""
    failed = result.manifest.failed
    if not failed:
        return ""
    steps = f"the steps {', '.join(failed)}" if len(failed) > 1 else f"the step {failed[0]}"
    return f"{steps} failed, for the reasons above; everything else is done, and the report says what"


def need_extras(project: Project) -> None:
    """Raise `MissingExtraError` before the work if a part of the project needs a package that is not installed."""
    if project.specification is not None:
        need_extra("optimize", "simplifying a model")
    if project.identify is not None:
        also = ("clarabel",) if project.identify.options.method.needs_prior else ()
        need_extra("identify", "identifying a robot", also=also)


def run_with_progress(
    project: Project, output: Path, *, jobs: int | None = None, force: bool = False
) -> tuple[RunResult, float]:
    """Run a project with progress on stderr; also gives its duration [s]. Default: one process per processor."""
    from torquec.cli.worker_pool import worker_pool
    from torquec.foundation.work import Work
    from torquec.project.manifest import read_manifest
    from torquec.project.run_project import run_project

    check_folder_name(output)
    if expected := duration_text(project, read_manifest(output)):
        progress(expected)
    began = time.perf_counter()
    with worker_pool(jobs or os.cpu_count() or 1) as pool:
        work = Work(executor=pool, report=step_report())
        try:
            result = run_project(project, output, force=force, work=work)
        except KeyboardInterrupt:
            progress(f"\nstopped; finished steps are kept in {output}.partial: give the same command again to resume")
            raise
    return result, time.perf_counter() - began


def duration_text(project: Project, last: RunManifest | None) -> str:
    """What is known of the duration of a run before it begins: that of the last run, and what time limits cover."""
    took = 0.0 if last is None else sum(record.seconds for record in last.steps if record.is_done)
    lines = [f"the steps took {took:.0f} s in the last run; unchanged ones are not repeated"] if took >= 1.0 else []
    limits = [
        (project.simplify.seconds if project.specification else None, "[simplify]", "search, proof and check"),
        (project.realtime.seconds if project.realtime else None, "[realtime]", "the bounds on the hold error"),
    ]
    stated = [f"{part} limits {what} to {seconds:g} s" for seconds, part, what in limits if seconds is not None]
    if stated and not lines:
        own = "the other steps take their own time: seconds for two joints, minutes for seven"
        lines.append(f"{', '.join(stated)}; {own}")
    return "\n".join(lines)


def run_document(result: RunResult, seconds: float) -> dict[str, Any]:
    """For `--json`."""
    return {
        "folder": str(result.folder),
        "report": None if result.report is None else str(result.report),
        "first_screen": first_screen(result),
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


def first_screen(result: RunResult) -> dict[str, Any]:
    """Answer of the report's first screen, and what to measure on the robot first; empty without a design."""
    from torquec.foundation.reading import FileKind, read_json

    if result.report is None:
        return {}
    found = read_json(result.report.with_suffix(".json"), FileKind.RESULT, remedy="run the project again")["decision"]
    return {} if found is None else {key: found[key] for key in ("answer", "measure_first")}


def claim_of(result: RunResult) -> Claim | None:
    """The claim of the verdict; None without a bound."""
    from torquec.control.tracking_claim import tracking_claim
    from torquec.foundation.reading import FileKind, read_json
    from torquec.project.design_study import DOCUMENT
    from torquec.project.step import DESIGN

    verdict = result.manifest.step(_VERDICT)
    if verdict is None or not verdict.is_done:
        return None
    document = read_json(result.folder / DESIGN / DOCUMENT, FileKind.RESULT, remedy="run the project again")
    guarantee = document["guarantee"]
    return tracking_claim(guarantee) if guarantee["valid"] else None


def run_text(result: RunResult, seconds: float, *, more: str = "") -> str:
    """Text for the terminal: steps, the report's answer, bounds and conditions, `more`, and the path of the results."""
    from torquec.report.claim_text import claim_text

    width = max(len(record.name) for record in result.manifest.steps)
    claim, lines = claim_of(result), []
    for record in result.manifest.steps:
        how = f"{record.seconds:.1f} s" if record.name in result.done else "kept" if record.is_done else ""
        said = record.said
        if claim is not None and record.name == _VERDICT:  # the claim follows the steps: here is what else is said
            said = said.replace(claim.sentence, f"the bound on the tracking error is {claim.standing}: see below")
        lines.append(f"  {record.name:{width}}  {how:>7}  {said}")
    answer = first_screen(result)
    if answer:
        lines += ["", f"May this go on the robot? {answer['answer']}{':' if answer['measure_first'] else ''}"]
        lines += [f"  {words}" for words in answer["measure_first"]]
    if claim is not None:
        lines += ["", claim_text(claim)]
    counted = f"{len(result.done)} step{'s' if len(result.done) != 1 else ''} in {seconds:.1f} s"
    return "\n".join([*lines, "", counted, *([more] if more else []), str(result.report or result.folder)])


@dataclass(frozen=True, kw_only=True)
class DemoOptions(CommandOptions):
    """Output folder."""

    output: Path = option(Path(_FOLDER), "Output folder.", "--output", "-o", metavar="DIR")
    jobs: int | None = option(None, "Processes to use.  [default: one per processor]", least=1, metavar="N")
    force: bool = force_option()


@command("demo", DemoOptions, example="torquec demo -o puma560_demo", without_model=True)
def demo(options: DemoOptions) -> Outcome:
    """See what Torquec does: one whole run on a built-in PUMA 560, in about a minute.

    First compares its torques with published ones. Then runs a project, as torquec new and torquec run do: a smaller
    model with a proof, a controller with a bound on its tracking error, simulations, C code, and a report.
    """
    from torquec.model.model import as_model
    from torquec.project.project_text import project_text
    from torquec.project.read_project import parse_project
    from torquec.robot.classics import puma560

    arm = as_model(puma560())
    tau = arm.total_torque(*(_PUBLISHED[key] for key in ("q", "qd", "qdd"))).tolist()
    worst = max(abs(ours - theirs) for ours, theirs in zip(tau, _PUBLISHED["tau"], strict=True))
    if not worst <= _AGREEMENT:
        raise CheckError(f"the torques differ from the published ones by {worst:.2g} Nm", remedy="run torquec selftest")
    text = project_text(arm.robot, argument="puma560", seconds=_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / _PROJECT
        file.write_text(text, encoding="utf-8")
        project = parse_project(text, file)
        need_extras(project)
        result, seconds = run_with_progress(project, options.output, jobs=options.jobs, force=options.force)
    document = run_document(result, seconds) | {"difference": worst, "tau": tau}
    agreed = f"torques at a published state agree to {worst:.1g} Nm"
    own = "your own robot:  torquec new robot.urdf"
    text = f"{agreed}\n\n{run_text(result, seconds, more=own)}"
    return Outcome(document, text, failed=failure_text(result))
