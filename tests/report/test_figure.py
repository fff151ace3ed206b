"""Pictures become files, whole or not at all: SVG by itself, PNG and PDF with the same shapes."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from torquec.errors import ArgumentError, MissingExtraError
from torquec.report.blocks import Axis, LimitLine, Plot, Series, Style
from torquec.report.figure import new_figure, save_figure, sheet_svg, write_picture
from torquec.report.provenance import Number, computed

pytest.importorskip("matplotlib")

BY = computed("a sum")
CURVE = Series("a < b", (0.0, 1.0, 2.0), (0.0, 4.0, 1.0), BY)
BAND = Series("band", (0.0, 1.0, math.nan, 2.0, 3.0), (1.0,) * 5, BY, Style.BAND, low=(0.0,) * 5)
LEVELS = Series("levels", (0.0, 3.0), (0.0, 1.0), BY, Style.POINTS, levels=(0.0, 1.0), level_name="x")
CROSS = Series("cross", (1.0,), (1.0,), BY, Style.CROSSES)
LIMIT = LimitLine("limit", Number(3.0, BY))
PLOTS = [Plot("one \x00", Axis("x", log=False), Axis("y"), (CURVE, BAND), (LIMIT,))]
PLOTS += [Plot("two", Axis("x"), Axis("y", low=0.0, high=0.5), (LEVELS, CROSS))]
SVG = "{http://www.w3.org/2000/svg}"


def test_a_sheet_holds_titles_legend_and_all_shapes():
    root = ET.fromstring(sheet_svg(PLOTS, "a long title, " * 12))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"one ?", "two", "a < b", "band", "levels", "cross", "limit"} <= set(words)
    assert sum("long title" in word for word in words) > 1  # broken into lines
    bands = [path for path in root.iter(f"{SVG}path") if path.get("class").startswith("band")]
    assert bands[0].get("d").count("Z") == 2  # a gap parts them
    assert all(0.0 <= float(text.get("x")) <= float(root.get("width")) for text in root.iter(f"{SVG}text"))


def test_an_svg_needs_no_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert write_picture(PLOTS, tmp_path / "a.svg", title="t").read_text().startswith("<svg")
    with pytest.raises(MissingExtraError, match=r"torquec\[plot\]"):
        write_picture(PLOTS, tmp_path / "a.png", title="t")


def test_a_png_shows_the_colours_of_the_style_sheet_where_the_svg_has_its_shapes(tmp_path):
    from matplotlib.image import imread

    drawn = imread(write_picture([Plot("t", Axis("x"), Axis("y"), (CURVE,))], tmp_path / "a.png", title="t"))[..., :3]
    blue = np.array([0x1D, 0x6F, 0xD1]) / 255.0
    rows, columns = np.nonzero(np.abs(drawn - blue).max(axis=2) < 0.05)
    root = ET.fromstring(sheet_svg([Plot("t", Axis("x"), Axis("y"), (CURVE,))], "t"))
    scale = drawn.shape[1] / float(root.get("width"))
    path = next(path for path in root.iter(f"{SVG}path") if path.get("class") == "curve c0")
    corners = np.array([list(map(float, pair.split())) for pair in re.findall(r"[ML]([\d.]+ [\d.]+)", path.get("d"))])
    shift = [float(value) for value in re.findall(r"[\d.]+", list(root.iter(f"{SVG}g"))[1].get("transform"))]
    expected = scale * (corners + shift)
    assert columns.min() == pytest.approx(expected[:, 0].min(), abs=3.0)
    assert columns.max() == pytest.approx(expected[:, 0].max(), abs=3.0)
    assert rows.min() == pytest.approx(expected[:, 1].min(), abs=3.0)
    assert rows.max() == pytest.approx(expected[:, 1].max(), abs=3.0)


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_every_shape_becomes_a_picture(tmp_path, suffix):
    found = write_picture(PLOTS, tmp_path / f"a.{suffix}", title="t").read_bytes()
    assert found.startswith({"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix])
    assert len(found) > 2000


def test_the_suffix_chooses_the_format(tmp_path):
    figure = new_figure(2.0, 1.0)
    figure.add_subplot().plot([0, 1], [1, 0])
    assert save_figure(figure, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in save_figure(figure, tmp_path / "a.svg").read_bytes()


@pytest.mark.parametrize("name", ["a.nonsense", "no/such/folder/a.png"])
def test_what_cannot_be_written_leaves_nothing(tmp_path, name):
    with pytest.raises(ArgumentError, match=r"cannot draw there|cannot be written"):
        save_figure(new_figure(1.0, 1.0), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="plot"):
        new_figure(1.0, 1.0)
