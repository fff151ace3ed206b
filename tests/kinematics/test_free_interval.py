"""Intervals of the free joint: known ones, and those of an arm against its own branches, value by value."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import forward, seven_joint_arm

from torquec.errors import ArgumentError, RobotError
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.free_interval import END, free_intervals
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics
from torquec.robot.robot import Limits

LIMITS = {k: Limits(-2.0, 2.2) for k in range(7)}


def test_known_ends_and_what_lies_between_samples():
    """A sine above a half; a gap and an island that are narrower than the samples; all and nothing."""
    scores = (
        lambda x: np.sin(x) - 0.5,
        lambda x: (x - 1.00051) ** 2 - 1e-8,
        lambda x: 1e-8 - (x - 1.00051) ** 2,
        lambda x: 1.0 + 0.0 * x,
        lambda x: -1.0 + 0.0 * x,
    )

    def score(x, branch):
        return np.array([scores[k](value) for k, value in zip(branch, x, strict=True)])

    found = free_intervals(score, 5, 0.0, 3.0)
    np.testing.assert_allclose(found[0], [[np.pi / 6, 5 * np.pi / 6]], atol=2 * END)
    np.testing.assert_allclose(found[1], [[0.0, 1.00041], [1.00061, 3.0]], atol=2 * END)
    np.testing.assert_allclose(found[2], [[1.00041, 1.00061]], atol=2 * END)
    assert found[3:] == [[(0.0, 3.0)], []]


@pytest.mark.parametrize("kind", ["panda", "iiwa"])
def test_inside_is_allowed_and_outside_is_not(kind):
    robot = seven_joint_arm(kind, limits=LIMITS)
    ik = inverse_kinematics(robot, "tool")
    place = int(ik.free[1])
    q = np.array([0.4, -0.8, 0.5, 1.2, 0.3, 0.9, -0.6])
    rotation, position = forward(robot, "tool")(q)
    found = ik.free_intervals(rotation, position, near=q)
    assert found.joint == ik.free
    values = np.linspace(-2.0, 2.2, 3001)
    near = np.tile(q, (len(values), 1))
    near[:, place] = values
    ways = ik(np.tile(rotation, (len(values), 1, 1)), np.tile(position, (len(values), 1)), near=near)
    allowed = (ways.status & (BranchStatus.OUT_OF_LIMITS | BranchStatus.OUT_OF_REACH)) == 0
    edges = 0
    for k, intervals in enumerate(found.intervals):
        inside = np.zeros(len(values), bool)
        for lower, upper in intervals:
            inside |= (values >= lower) & (values <= upper)
            edges += 2
        np.testing.assert_array_equal(inside, allowed[:, k])
    assert edges > 4
    assert any(lower <= q[place] <= upper for intervals in found.intervals for lower, upper in intervals)


def test_misuse():
    puma = inverse_kinematics(classics.puma560(), "link6")
    with pytest.raises(RobotError, match="has no free joint"):
        puma.free_intervals(np.eye(3), [0.4, 0.2, 0.3])
    ik = inverse_kinematics(seven_joint_arm("iiwa"), "tool")
    with pytest.raises(ArgumentError, match="the intervals are of one pose"):
        ik.free_intervals(np.stack([np.eye(3)] * 2), [0.4, 0.2, 0.3])
