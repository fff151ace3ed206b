"""Building blocks of a report: sections, paragraphs, facts, tables, plots, equations; numbers with provenance.

The blocks are independent of HTML. A text part is a string or a `Number`; a bare float is refused, so that every number
in a report has a provenance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from torquec.errors import ArgumentError
from torquec.report.provenance import Number, Provenance, Statement

Part: TypeAlias = str | Number | Statement
"""A piece of running text; computed or stored sentences with numbers are a `Statement`."""

Cell: TypeAlias = str | Number | Statement | None
"""A cell of a table; None is an empty one."""


class Tone(StrEnum):
    """Kind of a note."""

    PLAIN = "plain"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True)
class Paragraph:
    """Running text; with a tone other than plain, a highlighted note."""

    parts: tuple[Part, ...]
    tone: Tone = Tone.PLAIN

    def __post_init__(self) -> None:
        _check_parts(self.parts)


@dataclass(frozen=True)
class Subheading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of statements of one kind."""

    lines: tuple[Statement, ...]


@dataclass(frozen=True)
class CommandLine:
    """A command that the reader can run, and what it does."""

    command: str
    purpose: str


@dataclass(frozen=True)
class Fact:
    """A label and its value as text parts."""

    label: str
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        _check_parts(self.parts)


@dataclass(frozen=True)
class Facts:
    """Labels with values, one below the other."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class DataTable:
    """A table that can be sorted by any column; `folded`: shown on request."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    folded: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.head):
                raise ArgumentError(f"a row of {len(row)} cells under a head of {len(self.head)}")
            _check_parts(tuple(cell for cell in row if cell is not None))


@dataclass(frozen=True)
class Equation:
    """An equation: generated MathML, and the same as plain text; `label` stands before it."""

    mathml: str
    text: str
    provenance: Provenance
    label: str = ""


@dataclass(frozen=True)
class Axis:
    """Label and unit of an axis; `log`: logarithmic scale; `low` and `high` limit the shown range."""

    label: str
    unit: str = ""
    log: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def title(self) -> str:
        """The text beside the axis."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


class Style(StrEnum):
    """Drawing style of a series."""

    LINE = "line"
    WIDE = "wide"
    FAINT = "faint"
    POINTS = "points"
    CROSSES = "crosses"
    STEPS = "steps"
    BAND = "band"
    TUBE = "tube"


@dataclass(frozen=True)
class Series:
    """Points (x, y) with one provenance; `low` is the lower edge of a band, `labels` name the points.

    `levels` colour the points along a scale from the smallest to the largest; `level_name` names their quantity.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    provenance: Provenance
    style: Style = Style.LINE
    low: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()
    level_name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.provenance, Provenance):
            raise ArgumentError(f"the series '{self.name}' does not say how it was obtained")
        for other in (self.y, self.low, self.labels, self.levels):
            if other and len(other) != len(self.x):
                raise ArgumentError(f"the series '{self.name}' has columns of different lengths")


@dataclass(frozen=True)
class LimitLine:
    """A line across a plot at a value of x or y: a limit, a tolerance."""

    name: str
    at: Number
    vertical: bool = False


@dataclass(frozen=True)
class Plot:
    """Curves and points over two axes."""

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    rules: tuple[LimitLine, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Horizontal bars: a group for every name, in it a bar for every series; `limit` is a line that no bar may cross.

    `stacked`: one bar for every name, the series one after the other.
    """

    title: str
    axis: Axis
    names: tuple[str, ...]
    series: tuple[tuple[str, tuple[Number, ...]], ...]
    limit: LimitLine | None = None
    stacked: bool = False

    def __post_init__(self) -> None:
        for name, values in self.series:
            if len(values) != len(self.names):
                raise ArgumentError(f"the bars '{name}' are {len(values)}, the names {len(self.names)}")
            _check_parts(values)


@dataclass(frozen=True)
class Gallery:
    """Plots of one kind side by side: one for each joint; `folded`: shown on request."""

    plots: tuple[Plot, ...]
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Picture:
    """A static picture: generated SVG, and its description in words."""

    svg: str
    words: str
    provenance: Provenance


@dataclass(frozen=True)
class LiveView:
    """A whole HTML page inside the report; `still` replaces it in print."""

    page: str
    words: str
    still: Picture | None = None


Block: TypeAlias = (
    Paragraph
    | Subheading
    | Items
    | CommandLine
    | Facts
    | DataTable
    | Equation
    | Plot
    | Bars
    | Gallery
    | Picture
    | LiveView
)


@dataclass(frozen=True)
class Shown:
    """A document as shown in a section: its blocks, and its key figures for the top of the page.

    `title` is their heading where a section shows several documents; by default the document's name.
    """

    blocks: tuple[Block, ...]
    highlights: tuple[Fact, ...] = ()
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the report with a heading and a name for links; `highlights`: key figures for the top of the page."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    highlights: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class ListedFile:
    """A file of the folder: its recognised kind, and its SHA-256."""

    name: str
    kind: str
    sha256: str


@dataclass(frozen=True)
class Decision:
    """The first screen: an answer with its supporting facts, what to measure first, and what failed."""

    answer: str
    tone: Tone
    facts: tuple[Fact, ...]
    measure_first: tuple[str, ...]
    failed: tuple[Paragraph, ...]
    picture: Picture | None = None

    @property
    def statements(self) -> tuple[Fact, ...]:
        """Facts that are whole sentences: the conditions of the claim, and why it is not proven or there is none."""
        return tuple(each for each in self.facts if each.label in _STATEMENTS)

    @property
    def figures(self) -> tuple[Fact, ...]:
        """The other facts: a number each."""
        return tuple(each for each in self.facts if each.label not in _STATEMENTS)


_STATEMENTS = ("conditions", "proof", "why")


@dataclass(frozen=True)
class Report:
    """Everything that a page shows."""

    title: str
    sections: tuple[Section, ...]
    highlights: tuple[Fact, ...]
    problems: tuple[str, ...]
    files: tuple[ListedFile, ...]
    version: str
    decision: Decision | None = None


def paragraph(*parts: Part, tone: Tone = Tone.PLAIN) -> Paragraph:
    """Running text from its pieces."""
    return Paragraph(parts, tone)


def fact(label: str, *parts: Part) -> Fact:
    """A fact from its pieces."""
    return Fact(label, parts)


def _check_parts(parts: Sequence[object]) -> None:
    for part in parts:
        if not isinstance(part, str | Number | Statement):
            raise ArgumentError(
                f"{part!r} stands bare in a report",
                remedy="make it a Number, which says how it was obtained, or a text",
            )
