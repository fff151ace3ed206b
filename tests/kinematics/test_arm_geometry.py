"""An arm seen from its hand: spherical shoulders, and twice around is the arm itself."""

from __future__ import annotations

import numpy as np
from tests.kinematics.arms import X, Y, Z, line_arm, wrist_lines
from tests.kinematics.test_inverse_kinematics import check_closure

from torquec.kinematics.arm_geometry import ArmFamily, arm_geometry, reversed_geometry
from torquec.kinematics.inverse_kinematics import inverse_kinematics


def test_a_spherical_shoulder_is_a_wrist_from_the_hand():
    rng = np.random.default_rng(1)
    axes, points = wrist_lines(rng, np.array([0.1, 0.2, 0.3]))
    robot = line_arm("RRRRRR", [*reversed(axes), Y, Y, X], [*reversed(points), Z + X, 2 * X, 3 * X + Y], rng)
    ik = inverse_kinematics(robot, "tool")
    assert ik.family is ArmFamily.SPHERICAL_SHOULDER
    assert ik.names[0] == "hand left, elbow up, shoulder no flip"
    apart, _ = check_closure(robot, "tool", rng.uniform(-3.0, 3.0, (200, 6)))
    assert np.quantile(apart, 0.98) < 1e-10
    assert apart.max() < 1e-5


def test_twice_around():
    robot = line_arm("RRRRRR", [Z, Y, Y, X, Y, X], [0 * Z, Z, Z + X, *[Z + 2 * X] * 3])
    arm = arm_geometry(robot, "tool")
    assert reversed_geometry(reversed_geometry(arm)).joints == arm.joints
