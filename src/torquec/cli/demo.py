"""`torquec demo`: one whole run on the built-in PUMA 560; needs no file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import ForceOption
from torquec.cli.run import failure_text, need_extras, run_document, run_text, run_with_progress
from torquec.errors import CheckError

_AGREEMENT = 1e-9  # Nm, below the last of the ten digits that were published

_PUBLISHED = {
    "q": (0.5, 1.589, 1.103, -1.099, -0.799, 1.494),
    "qd": (-1.979, 1.285, 1.188, -0.128, -0.788, -0.886),
    "qdd": (-0.981, -0.22, 0.018, 0.214, 1.982, 1.171),
    "tau": (-15.7970937322, 20.2381933063, 5.8211557933, -1.2916246174, -1.0613691145, -0.7751800971),
}
"""A state and its torques, friction included, for Clover's parameters of the PUMA 560, to ten decimals."""

_SECONDS = 28.0
"""For simplification, its proof and the check: the whole demo is to take less than a minute."""
_FOLDER, _PROJECT = "torquec_demo", "puma560.project.toml"


@dataclass(frozen=True, kw_only=True)
class DemoOptions(CommandOptions):
    """Where the results go."""

    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the results go.")] = Path(_FOLDER)
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes to use.  [default: one per processor]")
    ] = None
    force: ForceOption = False


@command("demo", DemoOptions, example="torquec demo -o puma560_demo", without_model=True)
def demo(options: DemoOptions) -> Outcome:
    """See what Torquec does: one whole run on a built-in PUMA 560, in about a minute.

    Its torques against published ones first; then what torquec run does with the project that torquec new writes:
    a smaller model with a proof, a controller with a proven tracking error, simulations, C code, and a report.
    """
    from torquec.model.model import as_model
    from torquec.project.project_text import project_text
    from torquec.project.read_project import parse_project
    from torquec.robot.classics import puma560

    arm = as_model(puma560())
    tau = arm.total_torque(*(_PUBLISHED[key] for key in ("q", "qd", "qdd"))).tolist()
    worst = max(abs(ours - theirs) for ours, theirs in zip(tau, _PUBLISHED["tau"], strict=True))
    if not worst <= _AGREEMENT:
        raise CheckError(
            f"the torques differ from the published ones by {worst:.2g} Nm",
            remedy="run torquec selftest",
        )
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
