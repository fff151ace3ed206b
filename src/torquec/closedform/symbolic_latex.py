r"""Symbolic equations as a LaTeX document that compiles on its own, and as plain text.

M, h and g are written entry by entry; c_{12} is cos(q_1 + q_2); symbols have the robot's own values in a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from torquec.closedform.latex import PREAMBLE, latex_text, printed_length, unit_latex
from torquec.closedform.sums import Signed, broken, joined
from torquec.closedform.symbolic_equations import SymbolicEquations
from torquec.closedform.symbolic_sums import (
    SymbolicKind,
    SymbolicNotation,
    angle_sums,
    index_text,
    plain_notation,
    symbolic_summands,
)
from torquec.closedform.symbolic_terms import SymbolicTerm, symbolic_terms

_COLUMNS = 70  # characters of mathematics on a line, without the name of the entry


def symbolic_latex(equations: SymbolicEquations) -> str:
    """The whole document; names from files are escaped."""
    robot = equations.robot
    written = _written(equations)
    notation = _latex_notation(equations)
    parts = [
        PREAMBLE,
        rf"\section*{{{latex_text(robot.name)}: equations of motion in symbols}}",
        r"\[ \tau = M(q)\,\ddot q + h(q, \dot q) + g(q) \]",
        _latex_angles(equations, [terms for _, _, terms in written]),
    ]
    titles = {
        SymbolicKind.MASS_MATRIX: "Mass matrix, symmetric",
        SymbolicKind.VELOCITY_TORQUE: "Coriolis and centrifugal torques",
        SymbolicKind.GRAVITY_TORQUE: "Gravity torques",
    }
    for kind, title in titles.items():
        lines = [
            _latex_entry(kind, index, symbolic_summands(terms, kind, notation))
            for found, index, terms in written
            if found is kind
        ]
        parts.append(f"\\subsection*{{{title}}}\n\\begin{{align*}}\n" + " \\\\\n".join(lines) + "\n\\end{align*}")
    rows = [
        rf"${symbol.latex}$ & {latex_text(symbol.meaning)} & ${symbol.value:.6g}$ & ${unit_latex(symbol.unit)}$ \\"
        for symbol in equations.symbols
    ]
    table = [r"\begin{tabular}{@{}llrl}", *rows, r"\end{tabular}"]
    parts.append("\\subsection*{Symbols, with their values}\n" + "\n".join(table))
    return "\n\n".join(part for part in parts if part) + "\n\n\\end{document}\n"


def symbolic_text(equations: SymbolicEquations) -> str:
    """The equations as plain text; qd1 is the speed of joint 1."""
    written = _written(equations)
    notation = plain_notation({})
    lines = [f"{equations.robot.name}: equations of motion in symbols", "", "tau = M(q) qdd + h(q, qd) + g(q)", ""]
    lines += [*_plain_angles(equations, [terms for _, _, terms in written]), ""]
    for kind, index, terms in written:
        name = f"{kind.value}{index_text([i + 1 for i in index])} = "
        text = broken(symbolic_summands(terms, kind, notation), first=110 - len(name), other=110 - len(name))
        lines += [name + text[0], *(" " * len(name) + more for more in text[1:])]
    lines += ["", "Symbols, with their values:"]
    width = max(len(symbol.name) for symbol in equations.symbols) if equations.symbols else 0
    for symbol in equations.symbols:
        lines.append(f"  {symbol.name:{width}}  {symbol.value:<12.6g} {symbol.unit:7} {symbol.meaning}")
    return "\n".join(lines) + "\n"


def symbolic_document(equations: SymbolicEquations) -> dict[str, Any]:
    """The equations as one JSON document: every entry as text and as LaTeX, symbols with values, offsets of angles."""
    plain, latex = plain_notation({}), _latex_notation(equations)
    entries: dict[str, dict[str, Any]] = {}
    for kind, index, terms in _written(equations):
        entries[f"{kind.value}[{','.join(str(i + 1) for i in index)}]"] = {
            "text": joined(symbolic_summands(terms, kind, plain)),
            "latex": joined(symbolic_summands(terms, kind, latex)),
            "terms": len(terms),
        }
    return {
        "robot": equations.robot.name,
        "joints": list(equations.robot.joint_names),
        "entries": entries,
        "symbols": {
            symbol.name: {"value": symbol.value, "unit": symbol.unit, "meaning": symbol.meaning, "latex": symbol.latex}
            for symbol in equations.symbols
        },
        "offsets": list(equations.offsets),
    }


def _written(equations: SymbolicEquations) -> list[tuple[SymbolicKind, tuple[int, ...], list[SymbolicTerm]]]:
    """Every entry with its terms: the upper triangle of M, then h and g."""
    arm = equations.arm
    found: list[tuple[SymbolicKind, tuple[int, ...], list[SymbolicTerm]]] = [
        (SymbolicKind.MASS_MATRIX, index, symbolic_terms(arm, entry)) for index, entry in equations.mass_matrix.items()
    ]
    for kind, entries in (
        (SymbolicKind.VELOCITY_TORQUE, equations.velocity_torque),
        (SymbolicKind.GRAVITY_TORQUE, equations.gravity_torque),
    ):
        found += [(kind, (i,), symbolic_terms(arm, entry)) for i, entry in enumerate(entries)]
    return found


def _latex_notation(equations: SymbolicEquations) -> SymbolicNotation:
    names = {symbol.name: symbol.latex for symbol in equations.symbols}
    return SymbolicNotation(
        symbol=lambda name: names[name],
        displacement=lambda name: f"q_{{{name[1:]}}}",
        speed=lambda name: rf"\dot q_{{{name[1:]}}}",
        angle=lambda letter, joints: f"{letter}_{{{index_text(joints)}}}",
        power=lambda text, power: f"{text}^{{{power}}}",
        number=_fraction,
        times=r"\,",
    )


def _fraction(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else rf"\tfrac{{{value.numerator}}}{{{value.denominator}}}"


def _latex_entry(kind: SymbolicKind, index: Sequence[int], summands: Sequence[Signed]) -> str:
    name = f"{kind.value}_{{{index_text([i + 1 for i in index])}}}"
    lines = broken(summands, first=_COLUMNS, other=_COLUMNS, length=printed_length)
    return rf"{name} ={{}}& " + " \\\\\n& ".join(line if k == 0 else rf"\quad {line}" for k, line in enumerate(lines))


def _latex_angles(equations: SymbolicEquations, entries: Sequence[Sequence[SymbolicTerm]]) -> str:
    """Definitions of c and s, and of the joint angles in them."""
    rows = []
    for k, joint in enumerate(equations.robot.joints):
        note = ""
        if equations.offsets[k]:
            note = rf"$\theta_{{{k + 1}}} = q_{{{k + 1}}} {equations.offsets[k]:+.6g}$"
        rows.append(rf"$q_{{{k + 1}}}$ & {latex_text(joint.name)} & {joint.type} & {note} \\")
    lines = [r"\begin{tabular}{@{}llll}", *rows, r"\end{tabular}\par\medskip"]
    sums = angle_sums(entries)
    if sums:
        letter = r"\theta" if any(equations.offsets) else "q"
        definitions = []
        for joints in sums:
            total = " + ".join(f"{letter}_{{{joint}}}" for joint in joints)
            inside = total if len(joints) == 1 else f"({total})"
            index = index_text(joints)
            definitions.append(rf"$c_{{{index}}} = \cos {inside}$, $s_{{{index}}} = \sin {inside}$")
        others = r", $\theta_k = q_k$ for all other joints" if any(equations.offsets) else ""
        lines.append("; ".join(definitions) + others + r".\par\medskip")
    return "\n".join(lines)


def _plain_angles(equations: SymbolicEquations, entries: Sequence[Sequence[SymbolicTerm]]) -> list[str]:
    lines = [f"q{k + 1}: {joint.name}, {joint.type}" for k, joint in enumerate(equations.robot.joints)]
    letter = "theta" if any(equations.offsets) else "q"
    lines += [f"theta{k + 1} = q{k + 1} {x:+.6g}" for k, x in enumerate(equations.offsets) if x]
    definitions = [
        f"c{index_text(joints)} = cos({' + '.join(f'{letter}{joint}' for joint in joints)})"
        for joints in angle_sums(entries)
    ]
    return [*lines, ", ".join(definitions) + (", and s = sin of the same" if definitions else "")]
