"""Configurations: sizes, unit quaternions, random positions; integration is compared with Pinocchio elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.robot.configuration import difference, integrate, neutral, random_position, rate_map, unit_position
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Body, Joint, Limits, Robot

ROBOT = Robot(
    "r",
    (
        Body("a", BASE, Joint("free", JointType.FREE)),
        Body("b", 0, Joint("slide", JointType.PRISMATIC, limits=Limits(0.1, 0.2))),
        Body("c", 1, Joint("ball", JointType.BALL)),
    ),
)


def test_sizes():
    assert (ROBOT.nq, ROBOT.nv, ROBOT.n) == (12, 10, 10)
    assert neutral(ROBOT) == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert ROBOT.joint_index("ball") == 7
    assert [coordinate.name for coordinate in ROBOT.coordinates][6:8] == ["slide", "ball_wx"]


def test_random_positions_are_positions():
    found = np.array([random_position(ROBOT, seed) for seed in range(50)])
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:7], axis=1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(found[:, 8:], axis=1), 1.0)
    assert found[:, 7].min() >= 0.1
    assert found[:, 7].max() <= 0.2
    np.testing.assert_array_equal(random_position(ROBOT, 3), random_position(ROBOT, 3))


def test_rate_map_is_the_slope_of_integrate():
    q, v = random_position(ROBOT, 1), np.random.default_rng(2).uniform(-1.0, 1.0, ROBOT.nv)
    ahead, behind = (np.array(integrate(ROBOT, q, v, time=time)) for time in (1e-6, -1e-6))
    slope = np.zeros(ROBOT.nq)
    for rate, column in zip(v, rate_map(ROBOT, q), strict=True):
        for row, value in column.items():
            slope[row] += rate * value
    np.testing.assert_allclose(slope, (ahead - behind) / 2e-6, atol=1e-8)


def test_one_coordinate_robots_add():
    arm = classics.puma560()
    assert integrate(arm, [0.1] * 6, [0.2] * 6, time=0.5) == pytest.approx([0.2] * 6)
    assert difference(arm, [0.1] * 6, [0.3] * 6) == pytest.approx([0.2] * 6)


def test_quaternions_are_normalised_or_refused():
    q = random_position(ROBOT, 0)
    q[3:7] *= 1.0 + 5e-7
    assert np.linalg.norm(unit_position(ROBOT, q)[3:7]) == pytest.approx(1.0, abs=1e-15)
    q[3:7] *= 1.1
    with pytest.raises(ArgumentError, match=r"quaternion of joint 'free' has length 1\.1"):
        unit_position(ROBOT, q)
    unit = random_position(ROBOT, 0)
    for use in (
        lambda: integrate(ROBOT, q, [0.0] * ROBOT.nv),
        lambda: difference(ROBOT, q, unit),
        lambda: difference(ROBOT, unit, q),
    ):
        with pytest.raises(ArgumentError, match=r"quaternion of joint 'free' has length 1\.1"):
            use()
