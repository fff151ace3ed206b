"""The heat map of the mass matrix in a real browser: every number can be read, whatever the joints and the width."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from tests.page.browser import launched, opened
from tests.parameters.serial_arms import QUARTER, dh_arm, shared_model

from torquec.page.view_page import view_page
from torquec.robot import classics
from torquec.spatial import Inertia

WIDTHS = (390, 900, 1440)
MODELS = {"puma560": 6, "seven": 7, "ur5.urdf": 6, "xarm7.urdf": 7, "panda.urdf": 8, "talos_reduced.urdf": 32}

BOXES = """() => {
  for (const part of document.querySelectorAll("details")) part.open = true;
  return [...document.querySelectorAll(".matrix tbody button")].map((button) => {
    const range = document.createRange();
    range.selectNodeContents(button);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const cell = button.parentElement.getBoundingClientRect();
    return { left, right, top, bottom, cell: [cell.left, cell.right], text: button.textContent };
  });
}"""

MOVE = "k => torquec.state.setPosture(Array.from(torquec.state.q, (_, i) => Math.sin(1 + k + 1.7 * i)))"


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


def seven_joints():
    """An arm of seven joints whose last links are small: their entries have many decimals."""
    robot = dh_arm("seven", [(False, QUARTER * (-1) ** k, 0.05, 0.0, 0.2) for k in range(7)])
    small = Inertia.from_center_of_mass(0.02, (0.01, 0.0, 0.01), ((2e-5, 0.0, 0.0), (0.0, 2e-5, 0.0), (0.0, 0.0, 1e-5)))
    bodies = [dataclasses.replace(body, inertia=small) if k > 4 else body for k, body in enumerate(robot.bodies)]
    return dataclasses.replace(robot, bodies=tuple(bodies))


@pytest.fixture(scope="module", params=MODELS)
def page_file(request, browser, tmp_path_factory):
    name = request.param
    robot = seven_joints() if name == "seven" else shared_model(name) if "." in name else classics.load_classic(name)
    assert robot.n == MODELS[name]
    path = tmp_path_factory.mktemp("matrix") / "page.html"
    path.write_text(view_page(robot).html, encoding="utf-8")
    return path, robot.n


def overlapping(boxes):
    """Texts that share more than half a pixel across and down."""
    rows = {}
    for box in boxes:
        rows.setdefault(round(box["top"]), []).append(box)
    pairs = []
    for row in rows.values():
        ordered = sorted(row, key=lambda box: box["left"])
        pairs += [(a["text"], b["text"]) for a, b in itertools.pairwise(ordered) if b["left"] < a["right"] - 0.5]
    return pairs


def test_texts_over_each_other_would_be_found():
    first = {"left": 10.0, "right": 50.0, "top": 5.0, "text": "-0.0012"}
    assert overlapping([first, {**first, "left": 40.0, "right": 80.0}]) == [("-0.0012", "-0.0012")]
    assert overlapping([first, {**first, "left": 52.0, "right": 92.0}]) == []
    assert overlapping([first, {**first, "top": 25.0}]) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_do_not_overlap(browser, page_file, width):
    path, n = page_file
    with opened(browser, path, viewport={"width": width, "height": 900}) as page:
        for k in range(3):
            page.ask(MOVE, k)
            page.wait_for_picture()
            boxes = page.ask(BOXES)
            assert len(boxes) == n * (n + 2)
            assert max(len(box["text"]) for box in boxes) > 3
            assert overlapping(boxes) == []
            outside = [b for b in boxes if b["left"] < b["cell"][0] - 0.5 or b["right"] > b["cell"][1] + 0.5]
            assert outside == []
        assert page.ask("document.documentElement.scrollWidth") <= width
        assert page.complaints == []


def test_columns_do_not_change_back_and_forth_as_the_arm_moves(browser, page_file):
    """A column keeps the width of the longest number that it has had."""
    path, _ = page_file
    widths = "[...document.querySelectorAll('.matrix thead th')].map(e => parseFloat(e.style.minWidth) || 0)"
    with opened(browser, path) as page:
        before = page.ask(widths)
        for k in range(4):
            page.ask(MOVE, k)
            page.wait_for_picture()
            after = page.ask(widths)
            assert all(new >= old for old, new in zip(before, after, strict=True))
            before = after
        assert max(before) >= 4


@pytest.mark.slow
def test_on_paper_every_column_is_within_the_sheet_and_on_a_phone_the_edge_fades_until_its_end(browser, page_file):
    path, _ = page_file
    with opened(browser, path, viewport={"width": 390, "height": 900}) as page:
        fade = "() => parseFloat(getComputedStyle(document.querySelector('.scroll')).getPropertyValue('--fade'))"
        hidden = "() => { const s = document.querySelector('.scroll'); return s.scrollWidth - s.clientWidth; }"
        assert (page.ask(fade) > 0.0) == (page.ask(hidden) > 0)
        page.ask("() => { document.querySelector('.scroll').scrollLeft = 1e6; }")
        page.wait(f"({fade})() < 0.5")
        page.page.set_viewport_size({"width": 720, "height": 1000})  # A4 with its margins
        page.page.emulate_media(media="print")
        cells = page.ask(BOXES)
        assert max(box["cell"][1] for box in cells) <= 720.0
        assert min(box["cell"][0] for box in cells) >= 0.0
        assert overlapping([box for box in cells if box["right"] > box["left"]]) == []
