"""Table 1 beside ours: best fits are best, the layered search needs no more terms than printed."""

from __future__ import annotations

import re

import pytest
from tests.papers.comparison_rows import rows_of


@pytest.mark.slow
def test_table_1():
    rows = rows_of("chang-lee-table-1")
    names = sorted({quantity.partition(":")[0] for quantity in rows})
    assert len(names) == 43

    def row(name, what):
        return next(row for quantity, row in rows.items() if quantity.startswith(f"{name}: {what}"))

    for name in names:
        error, best = row(name, "error of the printed expression"), row(name, "best error")
        assert best.ours <= error.ours + 1e-9, name
        assert error.printed == best.printed


@pytest.mark.slow
def test_the_layered_search_needs_no_more_terms_than_printed():
    rows = rows_of("chang-lee-min-basis-gen")
    terms = {quantity: row for quantity, row in rows.items() if quantity.endswith("terms")}
    assert len(terms) == 7
    assert all(row.ours <= row.printed for row in terms.values())
    for quantity, row in rows.items():
        if ": error within" in quantity:
            assert row.ours <= float(re.search(r"within ([\d.]+)", quantity)[1])
