"""`torquec params ROBOT`: the base parameters and what they are made of."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.writes import Writes
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.robot.robot import Robot


class ParameterFormat(StrEnum):
    """What base parameters are written in."""

    TEXT = "text"
    LATEX = "latex"


@dataclass(frozen=True, kw_only=True)
class ParamsOptions(CommandOptions):
    """Which parameters, by which method, in what form."""

    method: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="elimination, theorem (Lin's, for serial arms), qr, svd; automatic: elimination, compared with all "
            "the others.",
        ),
    ] = "automatic"
    friction: Annotated[
        str,
        typer.Option(
            metavar="COLUMNS",
            help="Friction to include: none, symmetric (viscous, Coulomb), offset (these and an offset), directional, "
            "or own: what the robot's own friction needs.",
        ),
    ] = "none"
    motors: Annotated[bool, typer.Option("--motors/--no-motors", help="Include the rotor inertias of motors.")] = True
    frames: Annotated[
        str, typer.Option(metavar="FRAMES", help="Parameters in body frames (on the joint's axis) or link frames.")
    ] = "body"
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Formulas in the symbols of the geometry (a2, d2, ..) by Lin's theorem.")
    ] = False
    check: Annotated[bool, typer.Option("--check", help="Check the result by an independent way.")] = False
    format: Annotated[
        ParameterFormat | None,
        typer.Option(help="What to write.  [default: by the ending of the file, else text]"),
    ] = None
    latex: Annotated[bool, typer.Option("--latex", help="The same as --format latex.")] = False
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file.  [default: stdout]"),
        Writes.FILE,
    ] = None

    @property
    def is_latex(self) -> bool:
        """Whether a LaTeX document is asked for: by name, or by the ending of the file."""
        if self.format is not None:
            return self.format is ParameterFormat.LATEX
        return self.latex or (self.output is not None and self.output.suffix.lower() == ".tex")


@command(
    "params",
    ParamsOptions,
    example="torquec params puma560",
    bodies="combines the parameters of a robot's bodies",
)
def params(model: Model, options: ParamsOptions) -> Outcome:
    """Show the base parameters: the fewest combinations that determine every torque.

    Each is a sum of standard parameters: the ten of a body (Ixx .. Izz and mx, my, mz about its frame's origin, m),
    rotor inertias, friction. A name that ends in + stands for that parameter and what is grouped with it.
    """
    from torquec.foundation.writing import write_files
    from torquec.report.parameter_text import parameters_latex, parameters_text

    robot = model.robot
    if options.latex and options.json:
        raise ArgumentError("--latex and --json exclude each other", remedy="give one of them")
    if options.symbolic:
        if options.method not in ("automatic", "theorem") or options.friction != "none" or options.frames != "body":
            raise ArgumentError(
                "--symbolic is about Lin's theorem for the links alone",
                remedy="leave out --method, --friction and --frames",
            )
        document = describe_symbolic(robot, check=options.check)
    else:
        document = describe(
            robot,
            method=options.method,
            friction=options.friction,
            motors=options.motors,
            frames=options.frames,
            check=options.check,
        )
    text = parameters_latex(document) if options.is_latex else parameters_text(document)
    shown = {key: value for key, value in document.items() if key != "latex"}
    if options.output is None:
        return Outcome(shown, text)
    write_files({options.output: text + "\n"}, force=True)
    return Outcome(shown | {"file": str(options.output)}, "", (options.output,))


def describe(
    robot: Robot,
    *,
    method: str = "automatic",
    friction: str = "none",
    motors: bool = True,
    frames: str = "body",
    check: bool = False,
) -> dict[str, Any]:
    """The JSON document of `torquec params`, and the formulas in LaTeX beside it."""
    from torquec.dynamics.friction_regressor import FrictionColumns, friction_columns
    from torquec.parameters.base_parameters import base_parameters
    from torquec.parameters.check_base_parameters import check_base_parameters

    columns = FrictionColumns.needed(robot) if friction == "own" else friction_columns(friction)
    base = base_parameters(robot, method=method, friction=columns, motors=motors, frames=frames)
    document: dict[str, Any] = {
        "robot": robot.name,
        "count": base.count,
        "motor_count": base.motor_count,
        "friction_count": base.friction_count,
        "standard_count": len(base.parameters),
        "names": list(base.names),
        "expressions": list(base.expressions),
        "values": None if base.values is None else base.values.tolist(),
        "method": base.method,
        "exact": base.exact,
        "dropped": list(base.dropped),
        "grouped": list(base.grouped),
        "record": base.record.to_dict(),
        "latex": list(base.latex_expressions),
    }
    if check:
        document["check"] = dataclasses.asdict(check_base_parameters(robot, base))
    return document


def describe_symbolic(robot: Robot, *, check: bool = False) -> dict[str, Any]:
    """The same for `--symbolic`, with the values of the symbols."""
    from torquec.parameters.symbolic_combinations import symbolic_combinations

    document = describe(robot, method="theorem", motors=False, check=check)
    found = symbolic_combinations(robot)
    mentioned = {word for text in found.expressions for word in re.findall(r"\w+", text)}
    parameters = document.pop("record")["parameters"]
    return document | {
        "expressions": list(found.expressions),
        "symbols": dict(found.symbols),
        "dropped": [name for name in parameters if name not in mentioned],
        "latex": list(found.latex_expressions),
    }
