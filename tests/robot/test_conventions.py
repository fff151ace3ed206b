"""Conventions of Pinocchio and MuJoCo: known orders, and there and back; the peers themselves are asked elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.robot import conventions
from torquec.robot.configuration import random_position
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Body, Joint, Robot

ROBOT = Robot(
    "r",
    (
        Body("a", BASE, Joint("free", JointType.FREE)),
        Body("b", 0, Joint("wheel", JointType.CONTINUOUS)),
        Body("c", 0, Joint("plane", JointType.PLANAR)),
    ),
)
Q = [1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5, np.pi / 2, 7.0, 8.0, np.pi]
V = np.arange(10.0)


def test_order_of_pinocchio():
    q, v = conventions.to_pinocchio(ROBOT, Q, V)
    np.testing.assert_allclose(q, [1, 2, 3, 0.5, -0.5, 0.5, 0.5, 0, 1, 7, 8, -1, 0], atol=1e-15)
    np.testing.assert_array_equal(v, V)
    other = conventions.to_pinocchio(ROBOT, Q, V, joints=["plane", "free", "wheel"])
    np.testing.assert_allclose(other[0][:4], [7, 8, -1, 0], atol=1e-15)
    np.testing.assert_array_equal(other[1], [7, 8, 9, 0, 1, 2, 3, 4, 5, 6])


def test_mujoco_has_the_velocity_in_the_axes_of_the_world():
    q, v = conventions.to_mujoco(ROBOT, [0, 0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5), *[0.0] * 4], V)
    np.testing.assert_allclose(v[:6], [-1, 0, 2, 3, 4, 5], atol=1e-15)
    assert len(q) == 11


def test_there_and_back():
    q = random_position(ROBOT, 1)
    for back, there in (
        (conventions.from_pinocchio, conventions.to_pinocchio),
        (conventions.from_mujoco, conventions.to_mujoco),
    ):
        found = back(ROBOT, *there(ROBOT, q, V))
        np.testing.assert_allclose(found[0], q, atol=1e-15)
        np.testing.assert_allclose(found[1], V, atol=1e-14)
    a = np.ones(10)
    turned = conventions.acceleration_to_mujoco(ROBOT, q, V, a)
    np.testing.assert_allclose(conventions.acceleration_from_mujoco(ROBOT, q, V, turned), a, atol=1e-13)


def test_unknown_joints_and_wrong_sizes_are_refused():
    with pytest.raises(ArgumentError, match="has no joint 'door'"):
        conventions.to_pinocchio(ROBOT, Q, V, joints=["door"])
    with pytest.raises(ArgumentError, match="position of 10 numbers"):
        conventions.to_mujoco(ROBOT, V, V)
    with pytest.raises(ArgumentError, match="3 positions and 10 rates"):
        conventions.from_pinocchio(ROBOT, [1.0, 2.0, 3.0], V)


def test_quaternions_that_are_not_unit_are_refused():
    stretched = list(Q)
    stretched[3:7] = [1.01 * x for x in stretched[3:7]]
    theirs = list(conventions.to_pinocchio(ROBOT, Q, V)[0])
    theirs[3:7] = [1.01 * x for x in theirs[3:7]]
    for use in (
        lambda: conventions.to_pinocchio(ROBOT, stretched, V),
        lambda: conventions.from_pinocchio(ROBOT, theirs, V),
        lambda: conventions.to_mujoco(ROBOT, stretched, V),
        lambda: conventions.acceleration_from_mujoco(ROBOT, stretched, V, V),
    ):
        with pytest.raises(ArgumentError, match=r"has length 1\.01"):
            use()
