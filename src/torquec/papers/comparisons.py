"""The papers' printed numbers beside ours: the table of all comparisons, by name.

A comparison is a row of `COMPARISONS` and a function without arguments, which gives its rows: `kang-counts` is
`kang_counts` in the paper's file `kang_comparisons`. Files are imported when their rows are computed. A row is a
quantity, our number, the printed number and their difference:

(1)  relative difference  (ours - printed) / |printed|,  absolute  ours - printed
(2)  arrays: the largest entry of each, and the largest entrywise difference over the largest printed entry

A printed number is a figure of the paper, or the value of a printed formula where the paper prints no figure; `source`
names the table, section or equation.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from torquec.errors import ArgumentError


class DifferenceKind(StrEnum):
    """Whether a difference is divided by the printed number (1)."""

    RELATIVE = "relative"
    ABSOLUTE = "absolute"


@dataclass(frozen=True)
class PrintedRow:
    """A quantity with its unit in brackets, both numbers, and their difference of the stated kind.

    `ours` is None where the paper has a number and we do not, `printed` where the paper has none; the difference is
    None then. `note` names an erratum or a condition.
    """

    quantity: str
    ours: float | None
    printed: float | None
    difference: float | None
    kind: DifferenceKind
    source: str
    note: str = ""


def printed_row(
    quantity: str,
    ours: float | None,
    printed: float | None,
    source: str,
    *,
    kind: DifferenceKind = DifferenceKind.RELATIVE,
    note: str = "",
) -> PrintedRow:
    """A row of two numbers (1).

    Raises `ArgumentError` for a relative difference from a printed zero.

    >>> row = printed_row("multiplications", 75, 100, "Table I")
    >>> row.difference, str(row.kind)
    (-0.25, 'relative')
    """
    ours, printed = (None if value is None else float(value) for value in (ours, printed))
    difference = None if ours is None or printed is None else ours - printed
    if difference is not None and printed is not None and kind is DifferenceKind.RELATIVE:
        if printed == 0.0:
            raise ArgumentError(f"'{quantity}' is printed as 0", remedy="give its difference as absolute")
        difference /= abs(printed)
    return PrintedRow(quantity, ours, printed, difference, kind, source, note)


def array_row(quantity: str, ours: ArrayLike, printed: ArrayLike, source: str, *, note: str = "") -> PrintedRow:
    """A row of two arrays of one shape (2).

    >>> array_row("M", [[2.0, 0.0], [0.0, 1.0]], [[2.0, 0.5], [0.5, 1.0]], "Kang (9)").difference
    0.25
    """
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(printed, dtype=np.float64)
    if a.shape != b.shape:
        raise ArgumentError(f"'{quantity}' has the shapes {a.shape} and {b.shape}", remedy="compare equal shapes")
    largest = float(np.abs(b).max())
    difference = float(np.abs(a - b).max()) / largest
    return PrintedRow(
        f"{quantity}, largest entry", float(np.abs(a).max()), largest, difference, DifferenceKind.RELATIVE, source, note
    )


PrintedRows = tuple[PrintedRow, ...]
RowFunction = Callable[[], PrintedRows]


@dataclass(frozen=True)
class PaperComparison:
    """A comparison: its name, the paper and what is compared.

    `is_long`: computing its rows takes more than two seconds.
    """

    name: str
    paper: str
    what: str
    is_long: bool = False

    def rows(self) -> PrintedRows:
        """Compute the rows."""
        module = importlib.import_module(f"torquec.papers.{_HOMES[self.paper]}")
        return cast("RowFunction", getattr(module, self.name.replace("-", "_")))()


_KANG, _LIN, _CHANG_LEE, _CLOVER, _IZAGUIRRE = "Kang", "Lin", "Chang and Lee", "Clover", "Izaguirre et al."
_HOMES = {
    _KANG: "kang_comparisons",
    _LIN: "lin_comparisons",
    _CHANG_LEE: "chang_lee",
    _CLOVER: "clover_comparisons",
    _IZAGUIRRE: "izaguirre_comparisons",
}
"""The module of this room with the functions of a paper's comparisons."""

COMPARISONS: tuple[PaperComparison, ...] = (
    PaperComparison(
        "chang-lee-table-1",
        _CHANG_LEE,
        "errors of the printed simplified coefficients of the Stanford arm (Table 1), and the best of their terms",
        is_long=True,
    ),
    PaperComparison(
        "chang-lee-min-basis-gen",
        _CHANG_LEE,
        "number of terms and errors that MIN_BASIS_GEN finds at the tolerances of Table 1",
        is_long=True,
    ),
    PaperComparison("lin-renaud", _LIN, "Renaud's inertia matrix (16) and gravity torques (18) against the recursion"),
    PaperComparison(
        "lin-counts", _LIN, "number of identifiable parameters by Theorem 5 against the exact rank of the regressor"
    ),
    PaperComparison(
        "clover-tables",
        _CLOVER,
        "errors of the abbreviated model, eigenvalues, stability limits, operation counts (chapters II and III)",
        is_long=True,
    ),
    PaperComparison(
        "clover-cycle",
        _CLOVER,
        "time of one control cycle, task by task, measured on this machine (chapter IV, Table I)",
        is_long=True,
    ),
    PaperComparison(
        "kang-counts",
        _KANG,
        "operations of I* and P* by augmented bodies, sum over links and mass points",
        is_long=True,
    ),
    PaperComparison(
        "kang-power-arrays",
        _KANG,
        "I* and P* by each method against Newton-Euler; properties P3 to P10 as printed and corrected",
    ),
    PaperComparison("kang-loads", _KANG, "static loads through influence coefficients against the recursion"),
    PaperComparison(
        "izaguirre-counts", _IZAGUIRRE, "operations of background and synchronous task for the PUMA 260", is_long=True
    ),
    PaperComparison(
        "izaguirre-elimination",
        _IZAGUIRRE,
        "78, 52 and 23 parameters of the PUMA 260, condition numbers, gravity coefficients, Table 2",
        is_long=True,
    ),
)
"""Every comparison, in the order of the papers' pages."""


def paper_comparison(name: str) -> PaperComparison:
    """The comparison of that name; its `rows()` are computed on demand.

    Raises `ArgumentError` for an unknown name.

    >>> paper_comparison("kang-counts").paper
    'Kang'
    """
    for found in COMPARISONS:
        if found.name == name:
            return found
    names = [found.name for found in COMPARISONS]
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"did you mean '{near[0]}'? " if near else ""
    raise ArgumentError(f"there is no comparison '{name}'", remedy=f"{guess}The comparisons are {', '.join(names)}")


def paper_comparisons() -> tuple[PaperComparison, ...]:
    """All comparisons with the papers' printed numbers.

    >>> sorted({found.paper for found in paper_comparisons()})
    ['Chang and Lee', 'Clover', 'Izaguirre et al.', 'Kang', 'Lin']
    """
    return COMPARISONS
