"""`torquec params ROBOT`: the base parameters and what they are made of."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import number, print_json
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.robot.robot import Robot

EXAMPLE = "torquec params puma560"

_WIDTH = 118


def params(
    robot: RobotArgument,
    method: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="elimination, theorem (Lin's, for serial arms), qr, svd; automatic: elimination, compared with all "
            "the others.",
        ),
    ] = "automatic",
    friction: Annotated[
        str,
        typer.Option(
            metavar="COLUMNS",
            help="Friction to include: none, symmetric (viscous, Coulomb), offset (these and an offset), directional, "
            "or own: what the robot's own friction needs.",
        ),
    ] = "none",
    motors: Annotated[bool, typer.Option("--motors/--no-motors", help="Include the rotor inertias of motors.")] = True,
    frames: Annotated[
        str, typer.Option(metavar="FRAMES", help="Parameters in body frames (on the joint's axis) or link frames.")
    ] = "body",
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Formulas in the symbols of the geometry (a2, d2, ..) by Lin's theorem.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Check the result by an independent way.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX document.")] = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Show the base parameters: the fewest combinations that determine every torque.

    Each is a sum of standard parameters: the ten of a body (Ixx .. Izz and mx, my, mz about its frame's origin, m),
    rotor inertias, friction. A name that ends in + stands for that parameter and what is grouped with it.
    """
    if latex and json:
        raise ArgumentError("--latex and --json exclude each other", remedy="give one of them")
    if symbolic and (method not in ("automatic", "theorem") or friction != "none" or frames != "body"):
        raise ArgumentError(
            "--symbolic is about Lin's theorem for the links alone",
            remedy="leave out --method, --friction and --frames",
        )
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    document = (
        describe_symbolic(loaded, check=check)
        if symbolic
        else describe(loaded, method=method, friction=friction, motors=motors, frames=frames, check=check)
    )
    if json:
        print_json({key: value for key, value in document.items() if key != "latex"})
    else:
        typer.echo(_latex(document) if latex else _text(document))


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


def _text(document: dict[str, Any]) -> str:
    counts = [
        f"{document[key]} {kind}"
        for key, kind in (("count", "inertial"), ("motor_count", "motor"), ("friction_count", "friction"))
        if document[key] or kind == "inertial"
    ]
    lines = [
        f"{document['robot']}: {' + '.join(counts)} base parameters, out of {document['standard_count']} standard ones",
        f"Found by {document['method']}.",
        "",
    ]
    values = document["values"] or [None] * len(document["names"])
    shown = ["-" if value is None else number(value) for value in values]
    first = max(map(len, document["names"]), default=0)
    second = max(map(len, shown), default=0)
    for name, value, expression in zip(document["names"], shown, document["expressions"], strict=True):
        head = f"  {name.ljust(first)}  {value.rjust(second)}  = "
        lines += textwrap.wrap(
            expression,
            max(_WIDTH, len(head) + 40),
            initial_indent=head,
            subsequent_indent=" " * len(head),
            break_long_words=False,
            break_on_hyphens=False,
        )
    if "symbols" in document:
        symbols = ", ".join(f"{key} = {number(value)}" for key, value in document["symbols"].items())
        lines += ["", f"Geometry (modified DH frames): {symbols or 'all offsets are zero'}"]
    for title, key in (("No effect on any torque", "dropped"), ("Act only within the above", "grouped")):
        if document[key]:
            lines += ["", *textwrap.wrap(f"{title}: {', '.join(document[key])}", _WIDTH, subsequent_indent="  ")]
    if document["values"] is None:
        lines += ["", "There are no values: the robot has links without inertia."]
    if "check" in document:
        lines += ["", f"Checked against the recursion: largest relative error {number(document['check']['error'], 2)}."]
    return "\n".join(lines)


def _latex(document: dict[str, Any]) -> str:
    from torquec.parameters.formula import latex_name, latex_number, latex_text

    values = document["values"] or [None] * len(document["names"])
    rows = []
    for name, value, formula in zip(document["names"], values, document["latex"], strict=True):
        shown = "-" if value is None else latex_number(number(value))
        rows.append(rf"${latex_name(name)}$ & ${shown}$ & \raggedright ${formula}$ \tabularnewline")
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage[margin=2cm]{geometry}",
            r"\usepackage{longtable}",
            r"\begin{document}",
            f"\\section*{{Base parameters of {latex_text(document['robot'])}}}",
            f"Found by {latex_text(document['method'])}.",
            r"\begin{longtable}{lrp{11cm}}",
            r"parameter & value & made of \tabularnewline \hline \endhead",
            *rows,
            r"\end{longtable}",
            r"\end{document}",
        ]
    )
