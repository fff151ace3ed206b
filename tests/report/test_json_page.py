"""The twin of a page: blocks with their names, numbers with how they were obtained, gaps as null."""

from __future__ import annotations

import json
import math

from tests.report.test_html_page import BLOCKS

from torquec.report.blocks import Axis, LiveView, Plot, Report, Section, Series, fact
from torquec.report.json_page import report_json
from torquec.report.provenance import Number, computed

BY = computed("a sum")


def test_everything_that_the_page_shows():
    gap = Plot("gap", Axis("x"), Axis("y"), (Series("a", (0.0, 1.0), (math.nan, 2.0), BY),))
    live = LiveView("<html>", "the arm")
    report = Report("t", (Section("s", "S", (*BLOCKS, gap, live)),), (fact("a", Number(1, BY)),), ("p",), (), "1.0")
    document = json.loads(report_json(report))
    assert document["format"] == "torquec-report"
    assert document["problems"] == ["p"]
    assert document["highlights"] == [
        {"label": "a", "parts": [{"value": 1, "unit": "", "obtained": "computed", "from": "a sum"}]}
    ]
    blocks = document["sections"][0]["blocks"]
    assert [block["block"] for block in blocks[:3]] == ["paragraph", "paragraph", "subheading"]
    assert blocks[-2]["series"][0]["y"] == [None, 2.0]
    assert blocks[-1] == {"block": "liveview", "words": "the arm"}
    assert all("mathml" not in block and "svg" not in block for block in blocks)
