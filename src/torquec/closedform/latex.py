r"""Equations as a LaTeX document that compiles on its own with `pdflatex`; it needs amsmath and geometry only.

A whole matrix is displayed with its entries where they fit on a line, else with their names and zeros, and the entries
below. Long sums are broken into lines between their terms; C_{23} is cos(q_2 + q_3), multiple angles are spelled out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from torquec.closedform.equations import Equations
from torquec.closedform.layouts import CHANG_LEE, CHRISTOFFEL, TITLES, Entry, Matrix
from torquec.closedform.sums import Factor, Kind, Notation, broken, entry_summands, joined, subscript, weighted
from torquec.closedform.text import first_angle, friction_branches, remarks
from torquec.robot.friction import Friction

_COLUMNS = 80  # columns of mathematics on a line of the page (`printed_length`): as many as fit in ten-point type

_PIECES = re.compile(r"[_^]\{((?:[^{}]|\{[^{}]*\})*)\}|\\(cos|sin)|(\\[a-z]+|\\,)|(.)")
_POINTS = {
    "C": 7.2,
    "S": 6.2,
    ".": 2.8,
    "(": 3.9,
    ")": 3.9,
    "+": 12.0,
    "-": 12.0,
    r"\,": 1.7,
    r"\dot": 0.0,
    r"\ddot": 0.0,
}
"""Widths of ten-point type; digits and letters take five unless they stand here."""

PREAMBLE = r"""\documentclass[10pt,a4paper,fleqn]{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\usepackage[margin=18mm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\mathindent}{0pt}
\setlength{\jot}{2pt}
\allowdisplaybreaks
\begin{document}
\abovedisplayskip=3pt\belowdisplayskip=3pt
"""

_SYMBOLS = {
    Matrix.M: "M(q)",
    Matrix.C: r"C(q, \dot q)",
    Matrix.B: "B(q)",
    Matrix.D: "D(q)",
    Matrix.G_TORQUE: "g(q)",
    Matrix.DTAU_DQ: r"\partial\tau/\partial q",
    Matrix.DTAU_DQD: r"\partial\tau/\partial \dot q",
}
"""Symbols of the matrices; the other entries have three indices or are laws."""

_LETTERS = {
    Kind.SHORT_COSINE: "C",
    Kind.SHORT_SINE: "S",
    Kind.POSITION: "q",
    Kind.SPEED: r"\dot q",
    Kind.ACCELERATION: r"\ddot q",
}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{character: f"{{{character}}}" for character in "-<>`'\",?!"},
}


def equations_latex(equations: Equations) -> str:
    """The whole document; all text from files is escaped."""
    name = latex_text(equations.form.robot.name)
    parts = [PREAMBLE, rf"\section*{{{name}: equations of motion}}", f"\\[ {_balance(equations)} \\]"]
    parts += [_coordinates(equations)]
    parts += ["\n".join(f"{latex_text(line)}\\par" for line in remarks(equations))]
    for matrix, found in equations.entries.items():
        common = equations.common_unit(matrix)
        title = latex_text(TITLES[matrix]) + (f" [${unit_latex(common)}$]" if common else "")
        parts.append(f"\\subsection*{{{title}}}")
        if matrix is Matrix.V:
            parts.append(_friction(equations))
        if matrix is Matrix.PHI and equations.form.closure is not None:
            words = enumerate(equations.form.closure.words, 1)
            parts.append("; ".join(rf"$\Phi_{{{k}}}$: {latex_text(word)}" for k, word in words) + r".\par")
        filled = _filled_matrix(equations, matrix) if common else ""
        named = "" if filled else _named_matrix(equations, matrix)
        parts += [filled or named]
        if not filled:
            parts.append("\n".join(entry_latex(equations, entry, show_unit=not common) for entry in found))
        if not found and not equations.friction:
            parts.append("All entries are zero.")
    return "\n\n".join(part for part in parts if part) + "\n\n\\end{document}\n"


def _filled_matrix(equations: Equations, matrix: Matrix) -> str:
    """A matrix with its entries in it; nothing where a row would be too long for the page."""

    def cell(entry: Entry) -> str:
        return joined(entry_summands(entry, LATEX, equations.digits))

    return _matrix_latex(equations, matrix, {entry.index: cell(entry) for entry in equations.entries[matrix]})


def _named_matrix(equations: Equations, matrix: Matrix) -> str:
    """A matrix with the names of its entries; nothing where a row would be too long for the page."""
    return _matrix_latex(equations, matrix, {entry.index: _entry_name(entry) for entry in equations.entries[matrix]})


def _matrix_latex(equations: Equations, matrix: Matrix, cells: dict[tuple[int, ...], str]) -> str:
    """Cells as a displayed matrix, zeros where there are none; nothing for chosen entries and other shapes."""
    if matrix not in _SYMBOLS or not equations.whole or not cells:
        return ""
    n = equations.form.n
    if matrix is Matrix.M:  # whose upper triangle is written
        cells |= {(j, i): text for (i, j), text in cells.items()}
    columns: list[tuple[int, ...]] = [(j,) for j in range(n)]
    if matrix is Matrix.B:
        columns = [(j, k) for j in range(n) for k in range(j + 1, n)]
    elif matrix is Matrix.G_TORQUE:
        columns = [()]
    rows = [[cells.get((i, *column), "0") for column in columns] for i in range(n)]
    symbol = _SYMBOLS[matrix]
    # A column is as wide as its widest cell, and two more separate it from the next.
    width = (
        sum(max(printed_length(row[c]) for row in rows) + 2 for c in range(len(columns))) + printed_length(symbol) + 3
    )
    if width > _COLUMNS:
        return ""
    body = " \\\\\n".join(" & ".join(row) for row in rows)
    return f"\\[ {symbol} = \\left(\\begin{{array}}{{{'c' * len(columns)}}}\n{body}\n\\end{{array}}\\right) \\]"


def entry_latex(equations: Equations, entry: Entry, *, show_unit: bool = False) -> str:
    """One entry as a displayed equation, broken into lines."""
    unit = rf"\;[{unit_latex(equations.unit(entry))}]" if show_unit else ""
    name = _entry_name(entry)
    room = _COLUMNS - printed_length(name) - printed_length(unit) - 3
    summands = entry_summands(entry, LATEX, equations.digits)
    first, *others = broken(summands, first=room, other=room, length=printed_length)
    if first.startswith("-"):
        first = "{-}" + first[1:]  # a sign, no subtraction
    lines = [f"{name}{unit} ={{}}& {first}", *(f"&{{}}{line}" for line in others)]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def latex_text(text: str) -> str:
    r"""Any text, special characters escaped; characters beyond ASCII as their code points.

    >>> print(latex_text("joint_1 & 50%"))
    joint\_1 \& 50\%
    """
    return "".join(_SPECIAL.get(c, c) if " " <= c <= "~" else f"[U+{ord(c):04X}]" for c in text)


def number_latex(value: float, digits: int) -> str:
    r"""A number, powers of ten spelled.

    >>> print(number_latex(1.25e-7, 6), number_latex(0.5, 6))
    1.25 \cdot 10^{-7} 0.5
    """
    mantissa, _, exponent = f"{value + 0.0:.{digits}g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def factor_latex(factor: Factor) -> str:
    r"""One factor.

    >>> print(factor_latex(Factor(Kind.SHORT_SINE, ((1, 1), (2, 1)), 2)), factor_latex(Factor(Kind.SPEED, ((0, 1),))))
    S_{23}^{2} \dot q_{1}
    """
    if factor.kind in (Kind.COSINE, Kind.SINE):
        return rf"\{factor.kind}({_sum(factor.joints)})"
    if factor.symbol:
        component, of = factor.symbol[1], factor.symbol[2:]
        text = f"{factor.symbol[0]}_{{{component}{',' if of else ''}{of}}}"
    else:
        text = f"{_LETTERS[factor.kind]}_{{{_subscript(factor.joints)}}}"
    return text if factor.power == 1 else f"{text}^{{{factor.power}}}"


def unit_latex(unit: str) -> str:
    r"""A unit in upright letters, to stand in mathematics.

    >>> print(unit_latex("kg m^2"))
    \mathrm{kg\,m^2}
    """
    return rf"\mathrm{{{unit.replace(' ', chr(92) + ',')}}}"


def _parameter(name: str) -> str:
    letter, _, owner = name.partition("_")
    subscripted = rf"_{{\text{{{latex_text(owner)}}}}}" if owner else ""
    return rf"\mathit{{{latex_text(letter)}}}{subscripted}"


LATEX = Notation(number_latex, factor_latex, _parameter, times=r"\,")


def _subscript(joints: tuple[tuple[int, int], ...]) -> str:
    return subscript(joints).replace("m", "-").replace("_", ",")


def _sum(joints: Sequence[tuple[int, int]]) -> str:
    return joined(weighted(((k, f"q_{{{i + 1}}}") for i, k in joints), LATEX, 6))


def _entry_name(entry: Entry) -> str:
    row, *rest = (str(i + 1) for i in entry.index)
    comma = "," if max(entry.index) > 8 else ""
    if entry.matrix in (Matrix.DTAU_DQ, Matrix.DTAU_DQD):
        by = r"\dot q" if entry.matrix is Matrix.DTAU_DQD else "q"
        return rf"\partial\tau_{{{row}}}/\partial {by}_{{{rest[0]}}}"
    if entry.matrix is Matrix.PHI:
        return rf"\Phi_{{{row}}}"
    if entry.matrix is Matrix.B:
        return f"B_{{{row},{comma.join(rest)}}}"
    return f"{entry.matrix}_{{{comma.join([row, *rest])}}}"


def _balance(equations: Equations) -> str:
    balance = _tree_balance(equations)
    if equations.form.closure is None:
        return balance
    left, _, right = balance.partition(" = ")
    force = r"(\partial\Phi/\partial q)^{T}" + ("_i" if left.endswith("_i") else "")
    return rf"{left} + {force}\lambda = {right}, \quad \Phi(q) = 0"


def _tree_balance(equations: Equations) -> str:
    if equations.balance == CHANG_LEE:
        return r"\tau_i = \sum_j J_{ij}\,\ddot q_j + \sum_j\sum_k H_{ijk}\,\dot q_j\,\dot q_k - G_i + V_i"
    if equations.balance == CHRISTOFFEL:
        return r"\tau = M(q)\,\ddot q + C(q, \dot q)\,\dot q + g(q) + V(\dot q)"
    return r"\tau = M(q)\,\ddot q + B(q)\,[\dot q_j \dot q_k]_{j<k} + D(q)\,[\dot q_j^2] + g(q) + V(\dot q)"


def _coordinates(equations: Equations) -> str:
    form = equations.form
    rows = []
    for i, each in enumerate(form.coordinates):
        unit = unit_latex(each.of_joint.speed_unit if each.is_twist else each.of_joint.position_unit)
        mimic = each.joint.mimic
        note = ""
        if mimic is not None:
            leader = form.names.index(mimic.joint) + 1
            follows = joined(weighted([(mimic.multiplier, f"q_{{{leader}}}"), (mimic.offset, "")], LATEX, 6))
            adds = joined(weighted([(mimic.multiplier, rf"\tau_{{{i + 1}}}")], LATEX, 6))
            note = rf"$q_{{{i + 1}}} = {follows}$; adds ${adds}$ to $\tau_{{{leader}}}$"
        kind = f"{each.joint.type}{', rate' if each.is_twist else ''}"
        rows.append(rf"$q_{{{i + 1}}}$ & {latex_text(each.name)} & {kind} & ${unit}$ & {note} \\")
    lines = [r"\begin{tabular}{@{}lllll}", *rows, r"\end{tabular}\par\medskip"]
    if not equations.rule.multiple_angles:
        k = f"{{{first_angle(form)}}}"
        lines.append(rf"$C_{k} = \cos q_{k}$, $S_{k} = \sin q_{k}$, and so for every revolute joint;")
        for angle in equations.angles:
            name, total = _subscript(angle.joints), _sum(angle.joints)
            lines.append(rf"$C_{{{name}}} = \cos({total})$, $S_{{{name}}} = \sin({total})$;")
        lines[-1] = lines[-1].removesuffix(";") + r".\par\medskip"
    return "\n".join(lines)


def _friction(equations: Equations) -> str:
    lines, motors = [], {}
    for law in equations.friction:
        coupled = ""
        for motor in law.coupled:
            speed = joined(weighted(((r, rf"\dot q_{{{j + 1}}}") for j, r in motor.ratios), LATEX, equations.digits))
            name = rf"f_{{\text{{{latex_text(motor.motor)}}}}}"
            ((negative, body),) = weighted([(motor.factor, f"{name}({speed})")], LATEX, equations.digits)
            coupled += f" {'-' if negative else '+'} {body}"
            motors[name] = motor.law
        own = _cases(law.own, rf"\dot q_{{{law.joint + 1}}}", equations.digits, load=f"|tau{law.joint + 1}|")
        lines.append(rf"V_{{{law.joint + 1}}} ={{}}& {own}{coupled}")
    lines += [rf"{name}(w) ={{}}& {_cases(law, 'w', equations.digits)}" for name, law in motors.items()]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}" if lines else ""


def _cases(law: Friction, speed: str, digits: int, *, load: str = "|tau|") -> str:
    branches = friction_branches(law, speed, digits, load=load)
    rows = []
    for text, condition in branches:
        mathematics = re.sub(r"\b(exp|tanh)\(", r"\\\1(", text).replace("*", r"\,").replace("|tau|", r"|\tau|")
        mathematics = re.sub(r"\|tau(\d+)\|", r"|\\tau_{\1}|", mathematics)
        sign = condition.replace(">=", r"\ge")
        rows.append(f"{mathematics} & {sign}" if condition else mathematics)
    return rows[0] if len(rows) == 1 else r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"


def printed_length(text: str) -> int:
    """The width of a piece of mathematics on paper, in columns of six points."""
    points = 0.0
    text = re.sub(r"(_\{[^{}]*\})\^\{\d+\}", r"\1", text)  # a power stands above the index
    for script, function, command, character in _PIECES.findall(text):
        if script:
            points += 4.2 * len(re.sub(r"\\text|[{}]", "", script))
        elif function:
            points += 15.0
        elif command:
            points += _POINTS.get(command, 8.0)
        elif character not in "{} ":
            points += _POINTS.get(character, 5.0)
    return math.ceil(points / 6.0)
