"""The page as a text: what it holds, and what is refused before any work."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import html
import json
import re

import pytest

from torquec.errors import ArgumentError, TorquecError
from torquec.page import build_bundle, self_contained
from torquec.page.build_bundle import COMMAND, is_up_to_date
from torquec.page.view_document import robot_document
from torquec.page.view_page import show, view_page
from torquec.robot import classics
from torquec.spatial import Inertia
from torquec.trajectory import puma560_standard_trajectory

needs_bundle = pytest.mark.skipif(not is_up_to_date(), reason=f"the script of the pages was not made: {COMMAND}")
HOSTILE = "</script><script>alert(1)</script><!--\u2028&amp;'\""


def data_of(text):
    """The document of a page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def renamed(robot, name):
    first = robot.bodies[0]
    body = dataclasses.replace(first, name=name, joint=dataclasses.replace(first.joint, name=name))
    frames = tuple(dataclasses.replace(frame, name=f"{name}{k}") for k, frame in enumerate(robot.frames))
    return dataclasses.replace(robot, name=name, bodies=(body, *robot.bodies[1:]), frames=frames)


def test_the_mass_is_that_of_what_moves():
    robot = dataclasses.replace(classics.planar2r(), base_inertia=Inertia(m=100.0))
    assert robot_document(robot, (), ())["mass"] == robot.moving_mass == robot.mass - 100.0


@needs_bundle
def test_a_page_holds_everything_and_allows_its_own_script_alone():
    text = view_page(classics.puma560()).html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    script = re.search(r"<script>(.*)</script>\n</body>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}' 'wasm-unsafe-eval'"
    assert not re.search(r'(?:src|href)\s*=\s*["\']?(?:https?:)?//', text.replace(script, ""))


@needs_bundle
def test_hostile_names_are_data():
    text = view_page(renamed(classics.planar2r(), HOSTILE)).html
    assert text.count("<script") == view_page(classics.planar2r()).html.count("<script")
    assert "<script>alert" not in text
    data = data_of(text)
    assert data["name"] == data["joints"][0]["name"] == HOSTILE


@needs_bundle
def test_sizes_and_what_a_view_tells():
    view = view_page(classics.puma560(), trajectory=puma560_standard_trajectory(period=0.01))
    assert view.hands == ("link6",)
    assert view.problems == ()
    assert 0 < view.module_bytes <= 64_000
    assert len(view.html) <= 1_500_000
    data = data_of(view.html)
    assert data["motions"][0]["samples"] > 10
    assert base64.b64decode(data["module"]["code"])[:4] == b"\0asm"


def test_a_missing_or_old_bundle_is_named_with_its_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(self_contained, "BUNDLE", tmp_path)
    monkeypatch.setattr(self_contained, "is_up_to_date", lambda: False)
    with pytest.raises(TorquecError, match="was not made when Torquec was installed") as caught:
        view_page(classics.planar2r())
    assert build_bundle.COMMAND in caught.value.remedy
    (tmp_path / build_bundle.SCRIPT).write_text("")
    with pytest.raises(TorquecError, match="older than its sources"):
        view_page(classics.planar2r())


@needs_bundle
def test_one_motion_of_the_robots_own_joints():
    motion = puma560_standard_trajectory(period=0.1)
    with pytest.raises(ArgumentError, match="the motion is of"):
        view_page(classics.planar2r(), trajectory=motion)


@needs_bundle
def test_a_notebook_shows_the_page_in_a_frame():
    shown = show(classics.planar2r(), meshes=False)._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', shown)
    assert html.unescape(frame[1]) == view_page(classics.planar2r(), meshes=False).html
