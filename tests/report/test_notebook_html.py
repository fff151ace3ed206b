"""Displays in notebooks: every class of the table, well-formed HTML, hostile names escaped, long tables cut."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import torquec as tq
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.report.notebook_html import DISPLAYS, notebook_html, skeleton_svg
from torquec.robot import classics


def shown(result) -> str:
    """The HTML, parsed once to see that every tag is closed."""
    text = result._repr_html_()
    ET.fromstring(text)
    return text


@pytest.mark.parametrize("kind", DISPLAYS, ids=lambda kind: kind.__name__)
def test_classes_of_the_table_show_themselves(kind):
    assert issubclass(kind, NotebookDisplay)


def test_a_robot_is_drawn_with_its_joints():
    text = shown(classics.puma560())
    assert text.count("<circle") == 7
    assert "joint6" in text


def test_a_skeleton_has_the_robot_s_links():
    """Two rods of one length in a line at the start configuration: the lines have one length and fill the drawing."""
    root = ET.fromstring(skeleton_svg(classics.planar2r()))
    lines = [
        np.hypot(float(line.get("x1")) - float(line.get("x2")), float(line.get("y1")) - float(line.get("y2")))
        for line in root.iter("line")
    ]
    drawn = [length for length in lines if length > 1.0]
    assert len(drawn) == 2
    assert drawn[0] == pytest.approx(drawn[1], abs=0.2)
    assert max(sum(drawn), 1.0) >= 220.0 - 36.0


def test_hostile_names_are_text():
    text = shown(dataclasses.replace(classics.planar2r(), name="<script>alert(1)</script>"))
    assert "<script>" not in text


def test_results_of_models():
    robot = classics.planar2r()
    model = tq.compile(robot)
    assert "multiplications" in shown(model)
    assert repr(model) == "Model(Robot('planar2r', 2 joints, 2 kg), exact)"
    assert "M[0,1]" in shown(tq.closed_form(robot))
    assert "base parameters" in shown(tq.base_parameters(robot))
    assert "<p>A</p>" in shown(tq.linearize(robot, [0.1, 0.2], [0.0, 0.0], [0.0, 0.0]))


def test_a_guarantee_that_does_not_hold_says_why():
    text = shown(tq.TrackingGuarantee(False, "the torque limit of joint1 is < 3 N m"))
    assert "no bound" in text
    assert "&lt; 3 N m" in text


def test_anything_else_stays_plain():
    assert notebook_html(3.0) is None
