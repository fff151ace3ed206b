"""Foreseen durations of checks: they grow with the grid, and what fits in a time takes that time."""

from __future__ import annotations

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.proof.check_time import CheckTime
from torquec.proof.torque.certify import certify


@pytest.fixture(scope="module")
def foreseen():
    robot = arm("planar2r")
    return CheckTime(robot, motions(robot))


def test_degrees_are_those_of_the_robot_or_more(foreseen):
    robot = arm("planar2r")
    assert foreseen.degrees == (2, 2)
    assert all(d >= 2 for d in foreseen.degrees_of(programs(robot, 1, 0.9)[0]))
    assert foreseen.points((0, 3)) == 5 * 7


def test_times_grow_with_points(foreseen):
    assert foreseen.of_grid(0) < foreseen.of_grid(1000) < foreseen.of_grid(100_000)
    points = foreseen.points_in(60.0)
    assert foreseen.of_grid(points) == pytest.approx(60.0, rel=1e-3)
    assert foreseen.points_in(0.0) == 0


def test_a_certificate_takes_at_least_its_grid(foreseen):
    robot = arm("planar2r")
    certificate = certify(robot, *programs(robot, 1, 0.9), motions(robot))
    assert foreseen.of(certificate) >= foreseen.of_grid(25)


def test_joints_that_no_torque_depends_on_add_no_points():
    """The first joint of an upright arm: five times the points would be reserved for it."""
    robot = arm("puma560")
    assert CheckTime(robot, motions(robot)).degrees == (0, 2, 2, 2, 2, 2)
