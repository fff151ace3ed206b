"""The papers' printed numbers beside ours: the table of all comparisons, by name.

A comparison is a row of `COMPARISONS` and a function without arguments, which gives its rows: `kang-counts` is
`kang_counts` in the file `kang_comparisons` of the paper's folder. Files are imported when their rows are computed.
"""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass
from typing import cast

from torquec.errors import ArgumentError
from torquec.papers.printed_row import PrintedRows, RowFunction


@dataclass(frozen=True)
class PaperComparison:
    """A comparison: its name, the paper, what is compared, and the module of its function.

    `is_long`: computing its rows takes more than two seconds.
    """

    name: str
    paper: str
    what: str
    home: str
    is_long: bool = False

    def rows(self) -> PrintedRows:
        """Compute the rows."""
        module = importlib.import_module(f"torquec.papers.{self.home}")
        return cast("RowFunction", getattr(module, self.name.replace("-", "_")))()


_KANG, _LIN, _CHANG_LEE, _CLOVER, _IZAGUIRRE = "Kang", "Lin", "Chang and Lee", "Clover", "Izaguirre et al."

COMPARISONS: tuple[PaperComparison, ...] = (
    PaperComparison(
        "chang-lee-table-1",
        _CHANG_LEE,
        "errors of the printed simplified coefficients of the Stanford arm (Table 1), and the best of their terms",
        "chang_lee.chang_lee_comparisons",
        is_long=True,
    ),
    PaperComparison(
        "chang-lee-min-basis-gen",
        _CHANG_LEE,
        "number of terms and errors that MIN_BASIS_GEN finds at the tolerances of Table 1",
        "chang_lee.chang_lee_comparisons",
        is_long=True,
    ),
    PaperComparison(
        "lin-renaud",
        _LIN,
        "Renaud's inertia matrix (16) and gravity torques (18) against the recursion",
        "lin.lin_comparisons",
    ),
    PaperComparison(
        "lin-counts",
        _LIN,
        "number of identifiable parameters by Theorem 5 against the exact rank of the regressor",
        "lin.lin_comparisons",
    ),
    PaperComparison(
        "clover-tables",
        _CLOVER,
        "errors of the abbreviated model, eigenvalues, stability limits, operation counts (chapters II and III)",
        "clover.clover_comparisons",
        is_long=True,
    ),
    PaperComparison(
        "clover-cycle",
        _CLOVER,
        "time of one control cycle, task by task, measured on this machine (chapter IV, Table I)",
        "clover.clover_comparisons",
        is_long=True,
    ),
    PaperComparison(
        "kang-counts",
        _KANG,
        "operations of I* and P* by augmented bodies, sum over links and mass points",
        "kang.kang_comparisons",
        is_long=True,
    ),
    PaperComparison(
        "kang-power-arrays",
        _KANG,
        "I* and P* by each method against Newton-Euler; properties P3 to P10 as printed and corrected",
        "kang.kang_comparisons",
    ),
    PaperComparison(
        "kang-loads",
        _KANG,
        "static loads through influence coefficients against the recursion",
        "kang.kang_comparisons",
    ),
    PaperComparison(
        "izaguirre-counts",
        _IZAGUIRRE,
        "operations of background and synchronous task for the PUMA 260",
        "izaguirre.izaguirre_comparisons",
        is_long=True,
    ),
    PaperComparison(
        "izaguirre-elimination",
        _IZAGUIRRE,
        "78, 52 and 23 parameters of the PUMA 260, condition numbers, gravity coefficients, Table 2",
        "izaguirre.izaguirre_comparisons",
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
