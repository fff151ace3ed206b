"""Rows of a comparison: relative and absolute differences, arrays, numbers that are missing."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError
from torquec.papers.printed_row import DifferenceKind, array_row, printed_row


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
