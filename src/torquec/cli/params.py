"""`torquec params ROBOT`: base parameters as combinations of standard parameters."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import check_ending
from torquec.cli.options import force_option, option, text_file_option
from torquec.errors import ArgumentError
from torquec.report.tables import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torquec.model.model import Model
    from torquec.parameters.base_parameters import BaseParameters
    from torquec.robot.robot import Robot

_WIDTH = 118  # of a wide terminal


class ParameterFormat(StrEnum):
    """Format of the base parameters."""

    TEXT = "text"
    LATEX = "latex"


class DeterminedBy(StrEnum):
    """Quantity that the combinations of parameters determine."""

    TORQUE = "torque"
    INERTIA = "inertia"
    GRAVITY = "gravity"


@dataclass(frozen=True, kw_only=True)
class ParamsOptions(CommandOptions):
    """Parameters, method and output format."""

    method: str = option(
        "automatic",
        "elimination, theorem (Lin's, for serial arms), qr, svd; automatic: elimination, compared with all the others.",
        metavar="METHOD",
    )
    of: DeterminedBy = option(
        DeterminedBy.TORQUE,
        "Quantity that they determine: all torques, the inertia matrix alone, or gravity alone (Lin).",
    )
    order: str | None = option(
        None,
        "Order of elimination: names of standard parameters to keep first, or izaguirre: rotors, then links from the "
        "hand inwards (Table 1 of Izaguirre et al.).",
        metavar="NAMES",
    )
    friction: str = option(
        "none",
        "Friction to include: none, symmetric (viscous, Coulomb), offset (these and an offset), directional, or own: "
        "what the robot's own friction needs.",
        metavar="COLUMNS",
    )
    motors: bool = option(True, "Include the rotor inertias of motors.", "--motors/--no-motors")
    frames: str = option("body", "Parameters in body frames (on the joint's axis) or link frames.", metavar="FRAMES")
    symbolic: bool = option(
        False, "Formulas in the symbols of the geometry (a2, d2, ..) by Lin's theorem.", "--symbolic"
    )
    check: bool = option(False, "Check the result with an independent method.", "--check")
    format: ParameterFormat | None = option(None, "What to write.  [default: by the ending of the file, else text]")
    latex: bool = option(False, "The same as --format latex.", "--latex")
    output: Path | None = text_file_option()
    force: bool = force_option()

    @property
    def is_latex(self) -> bool:
        """Whether a LaTeX document is asked for: by name, or by the ending of the file."""
        if self.format is not None:
            return self.format is ParameterFormat.LATEX
        return self.latex or (self.output is not None and self.output.suffix.lower() == ".tex")


@command(
    "params", ParamsOptions, example="torquec params puma560", bodies="combines the parameters of a robot's bodies"
)
def params(model: Model, options: ParamsOptions) -> Outcome:
    """Show the base parameters: the fewest combinations that determine every torque.

    Each is a sum of standard parameters: the ten of a body (Ixx .. Izz and mx, my, mz about its frame's origin, m),
    rotor inertias, friction. A name that ends in + stands for that parameter and what is grouped with it.
    """
    from torquec.foundation.writing import write_files

    robot = model.robot
    if options.latex and options.json:
        raise ArgumentError("--latex and --json exclude each other", remedy="give one of them")
    if options.output is not None and options.format is None and not options.latex:
        check_ending(options.output, (".txt", ".tex"))
    if options.of is not DeterminedBy.TORQUE:
        document = describe_part(robot, options)
    elif options.symbolic:
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
            order=_order(robot, options.order),
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
    order: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The JSON document of `torquec params`, with the formulas also in LaTeX."""
    from torquec.dynamics.friction_regressor import FrictionColumns, friction_columns
    from torquec.parameters.base_parameters import base_parameters

    columns = FrictionColumns.needed(robot) if friction == "own" else friction_columns(friction)
    base = base_parameters(robot, method=method, friction=columns, motors=motors, frames=frames, order=order)
    return _document(robot, base, check=check)


def _order(robot: Robot, text: str | None) -> list[str] | None:
    """The order of elimination that was asked for."""
    from torquec.papers.inward_basis import inward_order

    if text is None:
        return None
    return inward_order(robot) if text == "izaguirre" else [word.strip() for word in text.split(",")]


def describe_part(robot: Robot, options: ParamsOptions) -> dict[str, Any]:
    """The document of the parameters that determine the inertia matrix alone, or gravity alone."""
    from torquec.parameters.base_parameters import inertia_combinations

    others = (options.method != "automatic", options.friction != "none", options.frames != "body", options.symbolic)
    if any(others) or options.order is not None or (options.check and options.of is DeterminedBy.GRAVITY):
        raise ArgumentError(
            f"--of {options.of} is of the links alone, by Lin's theorems",
            remedy="leave out --method, --friction, --frames, --order, --symbolic and --check",
        )
    if options.of is DeterminedBy.INERTIA:
        without = dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0))
        return _document(without, inertia_combinations(robot), check=options.check)
    return _gravity_document(robot)


def _gravity_document(robot: Robot) -> dict[str, Any]:
    from torquec.dynamics.friction_regressor import FrictionColumns
    from torquec.parameters.formula import latex_formula, text_formula
    from torquec.parameters.minimal_combinations import gravity_combinations
    from torquec.parameters.standard_parameters import standard_parameters

    parameters = standard_parameters(robot, motors=False, friction=FrictionColumns.NONE)
    names = list(parameters.names)
    found = gravity_combinations(robot)
    rows = [[float(c.form.coefficients.get(k, 0)) for k in range(len(names))] for c in found]
    sums = [[(size, name) for size, name in zip(row, names, strict=True) if size] for row in rows]
    standard = [float(value) for body in robot.bodies for value in body.inertia.parameters]
    lacking = any(body.lacking_inertia for body in robot.bodies)
    return {
        "robot": robot.name,
        "count": len(found),
        "motor_count": 0,
        "friction_count": 0,
        "standard_count": len(names),
        "names": [combination.name for combination in found],
        "expressions": [text_formula(terms) for terms in sums],
        "values": None if lacking else [sum(a * x for a, x in zip(row, standard, strict=True)) for row in rows],
        "method": "Lin's Theorem 4, gravity alone",
        "exact": True,
        "dropped": [name for k, name in enumerate(names) if not any(row[k] for row in rows)],
        "grouped": [],
        "latex": [latex_formula(terms) for terms in sums],
    }


def _document(robot: Robot, base: BaseParameters, *, check: bool) -> dict[str, Any]:
    from torquec.parameters.check_base_parameters import check_base_parameters

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


def parameters_text(document: dict[str, Any]) -> str:
    """The document of `torquec params`: every parameter with its value and its formula."""
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


def parameters_latex(document: dict[str, Any]) -> str:
    """The same as a LaTeX document."""
    from torquec.parameters.formula import latex_name, latex_number, latex_word

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
            f"\\section*{{Base parameters of {latex_word(document['robot'])}}}",
            f"Found by {latex_word(document['method'])}.",
            r"\begin{longtable}{lrp{11cm}}",
            r"parameter & value & made of \tabularnewline \hline \endhead",
            *rows,
            r"\end{longtable}",
            r"\end{document}",
        ]
    )
