"""How it was made: the steps of a run with their times, versions, and the hashes of what went in."""

from __future__ import annotations

from torquec.report.blocks import Block, Cell, DataTable, Fact, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, measured


def run_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The manifest of `torquec run`."""
    values = document.values
    here = measured(f"the machine that ran {values['project'].text}")
    steps: list[tuple[Cell, ...]] = []
    total = 0.0
    warnings: list[Block] = []
    highlights: list[Fact] = []
    failures: list[str] = []
    for step in values["steps"]:
        name, skipped = step["name"].text, step["skipped"].text
        failed, fallback = ("" if (found := step.get(key)) is None else found.text for key in ("failed", "fallback"))
        seconds = step["seconds"].number
        total += seconds
        time: Cell = None if skipped or failed else Number(float(seconds), here, "s", 3)
        said = step.get("summary")
        done = "done" if said is None or not said.text else f"done: {said.text}"
        steps.append((name, f"failed: {failed}" if failed else f"not done: {skipped}" if skipped else done, time))
        if failed:
            warnings.append(paragraph(f"The step '{name}' failed: {failed}.", tone=Tone.BAD))
            failures.append(name)
        elif fallback:
            warnings.append(
                paragraph(f"After '{name}' the run went on with the exact model: {fallback}.", tone=Tone.WARNING)
            )
            # The places and the remedy are long, and stand in the section.
            highlights.append(fact("the exact model is used", fallback.partition(";")[0]))
    inputs = tuple((name, digest.text) for name, digest in values["inputs"].items())
    versions = tuple((name, version.text) for name, version in values["versions"].items())
    seconds_in_all = Number(total, here, "s", 3)
    blocks: tuple[Block, ...] = (
        *warnings,
        paragraph(
            f"torquec run {values['project'].text}, with {values['written_by'].text}, took ", seconds_in_all, "."
        ),
        DataTable(("step", "what happened", "time"), tuple(steps), "Steps"),
        DataTable(("input", "SHA-256"), inputs, "What went in", folded=True),
        DataTable(("package", "version"), versions, "Versions", folded=True),
    )
    if failures:  # the reasons are long, and stand in the section
        words = f"{', '.join(failures)}: How it was made says why"
        highlights.append(fact("steps that failed" if len(failures) > 1 else "a step that failed", words))
    return Shown(blocks, (*highlights, fact("the whole run took", seconds_in_all)))
