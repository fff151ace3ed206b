"""`torquec generate MODEL`: source code for another program."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.options import GravityOption, JsonOption, SnapOption, StrictOption, read_robot
from torquec.cli.output import print_json, progress, table
from torquec.codegen.target import Target
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model

EXAMPLE = "torquec generate puma560 --target c -o puma560_c --quantity inverse_dynamics --quantity mass_matrix"


def generate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A robot file, a classic or a saved model (.json).")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")],
    target: Annotated[Target, typer.Option(help="What to write.")] = Target.C,
    quantity: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this quantity (give it again for more); a frame's is frame_pose:FRAME.  [default: all]"
        ),
    ] = None,
    prefix: Annotated[
        str | None, typer.Option(help="What names of files and functions begin with.  [default: the robot's name]")
    ] = None,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Write C99, NumPy or CasADi code."""
    from torquec.model.generate import generate as write

    source = _read_model(model, snap=snap, strict=strict, gravity=gravity)
    progress(f"tracing and writing {source.robot.name} ...")
    package = write(source, output, target=target, quantities=quantity or None, prefix=prefix)
    counts = {name: dataclasses.asdict(count) for name, count in package.functions.items()}
    if json:
        print_json({"files": [str(path) for path in package.files], "functions": counts})
        return
    columns = ("mul", "add", "div", "sincos", "other")
    typer.echo(table(["function", *columns], [[name, *(str(c[k]) for k in columns)] for name, c in counts.items()]))
    typer.echo("\nwritten:\n" + "\n".join(f"  {path}" for path in package.files))


def _read_model(argument: str, *, snap: bool, strict: bool, gravity: str | None) -> Model:
    from torquec.model.model import compile
    from torquec.model.save import load_model

    if argument.endswith(".json"):
        if strict or gravity is not None or not snap:
            raise ArgumentError(
                "--gravity, --strict and --no-snap are for robot files",
                where=argument,
                remedy="a saved model is generated as it is: give the robot file instead",
            )
        return load_model(argument)
    return compile(read_robot(argument, snap=snap, strict=strict, gravity=gravity))
