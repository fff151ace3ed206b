"""A report as one self-contained HTML file with style, script, drawings and equations; no network access.

All text is escaped; the content security policy names the style sheet and the scripts by their hashes, so that nothing
else runs even if an escape is missed.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Sequence
from html import escape
from importlib import resources

from torquec.report.blocks import (
    Bars,
    Block,
    Cell,
    CommandLine,
    DataTable,
    Decision,
    Equation,
    Fact,
    Facts,
    Gallery,
    Items,
    LiveView,
    Paragraph,
    Part,
    Picture,
    Plot,
    Report,
    Section,
    Subheading,
    Tone,
)
from torquec.report.figure import plot_style
from torquec.report.plot_svg import SMALL, WIDE, DrawingSize, bars_svg, plot_svg, series_class
from torquec.report.provenance import Number, Obtained, Provenance, Statement

_LONGEST_RESULT = 150
"""Largest length of a section's result [characters]: three lines on a phone."""
_MOST_FIGURES = 3
"""Largest number of figures in a section's result: readers skip more."""
_BAD = (Tone.BAD, Tone.WARNING)
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_UNFOLDED_EQUATIONS = 4  # equations that need no folding
_MOST_ROWS = 20  # of a table that is not folded
_SIGNS = {Tone.GOOD: "\N{CHECK MARK}", Tone.WARNING: "!", Tone.BAD: "\N{MULTIPLICATION SIGN}"}


