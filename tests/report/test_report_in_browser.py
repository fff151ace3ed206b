"""The page in a real browser: opened from disk, nothing requested, hovering and sorting answer, it fits a phone.

Needs Playwright and a Chromium on the PATH; without them these tests are skipped.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from tests.page.browser import CONTRAST, launched, pixels
from tests.page.browser import opened as opened_view
from tests.patience import HANGS
from tests.report.result_folders import made_folder

from torquec.report.blocks import DataTable, Report, Section
from torquec.report.html_page import report_html
from torquec.report.provenance import Number, computed
from torquec.report.report import write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    made = write_report(made_folder(), tmp_path_factory.mktemp("browser") / "report.html", live=False)
    return made.page, json.loads(made.twin.read_text())


@pytest.fixture(scope="module")
def chromium():
    with launched() as browser:
        yield browser


@pytest.fixture
def opened(chromium, report):
    """Opens the page; what it complains of or asks the network for is collected."""
    contexts = []

    def open_page(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("console", lambda message: page.troubles.append(message.text))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or page.troubles.append(request.url))
        page.goto(report[0].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_hovering_tells_values_and_sorting_sorts(opened, report):
    page = opened(viewport={"width": 1200, "height": 900})
    unfold(page)
    plot = page.locator("#tracking svg.plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.locator("#tip").wait_for(state="visible")
    told = page.locator("#tip").inner_text()
    assert "time" in told
    assert "mrad" in told
    _, twin = report
    tracking = next(section for section in twin["sections"] if section["name"] == "tracking")
    series = next(block for block in tracking["blocks"] if block["block"] == "gallery")["plots"][0]["series"][-1]
    value = float(told.rstrip().removesuffix("mrad").split()[-1])
    assert any(abs(value - y) <= 1e-4 * abs(y) for y in series["y"])
    page.mouse.move(2, 2)
    page.locator("#tip").wait_for(state="hidden")
    table = page.locator("#times table")
    head = table.locator("th", has_text="best")
    for direction in (1, -1):
        head.locator("button").click()
        column = head.evaluate("cell => cell.cellIndex")
        values = table.locator("tbody tr").evaluate_all(f"rows => rows.map(row => +row.cells[{column}].dataset.value)")
        assert values == sorted(values, reverse=direction < 0)
        assert len(values) > 3
    assert head.get_attribute("aria-sort") == "descending"
    assert page.troubles == []


def test_a_tag_leads_to_its_source(opened):
    page = opened(viewport={"width": 1200, "height": 900})
    unfold(page)
    tag = page.locator("#proof a.tag.proved").first
    tag.click()
    page.wait_for_url("**#*")  # within the page, which a click does not wait for
    source = page.locator(page.url.partition("#")[2].join(("#", "")))
    assert "torquec check" in source.inner_text()
    assert page.troubles == []


def test_a_term_that_is_wider_than_a_phone_scrolls_by_itself(opened):
    page = opened(viewport={"width": 390, "height": 800})
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    page.locator(".terms math").first.evaluate("term => { term.style.paddingRight = '600px'; }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".terms").first.evaluate("box => box.scrollWidth > box.clientWidth")


def test_it_fits_a_phone_and_follows_light_and_dark(opened):
    backgrounds = set()
    for scheme in ("light", "dark"):
        page = opened(viewport={"width": 390, "height": 800}, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.troubles == []
    assert len(backgrounds) == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(opened, scheme):
    page = opened(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert page.evaluate(CONTRAST) == []


def unfold(page):
    page.locator("section > details").evaluate_all("all => all.forEach(one => { one.open = true; })")


def open_details(page):
    return page.locator("details").evaluate_all("all => all.map(one => one.open)")


def test_on_a_phone_sections_are_folded_to_what_they_found(opened):
    page = opened(viewport={"width": 390, "height": 800})
    titles = page.locator("section > details > summary")
    assert titles.count() > 5
    for title in titles.all():
        assert title.is_visible()
        assert len(title.locator(".result").inner_text()) > 5 or title.locator("..").get_attribute("open") is not None
    assert page.locator("section > details[open]").count() == 0  # the first screen has the answer
    screens = page.evaluate("document.documentElement.scrollHeight / innerHeight")
    page.locator("section > details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert screens < 0.35 * page.evaluate("document.documentElement.scrollHeight / innerHeight")
    assert page.troubles == []


def test_on_a_phone_equations_and_captions_have_its_whole_width(opened):
    """Terms cut off at the edge of a narrow column read like other terms."""
    page = opened(viewport={"width": 390, "height": 844})
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    for name, part in ((".equation", ".terms"), (".sheet", "caption")):
        widths = page.evaluate(
            "([name, part]) => [...document.querySelectorAll(name)].filter(e => e.querySelector(part))"
            ".map(e => [e.clientWidth, e.querySelector(part).getBoundingClientRect().width])",
            [name, part],
        )
        assert widths
        assert all(whole > 200.0 for whole, _ in widths)
        assert all(0.9 * whole <= inner <= whole + 1.0 for whole, inner in widths if part == ".terms")
        assert all(inner <= whole + 1.0 for whole, inner in widths)


def test_on_paper_the_names_of_columns_are_no_controls(opened):
    """Chromium leaves buttons out where a table goes on, and the columns there had no names."""
    page = opened(viewport={"width": 1200, "height": 900})
    page.emulate_media(media="print")
    shown = page.evaluate("[...document.querySelectorAll('th button')].map(e => getComputedStyle(e).display)")
    assert shown
    assert set(shown) == {"contents"}
    titles = page.evaluate("[...document.querySelectorAll('summary')].map(e => getComputedStyle(e).breakAfter)")
    assert set(titles) == {"avoid"}


def test_a_link_opens_what_it_leads_to(opened):
    page = opened(viewport={"width": 390, "height": 800})
    assert page.locator("#tracking svg.plot").first.is_hidden()
    page.locator("nav a[href='#tracking']").click()
    assert page.locator("#tracking > details").get_attribute("open") is not None
    page.locator("#tracking a.tag:visible").first.click()
    page.wait_for_url("**#source-*")
    assert page.locator("#sources .sources").is_visible()


def test_paper_shows_every_section_and_the_screen_what_it_showed_before(opened):
    page = opened(viewport={"width": 390, "height": 800})
    before = open_details(page)
    assert not any(before)
    page.emulate_media(media="print")
    page.locator("section > details:not([open])").first.wait_for(state="detached")
    assert page.locator("svg.plot:visible").count() > 2
    assert page.locator("section details details:not([open])").count() > 2  # what is folded in a section stays so
    page.emulate_media(media="screen")
    page.locator("section > details:not([open])").first.wait_for(state="attached")
    assert open_details(page) == before


def test_the_first_screen_answers_whether_this_may_go_on_the_robot(opened, report):
    page = opened(viewport={"width": 1440, "height": 900})
    box = page.locator("#decision").bounding_box()
    assert box["y"] + box["height"] <= 900.0  # one screen
    words = page.locator("#decision").inner_text()
    found = report[1]["decision"]
    assert found["answer"] in words
    labels = [fact["label"] for fact in found["facts"]]
    for label in ("Measure on the robot first", "Failures and warnings", *labels):
        assert label.lower() in words.lower()
    assert page.locator("#decision svg").is_visible()
    assert all(page.locator("section > details").evaluate_all("all => all.map(one => !one.open)"))
    for title in page.locator("section > details > summary").all():
        assert len(title.locator(".result").inner_text()) > 5
    assert page.troubles == []


def test_plots_of_one_gallery_share_their_cursor_and_can_be_enlarged(opened):
    page = opened(viewport={"width": 1200, "height": 900})
    unfold(page)
    first, second = page.locator("#tracking .gallery").first.locator("svg.plot").all()[:2]
    first.scroll_into_view_if_needed()
    box = first.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.locator("#tip").wait_for(state="visible")
    places = [one.locator(".pointer.on .cross").get_attribute("x1") for one in (first, second)]
    assert float(places[0]) == pytest.approx(float(places[1]), abs=2.0)
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert first.bounding_box()["width"] > 1.7 * box["width"]
    assert page.troubles == []


def test_a_long_table_is_folded_and_can_be_kept_as_csv(chromium, tmp_path):
    rows = tuple((f"term, {k}", Number(0.1 * k, computed("a sum"))) for k in range(30))
    shown = Section("long", "Long", (DataTable(("term", "size"), rows, "Terms"),))
    path = tmp_path / "long.html"
    path.write_text(report_html(Report("long", (shown,), (), (), (), "0")), encoding="utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())
    assert page.locator("table").first.is_hidden()
    page.locator("summary", has_text="Terms (30)").click()
    with page.expect_download() as kept:
        page.locator("button.csv").click()
    lines = kept.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ['"term","size"', '"term, 0",0.0', '"term, 1",0.1']
    assert len(lines) == 31
    page.close()


@pytest.mark.slow
def test_the_demo_is_at_most_eight_printed_pages(chromium, tmp_path):
    command = [sys.executable, "-m", "torquec", "demo", "-o", str(tmp_path / "demo")]
    subprocess.run(command, check=True, capture_output=True, timeout=HANGS)
    page = chromium.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto((tmp_path / "demo" / "report.html").as_uri())
    box = page.locator("#decision").bounding_box()
    assert box["y"] + box["height"] <= 900.0  # one screen
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= 8
    page.close()


def test_on_paper_there_is_no_menu(opened):
    page = opened(viewport={"width": 800, "height": 900})
    assert page.locator("nav").is_visible()
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("svg.plot").first.is_visible()


@pytest.mark.slow
def test_the_robot_moves_inside_the_report(chromium, tmp_path):
    """Under the report's policy and in its sandbox the live view computes, draws, plays, and asks for nothing."""
    made = write_report(made_folder(), tmp_path / "report.html")
    assert "unsafe-inline" not in made.page.read_text(encoding="utf-8")
    with opened_view(chromium, made.page, ready=False) as found:
        # Browsers draw no frames that are folded or out of sight.
        found.page.locator("details:has(iframe.live) > summary").first.click()
        found.page.locator("iframe.live").scroll_into_view_if_needed()
        frame = found.page.frame_locator("iframe.live")
        frame.locator("html[data-ready=yes]").wait_for(state="attached")
        assert pixels(frame.locator("#scene canvas").screenshot()).std() > 1.0
        assert "planar2r" in frame.locator("#name").inner_text()
        # The view's own style is in force, and its bars are as long as the script says.
        assert frame.locator("main").evaluate("e => getComputedStyle(e).display") in ("grid", "block")
        assert (
            frame.locator(".track .total")
            .first.evaluate("e => e.style.width + getComputedStyle(e).position")
            .endswith("%absolute")
        )
        place = frame.locator(".player input[type=range]")
        place.evaluate("e => { e.value = e.max; e.dispatchEvent(new Event('input')); }")
        last = np.loadtxt(made_folder() / "run" / "run.csv", delimiter=",", skiprows=1)[-1]
        field = frame.get_by_label("position of joint1").first
        assert np.deg2rad(float(field.input_value())) == pytest.approx(last[1], abs=1e-4)
        assert "simulated" in frame.locator(".legend").first.inner_text()
        reference = frame.get_by_role("button", name="reference")
        reference.click()
        assert reference.get_attribute("aria-pressed") == "true"
        assert found.complaints == []
        assert [url for url in found.requests if not url.startswith(("file:", "about:", "data:"))] == []
