"""Still pictures of arms: every body drawn, inside the drawing, whatever the robot."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from torquec.report.robot_view import arm_picture, posture
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
    for joint, value in zip(robot.joints, posture(robot), strict=True):
        assert joint.limits.lower <= value <= joint.limits.upper


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
