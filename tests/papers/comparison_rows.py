"""Rows of a comparison for tests, computed once; `tests/page_figures.py` holds the papers' pages to them."""

from __future__ import annotations

import functools

from torquec.papers.comparisons import paper_comparison


@functools.cache
def rows_of(name):
    """The rows of a comparison by quantity; those of Clover's Table IV, which are of Table III, too, with its name."""
    rows = paper_comparison(name).rows()
    found = {row.quantity if row.source != "Table IV" else f"Table IV, {row.quantity}": row for row in rows}
    assert len(found) == len(rows), "two rows of one name"
    return found
