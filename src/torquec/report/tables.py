"""Plain text with aligned tables: what every command prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from torquec_check.claim import rounded_down, rounded_up

MILLI = 1e3
"""s to ms, rad to mrad, m to mm."""

MICRO = 1e6
"""s to microseconds."""

NANO_TO_MICRO = 1e-3  # ns to microseconds
PERCENT = 100.0
"""Parts to percent."""

_WIDTH = 150  # of a line of a matrix, in characters
NOISE = 1e-14
"""Smaller numbers are rounding errors of any quantity of a robot in SI units: shown as zero."""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Aligned columns, the first `left` ones to the left and the others to the right.

    >>> print(table(["joint", "Nm"], [["elbow", "1.5"], ["w", "-10"]]))
      joint   Nm
      elbow  1.5
      w      -10
    """
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  "
        + "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def wide_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as blocks of columns, each of at most 150 characters a line, that repeat the first column.

    >>> print(wide_table(["", *("joint" * 13 + end for end in "abc")], [["row", "1", "2", "3"]]).count("row"))
    2
    """
    lines = [list(header), *(list(row) for row in rows)]
    widths = [2 + max(len(line[column]) for line in lines) for column in range(len(header))]
    blocks: list[list[int]] = [[]]
    for column in range(1, len(header)):
        if blocks[-1] and widths[0] + sum(widths[k] for k in (*blocks[-1], column)) > _WIDTH:
            blocks.append([])
        blocks[-1].append(column)
    shown = ([[line[k] for k in (0, *block)] for line in lines] for block in blocks)
    return "\n\n".join(table(first, rest) for first, *rest in shown)


def number(value: float | None, digits: int = 6) -> str:
    """A number for a table, with `digits` significant digits; '-' where there is none, 0 for rounding noise.

    >>> number(0.1234567891), number(float("inf")), number(6.95e-55)
    ('0.123457', '-', '0')
    """
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:.{digits}g}" if abs(value) > NOISE else "0"


def upper_bound(value: float | None, digits: int) -> str:
    """A proven upper bound for a table, rounded up; '-' where there is none.

    >>> upper_bound(0.12341, 4), upper_bound(7e-18, 4), upper_bound(None, 4)
    ('0.1235', '7e-18', '-')
    """
    return "-" if value is None or not math.isfinite(value) else rounded_up(value, digits)


def lower_bound(value: float | None, digits: int) -> str:
    """A proven lower bound, such as a margin, rounded down; '-' where there is none.

    >>> lower_bound(0.12349, 4)
    '0.1234'
    """
    return "-" if value is None or not math.isfinite(value) else rounded_down(value, digits)


def complex_number(re: float, im: float) -> str:
    """A complex number for a list of eigenvalues.

    >>> complex_number(-2.0, 7e-55), complex_number(-2.0, 3.5)
    ('-2', '-2 +3.5j')
    """
    return number(re) + (f" {im:+.6g}j" if abs(im) > NOISE else "")
