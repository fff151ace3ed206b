"""A real browser for tests of pages: Debian's Chromium, drawing in software; without one the tests skip, aloud."""

from __future__ import annotations

import io
import os
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from tests.patience import HANGS

from torquec.page.build_bundle import COMMAND, is_up_to_date

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")

CONTRAST = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].map((x) => x / 255);
  };
  const over = (top, below) => below.map((x, k) => top[3] * top[k] + (1 - top[3]) * x);
  const light = (c) => {
    const [r, g, b] = c.map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.unshift(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, top) => over(top, below), [1, 1, 1]);
  };
  const poor = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own && e.tagName !== "INPUT") continue;
    if (!e.checkVisibility() || e.closest("#scene") || ["SCRIPT", "OPTION"].includes(e.tagName)) continue;
    if (e.disabled || ["range", "checkbox"].includes(e.type)) continue;
    const style = getComputedStyle(e);
    const back = ground(e);
    const front = over(rgba(e instanceof SVGElement ? style.fill : style.color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${e.outerHTML.slice(0, 80)} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""
"""Texts whose contrast with their ground is below 4.5 (WCAG AA), with the ratio."""


def chromium():
    """The path of the browser, skipping the test where there is none."""
    pytest.importorskip("playwright", reason="pages are not tested: playwright is not installed")
    if not is_up_to_date():
        pytest.skip(f"pages are not tested: their script was not made ({COMMAND})")
    path = os.environ.get("TORQUEC_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("pages are not tested: there is no Chromium (Debian: apt install chromium)")
    return path


@contextmanager
def launched():
    """The browser, closed in the end."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Opened:
    """A page in the browser, what it asked for, and what it complained about."""

    page: object
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def ask(self, expression, argument=None):
        """The value of an expression of JavaScript; `torquec` is what the page offers to tests."""
        return self.page.evaluate(expression, argument)

    def wait(self, expression):
        """Until an expression is true. Playwright's own way evaluates text in the page, which the policy forbids."""
        self._until(lambda: self.page.evaluate(expression), expression)

    def wait_for_picture(self):
        """Until what was asked to be drawn is drawn: a picture is made with the next frame, late on a busy machine."""
        self.wait("!torquec.scene.waiting")

    def wait_for_complaint(self, *words):
        """Until the page has complained with these words."""
        self._until(lambda: any(all(word in text for word in words) for text in self.complaints), f"complaint {words}")

    def _until(self, is_so, what):
        end = time.monotonic() + HANGS
        while not is_so():
            assert time.monotonic() < end, f"it never became true: {what}"
            self.page.wait_for_timeout(30)

    def canvas_pixels(self):
        self.wait_for_picture()
        return pixels(self.page.locator("#scene canvas").screenshot())


@contextmanager
def opened(browser, path, *, script="", before=None, ready=True, **context):
    """A file of a page, opened; fails where it asks for anything else or complains, unless the test looks itself.

    `script` runs in the page before its own, `before` is given the page before it is opened.
    """
    with browser.new_context(**{"viewport": {"width": 960, "height": 640}, **context}) as made:
        page = made.new_page()
        page.set_default_timeout(1000.0 * HANGS)
        found = Opened(page)
        page.on("request", lambda request: found.requests.append(request.url))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on(
            "console", lambda message: message.type in ("error", "warning") and found.complaints.append(message.text)
        )
        page.on("dialog", lambda dialog: found.complaints.append(f"dialog {dialog.message}") or dialog.dismiss())
        if script:
            page.add_init_script(script)
        if before is not None:
            before(page)
        page.goto(path.resolve().as_uri())
        if ready:
            found.wait("document.documentElement.dataset.ready === 'yes'")
        yield found


def pixels(png):
    """A PNG as an array (height, width, 3)."""
    image = pytest.importorskip("PIL.Image", reason="pictures of pages are not looked at: Pillow is not installed")
    return np.asarray(image.open(io.BytesIO(png)).convert("RGB"), dtype=float)


def is_blank(picture):
    """Whether nothing is to be seen: hardly any pixel differs from its neighbours across or down."""
    across = np.abs(np.diff(picture, axis=1)).max(axis=2) > 12.0
    return bool(across.mean() < 2e-3 or picture.std() < 4.0)
