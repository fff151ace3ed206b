"""Velocity moments against the sum over particles."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.dynamics.motion import angular_velocities
from torquec.dynamics.velocity_moments import origin_velocities, velocity_moments


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
