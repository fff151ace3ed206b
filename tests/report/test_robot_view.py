"""Still pictures of arms: every body drawn, inside the drawing, whatever the robot."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from torquec.report.robot_view import arm_picture, drawn_configuration
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford", "puma260", "puma560"])
def test_every_body_is_drawn_inside(name):
    robot = load_classic(name)
    tree = ET.fromstring(arm_picture(robot).svg)
    joints = [element for element in tree.iter("circle") if element.get("class") == "arm-joint"]
    assert len(joints) == len(robot.bodies)
    for element in tree.iter("circle"):
        assert 0.0 <= float(element.get("cx")) <= 720.0
        assert 0.0 <= float(element.get("cy")) <= 400.0
    for joint, value in zip(robot.joints, drawn_configuration(robot), strict=True):
        assert joint.limits.lower <= value <= joint.limits.upper


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford", "puma560"])
def test_names_cover_no_link_and_no_other_name(name):
    """Boxes of names (8 wide a letter, 12 high) against points of links and against each other."""
    tree = ET.fromstring(arm_picture(load_classic(name)).svg)
    boxes = []
    for text in tree.iter("text"):
        x, y = float(text.get("x")), float(text.get("y"))
        boxes.append((x, y - 11.0, x + 8.0 * len(text.text), y + 1.0))
    assert len(boxes) >= 2
    for link in (element for element in tree.iter("line") if element.get("class") == "arm-link"):
        x1, y1, x2, y2 = (float(link.get(key)) for key in ("x1", "y1", "x2", "y2"))
        for part in (0.01 * k for k in range(101)):
            x, y = x1 + part * (x2 - x1), y1 + part * (y2 - y1)
            assert not any(left < x < right and top < y < low for left, top, right, low in boxes)
    for k, (left, top, right, low) in enumerate(boxes):
        assert not any(left < c and a < right and top < d and b < low for a, b, c, d in boxes[:k])


def test_gravity_pulls_down():
    """The same arm, its axes renamed with gravity: the same picture."""
    robot = load_classic("planar2r")
    assert arm_picture(robot).svg != arm_picture(dataclasses.replace(robot, gravity=(0.0, 0.0, -9.81))).svg
    tree = ET.fromstring(arm_picture(robot).svg)
    heights = [float(element.get("cy")) for element in tree.iter("circle") if element.get("class") == "arm-joint"]
    assert heights[1] < heights[0]  # the first link is turned upwards, against gravity


def test_names_are_text():
    robot = load_classic("planar2r")
    assert "<b>" not in arm_picture(dataclasses.replace(robot, name="<b>")).svg
