"""Fingers are found, arms and legs are not."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.robot.gripper_joints import gripper_joints, hand_frame

LINK = (
    '<link name="{name}"><inertial><origin xyz="0.1 0 0.05"/><mass value="{mass}"/>'
    '<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="j_{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="0 0 0.2"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="5"/></joint>'
)


def tree(tmp_path, rows):
    """A robot of links (name, parent, mass)."""
    parts = [LINK.format(name=name, mass=mass, i=0.01 * mass) for name, _, mass in rows]
    parts += [JOINT.format(name=name, parent=parent) for name, parent, _ in rows]
    path = tmp_path / "tree.urdf"
    path.write_text(f'<robot name="tree"><link name="base"/>{"".join(parts)}</robot>')
    return tq.load(path)


HAND = [("arm", "base", 4.0), ("palm", "arm", 1.0)]


def test_the_joints_of_a_hand_and_of_what_its_fingers_carry(tmp_path):
    robot = tree(tmp_path, [*HAND, ("a", "palm", 0.03), ("b", "palm", 0.03), ("a2", "a", 0.01), ("b2", "b", 0.01)])
    assert set(gripper_joints(robot)) == {"j_a", "j_b", "j_a2", "j_b2"}


@pytest.mark.parametrize(
    "rows",
    [
        [*HAND, ("a", "palm", 0.03)],  # one finger is a last joint like any other
        [*HAND, ("a", "palm", 0.3), ("b", "palm", 0.3)],  # too heavy
        [("left", "base", 0.01), ("right", "base", 0.01), ("body", "base", 5.0)],  # they part from the base
    ],
)
def test_other_joints_are_none(tmp_path, rows):
    assert gripper_joints(tree(tmp_path, rows)) == ()


@pytest.mark.parametrize(
    ("rows", "hand"),
    [
        ([*HAND, ("gripper", "palm", 0.2), ("jaw", "gripper", 0.1)], "gripper"),  # as the SO-100
        ([*HAND, ("gripperStator", "palm", 0.2), ("gripperMover", "gripperStator", 0.1)], "gripperStator"),  # as the Z1
        ([*HAND, ("Fixed_Jaw", "palm", 0.2), ("Moving_Jaw", "Fixed_Jaw", 0.1)], "Fixed_Jaw"),
        ([*HAND, ("wrist", "palm", 0.2), ("gripper_roll", "wrist", 0.1)], "gripper_roll"),  # turns the whole gripper
        ([*HAND, ("wrist", "palm", 0.2), ("flange", "wrist", 0.1)], "flange"),
        ([("jaw", "base", 0.1)], "jaw"),  # there is no body before it
    ],
)
def test_a_single_jaw_is_no_hand(tmp_path, rows, hand):
    assert hand_frame(tree(tmp_path, rows)) == hand
