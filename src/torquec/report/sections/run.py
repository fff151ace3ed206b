"""How it was made: the steps of a run with their times, versions, and the hashes of what went in."""

from __future__ import annotations

from torquec.report.blocks import Block, Cell, DataTable, Shown, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, measured


def run_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The manifest of `torquec run`."""
    values = document.values
    here = measured(f"the machine that ran {values['project'].text}")
    steps: list[tuple[Cell, ...]] = []
    total = 0.0
    for step in values["steps"]:
        skipped = step["skipped"].text
        seconds = step["seconds"].number
        total += seconds
        time: Cell = None if skipped else Number(float(seconds), here, "s", 3)
        steps.append((step["name"].text, f"not done: {skipped}" if skipped else "done", time))
    inputs = tuple((name, digest.text) for name, digest in values["inputs"].items())
    versions = tuple((name, version.text) for name, version in values["versions"].items())
    seconds_in_all = Number(total, here, "s", 3)
    blocks: tuple[Block, ...] = (
        paragraph(
            f"torquec run {values['project'].text}, with {values['written_by'].text}, took ", seconds_in_all, "."
        ),
        DataTable(("step", "what happened", "time"), tuple(steps), "Steps"),
        DataTable(("input", "SHA-256"), inputs, "What went in", folded=True),
        DataTable(("package", "version"), versions, "Versions", folded=True),
    )
    return Shown(blocks, (fact("the whole run took", seconds_in_all),))
