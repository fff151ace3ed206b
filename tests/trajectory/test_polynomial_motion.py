"""Pieces of degree five: they pass through the states that they are made of, and derivatives are derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import beside

import torquec as tq
from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory, quintic_spline
from torquec.trajectory.polynomial_motion import PUMA560_WAYS, polynomial_motion

TIMES = np.array([0.0, 0.7, 1.5, 1.9, 3.0, 3.1])


def waypoints():
    return np.random.default_rng(0).normal(size=(len(TIMES), 3))


def test_two_waypoints_are_minimum_jerk():
    spline, exact = quintic_spline([0.0, 2.0], [[0.0], [1.0]]), minimum_jerk([0.0], [1.0], 2.0)
    assert np.allclose(spline.at(spline.t).q, exact.at(spline.t).q, atol=1e-13)


def test_it_passes_through_its_waypoints_from_rest_to_rest():
    spline = quintic_spline(TIMES, waypoints())
    assert np.allclose(spline.at(TIMES).q, waypoints(), atol=1e-12)
    for name in ("qd", "qdd"):
        assert np.allclose(getattr(spline.motion.at(TIMES[[0, -1]]), name), 0.0, atol=1e-10)


def test_four_derivatives_are_continuous():
    c, h = quintic_spline(TIMES, waypoints()).motion.coefficients, np.diff(TIMES)[:, None]
    third_left = (6 * c[3] + 24 * c[4] + 60 * c[5]) / h**3
    fourth_left = (24 * c[4] + 120 * c[5]) / h**4
    assert np.allclose(third_left[:-1], (6 * c[3] / h**3)[1:], rtol=1e-9, atol=0.0)
    assert np.allclose(fourth_left[:-1], (24 * c[4] / h**4)[1:], rtol=1e-9, atol=0.0)


def test_scipy_agrees_with_given_ends():
    interpolate = pytest.importorskip("scipy.interpolate")
    speeds, accelerations = np.random.default_rng(1).normal(size=(2, 2, 3))
    spline = quintic_spline(TIMES, waypoints(), end_speeds=speeds, end_accelerations=accelerations)
    ends = [[(1, speeds[k]), (2, accelerations[k])] for k in (0, 1)]
    peer = interpolate.make_interp_spline(TIMES, waypoints(), k=5, bc_type=tuple(ends))
    times = np.linspace(0.0, 3.1, 77)
    state = spline.motion.at(times)
    for found, order in ((state.q, 0), (state.qd, 1), (state.qdd, 2)):
        assert np.allclose(found, peer(times, order), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("times", "points", "message"),
    [
        ([0.0, 0.0], [[1.0], [2.0]], "do not rise"),
        ([0.0, 1.0], [[1.0]], "for 2 times"),
        ([0.0, 1.0], [[1.0], [np.nan]], "finite row"),
    ],
)
def test_refusals_spline(times, points, message):
    with pytest.raises(ArgumentError, match=message):
        quintic_spline(times, points)


def test_ends_have_two_rows():
    with pytest.raises(ArgumentError, match="end_speeds"):
        quintic_spline([0.0, 1.0], [[0.0], [1.0]], end_speeds=[[0.0]])


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


def test_it_passes_through_every_state():
    rng = np.random.default_rng(0)
    breaks = np.array([0.0, 0.3, 1.1, 1.5])
    q, qd, qdd = rng.normal(size=(3, 4, 2))
    motion = polynomial_motion(breaks, q, qd, qdd)
    state = motion.at(breaks)
    for found, wanted in ((state.q, q), (state.qd, qd), (state.qdd, qdd)):
        assert np.allclose(found, wanted, atol=1e-11)


def test_speed_and_acceleration_are_derivatives():
    rng = np.random.default_rng(1)
    motion = polynomial_motion(np.array([0.0, 0.7, 2.0]), *rng.normal(size=(3, 3, 2)))
    times, step = np.array([0.1, 0.5, 0.9, 1.7]), 1e-5
    before, here, after = (motion.at(times + k * step) for k in (-1, 0, 1))
    assert np.allclose((after.q - before.q) / (2 * step), here.qd, atol=1e-6)
    assert np.allclose((after.qd - before.qd) / (2 * step), here.qdd, atol=1e-5)
