"""Links as mass, centre and central tensor: against the file's frames, turning, links without mass."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics import arms
from tests.papers.kang.power_arrays import ordinary_robots
from tests.robot import reference

from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.errors import RobotError
from torquec.papers.kang.central_body import central_bodies, turned_tensor
from torquec.robot import classics
from torquec.spatial import axis_angle_rotation


def test_quarter_turn_swaps_principal_moments():
    turned = turned_tensor(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), ((1, 0, 0), (0, 2, 0), (0, 0, 4)))
    assert turned == ((2, 0, 0), (0, 1, 0), (0, 0, 4))


def test_turned_tensor_is_the_product():
    rotation = axis_angle_rotation((0.6, 0.0, 0.8), np.cos(0.7), np.sin(0.7))
    tensor = ((3.0, 0.1, -0.2), (0.1, 2.0, 0.3), (-0.2, 0.3, 4.0))
    expected = np.array(rotation) @ np.array(tensor) @ np.array(rotation).T
    assert np.allclose(turned_tensor(rotation, tensor), expected, atol=1e-15)


def test_bodies_of_the_file():
    for robot, state in ordinary_robots(range(10)):
        m = mechanism(robot, Grouping.NONE)
        placed = place(m, [float(value) for value in state.q[0]])
        poses = link_poses(robot, placed, range(len(placed)))
        found = central_bodies(robot, m, [poses[i] for i in range(len(placed))])
        for own, body, pose in zip(robot.bodies, found, reference.body_poses(robot, state.q[0]), strict=True):
            rotation = pose[:3, :3]
            assert body.mass == own.inertia.m
            assert np.allclose(body.center, rotation @ own.inertia.center_of_mass + pose[:3, 3], atol=1e-12)
            assert np.allclose(body.tensor, rotation @ own.inertia.central_tensor @ rotation.T, atol=1e-12)


def test_link_without_mass_has_its_centre_at_its_origin():
    robot = arms.slider_on_turntable()  # its table has inertia, but no mass
    m = mechanism(robot, Grouping.NONE)
    poses = link_poses(robot, place(m, [0.1, 0.2]), range(2))
    table = central_bodies(robot, m, [poses[0], poses[1]])[0]
    assert table.mass == 0.0
    assert np.allclose(table.center, 0.0)
    assert table.tensor[2][2] == pytest.approx(0.4)


def test_first_moment_without_mass_is_refused():
    arm = classics.puma260()
    m = mechanism(arm, Grouping.NONE)
    poses = link_poses(arm, place(m, [0.0] * 6), range(6))
    with pytest.raises(RobotError, match="body 'link4' of robot 'puma260' has a first moment but no mass") as caught:
        central_bodies(arm, m, [poses[i] for i in range(6)])
    assert "mass_point_sum" in caught.value.remedy
