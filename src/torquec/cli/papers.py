"""`torquec papers [NAME...]`: the numbers that the papers print, beside ours."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.output import progress

if TYPE_CHECKING:
    from torquec.papers.comparisons import PaperComparison


@dataclass(frozen=True, kw_only=True)
class PapersOptions(CommandOptions):
    """Which comparisons."""

    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="Comparisons to compute: {paper comparisons}.  [default: list them]"),
    ] = None


@command("papers", PapersOptions, example="torquec papers kang-power-arrays", without_model=True)
def papers(options: PapersOptions) -> Outcome:
    """Compare the papers' printed numbers with ours; without a NAME, list the comparisons.

    A printed number is a figure of the paper, or what a printed formula gives; known errata are noted. A difference is
    ours minus printed, relative (in %) or absolute.
    """
    from torquec.papers.comparisons import paper_comparison, paper_comparisons
    from torquec.report.papers_text import comparison_list_text, comparison_rows_text

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
