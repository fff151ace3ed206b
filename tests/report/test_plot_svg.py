"""Drawings: values at their places, round ticks, gaps, data for the pointer."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET

import pytest

from torquec.report.blocks import Axis, Bars, LimitLine, Plot, Series, Style
from torquec.report.plot_svg import bars_svg, plot_svg, scale_of
from torquec.report.provenance import Number, computed, proved

BY = computed("a sum")


def drawn(*series, x=None, y=None, rules=()):
    text = plot_svg(Plot("a <plot>", x or Axis("x"), y or Axis("y"), series, rules), "plot-1")
    svg, _, rest = text.partition("<script")
    data = rest.partition(">")[2].removesuffix("</script>")
    return ET.fromstring(svg), json.loads(data)


def test_a_line_goes_through_its_points():
    tree, data = drawn(Series("a", (0.0, 1.0, 2.0), (0.0, 4.0, 1.0), BY))
    path = next(element for element in tree.iter("path") if "curve" in element.get("class"))
    points = [tuple(map(float, pair.split())) for pair in re.findall(r"[ML]([\d.]+ [\d.]+)", path.get("d"))]
    low, high, start, end, _ = data["x"]
    assert [x for x, _ in points] == pytest.approx(
        [start + (end - start) * (x - low) / (high - low) for x in (0.0, 1.0, 2.0)], abs=0.06
    )
    assert points[1][1] < points[2][1] < points[0][1]  # larger values are higher on the screen
    assert data["s"][0]["y"] == [0.0, 4.0, 1.0]
    assert tree.get("aria-label") == "a <plot>"


def test_proven_bounds_beside_the_pointer_are_rounded_up():
    values = (1.000011, 0.3333313, 2.0)
    _, data = drawn(Series("a", (0.0, 1.0, 2.0), values, proved("a tube")))
    assert data["s"][0]["y"] == [1.0001, 0.33334, 2.0]


def test_gaps_interrupt_a_line():
    tree, data = drawn(Series("a", (0.0, 1.0, 2.0, 3.0), (0.0, math.nan, 1.0, 2.0), BY))
    path = next(element for element in tree.iter("path") if "curve" in element.get("class"))
    assert path.get("d").count("M") == 2
    assert data["s"][0]["y"] == [0.0, None, 1.0, 2.0]


def test_steps_bands_points_and_rules():
    steps = Series("s", (0.0, 1.0), (2.0, 1.0), BY, Style.STEPS)
    band = Series("b", (0.0, 1.0), (2.0, 1.0), BY, Style.BAND, low=(0.0, 0.5))
    dots = Series("p", (0.0, 1.0), (2.0, 1.0), BY, Style.POINTS, labels=("one", "two"))
    coloured = Series("l", (0.0, 1.0), (2.0, 1.0), BY, Style.POINTS, levels=(0.0, 9.0), level_name="a")
    tree, data = drawn(steps, band, dots, coloured, rules=(LimitLine("limit", Number(1.5, BY)),))
    paths = [element.get("d") for element in tree.iter("path")]
    assert "H" in paths[0]
    assert paths[1].endswith("Z")
    assert [c.get("class") for c in tree.iter("circle")] == ["dot c2", "dot c2", "dot l0", "dot l9"]
    assert sum(line.get("class") == "rule" for line in tree.iter("line")) == 1
    assert data["s"][2]["t"] == ["one", "two"]
    assert data["s"][3]["v"] == [0.0, 9.0]
    assert not data["curves"]


def test_names_cannot_leave_the_data():
    text = plot_svg(Plot("t", Axis("x"), Axis("y"), (Series("</script>", (0.0,), (0.0,), BY),)), "p")
    assert text.count("</script>") == 1
    assert "\\u003c/script>" in text


def test_logarithms_show_decades_and_no_zeros():
    scale = scale_of(Axis("x", log=True), [0.0, 0.001, 1.0, 1000.0], 0.0, 100.0)
    assert scale.ticks == (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)[:: 2 if len(scale.ticks) < 6 else 1]
    assert scale.place(1.0) == pytest.approx(50.0)
    assert scale.place(0.0) == 0.0
    narrow = scale_of(Axis("x", log=True), [2.0, 30.0], 0.0, 100.0)
    assert narrow.ticks == (2.0, 5.0, 10.0, 20.0)


@pytest.mark.parametrize("values", [[], [3.0], [0.0, 0.0], [-1e-9, 1e9], [math.nan, 5.0], [1e300, 1e-300]])
def test_any_values_have_a_scale(values):
    for log in (False, True):
        scale = scale_of(Axis("x", log=log), values, 10.0, 90.0)
        assert scale.low < scale.high
        assert all(10.0 - 1e-6 <= scale.place(tick) <= 90.0 + 1e-6 for tick in scale.ticks)
        assert len(scale.ticks) <= 30


def test_bars_are_as_long_as_their_values():
    numbers = tuple(Number(value, BY, "%") for value in (10.0, 40.0))
    limit = LimitLine("allowed", Number(100.0, BY, "%"))
    tree = ET.fromstring(bars_svg(Bars("t", Axis("x", "%"), ("a", "b" * 40), (("proven", numbers),), limit), "p"))
    short, long = (float(rect.get("width")) for rect in tree.iter("rect"))
    assert long == pytest.approx(4.0 * short, abs=0.3)
    assert next(title.text for title in tree.iter("title")) == "a, proven: 10 %"
