"""The nearest branch with its rates in one call: what two calls give, on every kind of arm, near folds too."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import UR10E, forward, line_arm, parallel_lines_arm, seven_joint_arm

from torquec.errors import ArgumentError
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics

ARMS = {
    "puma560": (classics.puma560, "link6"),
    "stanford": (classics.stanford, "link6"),
    "scara": (classics.scara, "tool"),
    "ur10e": (lambda: line_arm("RRRRRR", *UR10E), "tool"),
    "ur, slanted": (lambda: parallel_lines_arm(np.random.default_rng(3)), "tool"),
    "panda": (lambda: seven_joint_arm("panda"), "tool"),
}


@pytest.mark.parametrize("name", ARMS)
def test_one_call_gives_what_two_give(name):
    make, frame = ARMS[name]
    robot = make()
    ik = inverse_kinematics(robot, frame)
    rng = np.random.default_rng(1)
    q = rng.uniform(-3.0, 3.0, (2000, robot.n))
    q[:300] = np.round(q[:300] / (np.pi / 4)) * (np.pi / 4)  # folds and free joints
    rotation, position = forward(robot, frame)(q)
    near = q + rng.choice([1e-3, 0.1, 2.0], (2000, 1)) * rng.uniform(-1.0, 1.0, q.shape)
    velocity, acceleration = rng.normal(size=(2, 2000, 6))
    found = ik.motion(rotation, position, velocity, acceleration, near=near)
    best = ik.nearest(rotation, position, near=near)
    # Where two branches are one, or equally far, either may be named.
    apart = ((found.q - near) ** 2).sum(axis=1) - ((best.q - near) ** 2).sum(axis=1)
    np.testing.assert_allclose(apart, 0.0, atol=1e-7)
    same = found.branch == best.branch
    assert same[300:].all()
    np.testing.assert_array_equal(found.status[300:], best.status[300:])
    np.testing.assert_allclose(found.q[300:], best.q[300:], atol=1e-9)
    np.testing.assert_allclose(found.error, best.error, atol=1e-12)
    rates = ik.rates(found.q, velocity, acceleration)
    np.testing.assert_allclose(found.qd[300:], rates.qd[300:], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.qdd[300:], rates.qdd[300:], rtol=1e-6, atol=1e-6)
    one = ik.motion(rotation[500], position[500], velocity[500], acceleration[500], near=near[500])
    np.testing.assert_allclose(one.q, found.q[500], atol=1e-12)
    assert one.branch == found.branch[500]


def test_the_choice_is_mostly_certain_next_to_the_reference():
    robot = classics.puma560()
    ik = inverse_kinematics(robot, "link6")
    rng = np.random.default_rng(2)
    limits = [(joint.limits.lower, joint.limits.upper) for joint in robot.joints]
    q = rng.uniform(*np.transpose(limits), (1000, 6))
    near, zeros = q + rng.uniform(-0.01, 0.01, q.shape), np.zeros((1000, 6))
    *_, certain = ik.motion_native.call(*forward(robot, "link6")(q), near, zeros, zeros)
    assert (certain > 0.0).mean() > 0.95


def test_misuse():
    ik = inverse_kinematics(classics.puma560(), "link6")
    with pytest.raises(ArgumentError, match="velocity has the shape"):
        ik.motion(np.eye(3), [0.4, 0.1, 0.3], [1.0, 2.0])
