"""Lin's formulas beside ours: (16), (18) and Theorem 5 agree with other algorithms."""

from __future__ import annotations

from tests.papers.comparison_rows import rows_of


def test_renaud_equals_the_recursion():
    rows = rows_of("lin-renaud")
    assert len(rows) == 8
    assert all(row.difference < 1e-14 and row.ours > 1.0 for row in rows.values())


def test_counts_of_the_theorem_are_exact_ranks():
    rows = dict(rows_of("lin-counts"))
    outside = rows.pop("PUMA 560, no gravity: parameters")
    assert (outside.ours, outside.printed) == (34.0, 38.0)
    assert "outside of the theorem" in outside.note
    assert all(row.difference == 0.0 for row in rows.values())
