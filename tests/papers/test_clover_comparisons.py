"""Clover's tables beside ours: within the printed digits, limits within a scan's steps."""

from __future__ import annotations

import pytest
from tests.papers.comparison_rows import rows_of

from torquec.errors import ArgumentError
from torquec.papers import cycle_table as cycle_module
from torquec.papers.clover_comparisons import TABLE_II, clover_cycle, farthest, table_ii

JOINTS = range(1, 7)


@pytest.mark.slow
def test_errors_are_those_printed():
    rows = rows_of("clover-tables")
    for joint in JOINTS:
        largest = rows[f"joint {joint}: largest error [N m]"]
        assert abs(largest.difference) <= (5e-4 if joint == 6 else 5e-3)  # half of the last printed digit
        assert abs(rows[f"Table IV, joint {joint}: average absolute error [N m]"].difference) < 0.05
    others = [row for row in rows.values() if row.source == "Table III"]
    assert len(others) == 24
    assert all(abs(row.difference) < 0.0085 for row in others)


@pytest.mark.slow
def test_eigenvalues_limits_and_counts():
    rows = rows_of("clover-tables").values()
    eigenvalues = [row for row in rows if row.source == "chapter III, Table II"]
    assert [row.difference < 0.01 for row in eigenvalues] == [True] * 3
    limits = [row for row in rows if row.quantity.startswith("stable")]
    assert len(limits) == 7
    assert all(abs(row.difference) < max(0.1, 0.02 * abs(row.printed)) for row in limits)
    counts = [row for row in rows if row.quantity.endswith(("multiplications", "additions"))]
    assert len(counts) == 10
    assert [row.quantity for row in counts if row.difference >= 0.0] == ["inverse dynamics with friction: additions"]


def test_twelve_eigenvalues_for_each_pair_of_poles():
    assert [len(table_ii(p)) for p in TABLE_II] == [12, 12, 12]
    assert min(abs(x - complex(-8.8, 0.0)) for x in table_ii(4.5)) == 0.0


def test_distance_of_sets():
    assert farthest([1.0, 5.0], [5.5, 1.0]) == 0.5
    with pytest.raises(ArgumentError, match="1 numbers and 2"):
        farthest([1.0], [1.0, 2.0])


def test_the_cycle_has_all_tasks_of_the_paper(monkeypatch):
    monkeypatch.setattr(cycle_module, "_instructions", lambda *_: ({}, ("gcc or valgrind",)))
    rows = {row.quantity: row for row in clover_cycle()}
    assert rows["input and output [us]"].ours is None
    assert rows["input and output [us]"].note == "hardware, not a model"
    together = rows.pop("measured tasks together [us]")
    assert together.printed == pytest.approx(1258.0)
    assert "instructions are not counted without gcc or valgrind" in together.note
    assert sum(row.printed for row in rows.values()) == pytest.approx(1454.0)  # the paper's total
    assert together.ours == pytest.approx(sum(row.ours for row in rows.values() if row.ours is not None))
