"""Errors of the acceleration over boxes of motions: never below what sampled motions show, and close to it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.control.sampled_accelerations import check_sampled_motions
from tests.dynamics.random_robots import random_robot

from torquec.proof.tracking.acceleration_bound import AccelerationBound
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560", "random tree"])
def test_sampled_motions_stay_below_and_points_come_close(name):
    robot = random_robot(3) if name == "random tree" else load_classic(name)
    check_sampled_motions(AccelerationBound, robot, (1e-3, 1e-9))


def test_boxes_that_are_too_wide_give_no_bound():
    robot = load_classic("planar2r")
    bound = AccelerationBound(robot)
    inertia = bound.inertia(np.full((1, 2), -3.0), np.full((1, 2), 3.0))
    assert np.isinf(bound.level(inertia, np.ones((1, 2)))).all()
