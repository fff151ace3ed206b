"""The scene of the guaranteed tube in a real browser: sliders choose robots, the tube holds, nothing is requested."""

from __future__ import annotations

import json
import re

import pytest
from tests.page.browser import CONTRAST, launched
from tests.page_blocks import ROOT

SCENE = ROOT / "docs" / "_static" / "guaranteed_tube.html"


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


def scene(browser, **options):
    page = browser.new_context(**options).new_page()
    page.troubles = []
    page.on("console", lambda message: page.troubles.append(message.text))
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or page.troubles.append(request.url))
    page.goto(SCENE.as_uri())
    return page


def test_no_robot_of_the_page_leaves_its_tube():
    """By the page's own numbers: thousandths of the bound, of every robot, joint and sample."""
    text = SCENE.read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert len(data["errors"]) == len(data["friction"]) * len(data["bodies"]) * len(data["payload"])
    assert 50 < max(abs(value) for run in data["errors"] for joint in run for value in joint) < 1000


def test_the_page_is_made_from_its_template():
    """Style and script are the template's: the page is drawn again after a change of either."""
    template = (ROOT / "examples" / "scenes" / SCENE.name).read_text(encoding="utf-8")
    for tag in ("style", "script"):
        part = re.search(rf"<{tag}>(.*?)</{tag}>", template, re.DOTALL)[0]
        assert part in SCENE.read_text(encoding="utf-8"), "python examples/guaranteed_tube.py writes it again"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pushing_a_slider_shows_another_robot(browser, scheme):
    page = scene(browser, viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    before = page.locator("svg .now").first.get_attribute("d")
    page.locator("#friction").press("End")
    assert page.locator("svg .now").first.get_attribute("d") != before
    assert "+30 %" in page.locator("label").first.inner_text()
    assert "2 of 45 robots tried" in page.locator("#verdict").inner_text()
    assert "The tube holds" in page.locator("#verdict").inner_text()
    page.locator("#clear").click()
    assert "1 of 45" in page.locator("#verdict").inner_text()
    assert page.evaluate(CONTRAST) == []
    assert page.troubles == []


def test_it_fits_a_phone(browser):
    page = scene(browser, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#plots svg").count() == 3
    assert page.troubles == []
