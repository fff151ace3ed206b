"""Coriolis matrix: Christoffel's, which three laws determine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import coriolis_matrix
from torquec.dynamics.composite import composite_moments
from torquec.dynamics.coriolis_matrix import axis_rate, origin_velocities, tensor_times, velocity_moments
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.dynamics.motion import angular_velocities
from torquec.robot import classics
from torquec.spatial import Inertia, matvec


def test_planar2r_of_the_textbook():
    w1, w2 = 0.7, -0.4
    h = -math.sin(-1.1) / 2
    found = coriolis_matrix(classics.planar2r(), [0.3, -1.1], [w1, w2])
    assert np.allclose(found, [[h * w2, h * (w1 + w2)], [-h * w1, 0.0]], atol=1e-15)


def test_axis_rate_is_the_cross_product_with_z():
    assert axis_rate((2.0, 3.0, 5.0)) == (3.0, -2.0, 0.0)


def test_tensor_times_is_that_of_the_inertia():
    inertia = Inertia(0.5, -0.1, 0.2, 0.7, 0.05, 0.4)
    v = (1.0, -2.0, 3.0)
    assert np.allclose(tensor_times(MassMoments.of(inertia), v), matvec(inertia.tensor, v), atol=1e-15)


def test_times_speed_is_the_velocity_torque():
    holds("coriolis_matrix_times_speed_is_the_velocity_torque")


def test_mass_matrix_rate_less_twice_coriolis_is_skew():
    holds("mass_matrix_rate_less_twice_coriolis_is_skew")


def test_christoffel():
    holds("coriolis_matrix_is_that_of_christoffel")


def moments_of(robot, q, qd):
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, q)
    w = angular_velocities(placed, m.coordinates, qd)
    u = origin_velocities(placed, m.coordinates, w, qd)
    return m, placed, w, u, velocity_moments(placed, composite_moments(placed), w, u)


def test_point_mass_on_a_turntable():
    # 2 kg at x = 0.5 turning at 3 rad/s about z: P = m w x r along y, D = m r v'.
    found = moments_of(arms.pendulum(2.0, 0.5, axis=arms.Z), [0.0], [3.0])[-1][0]
    assert np.linalg.norm(found.linear) == pytest.approx(3.0, abs=1e-15)
    assert np.linalg.norm(found.moment) == pytest.approx(2.0 * 0.5 * 1.5, abs=1e-15)


@pytest.mark.parametrize("seed", range(12))
def test_moments_are_half_the_rate_of_the_second_moments(seed):
    """In the axes of link 0: d/dt E = D + D' and d/dt h = P, the origin of link 0 at rest in them."""
    robot = random_robot(seed, motors=False)
    state = random_state(robot, seed, size=1)
    q, qd = state.q[0], state.qd[0]
    _, _, w, _, found = moments_of(robot, list(q), list(qd))
    step = 1e-30
    m = mechanism(robot, Grouping.NONE)
    composite = composite_moments(place(m, [complex(a, step * b) for a, b in zip(q, qd, strict=True)]))
    for own, spin, velocity in zip(composite, w, found, strict=True):
        # Seen from the link's turning axes a vector changes by -w x; the particles' own velocities stay.
        rate = np.array([complex(e).imag / step for e in own.first])
        here = np.array([complex(e).real for e in own.first])
        assert np.allclose(rate + np.cross(spin, here), velocity.linear, atol=1e-12)
        second = np.array([[complex(e).real for e in row] for row in own.second])
        change = np.array([[complex(e).imag / step for e in row] for row in own.second])
        skew = np.array([np.cross(spin, unit) for unit in np.eye(3)]).T
        moment = np.array(velocity.moment)
        assert np.allclose(change + skew @ second + second @ skew.T, moment + moment.T, atol=1e-12)


def test_prismatic_origin_moves_along_its_axis():
    _, placed, _, u, _ = moments_of(arms.slider_on_turntable(), [0.0, 0.8], [0.0, 1.5])
    assert np.allclose(u[1], 1.5 * np.array(placed[1].turn.axis))
