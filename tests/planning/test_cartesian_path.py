"""Cartesian paths: the frame passes through its poses and keeps to their spline; reach, branches and misuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.errors import ArgumentError
from torquec.planning.cartesian_path import cartesian_path
from torquec.spatial import quaternion_rotation
from torquec.spatial.rotation import rotation_quaternion

POSITIONS = [[0.4, 0.3, 0.5], [0.5, 0.1, 0.4], [0.4, -0.3, 0.5]]
TURNED = [[0.0, 1.0, 0.0, 0.0], [0.1, -0.99, 0.05, 0.0], [0.0, 1.0, 0.2, 0.1]]  # the second with the other sign


@pytest.fixture(scope="module")
def model():
    return tq.compile(tq.classics.puma560())


def test_poses_are_met_in_their_order(model):
    path = cartesian_path(model, POSITIONS, TURNED, frame="link6")
    rotation, position = model.frame_pose("link6")(path.at(np.linspace(0.0, path.length, 5001))[0])
    after = 0
    for place, quaternion in zip(POSITIONS, TURNED, strict=True):
        wanted = np.array(quaternion_rotation(*quaternion))
        missed = np.linalg.norm(position - place, axis=1) + np.abs(rotation - wanted).max(axis=(1, 2))
        k = int(np.argmin(missed))
        assert missed[k] < 1e-3  # places are 4e-4 apart
        assert k >= after
        after = k


def test_a_line_of_the_frame_stays_one(model):
    path = cartesian_path(model, [[0.4, 0.3, 0.5], [0.4, -0.3, 0.5]], [[0.0, 1.0, 0.0, 0.0]] * 2, frame="link6")
    _, position = model.frame_pose("link6")(path.at(np.linspace(0.0, path.length, 2001))[0])
    assert np.abs(position[:, [0, 2]] - [0.4, 0.5]).max() < 1e-5
    found = tq.time_optimal(model, path, points=300)
    assert found.proven


def test_a_seven_joint_arm():
    robot = shared_model("iiwa14.urdf")
    model = tq.compile(robot)
    start = np.array([0.1, -0.5, 0.2, 0.8, 0.1, 1.0, 0.3])[: robot.n]
    ik = tq.inverse_kinematics(robot)
    rotation, position = model.frame_pose(ik.frame)(start)
    quaternion = rotation_quaternion(tuple(map(tuple, rotation.tolist())))
    places = np.array([position, position])
    places[1, 1] += 0.1
    path = cartesian_path(model, places, [quaternion] * 2, near=start)
    assert np.linalg.norm(path.at(0.0)[0] - start) < 0.1


@pytest.mark.parametrize(
    ("positions", "quaternions", "message"),
    [
        ([[0.4, 0.3, 0.5], [2.5, 0.1, 0.4]], [[0.0, 1.0, 0.0, 0.0]] * 2, "near waypoint [12]"),
        (POSITIONS, TURNED[:2], "shape"),
        (POSITIONS, [[0.0] * 4] * 3, "not zero"),
        ([POSITIONS[0]] * 2, [TURNED[0]] * 2, "are the same"),
    ],
)
def test_misuse(model, positions, quaternions, message):
    with pytest.raises(ArgumentError, match=message):
        cartesian_path(model, positions, quaternions, frame="link6")
