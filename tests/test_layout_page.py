"""The page of the layout cannot be wrong unseen: a room without a heading, and a row that stands twice."""

from __future__ import annotations

import pytest
from tests.layout_page import PAGE, true_page


def test_a_room_without_a_heading_is_refused():
    page = PAGE.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="## `proof/`"):
        true_page(page.replace("## `proof/`", "## Proofs"))


def test_a_room_with_two_headings_is_refused():
    page = PAGE.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="## `proof/`"):
        true_page(page + "\n## `proof/`\n\n|---|---|\n")


def test_a_row_that_stands_twice_is_removed():
    page = PAGE.read_text(encoding="utf-8")
    row = next(line for line in page.splitlines(keepends=True) if line.startswith("| `proof/"))
    assert true_page(page.replace(row, row + row)) == page
