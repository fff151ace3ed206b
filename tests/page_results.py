"""Results on pages are those of their commands: `python -m tests.page_results PAGE` compares, `--update` writes them.

Blocks of output are compared by `page_blocks`; figures that stand in sentences and tables are listed in `page_figures`.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.page_blocks import ROOT, run_blocks
from tests.page_figures import CLAIMS, FIGURES, Figure
from tests.page_output import NUMBER, WILDCARD, agree, difference, renewed


def page_file(name: str) -> Path:
    """The file of a page: README, or its path below docs without the suffix."""
    return ROOT / "README.md" if name == "README" else ROOT / "docs" / f"{name}.md"


def found_numbers(figure: Figure, page: str) -> re.Match[str]:
    """The one place of a figure's sentence; a line break counts as a blank."""
    escaped = (re.escape(word).replace(r"\{\}", f"({NUMBER})") for word in figure.sentence.split())
    places = list(re.finditer(r"\s+".join(escaped).replace(re.escape(WILDCARD), ".*?"), page))
    assert len(places) == 1, f"{figure.page}: this stands {len(places)} times on the page: {figure.sentence}"
    return places[0]


def wrong_figure(figure: Figure, page: str, folder: Path) -> str:
    """What is wrong with a figure of a page; "" where it is what the library, or the page's own commands, give."""
    place, real = found_numbers(figure, page), figure.values(folder)
    assert len(real) == len(place.groups()), f"{figure.page}: {len(real)} values for {figure.sentence!r}"
    pairs = zip(place.groups(), real, strict=True)
    if all(agree(text, repr(float(value)), within=figure.within) for text, value in pairs):
        return ""
    return f"{figure.page}: {' '.join(place[0].split())!r}, but it is {', '.join(f'{value:g}' for value in real)}"


def wrong_after_run(name: str, page: str, folder: Path) -> list[str]:
    """What is wrong on a page among figures and claims that need its run, given the folder of that run."""
    figures = (wrong_figure(row, page, folder) for row in FIGURES if row.page == name and row.needs == "run")
    claims = (f"{name}: not true: {row.statement}" for row in CLAIMS if row.page == name and not row.holds(folder))
    return [line for line in (*figures, *claims) if line]


def main(words: Sequence[str]) -> int:
    """Run pages and compare or, with --update, write their results; exit status 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.page_results")
    parser.add_argument("pages", nargs="+", help="names such as tutorial or how-to/payload")
    parser.add_argument("--update", action="store_true", help="write the outputs into the pages")
    asked = parser.parse_args(words)
    wrong: list[str] = []
    for name in asked.pages:
        path = page_file(name)
        page = text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            ran = list(run_blocks(page, Path(folder), name=name))
            for block, printed in reversed(ran):  # from the end, so that places before stay where they are
                if block.language == "output" and (why := difference(block.text, printed, within=block.within)):
                    wrong.append(f"{name}, line {block.line}: {why}")
                    new = renewed(block.text, printed, within=block.within)
                    text = text[: block.begin] + new + text[block.begin + len(block.text) :]
            wrong += [f"{line}\nchange it by hand" for line in wrong_after_run(name, page, Path(folder))]
        if asked.update:
            path.write_text(text, encoding="utf-8")
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
