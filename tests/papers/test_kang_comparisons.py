"""Kang's numbers beside ours: every agreement holds, printed formulas are as printed."""

from __future__ import annotations

import pytest
from tests.papers.comparison_rows import rows_of


def test_power_arrays_equal_the_recursion_and_corrected_properties_hold():
    rows = rows_of("kang-power-arrays")
    assert len(rows) == 14
    for quantity, row in rows.items():
        if quantity.startswith("PUMA 560"):
            assert row.difference < 4e-15  # the page says so
        else:
            assert row.ours < 1e-12
            assert (row.printed > 0.1) == row.note.startswith("erratum")


def test_loads_equal_the_recursion():
    rows = list(rows_of("kang-loads").values())
    assert [row.difference < 1e-14 for row in rows] == [True, True, False]  # the third is a difference quotient
    assert all(row.difference < 1e-8 and row.ours > 1.0 for row in rows)


def test_counts():
    rows = rows_of("kang-counts")
    augmented = rows["augmented bodies, n = 6: additions"]
    assert augmented.printed == 1715.0
    assert "erratum" in augmented.note
    assert rows["augmented bodies, n = 4: multiplications"].printed == 3 * 64 + 11 * 16 + 129 * 4 - 171
    assert rows["augmented bodies, n = 8: additions"].printed == pytest.approx(
        23 / 6 * 512 + 6.5 * 64 + 691 / 6 * 8 - 138
    )
    assert all(row.difference < 0.0 for row in rows.values() if row.difference is not None)
