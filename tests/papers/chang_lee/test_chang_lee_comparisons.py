"""Table 1 beside ours: best fits are best, the layered search needs as many terms, the page has the figures."""

from __future__ import annotations

import re

import pytest
from tests.papers.printed_pages import page, rows_of

PAGE_NAMES = {"J11", "J22", "J44", "J12", "J13", "J25", "G3", "H112", "H122"}


@pytest.mark.slow
def test_table_1_and_the_page():
    rows = rows_of("chang-lee-table-1")
    names = sorted({quantity.partition(":")[0] for quantity in rows})
    assert len(names) == 43

    def row(name, what):
        return next(row for quantity, row in rows.items() if quantity.startswith(f"{name}: {what}"))

    for name in names:
        error, best = row(name, "error of the printed expression"), row(name, "best error")
        assert best.ours <= error.ours + 1e-9, name
        assert error.printed == best.printed
    shown = re.findall(r"\| \$(\w)_\{?(\d+)\}?\$ \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", page("chang-lee"))
    assert {letter + digits for letter, digits, *_ in shown} == PAGE_NAMES
    for letter, digits, printed, error, best in shown:
        name = letter + digits
        assert float(printed) == pytest.approx(row(name, "best").printed, abs=5e-6)
        assert float(error) == pytest.approx(row(name, "error").ours, abs=6e-5)
        assert float(best) == pytest.approx(row(name, "best").ours, abs=6e-5)


@pytest.mark.slow
def test_the_layered_search_needs_no_more_terms_than_printed():
    rows = rows_of("chang-lee-min-basis-gen")
    terms = {quantity: row for quantity, row in rows.items() if quantity.endswith("terms")}
    assert len(terms) == 7
    assert all(row.ours <= row.printed for row in terms.values())
    for quantity, row in rows.items():
        if ": error within" in quantity:
            assert row.ours <= float(re.search(r"within ([\d.]+)", quantity)[1])
