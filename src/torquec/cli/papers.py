"""`torquec papers [NAME...]`: published numbers of the papers compared with ours."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import argument
from torquec.cli.output import progress
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.papers.comparisons import PaperComparison

_DIGITS = 5  # more than any of the papers prints, so that differences in the last printed digit show
_WHOLE = 10.0  # [%] from which a difference is rounded to whole per cent


@dataclass(frozen=True, kw_only=True)
class PapersOptions(CommandOptions):
    """Selection of comparisons."""

    names: list[str] | None = argument(
        None, "Comparisons to compute: {paper comparisons}.  [default: list them]", metavar="[NAME...]"
    )


@command("papers", PapersOptions, example="torquec papers kang-power-arrays", without_model=True)
def papers(options: PapersOptions) -> Outcome:
    """Compare the papers' printed numbers with ours; without a NAME, list the comparisons.

    A printed number is a figure of the paper, or the value of a printed formula; known errata are noted. A difference
    is ours minus printed, relative (in %) or absolute.
    """
    from torquec.papers.comparisons import paper_comparison, paper_comparisons

    if not options.names:
        document = {"comparisons": [_described(found) for found in paper_comparisons()]}
        return Outcome(document, comparison_list_text(document))
    chosen = [paper_comparison(name) for name in dict.fromkeys(options.names)]
    computed = []
    for found in chosen:
        if found.is_long:
            progress(f"computing {found.name}: {found.what} ...")
        computed.append(_described(found) | {"rows": [dataclasses.asdict(row) for row in found.rows()]})
    document = {"comparisons": computed}
    return Outcome(document, comparison_rows_text(document))


def _described(found: PaperComparison) -> dict[str, Any]:
    return {"name": found.name, "paper": found.paper, "what": found.what}


def comparison_list_text(document: dict[str, Any]) -> str:
    """The text for a document without rows."""
    rows = [[found["name"], found["paper"], found["what"]] for found in document["comparisons"]]
    return "\n".join([table(["name", "paper", "what"], rows, left=3), "", "torquec papers NAME compares the numbers"])


def comparison_rows_text(document: dict[str, Any]) -> str:
    """The text for a document with rows: one table for each comparison, notes below it."""
    return "\n\n".join(_comparison_text(found) for found in document["comparisons"])


def _comparison_text(found: dict[str, Any]) -> str:
    notes = list(dict.fromkeys(row["note"] for row in found["rows"] if row["note"]))
    cells = [
        [
            row["quantity"],
            row["source"],
            f"[{notes.index(row['note']) + 1}]" if row["note"] else "",
            number(row["ours"], _DIGITS),
            number(row["printed"], _DIGITS),
            _difference(row),
        ]
        for row in found["rows"]
    ]
    lines = [
        f"{found['name']} ({found['paper']}): {found['what']}",
        "",
        table(["quantity", "printed in", "", "ours", "printed", "difference"], cells, left=3),
    ]
    if notes:
        lines += ["", *(f"  [{k}] {note}" for k, note in enumerate(notes, start=1))]
    return "\n".join(lines)


def _difference(row: dict[str, Any]) -> str:
    """A difference as text: relative ones in per cent, large ones without an exponent."""
    from torquec.papers.comparisons import DifferenceKind

    if row["difference"] is None:
        return "-"
    if row["kind"] == DifferenceKind.ABSOLUTE:
        return f"{row['difference']:+.2g}"
    percent = 100.0 * row["difference"]
    return f"{percent:+.0f} %" if abs(percent) >= _WHOLE else f"{percent:+.2g} %"
