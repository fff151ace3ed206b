"""`torquec papers`: the list, one table for each name, the document, unknown names."""

from __future__ import annotations

import dataclasses

import pytest

from torquec.cli.papers import comparison_rows_text
from torquec.papers.comparisons import DifferenceKind, paper_comparisons, printed_row

NAMES = [found.name for found in paper_comparisons()]


def test_without_a_name_it_lists_all_comparisons(torquec):
    shown = torquec("papers")
    assert shown.status == 0
    assert all(name in shown.out for name in NAMES)
    assert shown.err == ""
    document = torquec("papers", "--json").document
    assert [found["name"] for found in document["comparisons"]] == NAMES
    assert all(found.keys() == {"name", "paper", "what"} for found in document["comparisons"])


def test_help_names_all_comparisons(torquec):
    words = "".join(torquec("papers", "--help").out.split())  # names are broken at their hyphens
    assert all(name in words for name in NAMES)


def test_ours_stand_beside_the_printed_numbers(torquec):
    shown = torquec("papers", "kang-power-arrays", "lin-counts", "kang-power-arrays")
    assert shown.status == 0
    assert shown.out.count("kang-power-arrays (Kang)") == 1
    assert "quantity" in shown.out
    assert "printed in" in shown.out
    line = next(line for line in shown.out.splitlines() if "PUMA 560, tilted gravity" in line)
    assert line.split()[-4:] == ["38", "38", "+0", "%"]
    assert "[1] erratum: ours is the corrected property" in shown.out
    assert shown.err == ""


def test_the_document(torquec):
    (found,) = torquec("papers", "lin-counts", "--json").document["comparisons"]
    assert (found["name"], found["paper"]) == ("lin-counts", "Lin")
    row = next(row for row in found["rows"] if row["quantity"] == "PUMA 560, no gravity: parameters")
    assert row == {
        "quantity": "PUMA 560, no gravity: parameters",
        "ours": 34.0,
        "printed": 38.0,
        "difference": -4.0 / 38.0,
        "kind": "relative",
        "source": "Theorem 5",
        "note": "zero gravity lies outside of the theorem",
    }


def test_long_comparisons_report_progress_on_stderr(torquec):
    shown = torquec("papers", "izaguirre-counts", "--json")
    assert shown.err.startswith("computing izaguirre-counts: operations of ")
    assert len(shown.document["comparisons"][0]["rows"]) == 10


def test_an_unknown_name_is_refused_before_anything_is_computed(torquec):
    shown = torquec("papers", "izaguirre-counts", "lin-count")
    assert shown.status == 2
    assert shown.out == ""
    assert "there is no comparison 'lin-count'" in shown.err
    assert "did you mean 'lin-counts'?" in shown.err
    assert "computing" not in shown.err


@pytest.mark.parametrize(
    ("ours", "printed", "kind", "shown"),
    [
        (232.5, 100.0, "relative", "+132 %"),
        (99.5, 100.0, "relative", "-0.5 %"),
        (1.25, 0.0, "absolute", "+1.2"),
        (None, 3.0, "relative", "-"),
    ],
)
def test_differences_are_shown_in_per_cent_or_as_they_are(ours, printed, kind, shown):
    row = dataclasses.asdict(printed_row("x", ours, printed, "Table 1", kind=DifferenceKind(kind)))
    text = comparison_rows_text({"comparisons": [{"name": "n", "paper": "p", "what": "w", "rows": [row]}]})
    assert text.splitlines()[-1].endswith(shown)
