"""Equations as one self-contained HTML page: no scripts, fonts or pictures from elsewhere.

At the top, each matrix as a grid whose cells show the number of terms of an entry and link to it; then which joints
each entry depends on; then the entries. The page follows the reader's light or dark setting, and can be printed.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from torquec.closedform.equations import Equations
from torquec.closedform.layouts import CHANG_LEE, CHRISTOFFEL, TITLES, Entry, Matrix, indices
from torquec.closedform.sums import Factor, Kind, Notation, entry_summands, joined, subscript, weighted
from torquec.closedform.text import coordinate_words, coupling_text, first_angle, friction_rows, remarks
from torquec.foundation.template import package_text

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{THIN SPACE}"
_LONG = 60
"""Entries with more terms than this, about half a screen, are collapsed."""

_LISTS = (Matrix.V, Matrix.PHI)  # no matrices over the coordinates

_LETTERS = {
    Kind.SHORT_COSINE: "C",
    Kind.SHORT_SINE: "S",
    Kind.POSITION: "<i>q</i>",
    Kind.SPEED: "<i>q\N{COMBINING DOT ABOVE}</i>",
    Kind.ACCELERATION: "<i>q\N{COMBINING DIAERESIS}</i>",
}


def equations_html(equations: Equations) -> str:
    """The whole page; all text from files is escaped."""
    name, style = html.escape(equations.form.robot.name), package_text("closedform", "equations.css")
    links = "".join(f'<a href="#{matrix}">{_matrix_name(matrix)}</a>' for matrix in equations.entries)
    body = [
        f"<header><h1>{name}</h1><p>Equations of motion</p></header>",
        f'<nav><a href="#top">Top</a>{links}</nav>',
        f'<p class="balance">{_balance(equations)}</p>',
        '<div class="columns">',
        _coordinates(equations),
        _names(equations),
        "</div>",
        '<ul class="remarks">' + "".join(f"<li>{html.escape(line)}</li>" for line in remarks(equations)) + "</ul>",
        _overview(equations),
        _dependence(equations),
        *(_section(equations, matrix) for matrix in equations.entries),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}: equations of motion</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body id="top">\n' + "\n".join(part for part in body if part) + "\n</body>\n</html>\n"
    )


def number_html(value: float, digits: int) -> str:
    """A number, powers of ten spelled.

    >>> number_html(1.25e-7, 6) == "1.25·10<sup>\N{MINUS SIGN}7</sup>", number_html(0.5, 6)
    (True, '0.5')
    """
    mantissa, _, exponent = f"{value + 0.0:.{digits}g}".partition("e")
    if not exponent:
        return mantissa
    return f"{mantissa}·10<sup>{str(int(exponent)).replace('-', _MINUS)}</sup>"


def factor_html(factor: Factor) -> str:
    """One factor.

    >>> factor_html(Factor(Kind.SHORT_SINE, ((1, 1), (2, 1)), 2))
    'S<sub>23</sub><sup>2</sup>'
    """
    if factor.kind in (Kind.COSINE, Kind.SINE):
        return f"{factor.kind}({_sum(factor.joints)})"
    if factor.symbol:
        text = f"<i>{factor.symbol[0]}</i><sub>{factor.symbol[1:]}</sub>"
    else:
        text = f"{_LETTERS[factor.kind]}<sub>{_subscript(factor.joints)}</sub>"
    return text if factor.power == 1 else f"{text}<sup>{factor.power}</sup>"


def _parameter(name: str) -> str:
    letter, _, owner = name.partition("_")
    return f"<i>{html.escape(letter)}</i>" + (f"<sub>{html.escape(owner)}</sub>" if owner else "")


HTML = Notation(number_html, factor_html, _parameter, times=_TIMES, minus=_MINUS)


def _subscript(joints: tuple[tuple[int, int], ...]) -> str:
    return subscript(joints).replace("m", _MINUS).replace("_", ",")


def _sum(joints: Sequence[tuple[int, int]]) -> str:
    return joined(weighted(((k, _q(i)) for i, k in joints), HTML, 6), minus=_MINUS)


def _q(joint: int) -> str:
    return f"<i>q</i><sub>{joint + 1}</sub>"


def _unit(unit: str) -> str:
    return html.escape(unit).replace("^2", "²")


def _matrix_name(matrix: Matrix) -> str:
    if matrix in (Matrix.DTAU_DQ, Matrix.DTAU_DQD):
        by = "q" if matrix is Matrix.DTAU_DQ else "q\N{COMBINING DOT ABOVE}"
        return f"∂<i>τ</i>/∂<i>{by}</i>"
    return "<i>Φ</i>" if matrix is Matrix.PHI else f"<i>{matrix}</i>"


def _entry_name(entry: Entry) -> str:
    row, *rest = (str(i + 1) for i in entry.index)
    comma = "," if max(entry.index) > 8 else ""
    if entry.matrix in (Matrix.DTAU_DQ, Matrix.DTAU_DQD):
        by = "q" if entry.matrix is Matrix.DTAU_DQ else "q\N{COMBINING DOT ABOVE}"
        return f"∂<i>τ</i><sub>{row}</sub>/∂<i>{by}</i><sub>{rest[0]}</sub>"
    if entry.matrix is Matrix.PHI:
        return f"<i>Φ</i><sub>{row}</sub>"
    if entry.matrix is Matrix.B:
        return f"<i>B</i><sub>{row},{comma.join(rest)}</sub>"
    return f"<i>{entry.matrix}</i><sub>{comma.join([row, *rest])}</sub>"


def _anchor(matrix: Matrix, index: Sequence[int]) -> str:
    return "-".join([str(matrix), *(str(i + 1) for i in index)])


def _balance(equations: Equations) -> str:
    balance = _tree_balance(equations)
    if equations.form.closure is None:
        return balance
    left, _, right = balance.partition(" = ")
    index = "<sub><i>i</i></sub>" if equations.balance == CHANG_LEE else ""
    return f"{left} + (∂<i>Φ</i>/∂<i>q</i>)<sup>T</sup>{index} <i>λ</i> = {right}, <i>Φ</i>(<i>q</i>) = 0"


def _tree_balance(equations: Equations) -> str:
    q, qd, qdd = "<i>q</i>", _LETTERS[Kind.SPEED], _LETTERS[Kind.ACCELERATION]
    if equations.balance == CHANG_LEE:
        return (
            f"<i>τ<sub>i</sub></i> = Σ<sub>j</sub> <i>J<sub>ij</sub></i> {qdd}<sub>j</sub> + "
            f"Σ<sub>jk</sub> <i>H<sub>ijk</sub></i> {qd}<sub>j</sub> {qd}<sub>k</sub> {_MINUS} "
            "<i>G<sub>i</sub></i> + <i>V<sub>i</sub></i>"
        )
    tail = f"<i>g</i>({q}) + <i>V</i>({qd})"
    if equations.balance == CHRISTOFFEL:
        return f"<i>τ</i> = <i>M</i>({q}) {qdd} + <i>C</i>({q}, {qd}) {qd} + {tail}"
    products = f"[{qd}<sub>j</sub>{qd}<sub>k</sub>]<sub>j&lt;k</sub>"
    return f"<i>τ</i> = <i>M</i>({q}) {qdd} + <i>B</i>({q}) {products} + <i>D</i>({q}) [{qd}<sup>2</sup>] + {tail}"


def _coordinates(equations: Equations) -> str:
    rows = []
    for i, each in enumerate(equations.form.coordinates):
        coupling = html.escape(coupling_text(equations, i))
        kind, _, unit = coordinate_words(each).partition(", ")
        cells = (_q(i), html.escape(each.name), kind, unit, coupling)
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f'<section><h2>Coordinates</h2><table class="plain">{"".join(rows)}</table></section>'


def _names(equations: Equations) -> str:
    if equations.rule.multiple_angles:
        return ""
    k = first_angle(equations.form)
    names = f"C<sub>{k}</sub> = cos {_q(k - 1)}, S<sub>{k}</sub> = sin {_q(k - 1)}"
    rows = [f"<li>{names}, and so for every revolute joint</li>"]
    for angle in equations.angles:
        name, total = _subscript(angle.joints), _sum(angle.joints)
        rows.append(f"<li>C<sub>{name}</sub> = cos({total}), S<sub>{name}</sub> = sin({total})</li>")
    return f"<section><h2>Short names</h2><ul>{''.join(rows)}</ul></section>"


def _overview(equations: Equations) -> str:
    """Each matrix as a grid of numbers of terms."""
    grids = [_grid(equations, m, found) for m, found in equations.entries.items() if m not in _LISTS and found]
    if not grids:
        return ""
    return f'<section><h2>Terms per entry</h2><div class="columns">{"".join(grids)}</div></section>'


def _grid(equations: Equations, matrix: Matrix, found: Sequence[Entry]) -> str:
    n = equations.form.n
    entries = {entry.index: entry for entry in found}
    most = max(len(entry) for entry in found)
    columns = [index[1:] for index in indices(n, matrix) if index[0] == 0]
    if matrix is Matrix.H:
        columns = [column for column in columns if any(entry.index[1:] == column for entry in found)]
    head = "".join(f"<th>{''.join(str(i + 1) for i in column)}</th>" for column in columns)
    rows = []
    for row in range(n):
        cells = "".join(_cell(matrix, (row, *column), entries, most) for column in columns)
        rows.append(f"<tr><th>{row + 1}</th>{cells}</tr>")
    header = f"<tr><th></th>{head}</tr>" if head else ""
    return f'<table class="grid"><caption>{_matrix_name(matrix)}</caption>{header}{"".join(rows)}</table>'


def _cell(matrix: Matrix, index: tuple[int, ...], entries: Mapping[tuple[int, ...], Entry], most: int) -> str:
    if matrix in (Matrix.M, Matrix.J) and index[0] > index[1]:
        return '<td class="mirror"></td>'
    entry = entries.get(index)
    if entry is None or not entry.parts:
        return "<td></td>"
    shade = round(10 + 50 * len(entry) / most)
    return f'<td style="--shade:{shade}%"><a href="#{_anchor(matrix, index)}">{len(entry)}</a></td>'


def _dependence(equations: Equations) -> str:
    """Which joints each entry depends on."""
    found = [entry for kept in equations.entries.values() for entry in kept]
    if not found:
        return ""
    form = equations.form
    head = "".join(f'<th title="{html.escape(name)}">{_q(i)}</th>' for i, name in enumerate(form.names))
    head += "".join(f"<th><i>{part.symbol[0]}</i><sub>{part.symbol[1:]}</sub></th>" for part in form.symbols)
    rows = []
    for entry in found:
        depends = set(entry.depends_on)
        cells = "".join("<td>●</td>" if joint in depends else "<td></td>" for joint in range(len(form.position_names)))
        link = f'<a href="#{_anchor(entry.matrix, entry.index)}">{_entry_name(entry)}</a>'
        rows.append(f"<tr><th>{link}</th>{cells}</tr>")
    table = f'<table class="dots"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    summary = "Which joints each entry depends on"
    return f"<details{' open' if len(rows) <= _LONG else ''}><summary>{summary}</summary>{table}</details>"


def _section(equations: Equations, matrix: Matrix) -> str:
    common = equations.common_unit(matrix)
    unit = f' <span class="unit">{_unit(common)}</span>' if common else ""
    parts = [f'<section id="{matrix}"><h2>{html.escape(TITLES[matrix])}{unit}</h2>']
    if matrix is Matrix.V:
        parts.append(_friction(equations))
    if matrix is Matrix.PHI and equations.form.closure is not None:
        words = "".join(f"<li>{html.escape(word)}</li>" for word in equations.form.closure.words)
        parts.append(f"<ol>{words}</ol>")
    parts += [_entry(equations, entry, show_unit=not common) for entry in equations.entries[matrix]]
    if len(parts) == 1:
        parts.append("<p>All entries are zero.</p>")
    return "\n".join([*parts, "</section>"])


def _entry(equations: Equations, entry: Entry, *, show_unit: bool) -> str:
    anchor = _anchor(entry.matrix, entry.index)
    unit = f' <span class="unit">{_unit(equations.unit(entry))}</span>' if show_unit else ""
    title = f'<a class="name" href="#{anchor}">{_entry_name(entry)}</a>{unit}'
    pieces = []
    for k, (negative, text) in enumerate(entry_summands(entry, HTML, equations.digits)):
        sign = (_MINUS if negative else "") if k == 0 else (f"{_MINUS} " if negative else "+ ")
        pieces.append(f"<span>{sign}{text}</span>")
    total = " ".join(pieces) or "0"
    if len(entry) <= _LONG:
        return f'<div class="entry" id="{anchor}"><div>{title} =</div><div class="sum">{total}</div></div>'
    summary = f'<summary>{title} = <span class="unit">{len(entry)} terms</span></summary>'
    return f'<details class="entry" id="{anchor}">{summary}<div class="sum">{total}</div></details>'


def _friction(equations: Equations) -> str:
    rows = []
    for name, expression, condition in friction_rows(equations):
        cells = (name, expression.replace("*", _TIMES), f"for {condition}" if condition else "")
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return f'<table class="plain">{"".join(rows)}</table>' if rows else "<p>There is none.</p>"
