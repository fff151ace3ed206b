"""Figure files: plots on one sheet as SVG; PNG and PDF are that SVG, drawn by matplotlib (extra `plot`).

(1)  plots -> sheet, an SVG with the same drawings and colours as pages                       (`sheet_svg`)
(2)  sheet -> file: the SVG itself, or its shapes with the computed style of their classes     (`write_picture`)

So pictures and pages have one plotting back end, and a picture as SVG needs no extra.
"""

from __future__ import annotations

import functools
import io
import os
import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.report.blocks import Plot, Style
from torquec.report.plot_svg import SMALL, WIDE, plot_shapes, series_class

_SVG = "http://www.w3.org/2000/svg"
_MARGIN, _ROW, _MARK, _LETTER = 14.0, 18.0, 22.0, 6.3  # px: around the sheet, lines of text, legend marks, a letter
_INCH, _POINT = 96.0, 0.75  # px of an inch, points of a px, as CSS has them
_TITLE_LETTER = 8.8  # px
_DPI = 130  # of PNG: text of 9 points is sharp on a screen
_LEVELS = 10  # colours of a scale of levels
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_STEP = re.compile(r"([MLHVlmZ])([^MLHVlmZ]*)")
_NUMBER = re.compile(r"-?[\d.]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # characters that XML forbids


def write_picture(plots: Sequence[Plot], path: str | os.PathLike[str], *, title: str, columns: int = 2) -> Path:
    """Write plots as one picture, atomically; the suffix of `path` chooses SVG, PNG or PDF.

    Raises `MissingExtraError` for PNG and PDF without matplotlib, `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    sheet = sheet_svg(plots, title, columns)
    if target.suffix.lower() != ".svg":
        return save_figure(_drawn(sheet), target, dpi=_DPI)
    write_files({target: sheet}, force=True)
    return target


def sheet_svg(plots: Sequence[Plot], title: str, columns: int = 2) -> str:
    """(1): a title, one legend for all plots, and the plots in rows."""
    frame = WIDE if len(plots) == 1 else SMALL
    columns = min(columns, len(plots))
    width = 2 * _MARGIN + columns * frame.width
    lines = textwrap.wrap(title, int((width - 2 * _MARGIN) / _TITLE_LETTER)) or [""]
    legend, top = _legend(plots, width, (1.4 + len(lines)) * _ROW)
    rows = -(-len(plots) // columns)
    height = top + rows * (frame.height + _ROW) + _MARGIN
    parts = [
        (
            f'<svg xmlns="{_SVG}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
            f'font-family="system-ui, DejaVu Sans, sans-serif"><style>{plot_style()}</style>'
        ),
        f'<rect class="sheet-back" x="0" y="0" width="{width:g}" height="{height:g}"/>',
        *(_text("sheet-title", _MARGIN, (1.3 + k) * _ROW, line) for k, line in enumerate(lines)),
        *legend,
    ]
    for k, plot in enumerate(plots):
        x, y = _MARGIN + (k % columns) * frame.width, top + (k // columns) * (frame.height + _ROW)
        shapes = plot_shapes(plot, f"plot-{k + 1}", frame)
        name = "" if plot.title == title else _text("panel-title", 4.0, 12.0, plot.title)
        parts.append(f'<g transform="translate({x:g} {y:g})">{name}</g>')
        parts.append(f'<g transform="translate({x:g} {y + _ROW - 4.0:g})">{shapes}</g>')
    return "".join([*parts, "</svg>\n"])


def plot_style() -> str:
    """The style sheet of the drawings, which pages extend."""
    return resources.files("torquec.report").joinpath("plot.css").read_text(encoding="utf-8")


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(_CONTROL.sub("?", words))}</text>'


def _legend(plots: Sequence[Plot], width: float, top: float) -> tuple[list[str], float]:
    """The legend: every name once with its mark, on as many lines as needed; and the y at which the plots begin."""
    entries = {(s.name, series_class(k, s), s.style): None for plot in plots for k, s in enumerate(plot.series)}
    entries |= {(rule.name, "rule", Style.LINE): None for plot in plots for rule in plot.rules}
    if len(entries) < 2:
        return [], top
    parts, x, y = [], _MARGIN, top
    for name, colour, style in entries:
        room = _MARK + 8.0 + _LETTER * len(name) + 18.0
        if x > _MARGIN and x + room > width:
            x, y = _MARGIN, y + _ROW
        parts += [_mark(colour, style, x, y - 4.0), _text("sheet-name", x + _MARK + 8.0, y, name)]
        x += room
    return parts, y + 0.8 * _ROW


def _mark(colour: str, style: Style, x: float, y: float) -> str:
    if colour == "rule":
        return f'<line class="rule" x1="{x:.1f}" x2="{x + _MARK:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
    if colour == "levels":
        step = _MARK / _LEVELS
        return "".join(_box(f"bar l{k}", x + k * step, y - 4.0, step) for k in range(_LEVELS))
    if style in (Style.BAND, Style.TUBE):
        return _box(f"band {colour}", x, y - 4.0, _MARK)
    if style is Style.POINTS:
        return f'<circle class="dot {colour}" cx="{x + _MARK / 2:.1f}" cy="{y:.1f}" r="3.2"/>'
    if style is Style.CROSSES:
        return f'<path class="cross-mark {colour}" d="M{x + _MARK / 2 - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"/>'
    return f'<path class="curve {colour}" d="M{x:.1f} {y:.1f}H{x + _MARK:.1f}"/>'


def _box(kind: str, x: float, y: float, width: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="8"/>'


def new_figure(width: float, height: float, **options: Any) -> Any:
    """A matplotlib figure of this size [inch], without any window; raises `MissingExtraError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a picture") from None
    return Figure(figsize=(width, height), **options)


def save_figure(figure: Any, path: str | os.PathLike[str], *, dpi: int = 120) -> Path:
    """Write a matplotlib figure, atomically; the suffix of `path` chooses the format.

    Raises `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    drawn = io.BytesIO()
    try:
        figure.savefig(drawn, dpi=dpi, format=target.suffix.removeprefix(".") or None)
    except ValueError as error:
        raise ArgumentError(
            f"cannot draw there: {error}", where=str(target), remedy="name a .png, .svg or .pdf file"
        ) from error
    write_files({target: drawn.getvalue()}, force=True)
    return target


def _drawn(sheet: str) -> Any:
    """(2): the shapes of a sheet as artists of a matplotlib figure of the same size."""
    root = ET.fromstring(sheet)  # noqa: S314 - made here, just now
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    figure = new_figure(width / _INCH, height / _INCH)
    from matplotlib.transforms import Affine2D

    place = Affine2D().scale(1.0 / _INCH, -1.0 / _INCH).translate(0.0, height / _INCH) + figure.dpi_scale_trans
    _draw_group(figure, root, (0.0, 0.0), place, None)
    return figure


def _draw_group(figure: Any, group: ET.Element, at: tuple[float, float], place: Any, clip: Any) -> None:
    from matplotlib.transforms import Affine2D, Bbox, TransformedBbox

    dx, dy = (float(value) for value in _NUMBER.findall(group.get("transform", "0 0")))
    at = at[0] + dx, at[1] + dy
    local = Affine2D().translate(*at) + place
    if group.get("clip-path"):  # the frame of the plot, which stands before the group
        clip = TransformedBbox(Bbox.from_extents(*map(float, group.get("data-frame", "").split())), local)
    for element in group:
        tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if tag == "g":
            _draw_group(figure, element, at, place, clip)
        elif tag in ("line", "path", "rect", "circle", "text"):
            artist = _artist(tag, element, _computed_style(element.get("class", "")), local)
            figure.add_artist(artist, clip=clip is not None)
            if clip is not None:
                artist.set_clip_box(clip)


def _artist(tag: str, element: ET.Element, style: Mapping[str, str], place: Any) -> Any:
    """A shape of SVG as an artist of matplotlib."""
    from matplotlib.patches import Ellipse, PathPatch
    from matplotlib.text import Text

    number = {key: float(value) for key, value in element.items() if key in _PLACES}
    if tag == "text":
        align = {"end": "right", "middle": "center"}.get(style.get("text-anchor", ""), "left")
        weight = "bold" if "font-weight" in style else "normal"
        size = _POINT * float(style.get("font-size", "11px").removesuffix("px"))
        words = (element.text or "").replace("$", r"\$")
        return Text(number["x"], number["y"], words, color=style["fill"], ha=align, size=size, weight=weight,
                    transform=place)  # fmt: skip
    look: dict[str, Any] = {
        "facecolor": style.get("fill", "none"),
        "edgecolor": style.get("stroke", "none"),
        "linewidth": _POINT * float(style.get("stroke-width", 0)),
        "alpha": float(style.get("opacity", 1)),
        "transform": place,
    }
    if "stroke-dasharray" in style:
        look["linestyle"] = (0, [float(part) / 1.4 for part in style["stroke-dasharray"].split()])
    if tag == "circle":
        return Ellipse((number["cx"], number["cy"]), 2 * number["r"], 2 * number["r"], **look)
    return PathPatch(_path(tag, element, number), **look)


_PLACES = frozenset({"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"})


def _path(tag: str, element: ET.Element, number: Mapping[str, float]) -> Any:
    """Lines, boxes and paths of SVG as a path of matplotlib."""
    from matplotlib.path import Path as Outline

    if tag == "line":
        ends = [(number.get(f"x{k}", 0.0), number.get(f"y{k}", 0.0)) for k in (1, 2)]
        return Outline(ends)
    if tag == "rect":
        x, y, width, height = (number[key] for key in ("x", "y", "width", "height"))
        return Outline([(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)])
    points, codes, x, y = [(0.0, 0.0)], [Outline.MOVETO], 0.0, 0.0
    for letter, text in _STEP.findall(element.get("d", "")):
        values = [float(value) for value in _NUMBER.findall(text)]
        if letter == "Z":
            points.append((x, y))
            codes.append(Outline.CLOSEPOLY)
            continue
        x = x + values[0] if letter in "lm" else values[0] if letter in "MLH" else x
        y = y + values[1] if letter in "lm" else values[-1] if letter in "MLV" else y
        points.append((x, y))
        codes.append(Outline.MOVETO if letter in "Mm" else Outline.LINETO)
    return Outline(points, codes)


@functools.cache
def _computed_style(kinds: str) -> Mapping[str, str]:
    """The properties that the style sheet gives to these classes, with variables and `currentColor` resolved."""
    mine, found, names = set(kinds.split()), dict[str, str](), dict[str, str]()
    for selector, text in _RULE.findall(plot_style()):
        declared = dict(re.findall(r"([\w-]+):\s*([^;]+);?", text))
        if selector.strip() == ":root":
            names = declared
        elif set(selector.strip().removeprefix(".").split(".")) <= mine:
            found |= declared
    resolved = {key: re.sub(r"var\((--\w+)\)", lambda name: names[name[1]], value) for key, value in found.items()}
    return {key: resolved["color"] if value == "currentColor" else value for key, value in resolved.items()}
