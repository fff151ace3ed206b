"""Payloads: the robot with one behaves like the robot whose file had it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.robot import reference
from tests.robot.arm import ARM

import torquec as tq
from torquec.errors import ArgumentError
from torquec.report.result_document import as_used
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.lock_joints import lock_joints
from torquec.robot.payload import attach_payload, changes_text
from torquec.robot.urdf import parse_urdf

BARE = parse_urdf(ARM.encode(), "arm.urdf")
TENSOR = ((0.02, 0.001, 0.0), (0.001, 0.03, 0.002), (0.0, 0.002, 0.04))


def test_a_payload_is_a_welded_link():
    link = (
        '<link name="box"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1.5"/>'
        '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.04"/></inertial></link>'
        '<joint name="hold" type="fixed"><parent link="tool"/><child link="box"/></joint></robot>'
    )
    written = parse_urdf(ARM.replace("</robot>", link).encode(), "arm.urdf")
    attached = attach_payload(BARE, "tool", mass=1.5, center=(0.1, 0.2, 0.3), inertia=TENSOR, name="box")
    np.testing.assert_allclose(attached.bodies[1].inertia.parameters, written.bodies[1].inertia.parameters, rtol=1e-14)
    state = np.array([0.3, 0.2]), np.array([1.0, -1.0]), np.array([2.0, 0.5])
    np.testing.assert_allclose(
        reference.inverse_dynamics(attached, *state), reference.inverse_dynamics(written, *state), rtol=1e-13
    )


def test_the_payload_has_a_frame_at_its_centre():
    frame = attach_payload(BARE, "tool", mass=1.0, center=(0.0, 0.0, 0.5), name="cup").frame("cup")
    assert frame.body == 1
    assert frame.pose.origin == (0.1, 0.0, 0.5)


def test_the_robot_itself_is_left_alone():
    attach_payload(BARE, "tool", mass=1.0)
    assert BARE.mass == 3.0
    assert len(BARE.frames) == 4


def test_a_payload_on_the_base_weighs_on_the_base():
    robot = attach_payload(BARE, "base", mass=5.0)
    assert robot.base_inertia.m == 5.0
    assert robot.bodies == BARE.bodies


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": -1.0}, "mass of 'payload' is negative"),
        ({"mass": math.nan}, "not finite"),
        ({"mass": "heavy"}, "right shape"),
        ({"mass": 1.0, "center": (0.0, 1.0)}, "right shape"),
        ({"mass": 1.0, "inertia": ((1.0, 0.0), (0.0, 1.0))}, "right shape"),
        ({"mass": 1.0, "inertia": ((1.0, 0.1, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}, "not symmetric"),
        ({"mass": 1.0, "inertia": np.diag([-1.0, 1.0, 1.0])}, "negative principal moment"),
        ({"mass": 1.0, "name": "fore"}, "'fore' is empty or taken"),
        ({"mass": 1.0, "name": ""}, "empty or taken"),
    ],
)
def test_payloads_that_cannot_be_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        attach_payload(BARE, "tool", **options)


def test_an_unknown_frame_is_refused_with_those_that_exist():
    with pytest.raises(ArgumentError, match=r"no frame 'hand'\n.*base, upper, fore, tool"):
        attach_payload(BARE, "hand", mass=1.0)


def gripper(joints, fingers):
    """A chain of so many joints, a hand welded to its end, and fingers that slide on the hand."""
    links = ["base", *(f"link{k}" for k in range(1, joints + 1)), "hand", *(f"finger{k}" for k in range(fingers))]
    text = ['<robot name="gripper">', *(f'<link name="{name}"/>' for name in links)]
    limit = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
    for k in range(joints):
        ends = f'<parent link="{links[k]}"/><child link="{links[k + 1]}"/><origin xyz="0 0 0.1"/>'
        text.append(f'<joint name="j{k}" type="revolute">{ends}{limit}</joint>')
    text.append(f'<joint name="w" type="fixed"><parent link="{links[joints]}"/><child link="hand"/></joint>')
    for k in range(fingers):
        ends = f'<parent link="hand"/><child link="finger{k}"/>'
        text.append(f'<joint name="f{k}" type="prismatic">{ends}{limit}</joint>')
    return parse_urdf("\n".join([*text, "</robot>"]).encode(), "gripper.urdf")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("joints", "fingers", "frame"),
    [(4, 2, "hand"), (4, 3, "hand"), (4, 1, "hand"), (4, 0, "link4"), (1, 2, "finger1")],
)
def test_a_tool_is_held_by_the_hand_and_not_by_a_finger(joints, fingers, frame):
    """Fingers on the end of an arm mark a hand, one by its name; a fork at the base is the arm itself."""
    assert hand_frame(gripper(joints, fingers)) == frame


def test_the_robot_of_a_file_has_no_changes():
    arm = tq.classics.puma560()
    assert as_used(arm) == {"name": "puma560", "payload": [], "locked": {}, "gravity": [0.0, 0.0, -9.81]}
    assert changes_text(arm, gravity=True) == ""


def test_every_change_is_stated():
    arm = replace(tq.classics.puma560(), gravity=(0.0, 0.0, -1.62))
    arm = tq.attach_payload(arm, "link6", mass=2.5, center=(0.0, 0.1, 0.2), inertia=((1, 0, 0), (0, 2, 0), (0, 0, 3)))
    arm = lock_joints(arm, {"joint4": 0.25})
    used = as_used(arm)
    assert used["payload"] == [
        {
            "name": "payload",
            "frame": "link6",
            "mass": 2.5,
            "center": [0.0, 0.1, 0.2],
            "inertia": [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
        }
    ]
    assert (used["locked"], used["gravity"]) == ({"joint4": 0.25}, [0.0, 0.0, -1.62])
    payload, locked, gravity = changes_text(arm, gravity=True).splitlines()
    assert "2.5 kg at (0.0, 0.1, 0.2) m of frame 'link6'" in payload
    assert "inertia ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)) kg m^2" in payload
    assert "'joint4' at 0.25" in locked
    assert "(0.0, 0.0, -1.62) m/s^2" in gravity
    assert changes_text(arm).splitlines() == [payload, locked]
