"""Joint paths: straight lines, waypoints met, twice differentiable, natural ends, cusps and other misuse refused."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.planning.joint_path import joint_path

WAYPOINTS = np.random.default_rng(3).uniform(-1.0, 1.0, size=(7, 4))


def test_two_waypoints_are_a_line_of_unit_speed():
    path = joint_path([[0.0, 0.0], [3.0, 4.0]])
    q, tangent, bend = path.at([0.0, 2.5, 5.0])
    assert np.allclose(q, [[0.0, 0.0], [1.5, 2.0], [3.0, 4.0]])
    assert np.allclose(tangent, [0.6, 0.8])
    assert np.allclose(bend, 0.0)


def test_waypoints_are_met_and_derivatives_continuous():
    path = joint_path(WAYPOINTS)
    assert np.allclose(path.waypoints, WAYPOINTS, atol=1e-14)
    before, after = (path.at(path.knots[1:-1] + step) for step in (-1e-9, 1e-9))
    for left, right in zip(before, after, strict=True):
        assert np.allclose(left, right, atol=1e-6)
    assert np.allclose(path.at(path.knots[[0, -1]])[2], 0.0, atol=1e-12)


def test_derivatives_are_those_of_the_positions():
    path = joint_path(WAYPOINTS)
    s = np.linspace(0.05, path.length - 0.05, 40)
    for k in (0, 1):
        slope = (path.at(s + 1e-6)[k] - path.at(s - 1e-6)[k]) / 2e-6
        assert np.allclose(slope, path.at(s)[k + 1], atol=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_path_that_turns_back_is_refused_with_its_place(scale):
    a, b = scale * np.array([[0.0, 0.0], [1.0, 1.0]])
    with pytest.raises(ArgumentError, match="near waypoint 2: a cusp"):
        joint_path([a, b, a])
    joint_path([a, b, a + scale * np.array([0.0, 0.3])])  # a narrow turn is none


@pytest.mark.parametrize(
    ("waypoints", "message"),
    [
        ([[0.0]], "at least two"),
        ([[0.0], [np.nan]], "finite"),
        ([0.0, 1.0], "shape"),
        ([[0.0], [1.0], [1.0]], "waypoints 2 and 3 are the same"),
    ],
)
def test_what_is_no_path(waypoints, message):
    with pytest.raises(ArgumentError, match=message):
        joint_path(waypoints)
