"""What `torquec params` shows of base parameters, as text and as a LaTeX document."""

from __future__ import annotations

import textwrap
from typing import Any

from torquec.parameters.formula import latex_name, latex_number, latex_word
from torquec.report.tables import number

_WIDTH = 118  # of a wide terminal


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
