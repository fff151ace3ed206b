"""Augmented bodies: the oracle's PUMA 560, composites by hand, the recursion, the link sum, Kang's misprint."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import random_robot, random_state
from tests.papers.kang_sample import assert_sample
from tests.papers.power_arrays import (
    christoffel_violation,
    coupled,
    defined_parts,
    inertia_violation,
    ordinary_robots,
    serial_robot,
    torque_violation,
)
from tests.robot import reference

from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.mechanism import Grouping, PlacedLink, Turn, mechanism, place
from torquec.errors import RobotError
from torquec.expr import evaluate, trace
from torquec.papers.augmented_body import (
    CentralBody,
    augmented_bodies,
    augmented_body,
    central_bodies,
    link_sum,
    turned_tensor,
)
from torquec.robot import classics
from torquec.robot.robot import JointType
from torquec.spatial import IDENTITY_ROTATION, Inertia, axis_angle_rotation

NO_TENSOR = ((0.0,) * 3,) * 3


def links(*parents):
    """Links with these parents; where they stand does not matter here."""
    return [
        PlacedLink(parent, JointType.REVOLUTE.kind, Turn(IDENTITY_ROTATION, 1.0, 0.0), (0.0, 0.0, 0.0))
        for parent in parents
    ]


def test_puma560_of_the_oracle():
    assert_sample(augmented_body)


def test_two_points_as_one_body():
    # 1 kg and 3 kg, 4 m apart on x: centre 3 m from the light one, 1 * 9 + 3 * 1 = 12 kg m^2 across.
    light, heavy = CentralBody(1.0, (0.0, 0.0, 0.0), NO_TENSOR), CentralBody(3.0, (4.0, 0.0, 0.0), NO_TENSOR)
    both, end = augmented_bodies(links(-1, 0), [light, heavy])
    assert end == heavy
    assert (both.mass, both.center) == (4.0, (3.0, 0.0, 0.0))
    assert np.array_equal(both.tensor, np.diag([0.0, 12.0, 12.0]))


def test_branches_join_at_their_parent():
    middle = CentralBody(2.0, (0.0, 0.0, 0.0), NO_TENSOR)
    sides = [CentralBody(1.0, (0.0, y, 0.0), NO_TENSOR) for y in (-2.0, 2.0)]
    whole = augmented_bodies(links(-1, 0, 0), [middle, *sides])[0]
    assert (whole.mass, whole.center) == (4.0, (0.0, 0.0, 0.0))
    assert np.allclose(whole.tensor, np.diag([8.0, 0.0, 8.0]), atol=1e-15)


def test_body_without_mass_leaves_the_centre_where_it_is():
    wheel = CentralBody(0.0, (9.0, 9.0, 9.0), ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)))
    point = CentralBody(2.0, (1.0, 0.0, 0.0), NO_TENSOR)
    for pair in ((wheel, point), (point, wheel)):
        assert augmented_bodies(links(-1, 0), pair)[0] == CentralBody(2.0, point.center, wheel.tensor)


def test_equals_the_recursion():
    for robot, state in ordinary_robots(range(30)):
        assert inertia_violation(augmented_body, robot, state) < 1e-12
        assert torque_violation(augmented_body, robot, state) < 1e-12


def test_equals_the_recursion_where_bodies_have_no_mass():
    for robot, state in ordinary_robots(range(20)):
        carriers = {body.parent for body in robot.bodies}
        bodies = tuple(replace(b, inertia=Inertia()) if i in carriers else b for i, b in enumerate(robot.bodies))
        light = replace(robot, bodies=bodies)
        assert inertia_violation(augmented_body, light, state) < 1e-12
        assert torque_violation(augmented_body, light, state) < 1e-12


def test_equals_the_recursion_with_nearly_parallel_axes():
    for seed in range(15):
        robot = random_robot(seed)
        assert torque_violation(augmented_body, robot, random_state(robot, seed)) < 1e-10


def test_symmetric_part_is_that_of_christoffel():
    for robot, state in ordinary_robots(range(8)):
        assert christoffel_violation(augmented_body, robot, state) < 1e-12


def test_parts_are_others_than_those_of_the_link_sum():
    robot = serial_robot(1, 4, types=(JointType.REVOLUTE,), placements=("generic",))
    ours, theirs = (method(robot, [0.3, 0.8, -0.5, 1.1]) for method in (augmented_body, link_sum))
    assert np.allclose(ours.symmetric_power, theirs.symmetric_power, atol=1e-13)
    for mine, other in zip(ours.parts, theirs.parts, strict=True):
        assert np.abs(np.subtract(mine, other)).max() > 1e-3


def test_traced_and_evaluated():
    robot = random_robot(11, bodies=5)
    state = random_state(robot, 11)
    function = trace("p", lambda q: {"power": augmented_body(robot, q).power}, {"q": (robot.n,)})
    for found, q in zip(evaluate(function, {"q": state.q})["power"], state.q, strict=True):
        assert np.allclose(found, augmented_body(robot, [float(value) for value in q]).power, atol=1e-12)


def test_recursion_as_printed_is_wrong(monkeypatch):
    # (28) as printed adds the centres without weighing them by their masses.
    module = sys.modules["torquec.papers.augmented_body"]
    joined = module._joined

    def without_masses(a, b):
        return joined(CentralBody(1.0, a.center, a.tensor), CentralBody(1.0, b.center, b.tensor))

    monkeypatch.setattr(module, "_joined", without_masses)
    robot = serial_robot(2, 4)
    assert inertia_violation(augmented_body, robot, random_state(robot, 2)) > 1e-3


def test_first_moment_without_mass_is_refused():
    with pytest.raises(RobotError, match="has a first moment but no mass"):
        augmented_body(classics.puma260(), [0.0] * 6)


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


def test_first_moment_without_mass_is_refused_of_central_bodies():
    arm = classics.puma260()
    m = mechanism(arm, Grouping.NONE)
    poses = link_poses(arm, place(m, [0.0] * 6), range(6))
    with pytest.raises(RobotError, match="body 'link4' of robot 'puma260' has a first moment but no mass") as caught:
        central_bodies(arm, m, [poses[i] for i in range(6)])
    assert "mass_point_sum" in caught.value.remedy


def test_puma560_of_the_oracle_by_link_sum():
    assert_sample(link_sum)


def test_every_element_of_every_part_is_as_defined():
    for robot, state in ordinary_robots(range(20)):
        found = np.array(link_sum(robot, [float(value) for value in state.q[0]]).parts)
        for part, defined in zip(found, defined_parts(robot, state.q[0]), strict=True):
            assert violation(part, coupled(robot, defined), 1e-3) < 1e-12


def test_equals_the_recursion_by_link_sum():
    for robot, state in ordinary_robots(range(30)):
        assert inertia_violation(link_sum, robot, state) < 1e-12
        assert torque_violation(link_sum, robot, state) < 1e-12


def test_equals_the_recursion_with_nearly_parallel_axes_by_link_sum():
    for seed in range(15):
        robot = random_robot(seed)
        assert torque_violation(link_sum, robot, random_state(robot, seed)) < 1e-10


def test_symmetric_part_is_that_of_christoffel_by_link_sum():
    for robot, state in ordinary_robots(range(8)):
        assert christoffel_violation(link_sum, robot, state) < 1e-12


def test_first_moment_without_mass_is_refused_by_link_sum():
    with pytest.raises(RobotError, match="has a first moment but no mass"):
        link_sum(classics.puma260(), [0.0] * 6)
