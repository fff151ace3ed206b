"""Clover's printed tables beside ours: abbreviated torques, counts, eigenvalues, stability limits, a control cycle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.control.poles import joint_poles
from torquec.control.robustness import COMPUTED_TORQUE, ErrorFactor, closed_loop_eigenvalues
from torquec.control.stability_interval import stability_interval
from torquec.errors import ArgumentError
from torquec.linearization.linearize import LinearModel, linearize
from torquec.papers.abbreviated_torque import (
    abbreviated_counts,
    abbreviated_torque_function,
    table_iii_errors,
    table_iv_errors,
)
from torquec.papers.comparisons import DifferenceKind, PrintedRow, PrintedRows, printed_row
from torquec.papers.cycle_table import cycle_table
from torquec.robot import classics

TABLE_III = (
    (-0.026, 0.99, 0.27, 0.28),
    (-0.032, 0.75, 0.19, 0.19),
    (-0.035, 0.80, 0.21, 0.20),
    (-0.002, 0.27, 0.07, 0.07),
    (0.047, 0.43, 0.11, 0.10),
    (0.0, 0.009, 0.003, 0.003),
)
"""Chapter II, Table III, by joint: average, largest, average absolute error and standard deviation [N m]."""

TABLE_IV = (0.9, 0.7, 0.64, 0.29, 0.30, 0.007)
"""Chapter II, Table IV, by joint: average absolute error [N m] at 12,000 random states."""

POINT = (
    (2.44, 4.9018356344, 1.059789048, 1.6041631353, 5.8047615171, 4.49),
    (-10.0, -10.0, -10.0, 10.0, 10.0, -10.0),
    (-100.0, -100.0, -100.0, -100.0, 100.0, 100.0),
)
"""q, qd, qdd of chapter II, Table VII, which is chapter III, Table I; q2 to q5 with digits that are not printed."""

TABLE_II = {
    45.0: (-47.25 + 45.11j, -44.68 + 43.03j, -46.19 + 43.83j, -46.02 + 43.97j, -45.42 + 44.47j, -45.56 + 44.43j),
    15.0: (-17.7 + 15.48j, -14.6 + 12.98j, -15.05 + 14.1j, -16.16 + 13.86j, -16.05 + 13.97j, -15.56 + 14.42j),
    4.5: (-7.7 + 6.63j, -3.25 + 4.22j, -5.63 + 3.75j, -5.58 + 3.19j, -5.06 + 3.86j),
}
"""Chapter III, Table II: eigenvalues [1/s] under computed torque for the poles -p +- pj, upper halves of pairs."""

_REAL_PAIR = (-8.8, -1.0)  # [1/s], the last two of Table II for p = 4.5

_COUNTS = {
    "matrices": ((59, 42), "section 3.2"),
    "inverse dynamics with friction": ((87, 60), "Table I"),
    "linear model": ((257, 158), "Table I"),
    "gains, continuous": ((336, 186), "chapter III"),
    "gains, sampled": ((336, 197), "chapter III"),
}
"""Multiplications and additions, chapters II and III."""

_LIMITS = (
    (ErrorFactor.ALPHA, 4.5, None, (-0.4, 2.6), "Fig. 3a"),
    (ErrorFactor.ALPHA, 45.0, None, (-127.5, 160.0), "Fig. 3b"),
    (ErrorFactor.BETA, 4.5, None, (None, 4.8), "Fig. 4a"),
    (ErrorFactor.BETA, 45.0, None, (None, 39.0), "Fig. 4b"),
    (ErrorFactor.GAMMA, 45.0, 0.005, (None, 4.55), "Fig. 6"),
)
"""Chapter III: factor, p of the poles -p +- pj, period [s], printed limits and where they are read from."""


def clover_tables() -> PrintedRows:
    """Tables III and IV and the counts of chapter II; Table II, counts and stability limits of chapter III."""
    model = linearize(classics.puma560(), *POINT)
    return (*_error_rows(), *_count_rows(), *_eigenvalue_rows(model), *_limit_rows(model))


def _error_rows() -> list[PrintedRow]:
    function = abbreviated_torque_function()
    e = table_iii_errors(function)
    size = np.abs(e)
    found = np.transpose([e.mean(axis=0), size.max(axis=0), size.mean(axis=0), size.std(axis=0)])
    columns = ("average error", "largest error", "average absolute error", "standard deviation")
    rows = [
        printed_row(
            f"joint {j + 1}: {column} [N m]", found[j, k], TABLE_III[j][k], "Table III", kind=DifferenceKind.ABSOLUTE
        )
        for k, column in enumerate(columns)
        for j in range(len(TABLE_III))
    ]
    sampled = np.abs(table_iv_errors(function)).mean(axis=0)
    note = "12,000 random states, others than the paper's"
    return rows + [
        printed_row(f"joint {j + 1}: average absolute error [N m]", value, printed, "Table IV", note=note)
        for j, (value, printed) in enumerate(zip(sampled.tolist(), TABLE_IV, strict=True))
    ]


def _count_rows() -> list[PrintedRow]:
    rows = []
    for name, count in abbreviated_counts().items():
        (mul, add), source = _COUNTS[name]
        rows.append(printed_row(f"{name}: multiplications", count.mul, mul, source))
        rows.append(printed_row(f"{name}: additions", count.add, add, source))
    return rows


def table_ii(p: float) -> list[complex]:
    """All twelve eigenvalues of chapter III, Table II, for the poles -p +- pj: p = 45, 15 or 4.5."""
    upper = TABLE_II[p]
    return [*upper, *(x.conjugate() for x in upper), *(map(complex, _REAL_PAIR) if p == min(TABLE_II) else ())]


def _eigenvalue_rows(model: LinearModel) -> list[PrintedRow]:
    rows = []
    for p in TABLE_II:
        found = closed_loop_eigenvalues(
            model, joint_poles(model.joints, complex(-p, p)), errors=COMPUTED_TORQUE
        ).tolist()
        printed = table_ii(p)
        rows.append(
            PrintedRow(
                f"eigenvalues for poles -{p:g} +- {p:g}j, largest [1/s]",
                max(map(abs, found)),
                max(map(abs, printed)),
                farthest(found, printed),
                DifferenceKind.ABSOLUTE,
                "chapter III, Table II",
                "difference: the largest distance of twelve eigenvalues, matched nearest first",
            )
        )
    return rows


def farthest(ours: Sequence[complex], printed: Sequence[complex]) -> float:
    """The largest distance between two sets of equally many numbers, matched nearest first.

    Raises `ArgumentError` for sets of different sizes.

    >>> farthest([1.0, 2.0], [2.0, 1.5])
    0.5
    """
    if len(ours) != len(printed):
        raise ArgumentError(f"{len(ours)} numbers and {len(printed)}", remedy="compare equally many")
    left = list(printed)
    worst = 0.0
    for value in ours:
        nearest = min(left, key=lambda other: abs(other - value))
        left.remove(nearest)
        worst = max(worst, abs(nearest - value))
    return worst


def _limit_rows(model: LinearModel) -> list[PrintedRow]:
    rows = []
    for factor, p, period, printed, source in _LIMITS:
        found = stability_interval(model, joint_poles(model.joints, complex(-p, p)), factor, period=period)
        sampled = "" if period is None else f", sampled at {1.0 / period:g} Hz"
        for side, ours, limit in zip(("from", "below"), (found.lower, found.upper), printed, strict=True):
            if limit is not None:
                name = f"stable {side} {factor}, poles -{p:g} +- {p:g}j{sampled}"
                note = "ours: exact crossing; printed: read from a scan"
                rows.append(printed_row(name, ours, limit, source, kind=DifferenceKind.ABSOLUTE, note=note))
    return rows


def clover_cycle() -> PrintedRows:
    """Microseconds of each task of one control cycle of the PUMA 560, on this machine (chapter IV, Table I)."""
    table = cycle_table(classics.puma560())
    rows = []
    for row in table.rows:
        facts = [row.missing] if row.missing else [str(row.operations)]
        if row.instructions is not None:
            facts.append(f"at most {row.instructions.most} instructions")
        ours, printed = (None if t is None else 1e6 * t for t in (row.seconds, row.printed))
        rows.append(printed_row(f"{row.task} [us]", ours, printed, "chapter IV, Table I", note="; ".join(facts)))
    total = printed_row(
        "measured tasks together [us]",
        1e6 * table.seconds,
        1e6 * table.printed,
        "chapter IV, Table I",
        note="thirty years of hardware are in the difference"
        + (f"; instructions are not counted without {', '.join(table.without)}" if table.without else ""),
    )
    return (*rows, total)
