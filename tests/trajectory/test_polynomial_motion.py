"""Pieces of degree five: they pass through the states that they are made of, and derivatives are derivatives."""

from __future__ import annotations

import numpy as np

from torquec.trajectory.polynomial_motion import polynomial_motion


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
