"""Composite bodies: two point masses, and the whole robot as one body."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import body_poses, gravity_torque
from torquec.dynamics.composite import composite_gravity, composite_moments
from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.robot import classics
from torquec.spatial import Inertia


def test_planar2r_at_the_first_joint():
    m = mechanism(classics.planar2r(), Grouping.NONE)
    found = composite_moments(place(m, [0.0, 0.0]))
    assert [link.m for link in found] == [2.0, 1.0]
    # Stretched out, the rods are one of 2 m: centre at 1 m, and int x^2 dm = 8/3.
    assert found[0].x == pytest.approx(2.0)
    assert found[0].xx == pytest.approx(8 / 3)


@pytest.mark.parametrize("seed", range(10))
def test_every_body_counts_once_wherever_it_is(seed):
    robot = random_robot(seed)
    q = list(random_state(robot, seed, size=1).q[0])
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, q)
    found = composite_moments(placed)
    bodies = body_poses(robot, q)
    for i, pose in link_poses(robot, placed, range(len(placed))).items():
        if i < 0:
            continue
        carried = [i]
        carried += [k for k in range(i + 1, len(placed)) if _carries(placed, i, k)]
        total = Inertia()
        for k in carried:
            total = total + robot.bodies[k].inertia.transformed(pose.inverse() @ bodies[k])
        assert np.allclose(found[i].values, MassMoments.of(total).values, atol=1e-10)


def _carries(placed, i, k):
    while k > i:
        k = placed[k].parent
    return k == i


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_the_recursion(seed):
    robot = random_robot(seed)
    q = random_state(robot, seed).q[0]
    m = mechanism(robot)
    np.testing.assert_allclose(
        np.array(composite_gravity(m, place(m, list(q))), float),
        np.array(gravity_torque(robot, list(q)), float),
        atol=1e-10,
    )
