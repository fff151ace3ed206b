"""Joint axes: first-order coefficients by hand, chains of a tree, frames seen from the root."""

from __future__ import annotations

import numpy as np
from tests.dynamics.random_robots import random_robot
from tests.papers.kang.power_arrays import joint_axes, ordinary_robots

from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.joint_axis import JointAxis, axis_of, chains, root_poses
from torquec.dynamics.mechanism import Grouping, mechanism, place


def test_prismatic_joint_moves_all_points_alike_and_turns_nothing():
    axis = JointAxis((0.0, 1.0, 0.0), (5.0, 5.0, 5.0), turns=False)
    assert axis.first((1.0, 2.0, 3.0)) == axis.first((0.0, 0.0, 0.0)) == (0.0, 1.0, 0.0)
    assert axis.spin == (0.0, 0.0, 0.0)


def test_revolute_joint_turns_points_about_its_axis():
    axis = JointAxis((0.0, 1.0, 0.0), (1.0, 7.0, 0.0), turns=True)
    assert axis.first((3.0, -4.0, 0.0)) == (0.0, 0.0, -2.0)
    assert axis.spin == (0.0, 1.0, 0.0)


def test_chains_follow_the_parents():
    robot = random_robot(3, bodies=9)
    m = mechanism(robot, Grouping.NONE)
    for i, way in enumerate(chains(place(m, [0.1] * robot.n))):
        assert way[-1] == i
        assert robot.bodies[way[0]].parent == -1
        assert [robot.bodies[k].parent for k in way[1:]] == list(way[:-1])


def test_frames_from_the_root_are_those_of_the_base_turned_back():
    for robot, state in ordinary_robots(range(10)):
        m = mechanism(robot, Grouping.NONE)
        q = [float(value) for value in state.q[0]]
        placed = place(m, q)
        based = link_poses(robot, placed, range(len(placed)))
        for pose, way in zip(root_poses(m, placed), chains(placed), strict=True):
            expected = based[way[0]].inverse() @ based[way[-1]]
            assert np.allclose(pose.rotation, expected.rotation, atol=1e-13)
            assert np.allclose(pose.origin, expected.origin, atol=1e-12)


def test_axes_are_those_of_the_file():
    for robot, state in ordinary_robots(range(10)):
        q = state.q[0]
        placed = place(mechanism(robot, Grouping.NONE), [float(value) for value in q])
        poses = link_poses(robot, placed, range(len(placed)))
        for i, (direction, point) in enumerate(joint_axes(robot, q)):
            axis = axis_of(poses[i], placed[i].column)
            assert np.allclose(axis.direction, direction, atol=1e-12)
            # Both points lie on the axis: what is between them is along it.
            assert np.allclose(np.cross(np.subtract(axis.origin, point), direction), 0.0, atol=1e-11)
