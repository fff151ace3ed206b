"""The table of comparisons: names, functions that exist, cheap rows with all their parts, unknown names."""

from __future__ import annotations

import importlib

import pytest

from torquec.errors import ArgumentError
from torquec.papers.comparisons import paper_comparison, paper_comparisons

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
    function = getattr(importlib.import_module(f"torquec.papers.{found.home}"), name.replace("-", "_"))
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
