"""One-line result of a section, shown while it is collapsed."""

from __future__ import annotations

from torquec.report.blocks import Bars, Block, DataTable, Equation, Facts, Items, Paragraph, Plot, Section, Tone

_LONGEST = 150
"""Characters: three lines of a phone."""
_FIGURES = 3
"""Figures in a line: more are not read."""
_BAD = (Tone.BAD, Tone.WARNING)


def section_result(section: Section) -> str:
    """Its figures of the page's top, else its first words; and how many warnings it has."""
    figures = [f"{fact.label}: {''.join(map(str, fact.parts))}" for fact in section.highlights[:_FIGURES]]
    words = "; ".join(figures) or _first_words(section.blocks)
    warnings = sum(isinstance(block, Paragraph) and block.tone in _BAD for block in section.blocks)
    count = f"{warnings} warning{'s' if warnings > 1 else ''}" if warnings else ""
    return ". ".join(part for part in (count, _shortened(words)) if part)


def _first_words(blocks: tuple[Block, ...]) -> str:
    """The first sentence or fact of the section; a warning, where there is one."""
    paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
    for paragraph in sorted(paragraphs, key=lambda one: one.tone not in _BAD):
        return "".join(map(str, paragraph.parts))
    for block in blocks:
        if isinstance(block, Facts) and block.facts:
            return "; ".join(f"{fact.label}: {''.join(map(str, fact.parts))}" for fact in block.facts[:_FIGURES])
        if isinstance(block, Items) and block.lines:
            return str(block.lines[0])
    return ", ".join(_counted(blocks))


def _counted(blocks: tuple[Block, ...]) -> list[str]:
    """What stands in a section without words."""
    found = []
    for kind, word in ((Equation, "equation"), (DataTable, "table"), (Plot, "drawing"), (Bars, "drawing")):
        count = sum(isinstance(block, kind) for block in blocks)
        found += [f"{count} {word}{'s' if count > 1 else ''}"] if count else []
    return found


def _shortened(words: str) -> str:
    """
    >>> _shortened("a few words")
    'a few words'
    """
    if len(words) <= _LONGEST:
        return words
    return f"{words[:_LONGEST].rsplit(' ', 1)[0]} \N{HORIZONTAL ELLIPSIS}"
