"""Minimum jerk: Clover's equations and figures, and that no other motion has less jerk."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import beside

import torquec as tq
from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory
from torquec.trajectory.minimum_jerk import PUMA560_WAYS


def test_clovers_point_of_table_vi():
    # chapter II: all joints by 2 pi in 1.5 s, at t = 0.53 s; printed 1.51, 6.56, 11.23
    state = minimum_jerk([0.0], [2.0 * math.pi], 1.5).at(0.53)
    assert state.q[0] == pytest.approx(1.5102742623, abs=1e-10)
    assert state.qd[0] == pytest.approx(6.5605467642, abs=1e-10)
    assert state.qdd[0] == pytest.approx(11.2298796976, abs=1e-10)


def test_the_integral_of_the_squared_jerk_is_720_and_no_variation_lowers_it():
    times = np.linspace(0.0, 1.0, 4001)
    jerk = 60.0 - 360.0 * times + 360.0 * times**2
    state = minimum_jerk([0.0], [1.0], 1.0).at(times)
    assert np.allclose(np.gradient(state.qdd[:, 0], times)[1:-1], jerk[1:-1], atol=1e-3)
    least = np.trapezoid(jerk**2, times)
    assert least == pytest.approx(720.0, rel=1e-6)
    # bumps that leave both ends at rest: t^3 (1 - t)^3 times anything
    for k in range(3):
        bump = np.polynomial.Polynomial([0, 0, 0, 1]) * np.polynomial.Polynomial([1, -1]) ** 3
        bump = bump * np.polynomial.Polynomial([0] * k + [1])
        assert np.trapezoid((jerk + 0.1 * bump.deriv(3)(times)) ** 2, times) > least


def test_the_standard_trajectory_has_the_printed_figures():
    motion = puma560_standard_trajectory()
    robot = tq.classics.puma560()
    peaks = np.abs(motion.qdd).max(axis=0)
    beside("peak accelerations", peaks[:3], [4.03, 2.24, 4.70])
    assert peaks[:3].round(2) == pytest.approx([4.03, 2.24, 4.70])
    assert np.abs(motion.q[-1] - motion.q[0]) == pytest.approx(np.abs(PUMA560_WAYS))
    tips = np.array([tq.compile(robot).frame_pose("link6")(q)[1] for q in motion.q[::25]])
    way = np.linalg.norm(tips - tips[0], axis=1).max()
    beside("Cartesian range", way, 0.52)
    assert way == pytest.approx(0.52, abs=0.01)
    assert motion.joints == robot.joint_names
    tq.check_limits(robot, motion, efforts=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [1.0], 0.0), "a motion of 0.0 s"),
        (([0.0], [np.inf], 1.0), "not n finite positions"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        minimum_jerk(*arguments)
