"""Bounds of accelerations against sampled motions: what tests of both kinds of bounds share."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.proof.tracking.acceleration_bound import MotionBoxes


def boxes(rng, robot, count, width):
    """Boxes about random states, and random states in them (7 each)."""
    centres = rng.uniform(-1.0, 1.0, (3, count, robot.n)) * np.array([2.0, 2.0, 8.0])[:, None, None]
    ends = [x for c in centres for x in (c - width, c + width)]
    inside = centres[:, None] + width * rng.uniform(-1.0, 1.0, (3, 7, count, robot.n))
    inside[:, 0] = centres
    return MotionBoxes(*ends), inside


def bounds(kind, robot, held, errors):
    """Level and drift (N, n) of a kind of bound over boxes."""
    found = kind(robot)
    inertia = found.inertia(held.q_lower, held.q_upper)
    return found.level(inertia, errors), found.drift(inertia, held)


def check_sampled_motions(kind, robot, widths):
    """Sampled motions stay below the bounds over boxes of these widths; over boxes that are points they come close."""
    rng = np.random.default_rng(11)
    arm = tq.compile(robot)
    errors = rng.uniform(0.1, 1.0, (20, robot.n))
    for width in widths:
        held, inside = boxes(rng, robot, 20, width)
        level, drift = bounds(kind, robot, held, errors)
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
