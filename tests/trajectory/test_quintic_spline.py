"""Splines of degree five: one segment by hand, four continuous derivatives, agreement with scipy."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk, quintic_spline

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
    assert np.allclose(third_left[:-1], (6 * c[3] / h**3)[1:], rtol=1e-9)
    assert np.allclose(fourth_left[:-1], (24 * c[4] / h**4)[1:], rtol=1e-9)


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
def test_refusals(times, points, message):
    with pytest.raises(ArgumentError, match=message):
        quintic_spline(times, points)


def test_ends_have_two_rows():
    with pytest.raises(ArgumentError, match="end_speeds"):
        quintic_spline([0.0, 1.0], [[0.0], [1.0]], end_speeds=[[0.0]])
