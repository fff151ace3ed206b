"""Poses of frames and bodies: known ones, the plain product of placements, robots without inertia, unknown frames."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot
from tests.robot import reference

from torquec.dynamics import body_poses, frame_pose
from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.spatial import Inertia


def test_planar2r_tool():
    pose = frame_pose(classics.planar2r(), "tool", [0.3, 0.4])
    assert pose.origin == pytest.approx((math.cos(0.3) + math.cos(0.7), math.sin(0.3) + math.sin(0.7), 0.0), abs=1e-15)
    assert pose.rotation[0] == pytest.approx((math.cos(0.7), -math.sin(0.7), 0.0), abs=1e-15)


def test_mimic_joint_with_offset():
    assert frame_pose(arms.gripper(multiplier=-2.0, offset=0.1), "jaw", [0.3]).origin == pytest.approx((0, -0.5, 0))


def test_products_of_placements():
    holds("poses_are_products_of_placements", range(60))


@pytest.mark.parametrize("seed", range(5))
def test_body_poses_are_those_of_the_file(seed):
    robot = random_robot(seed)
    q = list(np.linspace(-1.0, 1.0, robot.n))
    for found, expected in zip(body_poses(robot, q), reference.body_poses(robot, q), strict=True):
        assert np.allclose(reference.homogeneous(found), expected, atol=1e-11)


def test_frame_on_the_base_stays():
    robot = random_robot(5)
    assert frame_pose(robot, "on_base", [0.7] * robot.n) == robot.frame("on_base").pose


def test_kinematics_needs_no_inertia():
    arm = arms.pendulum()
    bare = replace(arm, bodies=(replace(arm.bodies[0], inertia=Inertia(), lacking_inertia=("rod",)),))
    assert frame_pose(bare, "tip", [0.0]).origin == pytest.approx((0.5, 0.0, 0.0))


def test_unknown_frame():
    with pytest.raises(ArgumentError, match="robot 'pendulum' has no frame 'toe'"):
        frame_pose(arms.pendulum(), "toe", [0.0])
