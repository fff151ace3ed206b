"""What URDF does not know is told with its line; what it knows and we do not read is not."""

from __future__ import annotations

import pytest
from tests.robot.arm import ARM

from torquec.errors import RobotFileError
from torquec.robot.urdf import parse_urdf

LINES = (
    '<robot name="a">',
    '<link name="base"/>',
    '<link name="tool"><inertial><origin xyz="0 0 1"/><mass value="1"/>',
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>',
    '<joint name="j" type="revolute"><parent link="base"/><child link="tool"/><axis xyz="0 0 1"/>',
    '<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="1" friction="2"/></joint>',
    "</robot>",
)


FIXED = (
    '<link name="x"/><joint name="k" type="fixed"><parent link="base"/><child link="x"/>'
    '<mimic joint="j"/></joint></robot>'
)
GONE = '<transmission name="t"><joint name="gone"/><actuator name="m"/></transmission></robot>'


def parse(old="", new="", **options):
    text = "\n".join(LINES)
    assert old in text
    return parse_urdf(text.replace(old, new, 1).encode() if old else text.encode(), "a.urdf", **options)


def test_a_plain_robot_has_no_warnings():
    assert not parse(strict=True).warnings
    assert not [w for w in parse_urdf(ARM.encode(), "arm.urdf").warnings if "URDF" in w.text]


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ('<axis xyz="0 0 1"/>', '<axes xyz="0 0 1"/>', 5, "<axes> in"),
        ("<origin", "<orgin", 3, "<orgin> in <inertial>"),
        ("<limit", '<limit lower="-1" upper="1" effort="1" velocity="1"/><limits', 6, "<limits> in"),
        ('damping="1"', 'dampng="1"', 6, "attribute 'dampng'"),
        ('xyz="0 0 1"/><mass', 'xyz="0 0 1" rpi="0 0 1"/><mass', 3, "attribute 'rpi'"),
        ('velocity="1"', 'velocity="1" speed="2"', 6, "attribute 'speed'"),
        ("</robot>", '<robot name="b"/></robot>', 7, '<robot name="b"> in'),
        ('<link name="base"/>', '<link name="base"><joint name="k"/></link>', 2, '<joint name="k"> in <link'),
        ('<link name="base"/>', '<link name="base" mass="3"/>', 2, "attribute 'mass'"),
        (
            "</robot>",
            FIXED,
            7,
            "is fixed: its <mimic> is not read",
        ),
        ("</robot>", GONE, 7, "gone"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_told_with_its_line(old, new, line, text):
    (warning,) = parse(old, new).warnings
    assert warning.where == f"a.urdf:{line}"
    assert text in warning.text
    with pytest.raises(RobotFileError, match=f"a.urdf:{line}"):
        parse(old, new, strict=True)


def test_a_word_that_occurs_often_is_one_warning_with_its_count():
    """ANYmal's file has three attributes of its own in every limit."""
    more = "".join(
        f'\n<link name="l{k}"/><joint name="k{k}" type="fixed"><parent link="base"/><child link="l{k}"/>'
        '<limit lower="0" upper="0" effort="1" velocity="1" current="5" gear="2"/><note/></joint>'
        for k in range(4)
    )
    warnings = parse("</robot>", f"{more}</robot>").warnings
    assert [(w.where, w.text) for w in warnings] == [
        ("a.urdf:8", '<note> in <joint name="k0"> is not known to URDF: it is not read; 4 times, the last in line 11'),
        (
            "a.urdf:8",
            "<limit> has an attribute 'current' that URDF does not know: not read; 4 times, the last in line 11",
        ),
        ("a.urdf:8", "<limit> has an attribute 'gear' that URDF does not know: not read; 4 times, the last in line 11"),
    ]


@pytest.mark.parametrize(
    "new",
    [
        '<gazebo reference="j"><x/></gazebo></robot>',
        '<material name="red"/><ros2_control name="c"/></robot>',
        '<a:b xmlns:a="http://drake.mit.edu"/></robot>',
    ],
)
def test_what_belongs_to_others_is_passed_over(new):
    assert not parse("</robot>", new).warnings


def test_definitions_that_xacro_left_behind_are_ignored_with_a_warning():
    head = '<robot name="a" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="b" value="1"/>'
    (warning,) = parse('<robot name="a">', head).warnings
    assert "<xacro:property> is ignored" in warning.text
