"""A paper's page and a comparison for tests: the figures on the page are those of the command."""

from __future__ import annotations

import functools
from pathlib import Path

from torquec.papers.comparisons import paper_comparison

PAGES = Path(__file__).resolve().parents[2] / "docs" / "papers"


@functools.cache
def rows_of(name):
    """The rows of a comparison by source and quantity, computed once."""
    rows = paper_comparison(name).rows()
    found = {row.quantity if row.source != "Table IV" else f"Table IV, {row.quantity}": row for row in rows}
    assert len(found) == len(rows), "two rows of one name"
    return found


def page(name):
    """The page, spaces in a row as one."""
    return " ".join((PAGES / f"{name}.md").read_text(encoding="utf-8").split())


def pair(rows, title, side="ours"):
    """Multiplications and additions as a page writes them: 98/70."""
    values = [getattr(rows[f"{title}: {what}"], side) for what in ("multiplications", "additions")]
    return "/".join(f"{value:g}" for value in values)
