"""Branches along paths: kept through singularities and over whole turns; jumps are told."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import X, Y, Z, forward, line_arm

from torquec.errors import ArgumentError
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics

ROBOT = classics.puma560()
IK = inverse_kinematics(ROBOT, "link6")


def test_a_smooth_motion_is_followed_through_a_straight_wrist():
    """The fifth joint passes through zero at a sample: wrist and names change there, joints do not."""
    t = np.linspace(-1.0, 1.0, 201)[:, None]
    q = np.array([0.3, -0.7, 1.1, 0.4, 0.0, 0.2]) + t * np.array([0.2, 0.3, -0.2, 0.0, 0.6, 0.1])
    found = IK.track(*forward(ROBOT, "link6")(q), start=q[0])
    np.testing.assert_allclose(found.q, q, atol=1e-7)
    assert len(set(found.branch.tolist())) == 2
    assert not len(found.jumps)
    assert (found.status & BranchStatus.SINGULAR).sum() == 1


def test_a_joint_turns_on_and_on():
    robot = line_arm("RRRRRR", [Z, Y, Y, X, Y, X], [0 * Z, Z, Z + X, *[Z + 2 * X] * 3])
    q = np.tile([0.0, 0.3, 0.8, 0.2, 0.6, -0.4], (300, 1))
    q[:, 0] = np.linspace(0.0, 20.0, 300)
    found = inverse_kinematics(robot, "tool").track(*forward(robot, "tool")(q), start=q[0])
    np.testing.assert_allclose(found.q, q, atol=1e-9)


def test_a_jump_of_the_path_is_told():
    q = np.tile([0.3, -0.7, 1.1, 0.4, 0.9, 0.2], (6, 1))
    q[3:, 0] += 1.2
    found = IK.track(*forward(ROBOT, "link6")(q), start=q[0])
    assert found.jumps.tolist() == [3]
    assert IK.track(*forward(ROBOT, "link6")(q), start=q[0], largest_step=1.5).jumps.tolist() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: IK.track(np.eye(3), [0.4, 0.1, 0.2]), "a path is a sequence of poses"),
        (lambda: IK.track([np.eye(3)] * 2, [[0.4, 0.1, 0.2]]), "a path is a sequence of poses"),
        (lambda: IK.track([np.eye(3)], [[0.4, 0.1, 0.2]], largest_step=0.0), "the largest step is 0"),
        (lambda: IK.track([np.eye(3), 2 * np.eye(3)], [[0.4, 0.1, 0.2]] * 2), "rotation 1 is not a rotation"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
