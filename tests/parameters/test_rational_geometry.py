"""Rational rotations: orthogonal without rounding, near to what was given, parallels kept."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.parameters.serial_arms import QUARTER, dh_arm, random_arm, shared_model

from torquec.parameters.rational_geometry import (
    DirectionTable,
    canonical_poses,
    is_orthogonal,
    rational_angle,
    rational_geometry,
    rational_rotation,
)
from torquec.parameters.standard_parameters import ParameterFrames
from torquec.robot import classics
from torquec.spatial import rotation_x, rotation_z, rpy_rotation


@pytest.mark.parametrize("seed", range(20))
def test_any_rotation(seed):
    angles = np.random.default_rng(seed).uniform(-3.0, 3.0, 3)
    given = rpy_rotation(*map(float, angles))
    found = rational_rotation(given, 1e-14)
    assert is_orthogonal(found)
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(given), atol=3e-14)


def test_right_angles_stay_what_they_are():
    given = rotation_x(0.0, -1.0)
    assert rational_rotation(given, 1e-14) == given


def test_opposite_twists_cancel():
    there = rational_rotation(rotation_x(np.cos(0.7), np.sin(0.7)), 1e-14)
    back = rational_rotation(rotation_x(np.cos(-0.7), np.sin(-0.7)), 1e-14)
    product = np.array(there, dtype=object) @ np.array(back, dtype=object)
    assert (product == np.eye(3, dtype=int)).all()


def test_angle():
    assert rational_angle((0.0, -1.0), 1e-14) == ((0, -1), True)
    (c, s), is_exact = rational_angle((np.cos(0.3), np.sin(0.3)), 1e-14)
    assert not is_exact
    assert c * c + s * s == 1
    assert float(s) == pytest.approx(np.sin(0.3), abs=1e-14)


@pytest.mark.parametrize("direction", [(0.0, 0.0, -1.0), (0.0, 0.6, 0.8), (0.0, 0.6, -0.8), (0.48, 0.6, -0.64)])
def test_directions(direction):
    table = DirectionTable(1e-14)
    found = table.nearest(direction)
    assert sum(component * component for component in found) == 1
    np.testing.assert_allclose(np.array(found, dtype=float), direction, atol=1e-14)
    opposite = table.nearest(tuple(-component + 0.0 for component in direction))
    assert opposite == tuple(-component for component in found)
    assert [k for k in range(3) if found[k] == 0] == [k for k in range(3) if direction[k] == 0.0]


def test_rotations_with_one_axis_share_it():
    table = DirectionTable(1e-14)
    tilt = np.array(rotation_x(np.cos(0.7), np.sin(0.7)))
    first = table.rotation(tuple(map(tuple, tilt)))
    second = table.rotation(tuple(map(tuple, tilt @ np.array(rotation_z(np.cos(1.1), np.sin(1.1))))))
    assert is_orthogonal(first)
    assert is_orthogonal(second)
    assert [row[2] for row in first] == [row[2] for row in second]


@pytest.mark.parametrize("name", ["puma560", "puma260", "stanford", "scara", "planar2r"])
def test_classics_are_exact(name):
    assert rational_geometry(classics.load_classic(name)).exact


@pytest.mark.parametrize("seed", range(15))
def test_frames_are_those_of_the_robot(seed):
    """Rotations are orthogonal without rounding; poses between canonical frames are the robot's to 1e-13."""
    robot = random_robot(seed, placements=("generic", "right-angled", "parallel"), mimic=False)
    geometry = rational_geometry(robot)
    for link, pose, canonical in zip(geometry.links, canonical_poses(geometry), robot.canonical.links, strict=True):
        assert is_orthogonal(link.rotation)
        assert is_orthogonal(link.frame_rotation)
        along = np.array(pose.rotation, dtype=float)[:, 2]
        height = canonical.d if link.column.turns else 0.0
        np.testing.assert_allclose(along, np.array(canonical.pre.rotation)[:, 2], atol=1e-13)
        np.testing.assert_allclose(
            np.array(pose.origin, dtype=float), np.array(canonical.pre.origin) + along * height, atol=1e-12
        )


def test_parallel_axes_stay_parallel_behind_a_slide():
    """Twists of 0.7 and -0.7 with a slide between: the outer axes are parallel, exactly."""
    arm = dh_arm(
        "arm",
        [(False, 0.0, 0.0, 0.0, 0.0), (True, 0.7, 0.3, 0.4, 0.0), (False, -0.7, 0.1, 0.0, 0.2)],
        (0.0, 0.0, -9.81),
    )
    straight = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (True, 0.7, 0.3, 0.0, 0.0), (False, -0.7, 0.1, 0.0, 0.2)])
    for robot, is_parallel in ((arm, False), (straight, True)):
        geometry = rational_geometry(robot)
        slide, last = geometry.links[1], geometry.links[2]
        axis = [sum(slide.rotation[i][k] * last.rotation[k][2] for k in range(3)) for i in range(3)]
        assert (axis[0] == axis[1] == 0) == is_parallel


def test_gravity_along_an_axis_stays_along_it():
    """The second root of a hand stands upright while the first is tilted."""
    hand = shared_model("allegro_right_hand.urdf")
    geometry = rational_geometry(hand)
    assert not geometry.exact
    roots = [link for link in geometry.links if link.parent == -1]
    g = geometry.gravity
    upright = [
        all(g[i] * link.rotation[j][2] == g[j] * link.rotation[i][2] for i, j in ((0, 1), (1, 2), (2, 0)))
        for link in roots
    ]
    assert any(upright)


def test_a_free_angle_hides_its_constant():
    """A constant 0.4 about a joint's own axis changes nothing, about a slide's it does."""
    turned = dh_arm("turned", [(False, 0.0, 0.0, 0.4, 0.0), (False, QUARTER, 0.1, 0.4, 0.0)])
    assert rational_geometry(turned).exact
    slid = dh_arm(
        "slid", [(False, 0.0, 0.0, 0.0, 0.0), (True, QUARTER, 0.1, 0.4, 0.0), (False, QUARTER, 0.2, 0.0, 0.0)]
    )
    assert not rational_geometry(slid).exact


def test_link_frames_move_the_parameters():
    """Standard DH: the frame of a link lies at its far end."""
    robot = classics.puma260()
    body, link = rational_geometry(robot), rational_geometry(robot, ParameterFrames.LINK)
    assert body.links[1].frame_origin != link.links[1].frame_origin
    difference = [a - b for a, b in zip(link.links[1].frame_origin, body.links[1].frame_origin, strict=True)]
    assert max(map(abs, difference)) == Fraction(0.2032)


def test_notes_name_the_joints():
    arm = random_arm(0, twists=(0.7,))
    assert "joint2" in rational_geometry(arm).approximated[0]
