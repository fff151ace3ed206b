"""Files of a simplification: equations before and after, their changes, and the trade-off curve as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torquec.closedform.layouts import Entry, Matrix
from torquec.closedform.polynomial import TrigPolynomial
from torquec.closedform.sums import broken, cumulative_angles, joined, subscript, value_summands
from torquec.closedform.text import TEXT, entry_name, sum_text
from torquec.model.simplified import TradeOff
from torquec.simplification.torque_coefficients import TermChange, TorqueCoefficients

_WIDTH = 100  # of a terminal
_DIGITS = 6  # significant digits of coefficients that a reader compares
_TITLES = {
    Matrix.M: "Inertia M(q): M12 multiplies qdd2 in the torque of joint 1",
    Matrix.B: "Coriolis B(q): B[1,23] multiplies qd2 qd3",
    Matrix.D: "Centrifugal D(q): D12 multiplies qd2^2",
    Matrix.G_TORQUE: "Gravity g(q)",
}
COEFFICIENT_EQUATIONS, COEFFICIENT_SEARCH = "equations_coefficients.txt", "equations_coefficients.json"
"""Files of a model with simplified coefficients: its equations, and how their terms were found."""

_UNCHANGED_SHOWN = 1e-5  # relative change below which a coefficient is shown as unchanged


def equations_page(title: str, coefficients: TorqueCoefficients) -> str:
    """All entries of a set of coefficients, with the meaning of their names."""
    lines = [title, "", "    tau = M(q) qdd + B(q) [qd_j qd_k, j < k] + D(q) [qd_j^2] + g(q)", ""]
    lines += ["Coordinates", *(f"    q{k + 1:<3} {name}" for k, name in enumerate(coefficients.joints)), ""]
    lines += ["Short names", "    C1 = cos(q1), S1 = sin(q1), and so for every revolute joint"]
    for angle in cumulative_angles(coefficients.entries.values()):
        name, total = subscript(angle.joints), sum_text(angle.joints)
        lines.append(f"    C{name} = cos({total}), S{name} = sin({total})")
    counts = ", ".join(f"{name} {count}" for name, count in coefficients.terms.items())
    lines += ["", f"Terms: {counts}. Entries that are not shown are zero. Units are SI."]
    for matrix, title_of_matrix in _TITLES.items():
        lines += ["", title_of_matrix, ""]
        entries = [entry for entry in coefficients.written() if entry.matrix is matrix]
        for entry in entries:
            lines += _entry_lines(entry)
        if not entries:
            lines.append("All entries are zero.")
    return "\n".join(lines) + "\n"


def coefficient_page(title: str, coefficients: TorqueCoefficients, fell_back: Sequence[str] | None) -> str:
    """The equations of a model with simplified coefficients; `fell_back`: those without a MIN_BASIS_GEN basis."""
    page = equations_page(title, coefficients)
    if fell_back is None:
        return page
    names = ", ".join(fell_back) or "none"
    return (
        f"{page}\nTerms were chosen by MIN_BASIS_GEN (Chang & Lee). Coefficients for which it found no basis in its "
        f"time, whose\nterms the search of this package chose: {names}.\n"
    )


def changes_page(
    title: str, before: TorqueCoefficients, after: TorqueCoefficients, changes: Sequence[TermChange]
) -> str:
    """Changes by entry: terms before and after, dropped terms, changed coefficients, new terms."""
    lines = [
        title,
        "",
        "Coefficients are SI, names are those of the equations before and after. In brackets: the most that a term,",
        "or its change, can do to the joint's torque [N m, N] at the speeds and accelerations of the specification, or",
        "at one rad/s (m/s) and one rad/s^2 (m/s^2) where it states none.",
    ]
    by_entry: dict[tuple[Matrix, tuple[int, ...]], list[TermChange]] = {}
    for change in changes:
        by_entry.setdefault((change.matrix, change.index), []).append(change)
    for matrix, title_of_matrix in _TITLES.items():
        keys = sorted({key for key in (*before.entries, *after.entries) if key[0] is matrix}, key=lambda key: key[1])
        if keys:
            lines += ["", title_of_matrix, ""]
        for key in keys:
            old, new = (side.entries.get(key, TrigPolynomial()) for side in (before, after))
            lines.append(f"{entry_name(Entry(*key, ()))}: {len(old)} -> {_counted(len(new))}")
            lines += [f"    {line}" for line in _change_lines(by_entry.get(key, ()))]
    return "\n".join(lines) + "\n"


def left_out(before: TorqueCoefficients, after: TorqueCoefficients) -> list[str]:
    """Names of the entries that are zero after and were not before, in reading order."""
    return [entry_name(Entry(*key, ())) for key in before.entries if key not in after.entries]


def change_text(change: TermChange) -> str:
    """A term that changed, as it stands in the torque: `0.69*S2*qdd1`."""
    term = joined(value_summands(TrigPolynomial({change.monomial: change.before or change.after}), TEXT, 4))
    motion = {
        Matrix.M: [f"qdd{change.index[-1] + 1}"],
        Matrix.B: [f"qd{j + 1}" for j in change.index[1:]],
        Matrix.D: [f"qd{change.index[-1] + 1}^2"],
    }.get(change.matrix, [])
    return "*".join([term, *motion])


def _entry_lines(entry: Entry) -> list[str]:
    head = f"{entry_name(entry)} = "
    room = _WIDTH - len(head)
    first, *others = broken(value_summands(entry.parts[0].value, TEXT, _DIGITS), first=room, other=room + 2)
    return [head + first, *(" " * (len(head) - 2) + line for line in others)]


def _change_lines(changes: Sequence[TermChange]) -> list[str]:
    lines = []
    for change in changes:
        if change.after and change.before and abs(change.after - change.before) < _UNCHANGED_SHOWN * abs(change.before):
            continue
        shown = joined(value_summands(TrigPolynomial({change.monomial: change.before or change.after}), TEXT, _DIGITS))
        size = f"({change.torque:.3g})"
        if change.dropped:
            lines.append(f"dropped  {shown}  {size}")
        elif not change.before:
            lines.append(f"new      {shown}  {size}")
        else:
            lines.append(f"changed  {shown}  to {change.after:.{_DIGITS}g}  {size}")
    return lines


def _counted(count: int) -> str:
    return "nothing" if count == 0 else f"{count} term{'' if count == 1 else 's'}"


def trade_off_rows(curve: TradeOff) -> list[dict[str, Any]]:
    """The points as plain values: factor, mul, add, level, and the bound of every joint."""
    return [
        {
            "factor": point.factor,
            "mul": point.operations.mul,
            "add": point.operations.add,
            "level": point.level,
            "bounds": dict(point.bounds),
        }
        for point in curve.points
    ]


def trade_off_csv(curve: TradeOff) -> str:
    """The points as CSV, a column for the bound of every joint [N m, N]."""
    joints = list(curve.points[0].bounds)
    lines = [",".join(["factor", "mul", "add", "level", *(f"bound_{name}" for name in joints)])]
    for point in curve.points:
        numbers = [point.factor, point.operations.mul, point.operations.add, point.level]
        bounds = [point.bounds.get(name) for name in joints]
        lines.append(",".join([*map(repr, numbers), *("" if b is None else repr(b) for b in bounds)]))
    return "\n".join(lines) + "\n"
