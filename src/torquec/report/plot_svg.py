"""Plots as self-contained SVG: shapes with classes, coloured by the page's style sheet.

Each drawing has its numbers as JSON, from which the page's script shows values at the pointer.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from torquec.report.blocks import Axis, Bars, Plot, Series, Style
from torquec.report.provenance import Obtained, shortened
from torquec.report.tables import NOISE
from torquec_check.claim import rounded_up

_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 16.0, 26.0, 40.0  # room for labels around the frame
_BAR, _GAP = 13.0, 12.0  # of bar charts: height of a bar, gap between groups
_LETTER, _LONGEST = 6.6, 30  # of a name beside a bar: average width of a letter, largest number of letters
_COLOURS = 6  # of series; further series repeat them
_LEVELS = 10  # steps of the colour scale for points with levels
_SHOWN_DIGITS = 5  # of values beside the pointer, by page.js
_DOT_RADIUS = 3.2  # radius of a point
_FREE_MARGIN = 0.04  # part of the range that stays free at both ends, so that no curve runs along the frame
_TICK_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between ticks, times a power of ten
_CLIPPED_RANGES = 20.0  # [ranges of the axis] points farther away are clipped to this distance
_LARGEST_VALUE = 1e100  # no quantity is as large; differences and ratios of smaller ones do not overflow
_FEWEST_DECADES = 2  # with fewer decades, whole powers of ten are too few ticks
_LINES = (Style.LINE, Style.WIDE, Style.FAINT, Style.STEPS, Style.BAND, Style.TUBE)


@dataclass(frozen=True)
class DrawingSize:
    """The size of a drawing in its own units: the page scales it to the available width."""

    width: float
    height: float


WIDE = DrawingSize(720.0, 330.0)
SMALL = DrawingSize(400.0, 240.0)


def plot_svg(plot: Plot, name: str, frame: DrawingSize = WIDE) -> str:
    """The drawing and its data; `name` is unique in the page."""
    x, y = _scales(plot, frame)
    data = _data(plot, x, y, dense=frame is WIDE)
    return (
        f'<svg class="plot" viewBox="0 0 {frame.width:g} {frame.height:g}" role="img" '
        f'aria-label="{escape(plot.title)}" data-of="{name}">{plot_shapes(plot, name, frame)}'
        f'<g class="pointer"><line class="cross" y1="{y.end:g}" y2="{y.start:g}"/></g></svg>'
        f'<script type="application/json" id="{name}">{data}</script>'
    )


def plot_shapes(plot: Plot, name: str, frame: DrawingSize) -> str:
    """The shapes of a drawing: axes, then series and limits inside their frame."""
    x, y = _scales(plot, frame)
    width, height = x.end - x.start, y.start - y.end
    parts = [
        (
            f'<clipPath id="{name}-clip"><rect x="{x.start:g}" y="{y.end:g}" width="{width:g}" height="{height:g}"/>'
            f"</clipPath>{_frame(plot, x, y, frame)}"
        ),
        f'<g clip-path="url(#{name}-clip)" data-frame="{x.start:g} {y.end:g} {x.end:g} {y.start:g}">',
        *(_series(series, k, x, y) for k, series in enumerate(plot.series)),
        *(_rule(rule.at.value, x, y, vertical=rule.vertical) for rule in plot.rules),
    ]
    return "".join([*parts, "</g>"])


def bars_svg(bars: Bars, name: str) -> str:
    """Horizontal bars; browsers show the title of each bar: its name, series and value."""
    width = WIDE.width
    group = _BAR * (1 if bars.stacked else len(bars.series)) + _GAP
    height = _TOP + group * len(bars.names) + _BOTTOM
    values = [number.value for _, numbers in bars.series for number in numbers]
    if bars.stacked:
        values = [sum(numbers[row].value for _, numbers in bars.series) for row in range(len(bars.names))]
    limit = [] if bars.limit is None else [bars.limit.at.value]
    room = 14.0 + _LETTER * min(_LONGEST, max((len(name) for name in bars.names), default=0))
    x = scale_of(bars.axis, [0.0, *values, *limit], room, width - _RIGHT)
    bottom = height - _BOTTOM
    parts = [
        (
            f'<svg class="plot bars" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(bars.title)}" '
            f'data-of="{name}">'
        )
    ]
    for tick in x.ticks:
        at = x.place(tick)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP:g}" y2="{bottom:g}"/>')
        parts.append(f'<text class="tick middle" x="{at:.1f}" y="{bottom + 16:g}">{x.label(tick)}</text>')
    parts.append(f'<text class="axis end" x="{width - _RIGHT:g}" y="{height - 6:g}">{escape(bars.axis.title)}</text>')
    for row, label in enumerate(bars.names):
        top = _TOP + _GAP / 2 + row * group
        middle = top + (group - _GAP) / 2
        parts.append(f'<text class="tick end" x="{room - 8:g}" y="{middle + 4:.1f}">{escape(_short(label))}</text>')
        reached = 0.0
        for k, (series, numbers) in enumerate(bars.series):
            begin, end = x.place(reached), x.place(reached + numbers[row].value)
            reached += numbers[row].value if bars.stacked else 0.0
            at, size = min(begin, end), max(abs(end - begin), 0.0 if bars.stacked else 0.8)
            below = top if bars.stacked else top + k * _BAR
            words = f"{label}, {series}: {numbers[row]}"
            parts.append(
                f'<rect class="bar c{k % _COLOURS}" x="{at:.1f}" y="{below:.1f}" width="{size:.1f}" '
                f'height="{_BAR - 3:g}" rx="2"><title>{escape(words)}</title></rect>'
            )
    if bars.limit is not None:
        at = x.place(bars.limit.at.value)
        parts.append(f'<line class="rule" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP - 8:g}" y2="{bottom:g}"/>')
    return "".join([*parts, "</svg>"])


def series_class(index: int, series: Series) -> str:
    """The class that colours a series, in the drawing and in its legend."""
    if series.style in (Style.FAINT, Style.WIDE, Style.TUBE):
        return series.style.value
    return "levels" if series.levels else f"c{index % _COLOURS}"


def _scales(plot: Plot, frame: DrawingSize) -> tuple[Scale, Scale]:
    xs = [value for series in plot.series for value in series.x]
    ys = [value for series in plot.series for value in (*series.y, *series.low)]
    xs += [rule.at.value for rule in plot.rules if rule.vertical]
    ys += [rule.at.value for rule in plot.rules if not rule.vertical]
    x = scale_of(plot.x, xs, _LEFT, frame.width - _RIGHT, most=7 if frame is WIDE else 4)
    return x, scale_of(plot.y, ys, frame.height - _BOTTOM, _TOP, most=5 if frame is WIDE else 4)


def _frame(plot: Plot, x: Scale, y: Scale, frame: DrawingSize) -> str:
    parts = []
    for tick in y.ticks:
        at = y.place(tick)
        parts.append(f'<line class="grid" x1="{x.start:g}" x2="{x.end:g}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="tick end" x="{x.start - 7:g}" y="{at + 4:.1f}">{y.label(tick)}</text>')
    for tick in x.ticks:
        at = x.place(tick)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{y.end:g}" y2="{y.start:g}"/>')
        parts.append(f'<text class="tick middle" x="{at:.1f}" y="{y.start + 16:g}">{x.label(tick)}</text>')
    if not y.log and y.low < 0.0 < y.high:
        at = y.place(0.0)
        parts.append(f'<line class="zero" x1="{x.start:g}" x2="{x.end:g}" y1="{at:.1f}" y2="{at:.1f}"/>')
    if not x.log and x.low < 0.0 < x.high:
        at = x.place(0.0)
        parts.append(f'<line class="zero" x1="{at:.1f}" x2="{at:.1f}" y1="{y.end:g}" y2="{y.start:g}"/>')
    parts.append(f'<text class="axis" x="4" y="{y.end - 10:g}">{escape(plot.y.title)}</text>')
    parts.append(f'<text class="axis end" x="{x.end:g}" y="{frame.height - 6:g}">{escape(plot.x.title)}</text>')
    return "".join(parts)


def _series(series: Series, index: int, x: Scale, y: Scale) -> str:
    colour = series_class(index, series)
    if series.style in (Style.BAND, Style.TUBE):
        return f'<path class="band {colour}" d="{_band(series, x, y)}"/>'
    if series.style is Style.STEPS:
        return f'<path class="curve {colour}" d="{_steps(series, x, y)}"/>'
    if series.style in _LINES:
        return f'<path class="curve {colour}" d="{_pieces(series, x, y)}"/>'
    return "".join(_marks(series, colour, x, y))


def _marks(series: Series, colour: str, x: Scale, y: Scale) -> list[str]:
    order = sorted(set(series.levels or ()))
    marks = []
    for k, (a, b) in enumerate(zip(series.x, series.y, strict=True)):
        if not (math.isfinite(a) and math.isfinite(b)):
            continue
        px, py = x.place(a), y.place(b)
        shade = f"l{_level(series.levels[k], order)}" if series.levels else colour
        if series.style is Style.CROSSES:
            marks.append(f'<path class="cross-mark {shade}" d="M{px - 5:.1f} {py - 5:.1f}l10 10m0-10l-10 10"/>')
        else:
            radius = 2.0 if series.levels else _DOT_RADIUS
            marks.append(f'<circle class="dot {shade}" cx="{px:.1f}" cy="{py:.1f}" r="{radius:g}"/>')
    return marks


def _level(value: float, order: Sequence[float]) -> int:
    """The step of the colour scale, by the rank of the value: factors of a root locus span many powers of ten."""
    return round((_LEVELS - 1) * order.index(value) / max(len(order) - 1, 1))


def _pieces(series: Series, x: Scale, y: Scale) -> str:
    """The path of a line; values that are not finite interrupt it."""
    text, is_open = "", False
    for a, b in zip(series.x, series.y, strict=True):
        if not (math.isfinite(a) and math.isfinite(b)):
            is_open = False
            continue
        text += f"{'L' if is_open else 'M'}{x.place(a):.1f} {y.place(b):.1f}"
        is_open = True
    return text


def _steps(series: Series, x: Scale, y: Scale) -> str:
    """Each value holds until the next."""
    text = ""
    for k, (a, b) in enumerate(zip(series.x, series.y, strict=True)):
        text += f"H{x.place(a):.1f}V{y.place(b):.1f}" if k else f"M{x.place(a):.1f} {y.place(b):.1f}"
    return text


def _band(series: Series, x: Scale, y: Scale) -> str:
    """The area between both edges of a band; values that are not finite interrupt it."""
    text, rows = "", list(zip(series.x, series.y, series.low, strict=True))
    for is_whole, run in itertools.groupby(rows, lambda row: all(map(math.isfinite, row))):
        points = list(run)
        if is_whole:
            upper = [f"{x.place(a):.1f} {y.place(high):.1f}" for a, high, _ in points]
            lower = [f"{x.place(a):.1f} {y.place(low):.1f}" for a, _, low in reversed(points)]
            text += f"M{'L'.join([*upper, *lower])}Z"
    return text


def _rule(value: float, x: Scale, y: Scale, *, vertical: bool) -> str:
    if vertical:
        at = x.place(value)
        return f'<line class="rule" x1="{at:.1f}" x2="{at:.1f}" y1="{y.end:g}" y2="{y.start:g}"/>'
    at = y.place(value)
    return f'<line class="rule" x1="{x.start:g}" x2="{x.end:g}" y1="{at:.1f}" y2="{at:.1f}"/>'


def _data(plot: Plot, x: Scale, y: Scale, *, dense: bool) -> str:
    """Scales and points for the script. Without `<`, so the data cannot end its element."""
    digits = 6 if dense else 5

    def rounded(values: Sequence[float]) -> list[float | None]:
        return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]

    def scale(of: Scale) -> list[float]:
        return [of.low, of.high, of.start, of.end, float(of.log)]

    series: list[dict[str, Any]] = []
    shared: tuple[float, ...] | None = None
    for k, each in enumerate(plot.series):
        if each.style is Style.FAINT:
            continue
        row: dict[str, Any] = {
            "n": each.name,
            "c": series_class(k, each),
            "y": _bounds(each.y) if each.provenance.how is Obtained.PROVED else rounded(each.y),
        }
        if each.x != shared:  # curves over one column of times share it
            row["x"] = rounded(each.x)
            shared = each.x
        if each.low:
            row["b"] = rounded(each.low)
        if each.labels:
            row["t"] = list(each.labels)
        if each.levels:
            row |= {"v": rounded(each.levels), "vn": each.level_name}
        series.append(row)
    curves = all(each.style in _LINES for each in plot.series)
    values: dict[str, Any] = {"x": scale(x), "y": scale(y), "xn": plot.x.label, "xu": plot.x.unit, "yu": plot.y.unit}
    values |= {"curves": curves, "s": series}
    return json.dumps(values, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _bounds(values: Sequence[float]) -> list[float | None]:
    """Proven upper bounds, rounded up to the digits that the script shows."""
    return [float(rounded_up(value, _SHOWN_DIGITS)) if math.isfinite(value) else None for value in values]


def _short(name: str) -> str:
    """A name that fits beside the bars."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic map from a range of values to coordinates; `ticks` are values in the range."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Coordinate of a value; on a logarithmic axis, values that are not positive are drawn at its start."""
        if self.log:
            if value <= 0.0:
                return self.start
            share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, -_CLIPPED_RANGES), _CLIPPED_RANGES) * (self.end - self.start)

    def label(self, tick: float) -> str:
        """The text of a tick."""
        return shortened(tick, 5)


def scale_of(axis: Axis, values: Iterable[float], start: float, end: float, *, most: int = 6) -> Scale:
    """The scale that shows all values, or the range that the axis states, with about `most` ticks."""
    finite = [value for value in values if abs(value) < _LARGEST_VALUE and (value > NOISE or not axis.log)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0) if not axis.log else (0.1, 1.0)
    low, high = (axis.low if axis.low is not None else low), (axis.high if axis.high is not None else high)
    if axis.log:
        low, high = (low, high) if high > low * 1.001 else (low / 2.0, high * 2.0)
        grown = (high / low) ** _FREE_MARGIN
        low, high = low / grown, high * grown
        return Scale(low, high, start, end, True, _decades(low, high, most))
    if not high > low:
        size = abs(low) or 1.0
        low, high = low - 0.5 * size, high + 0.5 * size
    room = _FREE_MARGIN * (high - low)
    low, high = low - room, high + room
    return Scale(low, high, start, end, False, _round_ticks(low, high, most))


def _round_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten.

    >>> _round_ticks(0.0, 1.0, 6)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    rough = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((s * power for s in _TICK_STEPS if s * power >= rough * 0.999), 10.0 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(float(f"{k * step:.12g}") for k in range(first, last + 1))


def _decades(low: float, high: float, most: int) -> tuple[float, ...]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    whole = tuple(10.0**k for k in range(first, last + 1, stride))
    if len(whole) > _FEWEST_DECADES:
        return whole
    fine = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1.0, 2.0, 5.0)]
    return tuple(tick for tick in fine if low <= tick <= high)
