"""Clover's tables beside ours: within the printed digits, and the page has the figures of the command."""

from __future__ import annotations

import pytest
from tests.papers.printed_pages import page, pair, rows_of

from torquec.errors import ArgumentError
from torquec.papers.clover import cycle_table as cycle_module
from torquec.papers.clover.clover_comparisons import TABLE_II, clover_cycle, farthest, table_ii

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
    text = page("clover")
    shown = [rows[f"joint {joint}: largest error [N m]"] for joint in JOINTS]
    printed = "0.99, 0.75, 0.80, 0.27, 0.43, 0.009"
    assert [float(word) for word in printed.split(", ")] == [row.printed for row in shown]
    ours = ", ".join(f"{row.ours:.4f}" for row in shown)
    assert f"Table III | {printed} | {ours} |" in text


@pytest.mark.slow
def test_counts_and_limits_and_the_page():
    rows, text = rows_of("clover-tables"), page("clover")
    for name, title in (
        ("matrices", "coefficients, multiplications/additions"),
        ("inverse dynamics with friction", "inverse dynamics with friction"),
        ("linear model", "linear model"),
        ("gains, continuous", "gains, continuous"),
        ("gains, sampled", "gains, sampled"),
    ):
        assert f"| {title} | {pair(rows, name, 'printed')} | {pair(rows, name)} |" in text
    eigenvalues = [row for row in rows.values() if row.source == "chapter III, Table II"]
    assert [row.difference < 0.01 for row in eigenvalues] == [True] * 3

    def limit(side, factor, p, digits):
        row = rows[f"stable {side} {factor}, poles -{p} +- {p}j" + (", sampled at 200 Hz" if factor == "gamma" else "")]
        return f"{row.printed:g}", f"{row.ours:.{digits}f}"

    for p, digits in (("4.5", 3), ("45", 2)):
        (low, low_ours), (high, high_ours) = (limit(side, "alpha", p, digits) for side in ("from", "below"))
        expected = f"poles −{p} ± {p}j | {low} to {high} | {low_ours} to {high_ours} |".replace("| -", "| −")
        assert expected in text
    soft, hard = limit("below", "beta", "4.5", 3), limit("below", "beta", "45", 2)
    assert f"| {soft[0]}, {hard[0]} | {soft[1]}, {hard[1]} |" in text
    assert "sampled at 200 Hz | {} | {} |".format(*limit("below", "gamma", "45", 3)) in text


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
