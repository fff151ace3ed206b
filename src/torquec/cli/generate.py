"""`torquec generate MODEL`: source code for another program."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import ForceOption
from torquec.cli.output import progress
from torquec.cli.writes import Writes
from torquec.codegen.precision import Precision
from torquec.codegen.target import Target

if TYPE_CHECKING:
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(CommandOptions):
    """What to write, and where."""

    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go."), Writes.PACKAGE]
    target: Annotated[Target, typer.Option(help="What to write.")] = Target.C
    precision: Annotated[
        Precision, typer.Option(help="What the code computes in; single (32 bits) for C on small processors.")
    ] = Precision.DOUBLE
    quantity: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this quantity (give it again for more); a frame's is frame_pose:FRAME.  [default: all]"
        ),
    ] = None
    prefix: Annotated[
        str | None,
        typer.Option(
            help="What names of files and functions begin with.  [default: the robot's name; NAME_simplified]"
        ),
    ] = None
    force: ForceOption = False


@command(
    "generate",
    GenerateOptions,
    example="torquec generate puma560 --target c -o puma560_c --quantity inverse_dynamics --quantity mass_matrix",
)
def generate(model: Model, options: GenerateOptions) -> Outcome:
    """Write {targets} code."""
    from torquec.model.generate import generate as write
    from torquec.report.operation_text import operations_table

    progress(f"tracing and writing {model.robot.name} ...")
    package = write(
        model,
        options.output,
        target=options.target,
        precision=options.precision,
        quantities=options.quantity or None,
        prefix=options.prefix,
        force=options.force,
    )
    counts = {name: dataclasses.asdict(count) for name, count in package.functions.items()}
    document = {
        "files": [str(path) for path in package.files],
        "functions": counts,
        "target": options.target.value,
        "precision": options.precision.value,
        "kind": model.kind.value,
        "claim": [dataclasses.asdict(claim) for claim in package.claim],
    }
    listed = "\n".join(f"  {path}" for path in package.files)
    return Outcome(document, f"{operations_table(counts)}\n\nin these files:\n{listed}", package.files)
