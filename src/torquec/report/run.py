"""The section of a whole run (steps, times, versions, hashes), and the folder of a project's run."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.reading import FileKind, is_file, is_folder, read_json
from torquec.report.blocks import Block, Cell, DataTable, Fact, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, measured

_MANIFEST = "run.json"
_SUFFIX = ".toml"


def run_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
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
        line = step.get("summary")
        # The verdict has its own section: the table shows only its beginning.
        done = "done" if line is None or not line.text else f"done: {shorten(line.text, 200, placeholder=' ...')}"
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


def report_folder(named: Path) -> Path:
    """The folder itself or, for a project file, that of its run, beside the file or in the working folder.

    Raises `ArgumentError` where there is no such file, no run of it, or more than one.
    """
    if named.suffix.lower() != _SUFFIX or is_folder(named):
        return named
    if not is_file(named):
        raise ArgumentError("there is no such file", where=str(named), remedy="name a project file, or a folder")
    found: dict[Path, Path] = {}
    for place in (named.parent, Path()):
        for folder in sorted(place.iterdir()):
            if not folder.is_symlink() and is_folder(folder) and _is_run_of(folder, named.name):
                found.setdefault(folder.resolve(), folder)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        names = ", ".join(str(folder) for folder in found.values())
        raise ArgumentError(
            f"there are several runs of it: {names}", where=str(named), remedy="name one of the folders"
        )
    raise ArgumentError(
        "no run of it lies beside it or in the working folder",
        where=str(named),
        remedy=f"run it with torquec run {named} -o DIR, or name the folder of its run",
    )


def _is_run_of(folder: Path, project: str) -> bool:
    manifest = folder / _MANIFEST
    if not is_file(manifest):
        return False
    try:
        values = read_json(manifest, FileKind.RESULT, remedy="run the project again")
    except TorquecError:
        return False
    return str(values.get("format")).startswith("torquec run") and values.get("project") == project
