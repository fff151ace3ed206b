"""Tables of identified parameters, laid out as Izaguirre et al. print them (Tables 1 to 3).

(1)  statistics: number (with an asterisk for a significant parameter), representation, average, standard deviation,
     maximum and minimum over the trajectories
(2)  comparison: number, representation, the value found elsewhere, the value found here
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from torquec.papers.izaguirre.elimination import Elimination
from torquec.papers.izaguirre.trajectory_fits import TrajectoryFits

_STATISTICS = ("Parameter", "Representation", "Average", "Standard Deviation", "Maximum", "Minimum")


def statistics_table(fits: TrajectoryFits, letters: Sequence[str], significant: Collection[int]) -> str:
    """The table (1) of fits, one row per parameter; `letters` are the representations.

    >>> import numpy as np
    >>> fits = TrajectoryFits(("Ixx_link4",), np.array([[0.25], [0.75]]), np.ones((2, 2)))
    >>> print(statistics_table(fits, ["a4"], [0]))
    Parameter  Representation   Average  Standard Deviation   Maximum   Minimum
    1 *        a4              0.500000            0.353553  0.750000  0.250000
    """
    columns = (fits.average, fits.std, fits.maximum, fits.minimum)
    rows = [
        [f"{k + 1} *" if k in significant else f"{k + 1}", letter, *(_fixed(float(column[k])) for column in columns)]
        for k, letter in enumerate(letters)
    ]
    return _aligned(_STATISTICS, rows)


def comparison_table(
    letters: Sequence[str], elsewhere: Sequence[float], here: Sequence[float], *, source: str = "the Robot's File"
) -> str:
    """The table (2).

    >>> print(comparison_table(["fs1"], [0.76], [0.787033], source="J. Lloyd"))
    Parameter Number  Representation  Value Found in J. Lloyd  Value Found by Our Method
    1 *               fs1                              0.7600                     0.7870
    """
    rows = [
        [f"{k + 1} *", letter, _fixed(other, 4), _fixed(own, 4)]
        for k, (letter, other, own) in enumerate(zip(letters, elsewhere, here, strict=True))
    ]
    header = ("Parameter Number", "Representation", f"Value Found in {source}", "Value Found by Our Method")
    return _aligned(header, rows)


def elimination_text(found: Elimination, letters: Sequence[str], *, standard: int) -> str:
    """Both tables (1) of an elimination, and what it did to the condition number; `standard` parameters came first."""
    kept = [letters[k] for k in found.kept]
    before, after = found.before, found.after
    condition = _condition_text(found)
    errors = (
        f"|tau - predicted|/|tau|: {found.error_before:.2%} with {len(letters)} parameters, {found.error_after:.2%} "
        f"with {len(kept)}"
    )
    lines = [
        f"{standard} parameters, {len(letters)} of them independent, {len(kept)} significant",
        "",
        "Table 1. Statistics for the Parameters Obtained Experimentally",
        "",
        statistics_table(before, letters, found.kept),
        "",
        "Table 2. Statistics for the Significant Parameters",
        "",
        statistics_table(after, kept, range(len(kept))),
        "",
        condition,
        errors,
    ]
    return "\n".join(lines)


def _condition_text(found: Elimination) -> str:
    """What elimination did to the condition number; a trajectory that leaves parameters open has none."""
    before, after = found.before, found.after
    start = f"condition number of one trajectory (median of {len(before.values)})"
    if not math.isfinite(after.condition):
        return f"no single trajectory tells the {len(found.kept)} significant parameters apart: they need all of them"
    if not math.isfinite(before.condition):
        return (
            f"{start}: {after.condition:.0f} with {len(found.kept)} parameters; none tells all {len(found.names)} apart"
        )
    return (
        f"{start}: {before.condition:.0f} with {len(found.names)} parameters, {after.condition:.0f} with "
        f"{len(found.kept)}: {found.improvement:.0f} times better"
    )


def _fixed(value: float, digits: int = 6) -> str:
    return f"{value + 0.0:.{digits}f}" if math.isfinite(value) else "-"


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
