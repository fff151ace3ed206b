"""The nominal arm of a calibrated one: exact geometry is unchanged, small deviations are removed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import SEVEN_JOINTS, UR10E, line_arm, off_lines

from torquec.kinematics.arm_geometry import arm_geometry
from torquec.kinematics.near_arm import NEAR_SINE, near_arm

ARMS = {"ur": UR10E, **SEVEN_JOINTS}


def lines(arm):
    """Axes, and the feet of the lines as seen from the origin: what does not depend on where a point was chosen."""
    axes = np.array([joint.axis for joint in arm.joints])
    points = np.array([joint.point for joint in arm.joints])
    return axes, points - axes * (axes * points).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", ARMS)
def test_tidy_arms_stay(name):
    arm = arm_geometry(line_arm("R" * len(ARMS[name][0]), *ARMS[name]), "tool")
    for before, after in zip(lines(arm), lines(near_arm(arm)), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_what_is_off_comes_back_about_as_near(name):
    rng = np.random.default_rng(1)
    robot = line_arm("R" * len(ARMS[name][0]), *off_lines(ARMS[name], 1e-3, rng))
    arm = arm_geometry(robot, "tool")
    tidy = near_arm(arm)
    for before, after in zip(lines(arm), lines(tidy), strict=True):
        assert np.abs(after - before).max() < 2e-2
    axes = lines(tidy)[0]
    cosines = np.abs(np.sum(axes[1:] * axes[:-1], axis=1))
    assert np.minimum(cosines, 1.0 - cosines).max() < 1e-12


def test_a_point_far_along_its_line_does_no_harm():
    """Calibrations of nearly parallel axes put points hundreds of metres away."""
    axes, points = off_lines(UR10E, 1e-3, np.random.default_rng(2))
    far = [np.asarray(p) + 300.0 * np.asarray(a) / np.linalg.norm(a) for p, a in zip(points, axes, strict=True)]
    near, other = (
        near_arm(arm_geometry(line_arm("RRRRRR", axes, p, hand=h), "tool"))
        for p, h in ((points, (0.0, 0.0, 0.0)), (far, tuple(np.asarray(points[-1]) - far[-1])))
    )
    for one, two in zip(lines(near), lines(other), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9)
    assert other.reach < 5.0
    assert NEAR_SINE < 0.1
