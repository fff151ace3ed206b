"""`torquec equations ROBOT`: the equations of motion, written down."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import print_json, progress
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.closedform.equations import Equations
    from torquec.closedform.layouts import Matrix
    from torquec.closedform.rule import Rule
    from torquec.robot.robot import Robot

EXAMPLE = "torquec equations puma560 --whole --multiple-angles --threshold 0.01 --digits 4"


class Format(StrEnum):
    """What equations are written in."""

    TEXT = "text"
    LATEX = "latex"
    HTML = "html"
    JSON = "json"
    PYTHON = "python"
    C = "c"


class CoefficientKind(StrEnum):
    """What coefficients are: numbers, or linear combinations of the inertial parameters."""

    NUMBERS = "numbers"
    PARAMETERS = "parameters"


def equations(
    robot: RobotArgument,
    format: Annotated[Format, typer.Option(help="What to write.")] = Format.TEXT,  # noqa: A002 - the option's name
    entry: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this entry: M[1,2], g[3]; give it again for more.")
    ] = None,
    matrix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this matrix; give it again for more: M, g, B and D (Clover's Coriolis and centrifugal "
            "matrices), C (C qd is the velocity torque), V (friction), J, H and G (Chang & Lee), dtau_dqd, dtau_dq.  "
            "[default: M and g]",
        ),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="The whole model: M, B, D, g and V.")] = False,
    multiple_angles: Annotated[
        bool, typer.Option("--multiple-angles", help="Sines and cosines of sums of angles instead of products.")
    ] = False,
    threshold: Annotated[
        float, typer.Option(metavar="X", help="Drop coefficients below X (SI units) from what the links contribute.")
    ] = 0.0,
    digits: Annotated[
        int | None,
        typer.Option(metavar="N", help="Round coefficients to N significant digits, then add motor inertias."),
    ] = None,
    coefficients: Annotated[
        CoefficientKind, typer.Option(help="Numbers, or linear combinations of the inertial parameters.")
    ] = CoefficientKind.NUMBERS,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.  [default: stdout]")
    ] = None,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Write down the equations of motion.

    Every coefficient is exact: a polynomial in sines, cosines and displacements, largest terms first.
    """
    from torquec.closedform.rule import Rule

    rule = Rule(multiple_angles=multiple_angles, threshold=threshold, digits=digits)
    matrices = _matrices(entry, matrix, whole=whole)
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    chosen = _choose(loaded, coefficients, entry or [], matrices, rule)
    if output is not None:
        from torquec.foundation.writing import write_files

        write_files({output: _written(chosen, format)}, force=True)
        progress(f"written: {output}")
    if json:
        from torquec.closedform.json_form import equations_document

        print_json(equations_document(chosen) | ({} if output is None else {"file": str(output)}))
    elif output is None:
        typer.echo(_written(chosen, format), nl=False)


def _matrices(entry: list[str] | None, matrix: list[str] | None, *, whole: bool) -> list[Matrix]:
    """The matrices that are asked for."""
    from torquec.closedform.layouts import WHOLE, Matrix

    if sum((bool(entry), bool(matrix), whole)) > 1:
        raise ArgumentError("--entry, --matrix and --whole do not go together", remedy="choose one of them")
    if whole:
        return list(WHOLE)
    unknown = [name for name in matrix or [] if name not in set(Matrix)]
    if unknown:
        raise ArgumentError(f"there is no matrix '{unknown[0]}'", remedy=f"the matrices are {', '.join(Matrix)}")
    return [Matrix(name) for name in matrix or ["M", "g"]]


def _choose(robot: Robot, kind: CoefficientKind, names: list[str], matrices: list[Matrix], rule: Rule) -> Equations:
    from torquec.closedform.closed_form import Coefficients, closed_form
    from torquec.closedform.equations import entry_index, single_equations
    from torquec.closedform.equations import equations as collect

    for name in names:
        entry_index(name, len(robot.bodies))  # a wrong name is refused before the work begins
    form = closed_form(robot, coefficients=Coefficients(kind.value))
    return single_equations(form, names, rule) if names else collect(form, matrices, rule)


def _written(equations: Equations, format: Format) -> str:  # noqa: A002 - as above
    """The text of the file."""
    if format is Format.LATEX:
        from torquec.closedform.latex import equations_latex

        return equations_latex(equations)
    if format is Format.HTML:
        from torquec.closedform.html import equations_html

        return equations_html(equations)
    if format is Format.JSON:
        from torquec.cli.output import json_text
        from torquec.closedform.json_form import equations_document

        return json_text(equations_document(equations)) + "\n"
    if format is Format.PYTHON:
        from torquec.closedform.source import python_source

        return python_source(equations)
    if format is Format.C:
        from torquec.closedform.source import c_source

        return c_source(equations)
    from torquec.closedform.text import equations_text

    return equations_text(equations)
