"""Lin's formulas beside ours: (16), (18) and Theorem 5 agree with other algorithms; the page has these figures."""

from __future__ import annotations

from tests.papers.printed_pages import page, rows_of


def test_renaud_equals_the_recursion():
    rows = rows_of("lin-renaud")
    assert len(rows) == 8
    assert all(row.difference < 1e-14 and row.ours > 1.0 for row in rows.values())


def test_counts_of_the_theorem_are_exact_ranks_and_those_of_the_page():
    rows = rows_of("lin-counts")
    outside = rows.pop("PUMA 560, no gravity: parameters")
    assert (outside.ours, outside.printed) == (34.0, 38.0)
    assert "outside of the theorem" in outside.note
    assert all(row.difference == 0.0 for row in rows.values())
    text = page("lin")
    for robot in ("PUMA 560", "Stanford arm", "SCARA"):
        along, tilted = (
            rows[f"{robot}, {gravity}: parameters"].ours
            for gravity in ("gravity along the first axis", "tilted gravity")
        )
        assert f"| {robot} | {along:g} | {tilted:g} |" in text
    along = rows["planar 2R, gravity along the first axis: parameters"].ours
    assert f"| planar 2R, vertical axes | {along:g} | |" in text
    assert f"vertical plane | | {rows['planar 2R, tilted gravity: parameters'].ours:g} |" in text
