"""One row of a comparison with a paper: a quantity, our number, the printed number, their difference.

(1)  relative difference  (ours - printed) / |printed|,  absolute  ours - printed
(2)  arrays: the largest entry of each, and the largest entrywise difference over the largest printed entry

A printed number is a figure of the paper, or what a printed formula gives where the paper prints no figure; `source`
names the table, section or equation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

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

    >>> array_row("M", [[2.0, 0.0], [0.0, 1.0]], [[2.0, 0.5], [0.5, 1.0]], "(9)").difference
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