def report_html(report: Report) -> str:
    """The page."""
    writer = _Writer()
    style, script = plot_style() + _asset("page.css"), _asset("page.js")
    body = writer.body(report)
    views = [block.page for section in report.sections for block in section.blocks if isinstance(block, LiveView)]
    return (
        f'<!DOCTYPE html>\n<!-- written by torquec {escape(report.version)} -->\n<html lang="en">\n<head>\n'
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{_policy(style, script, views)}">'
        '\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _asset(name: str) -> str:
    return resources.files("torquec.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str, views: Sequence[str]) -> str:
    """Content security policy: these scripts and styles only. An embedded page is under the same policy."""
    scripts = [script, *(text for view in views for text in _SCRIPT.findall(view))]
    styles = [style, *(text for view in views for text in _STYLE.findall(view))]
    live = " 'wasm-unsafe-eval'" if views else ""
    rules = (
        "default-src 'none'",
        f"script-src {' '.join(map(_hash, dict.fromkeys(scripts)))}{live}",
        f"style-src {' '.join(map(_hash, dict.fromkeys(styles)))}",
        "img-src data:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


class _Writer:
    """Writer of blocks as HTML; it numbers drawings, and sources in the order of their first use."""

    def __init__(self) -> None:
        self.sources: dict[Provenance, int] = {}
        self.drawings = 0
        self.brief = False  # sections are folded below a first screen

    def body(self, report: Report) -> str:
        self.brief = report.decision is not None and len(report.sections) > 1
        cards = "".join(self.card(fact) for fact in report.highlights)
        top = f'<div class="cards">{cards}</div>' if report.decision is None else self.decision(report.decision)
        sections = "\n".join(self.section(section) for section in report.sections)
        links = "".join(f'<a href="#{escape(s.name)}">{escape(s.title)}</a>' for s in report.sections)
        problems = "".join(f"<li>{escape(problem)}</li>" for problem in report.problems)
        trouble = (
            f'<div class="note bad" role="alert"><b>Could not be read, not shown:</b><ul>{problems}</ul></div>'
            if problems
            else ""
        )
        return (
            f'<header><p class="brand">Torquec report</p><h1>{escape(report.title)}</h1></header>\n'
            f'<nav aria-label="Sections">{links}<a href="#sources">Sources and files</a></nav>\n<main>\n'
            f"{trouble}{top}\n{_ways(is_open=not self.brief)}\n{sections}\n{self._end(report)}\n</main>\n"
            f"<footer>Written by torquec {escape(report.version)}. This file needs no network, and sends nothing."
            "</footer>"
            '<div id="tip" role="status" hidden></div>'
        )

    def section(self, section: Section) -> str:
        blocks = "\n".join(self.blocks(section.blocks))
        return _folding(section.name, section.title, section_result(section), blocks, is_open=not self.brief)

    def decision(self, decision: Decision) -> str:
        """The first screen."""
        rows = "".join(f"<dt>{escape(f.label)}</dt><dd>{self.text(f.parts)}</dd>" for f in decision.figures)
        stated = "".join(map(self.stated, decision.statements))
        picture = "" if decision.picture is None else self.picture(decision.picture)
        first = "".join(f"<li>{escape(words)}</li>" for words in decision.measure_first)
        failed = (
            "".join(self.block(block) for block in decision.failed)
            or "<p>None: no step failed, no experiment violated its bounds or the limits of the joints.</p>"
        )
        sign = f'<i aria-hidden="true">{_SIGNS[decision.tone]}</i>'
        return (
            f'<section id="decision" class="decision {decision.tone.value}">'
            f'<div><p class="question">May this go on the robot?</p><h2>{sign}{escape(decision.answer)}</h2>'
            f"<dl>{rows}</dl></div><div>{picture}<h3>Failures and warnings</h3>{failed}</div>"
            f'<div class="first stated">{stated}</div>'
            f'<div class="first"><h3>Measure on the robot first</h3><ul>{first}</ul></div></section>'
        )

    def stated(self, fact: Fact) -> str:
        """A sentence under its label; several conditions, separated by semicolons, as a list."""
        label = escape(fact.label.capitalize())
        match fact.parts:
            case (Statement(text, provenance),) if "; " in text:
                lines = "".join(f"<li>{escape(line)}</li>" for line in text.removesuffix(".").split("; "))
                return f"<h3>{label} {self.tag(provenance)}</h3><ul>{lines}</ul>"
        return f"<h3>{label}</h3><p>{self.text(fact.parts)}</p>"

    def blocks(self, blocks: Sequence[Block]) -> list[str]:
        """Blocks one below the other; many equations are folded below a first screen."""
        parts = []
        for are_equations, run in itertools.groupby(blocks, lambda block: isinstance(block, Equation)):
            texts = [self.block(block) for block in run]
            if are_equations and self.brief and len(texts) > _UNFOLDED_EQUATIONS:
                head = f'<summary><h3>Equations</h3><span class="result">{len(texts)} entries</span></summary>'
                texts = [f'<details class="part">{head}{"".join(texts)}</details>']
            parts += texts
        return parts

    def card(self, fact: Fact) -> str:
        return f'<div class="card"><span>{escape(fact.label)}</span><b>{self._large(fact.parts)}</b></div>'

    def block(self, block: Block) -> str:
        match block:
            case Paragraph(parts, Tone.PLAIN):
                return f"<p>{self.text(parts)}</p>"
            case Paragraph(parts, tone):
                return f'<p class="note {tone.value}"><i aria-hidden="true">{_SIGNS[tone]}</i>{self.text(parts)}</p>'
            case Subheading(text):
                return f"<h3>{escape(text)}</h3>"
            case Items(lines):
                return f"<ul>{''.join(f'<li>{self.text((line,))}</li>' for line in lines)}</ul>"
            case CommandLine(command, purpose):
                return f'<div class="command"><span>{escape(purpose)}</span><code>{escape(command)}</code></div>'
            case Facts(facts):
                rows = "".join(f"<dt>{escape(f.label)}</dt><dd>{self.text(f.parts)}</dd>" for f in facts)
                return f"<dl>{rows}</dl>"
            case DataTable():
                return self.table(block)
            case Equation(mathml, _, provenance, label):
                name = f"<span>{escape(label)}</span>" if label else ""
                return f'<div class="equation">{name}{mathml}{self.tag(provenance)}</div>'
            case Plot():
                return self.figure(block, WIDE)
            case Bars():
                return self.bars(block)
            case Gallery():
                return self.gallery(block)
            case Picture():
                return self.picture(block)
            case LiveView(page, words, still):
                frame = (
                    f'<iframe class="live" sandbox="allow-scripts" loading="lazy" title="{escape(words)}" '
                    f'srcdoc="{escape(page)}"></iframe><p class="under live-words">{escape(words)}</p>'
                )
                return frame + ("" if still is None else f'<div class="on-paper">{self.picture(still)}</div>')

    def text(self, parts: Sequence[Part]) -> str:
        """Running text; numbers of one provenance share the tag after the last of them."""
        words = []
        for k, part in enumerate(parts):
            if isinstance(part, str):
                words.append(escape(part))
                continue
            later = {other.provenance for other in parts[k + 1 :] if not isinstance(other, str)}
            tag = "" if part.provenance in later else self.tag(part.provenance)
            kind = "number" if isinstance(part, Number) else "statement"
            words.append(f'<span class="{kind}">{escape(str(part))}</span>{tag}')
        return "".join(words)

    def _large(self, parts: Sequence[Part]) -> str:
        """The parts of a card: its numbers, then one tag per provenance."""
        words = "".join(escape(str(part)) for part in parts)
        tags = dict.fromkeys(part.provenance for part in parts if not isinstance(part, str))
        return words + "".join(self.tag(provenance) for provenance in tags)

    def tag(self, provenance: Provenance, *, short: bool = False) -> str:
        """The tag of a number: how it was obtained, with a link to its numbered source."""
        number = self.sources.setdefault(provenance, len(self.sources) + 1)
        how = provenance.how.value
        words = f"{how}: {provenance.source}"
        shown = how[0].upper() if short else how
        return f'<a class="tag {how}" href="#source-{number}" data-tip="{escape(words)}">{shown}<sup>{number}</sup></a>'

    def table(self, table: DataTable) -> str:
        is_folded = table.folded or len(table.rows) > _MOST_ROWS
        columns = [[row[k] for row in table.rows] for k in range(len(table.head))]
        alike = [self._one_way(column) for column in columns]
        numeric = [any(isinstance(cell, Number) for cell in column) for column in columns]
        head = "".join(
            f'<th scope="col"{"" if is_number else " class=words"}><button type="button">{escape(word)}</button>'
            f"{self.tag(way) if way else ''}</th>"
            for word, way, is_number in zip(table.head, alike, numeric, strict=True)
        )
        rows = "".join(
            "<tr>"
            + "".join(
                self._cell(cell, way, is_number) for cell, way, is_number in zip(row, alike, numeric, strict=True)
            )
            + "</tr>"
            for row in table.rows
        )
        caption = f"<caption>{escape(table.caption)}</caption>" if table.caption and not is_folded else ""
        text = f'<div class="sheet"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
        if not is_folded:
            return text
        many = '<button type="button" class="csv">as CSV</button>' if len(table.rows) > _MOST_ROWS else ""
        caption = escape(table.caption or "Table")
        return f"<details><summary>{caption} ({len(table.rows)})</summary>{many}{text}</details>"

    def _cell(self, cell: Cell, way: Provenance | None, numeric: bool) -> str:
        if cell is None:
            return "<td></td>"
        if isinstance(cell, Number):
            tag = "" if way is not None else self.tag(cell.provenance, short=True)
            return f'<td data-value="{cell.value!r}">{escape(str(cell))}{tag}</td>'
        return f"<td{'' if numeric else ' class=words'}>{self.text((cell,))}</td>"

    def _one_way(self, column: Sequence[Cell]) -> Provenance | None:
        """The provenance that all numbers of a column share."""
        ways = {cell.provenance for cell in column if isinstance(cell, Number)}
        return ways.pop() if len(ways) == 1 else None

    def figure(self, plot: Plot, frame: DrawingSize, *, legend: bool = True) -> str:
        self.drawings += 1
        drawing = plot_svg(plot, f"plot-{self.drawings}", frame)
        below = self.legend(plot) if legend else ""
        return f"<figure><figcaption>{escape(plot.title)}</figcaption>{drawing}{below}</figure>"

    def gallery(self, gallery: Gallery) -> str:
        """Plots side by side; where all of them show the same series, one legend serves all."""
        keys = {tuple((s.name, s.provenance) for s in plot.series) for plot in gallery.plots}
        shared = len(keys) == 1 and not any(plot.rules for plot in gallery.plots)
        inside = "".join(self.figure(plot, SMALL, legend=not shared) for plot in gallery.plots)
        drawings = f'{self.legend(gallery.plots[0]) if shared else ""}<div class="gallery">{inside}</div>'
        if not gallery.caption:
            return drawings
        count = f'<span class="result">{len(gallery.plots)} drawings</span>'
        head = f"<summary><h3>{escape(gallery.caption)}</h3>{count}</summary>"
        return f'<details class="part"{"" if gallery.folded else " open"}>{head}{drawings}</details>'

    def legend(self, plot: Plot) -> str:
        """The legend of a plot: its curves with their provenance."""
        rows = []
        for k, series in enumerate(plot.series):
            mark = f'<i class="{series.style.value} {series_class(k, series)}"></i>'
            rows.append(f"<li>{mark}{escape(series.name)}{self.tag(series.provenance)}</li>")
        for rule in plot.rules:
            words = f"{rule.name} {rule.at}"
            rows.append(f'<li><i class="rule"></i>{escape(words)}{self.tag(rule.at.provenance)}</li>')
        return f'<ul class="legend">{"".join(rows)}</ul>'

    def bars(self, bars: Bars) -> str:
        self.drawings += 1
        rows = []
        for k, (name, numbers) in enumerate(bars.series):
            tags = "".join(self.tag(way) for way in dict.fromkeys(number.provenance for number in numbers))
            rows.append(f'<li><i class="bar c{k}"></i>{escape(name)}{tags}</li>')
        if bars.limit is not None:
            words = f"{bars.limit.name} {bars.limit.at}"
            rows.append(f'<li><i class="rule"></i>{escape(words)}{self.tag(bars.limit.at.provenance)}</li>')
        return (
            f"<figure><figcaption>{escape(bars.title)}</figcaption>{bars_svg(bars, f'plot-{self.drawings}')}"
            f'<ul class="legend">{"".join(rows)}</ul></figure>'
        )

    def picture(self, picture: Picture) -> str:
        words = f"{escape(picture.words)}{self.tag(picture.provenance)}"
        return f'<figure class="picture">{picture.svg}<figcaption>{words}</figcaption></figure>'

    def _end(self, report: Report) -> str:
        sources = "".join(
            f'<li id="source-{number}"><span class="tag {way.how.value}">{way.how.value}</span> '
            f"{escape(way.source)}</li>"
            for way, number in self.sources.items()
        )
        files = DataTable(
            ("file", "what it is", "SHA-256"),
            tuple((file.name, file.kind, file.sha256) for file in report.files),
            "Files that this report was made from",
            folded=True,
        )
        inside = f'<ol class="sources">{sources}</ol>{self.table(files)}'
        count = f"{len(self.sources)} sources, {len(report.files)} files"
        return _folding("sources", "Sources and files", count, inside, is_open=not self.brief)


def _folding(name: str, title: str, result: str, inside: str, *, is_open: bool) -> str:
    """A collapsible section; collapsed, it shows its result. The script collapses them on narrow screens."""
    words = f'<span class="result">{escape(result)}</span>' if result else ""
    return (
        f'<section id="{escape(name)}"><details class="part"{" open" if is_open else ""}>'
        f"<summary><h2>{escape(title)}</h2>{words}</summary>"
        f"\n{inside}\n</details></section>"
    )


def _ways(*, is_open: bool) -> str:
    """Explanation of the four kinds of provenance."""
    rows = "".join(
        f'<li><span class="tag {how.value}">{how.value}</span> {escape(how.meaning)}</li>' for how in Obtained
    )
    return (
        f'<details class="ways"{" open" if is_open else ""}><summary>How to read the numbers</summary>'
        f"<ul>{rows}</ul><p>The number at each word links to its source.</p></details>"
    )


def section_result(section: Section) -> str:
    """One line shown while a section is collapsed: its highlights or first words, and the number of warnings."""
    figures = [f"{fact.label}: {''.join(map(str, fact.parts))}" for fact in section.highlights[:_MOST_FIGURES]]
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
            return "; ".join(f"{fact.label}: {''.join(map(str, fact.parts))}" for fact in block.facts[:_MOST_FIGURES])
        if isinstance(block, Items) and block.lines:
            return str(block.lines[0])
    return ", ".join(_counted(blocks))


def _counted(blocks: tuple[Block, ...]) -> list[str]:
    """Block counts of a section without text."""
    found = []
    for kind, word in ((Equation, "equation"), (DataTable, "table"), (Plot, "drawing"), (Bars, "drawing")):
        count = sum(isinstance(block, kind) for block in blocks)
        found += [f"{count} {word}{'s' if count > 1 else ''}"] if count else []
    return found


def _shortened(words: str) -> str:
    """Words that fit a line; of a long claim, whose conditions come first, the part after its last colon.

    >>> _shortened("a few words:")
    'a few words'
    """
    words = words.rstrip(" :")
    if len(words) <= _LONGEST_RESULT:
        return words
    result = words.rpartition(": ")[2]
    if len(result) <= _LONGEST_RESULT:
        return f"\N{HORIZONTAL ELLIPSIS} {result}"
    return f"{words[:_LONGEST_RESULT].rsplit(' ', 1)[0]} \N{HORIZONTAL ELLIPSIS}"
