"""Payloads: the robot with one behaves like the robot whose file had it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.robot import reference
from tests.robot.arm import ARM

from torquec.errors import ArgumentError
from torquec.robot.payload import attach_payload
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
