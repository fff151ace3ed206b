"""Motion of links against the poses: velocities and accelerations by complex steps and central differences."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import along

from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.dynamics.mechanism import coordinates, place_links
from torquec.dynamics.motion import angular_velocities, base_motion, motions
from torquec.robot.robot import Frame
from torquec.spatial import matvec


def motion_of(robot, q, qd, qdd, gravity=(0.0, 0.0, 0.0)):
    placed = place_links(robot.canonical.links, coordinates(robot), q)
    return placed, motions(placed, coordinates(robot), gravity, qd, qdd)


def skew(v):
    return np.array([np.cross(v, unit) for unit in np.eye(3)]).T


def test_centripetal_acceleration_of_a_pendulum():
    _, (moving,) = motion_of(arms.pendulum(axis=arms.Z), [0.0], [3.0], [2.0])
    assert moving.w == (0.0, 0.0, 3.0)
    assert moving.wd == (0.0, 0.0, 2.0)
    # A point at x = 1: -w^2 along x, wd along y.
    assert tuple(row[0] for row in moving.u) == (-9.0, 2.0, 0.0)


def test_coriolis_acceleration_of_a_slide():
    robot = arms.slider_on_turntable()
    placed, (_, slide) = motion_of(robot, [0.0, 0.8], [1.5, 0.4], [0.0, 0.0])
    turn = link_poses(robot, placed, [1])[1].rotation
    # In base axes at q = 0: centripetal -r w^2 along x, Coriolis 2 w rd along y.
    assert matvec(turn, slide.a) == pytest.approx((-0.8 * 2.25, 2 * 1.5 * 0.4, 0.0), abs=1e-14)


def test_base_accelerates_against_gravity():
    assert base_motion((0.0, 0.0, -9.81)).a == (0.0, 0.0, 9.81)


@pytest.mark.parametrize("seed", range(15))
def test_every_link_moves_as_its_jacobian_says(seed):
    """w = Jw qd, wd = Jw qdd + Jwd qd, a = Jv qdd + Jvd qd at the link's origin, and U = [wd x] + [w x][w x]."""
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    q, qd, qdd = state.q[0], state.qd[0], state.qdd[0]
    frames = tuple(Frame(f"link{i}", i, link.frame.inverse()) for i, link in enumerate(robot.canonical.links))
    robot = type(robot)(robot.name, robot.bodies, frames, gravity=robot.gravity, drives=robot.drives, snap=False)
    placed, moving = motion_of(robot, list(q), list(qd), list(qdd))
    poses = link_poses(robot, placed, range(len(placed)))
    spins = angular_velocities(placed, coordinates(robot), list(qd))
    for i, own in enumerate(moving):
        turn = np.array(poses[i].rotation)
        j = np.array(jacobian(robot, f"link{i}", list(q)))
        jd = np.array(jacobian_derivative(robot, f"link{i}", list(q), list(qd)))
        twist, change = j @ qd, j @ qdd + jd @ qd
        assert np.allclose(turn @ own.w, twist[3:], atol=1e-11)
        assert np.allclose(turn @ own.wd, change[3:], atol=1e-10)
        assert np.allclose(turn @ own.a, change[:3], atol=1e-10)
        assert np.allclose(own.u, skew(own.wd) + skew(own.w) @ skew(own.w), atol=1e-10)
        assert np.allclose(own.products, (own.w[0] * own.w[1], own.w[0] * own.w[2], own.w[1] * own.w[2]), atol=1e-12)
        assert np.allclose(spins[i], own.w, atol=1e-12)


def test_jacobian_rate_used_above_is_a_complex_step():
    robot = random_robot(4)
    state = random_state(robot, 4)
    name = robot.frames[-1].name
    rate = along(lambda r, q: jacobian(r, name, q), robot, (state.q,), (state.qd,))
    found = jacobian_derivative(robot, name, list(state.q[0]), list(state.qd[0]))
    assert np.allclose(found, rate[0], atol=1e-11)
