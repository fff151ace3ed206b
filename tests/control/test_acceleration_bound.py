"""Errors of the acceleration over boxes of motions: never below what sampled motions show, and close to it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

import torquec as tq
from torquec.control.acceleration_bound import AccelerationBound, MotionBoxes
from torquec.robot.classics import load_classic


def boxes(rng, robot, count, width):
    """Boxes about random states, and random states in them (7 each)."""
    centres = rng.uniform(-1.0, 1.0, (3, count, robot.n)) * np.array([2.0, 2.0, 8.0])[:, None, None]
    ends = [x for c in centres for x in (c - width, c + width)]
    inside = centres[:, None] + width * rng.uniform(-1.0, 1.0, (3, 7, count, robot.n))
    inside[:, 0] = centres
    return MotionBoxes(*ends), inside


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560", "random tree"])
def test_sampled_motions_stay_below_and_points_come_close(name):
    rng = np.random.default_rng(11)
    robot = random_robot(3) if name == "random tree" else load_classic(name)
    arm, bound = tq.compile(robot), AccelerationBound(robot)
    errors = rng.uniform(0.1, 1.0, (20, robot.n))
    for width in (1e-3, 1e-9):
        held, inside = boxes(rng, robot, 20, width)
        inertia = bound.inertia(held.q_lower, held.q_upper)
        level, drift = bound.level(inertia, errors), bound.drift(inertia, held)
        for q, qd, qdd in zip(*inside, strict=True):
            M = arm.mass_matrix(q)
            wrong = errors * rng.choice([-1.0, 1.0], errors.shape)
            assert np.all(np.abs(np.linalg.solve(M, wrong[..., None])[..., 0]) <= level)
            rate = held_rate(arm, q, qd, qdd)
            assert np.all(np.abs(rate) <= drift + 1e-5 * (1.0 + np.abs(rate).max()))
        if width < 1e-6:
            exact = (np.abs(np.linalg.inv(M)) @ errors[..., None])[..., 0]
            assert level == pytest.approx(exact, rel=1e-3)
            assert drift == pytest.approx(np.abs(rate), rel=1e-3, abs=1e-4 * (1.0 + np.abs(rate).max()))


def held_rate(arm, q, qd, qdd):
    """How fast the acceleration changes while the torques are held: by going on for a moment, and back."""
    tau = arm.inverse_dynamics(q, qd, qdd) + arm.spring_torque(q)

    def at(h):
        place = q + h * qd + 0.5 * h * h * qdd
        return arm.forward_dynamics(place, qd + h * qdd, tau - arm.spring_torque(place))

    return (at(1e-5) - at(-1e-5)) / 2e-5


def test_boxes_that_are_too_wide_give_no_bound():
    robot = load_classic("planar2r")
    bound = AccelerationBound(robot)
    inertia = bound.inertia(np.full((1, 2), -3.0), np.full((1, 2), 3.0))
    assert np.isinf(bound.level(inertia, np.ones((1, 2)))).all()
