"""The table of comparisons: names, functions that exist, cheap rows with all their parts, unknown names."""

from __future__ import annotations

import importlib

import pytest

from torquec.errors import ArgumentError
from torquec.papers.comparisons import (
    _HOMES,
    DifferenceKind,
    array_row,
    paper_comparison,
    paper_comparisons,
    printed_row,
)

NAMES = [found.name for found in paper_comparisons()]
CHEAP = [found.name for found in paper_comparisons() if not found.is_long]


def test_names_are_unique_and_every_paper_has_one():
    assert len(NAMES) == len(set(NAMES))
    assert {found.paper for found in paper_comparisons()} == {
        "Chang and Lee", "Lin", "Clover", "Kang", "Izaguirre et al.",
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_its_function(name):
    found = paper_comparison(name)
    home = importlib.import_module(f"torquec.papers.{_HOMES[found.paper]}")
    function = getattr(home, name.replace("-", "_"))
    assert callable(function)
    assert found.what


@pytest.mark.parametrize("name", CHEAP)
def test_rows_have_quantity_source_and_a_difference_where_both_numbers_are_known(name):
    for row in paper_comparison(name).rows():
        assert row.quantity
        assert row.source
        assert (row.difference is None) == (row.ours is None or row.printed is None)


def test_unknown_names():
    with pytest.raises(ArgumentError, match="no comparison 'kang-count'") as caught:
        paper_comparison("kang-count")
    assert "did you mean 'kang-counts'?" in caught.value.remedy
    with pytest.raises(ArgumentError) as caught:
        paper_comparison("zzz")
    assert "did you mean" not in caught.value.remedy
    assert all(name in caught.value.remedy for name in NAMES)


def test_relative_to_the_size_of_the_printed_number():
    assert printed_row("c", -1.5, -1.0, "Table 1").difference == -0.5
    assert printed_row("c", 3, 2, "Table 1").difference == 0.5


def test_absolute():
    row = printed_row("x [m]", 1.25, 0.0, "Table 1", kind=DifferenceKind.ABSOLUTE, note="n")
    assert (row.difference, row.kind, row.note) == (1.25, "absolute", "n")


@pytest.mark.parametrize(("ours", "printed"), [(None, 2.0), (2.0, None), (None, None)])
def test_without_one_number_there_is_no_difference(ours, printed):
    row = printed_row("x", ours, printed, "Table 1")
    assert (row.ours, row.printed, row.difference) == (ours, printed, None)


def test_arrays_differ_by_their_worst_entry():
    # Equal largest entries hide nothing: the difference is taken entry by entry.
    row = array_row("tau [N m]", [[4.0, 0.0]], [[4.0, -1.0]], "(9)")
    assert (row.ours, row.printed, row.difference) == (4.0, 4.0, 0.25)
    assert row.quantity == "tau [N m], largest entry"


def test_misuse():
    with pytest.raises(ArgumentError, match="'x' is printed as 0"):
        printed_row("x", 1.0, 0.0, "Table 1")
    with pytest.raises(ArgumentError, match=r"the shapes \(2,\) and \(1,\)"):
        array_row("x", [1.0, 2.0], [1.0], "Table 1")
