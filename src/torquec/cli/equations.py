"""`torquec equations ROBOT`: the equations of motion, written down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import check_ending
from torquec.cli.options import force_option, option, text_file_option
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.closedform.equations import Equations
    from torquec.closedform.layouts import Matrix
    from torquec.model.model import Model
    from torquec.robot.robot import Robot


class EquationFormat(StrEnum):
    """Format of the equations."""

    TEXT = "text"
    LATEX = "latex"
    HTML = "html"
    JSON = "json"
    PYTHON = "python"
    C = "c"


_ENDINGS = {
    ".tex": EquationFormat.LATEX,
    ".html": EquationFormat.HTML,
    ".json": EquationFormat.JSON,
    ".py": EquationFormat.PYTHON,
    ".c": EquationFormat.C,
}


_FEW_JOINTS = 3  # the whole model of up to this many joints fits on a screen


class CoefficientKind(StrEnum):
    """Coefficients as numbers, or as linear combinations of the inertial parameters."""

    NUMBERS = "numbers"
    PARAMETERS = "parameters"


@dataclass(frozen=True, kw_only=True)
class EquationsOptions(CommandOptions):
    """Selection and format of the equations."""

    format: EquationFormat | None = option(None, "What to write.  [default: by the ending of the file, else text]")
    entry: list[str] | None = option(None, "Only this entry: M[1,2], g[3]; repeat for more.", metavar="NAME")
    matrix: list[str] | None = option(
        None,
        "Only this matrix; repeat for more: M, g, B and D (Clover's Coriolis and centrifugal matrices), C (C qd is "
        "the velocity torque), V (friction), J, H and G (Chang & Lee), dtau_dqd, dtau_dq, Phi (loop equations).  "
        "[default: M and g]",
        metavar="NAME",
    )
    whole: bool | None = option(
        None,
        "The whole model: M, B, D, g and V; or M and g alone.  [default: whole for up to three joints]",
        "--whole/--no-whole",
    )
    multiple_angles: bool = option(
        False, "Sines and cosines of sums of angles instead of products.", "--multiple-angles"
    )
    threshold: float = option(0.0, "Drop coefficients below X (SI units) from what the links contribute.", metavar="X")
    digits: int | None = option(
        None, "Round coefficients to N significant digits, then add motor inertias.", metavar="N"
    )
    coefficients: CoefficientKind = option(
        CoefficientKind.NUMBERS, "Numbers, or linear combinations of the inertial parameters."
    )
    symbolic: bool = option(
        False,
        "Lengths, masses, inertias and gravity as symbols (l1, m2, g), for arms of few joints: M, h and g as text, "
        "LaTeX or JSON. torquec params --symbolic has the base parameters.",
        "--symbolic",
    )
    by_coefficients: bool = option(
        False,
        "Of a model simplified for control requirements: its second program, whose coefficients are proven.",
        "--by-coefficients",
    )
    output: Path | None = text_file_option()
    force: bool = force_option()

    @property
    def written_as(self) -> EquationFormat:
        """The format that was asked for, by name or by the ending of the file."""
        ending = "" if self.output is None else self.output.suffix.lower()
        return self.format or _ENDINGS.get(ending, EquationFormat.TEXT)


@command(
    "equations",
    EquationsOptions,
    example="torquec equations puma560 --whole --multiple-angles --threshold 0.01 --digits 4",
)
def equations(model: Model, options: EquationsOptions) -> Outcome:
    """Write down the equations of motion.

    Every coefficient is exact: a polynomial in sines, cosines and displacements, largest terms first. Of a simplified
    model the equations are those of its own program.
    """
    from torquec.closedform.json_form import equations_document
    from torquec.foundation.writing import write_files

    if options.output is not None and options.format is None:
        check_ending(options.output, (".txt", *_ENDINGS))
    second = _second(model, options) if options.by_coefficients else None
    if options.symbolic:
        document, text = _in_symbols(model, options)
    else:
        matrices = _matrices(options, model.robot)
        chosen = _of_program(model, options) if model.kind.follows_program else _of_robot(model, options, matrices)
        document = equations_document(chosen)
        text = _written(chosen, options.written_as)
    if second is not None:
        document |= {"search": second}
        if second["fell_back"] is not None and options.written_as is EquationFormat.TEXT:
            text += f"\nMIN_BASIS_GEN found no basis for: {', '.join(second['fell_back']) or 'none'}.\n"
    if options.output is None:
        return Outcome(document, text)
    write_files({options.output: text}, force=True)
    return Outcome(document | {"file": str(options.output)}, "", (options.output,))


def _second(model: Model, options: EquationsOptions) -> dict[str, Any]:
    """How the terms of the second program were found, from the file that `simplify` wrote beside the model.

    Raises `ArgumentError` for a model without such a program.
    """
    from torquec.foundation.reading import FileKind, read_json
    from torquec.report.simplified_equations import COEFFICIENT_SEARCH

    if model.coefficients is None:
        raise ArgumentError(
            f"a '{model.kind}' model has one program", remedy="leave out --by-coefficients, or simplify for control"
        )
    file = Path(options.source.argument).parent / COEFFICIENT_SEARCH
    if not file.is_file():
        return {"search": None, "fell_back": None}
    found = read_json(file, FileKind.RESULT, remedy="make it again with torquec simplify")
    return {key: found.get(key) for key in ("search", "fell_back")}


def _in_symbols(model: Model, options: EquationsOptions) -> tuple[dict[str, Any], str]:
    """The equations in symbols: the document and the text."""
    from torquec.closedform.symbolic_equations import symbolic_equations
    from torquec.closedform.symbolic_latex import symbolic_document, symbolic_latex, symbolic_text
    from torquec.foundation.json_text import finite_json

    if model.kind.follows_program:
        raise ArgumentError(
            f"a '{model.kind}' model has no symbols, its program has numbers", remedy="name the robot's own file"
        )
    given = [option for option, value in _changes(options).items() if value]
    if options.whole:
        given.append("--whole")
    if given:
        raise ArgumentError(f"{given[0]} does not go with --symbolic", remedy=f"leave out {given[0]}")
    writers = {EquationFormat.TEXT: symbolic_text, EquationFormat.LATEX: symbolic_latex}
    found = symbolic_equations(model.robot)
    document = symbolic_document(found)
    if options.written_as is EquationFormat.JSON:
        return document, finite_json(document) + "\n"
    if options.written_as not in writers:
        raise ArgumentError(
            f"equations in symbols are not written as {options.written_as}", remedy="choose text, latex or json"
        )
    return document, writers[options.written_as](found)


def _matrices(options: EquationsOptions, robot: Robot) -> list[Matrix]:
    """The requested matrices; by default the whole model of few joints, else M and g, and the loop equations."""
    from torquec.closedform.layouts import WHOLE, Matrix

    if sum((bool(options.entry), bool(options.matrix), bool(options.whole))) > 1:
        raise ArgumentError("--entry, --matrix and --whole do not go together", remedy="choose one of them")
    chosen = bool(options.entry or options.matrix)
    loops = [Matrix.PHI] if robot.dependent else []
    if options.whole or (options.whole is None and not chosen and robot.tree.n <= _FEW_JOINTS):
        return [*WHOLE, *loops]
    unknown = [name for name in options.matrix or [] if name not in set(Matrix)]
    if unknown:
        raise ArgumentError(f"there is no matrix '{unknown[0]}'", remedy=f"the matrices are {', '.join(Matrix)}")
    return [Matrix(name) for name in options.matrix] if options.matrix else [Matrix.M, Matrix.G_TORQUE, *loops]


def _of_robot(model: Model, options: EquationsOptions, matrices: list[Matrix]) -> Equations:
    from torquec.closedform.closed_form import Coefficients, closed_form
    from torquec.closedform.equations import entry_index, single_equations
    from torquec.closedform.equations import equations as collect
    from torquec.closedform.fourier import Rule
    from torquec.closedform.loop_equations import form_with_loops

    rule = Rule(multiple_angles=options.multiple_angles, threshold=options.threshold, digits=options.digits)
    names = options.entry or []
    for name in names:
        entry_index(name, sum(body.joint.kind.nv for body in model.robot.bodies))  # refused before the work begins
    build = form_with_loops if model.robot.dependent else closed_form
    form = build(model.robot, coefficients=Coefficients(options.coefficients.value))
    return single_equations(form, names, rule) if names else collect(form, matrices, rule)


def _of_program(model: Model, options: EquationsOptions) -> Equations:
    """The equations of a model's own torque program: always M, B, D and g; with --whole also the robot's friction."""
    from torquec.closedform.closed_form import closed_form
    from torquec.closedform.equations import Equations, JointFriction, friction_laws
    from torquec.closedform.fourier import EXACT
    from torquec.closedform.layouts import Matrix
    from torquec.simplification.torque_coefficients import torque_coefficients

    given = [option for option, value in _changes(options).items() if value]
    if given:
        raise ArgumentError(
            f"{given[0]} is for robots; the equations of a '{model.kind}' model are written as they are",
            remedy=f"leave out {given[0]}",
        )
    served = model.coefficients if options.by_coefficients and model.coefficients is not None else model
    found = torque_coefficients(model.robot, served.function("inverse_dynamics"))
    entries = {m: tuple(e for e in found.written() if e.matrix is m) for m in (Matrix.M, Matrix.B, Matrix.D)}
    entries[Matrix.G_TORQUE] = tuple(e for e in found.written() if e.matrix is Matrix.G_TORQUE)
    friction: list[JointFriction] = []
    if options.whole:
        entries[Matrix.V] = ()
        friction = friction_laws(model.robot)
    return Equations(closed_form(model.robot), EXACT, entries, tuple(friction))


def _changes(options: EquationsOptions) -> dict[str, object]:
    """Given options that choose or change the equations of a robot, with their values."""
    return {
        "--entry": options.entry,
        "--matrix": options.matrix,
        "--multiple-angles": options.multiple_angles,
        "--threshold": options.threshold,
        "--digits": options.digits,
        "--coefficients": options.coefficients is not CoefficientKind.NUMBERS,
    }


def _written(equations: Equations, kind: EquationFormat) -> str:
    """The text of the file."""
    from torquec.closedform import html, json_form, latex, source, text
    from torquec.foundation.json_text import finite_json

    match kind:
        case EquationFormat.LATEX:
            return latex.equations_latex(equations)
        case EquationFormat.HTML:
            return html.equations_html(equations)
        case EquationFormat.JSON:
            return finite_json(json_form.equations_document(equations)) + "\n"
        case EquationFormat.PYTHON:
            return source.python_source(equations)
        case EquationFormat.C:
            return source.c_source(equations)
        case EquationFormat.TEXT:
            return text.equations_text(equations)
