"""Fourier series: one harmonic by hand, derivatives, periodicity."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory import fourier_motion


def test_one_harmonic_by_hand():
    w = 2.0 * math.pi / 4.0
    state = fourier_motion([0.5], [[2.0]], [[3.0]], base_period=4.0).at(0.7)
    s, c = math.sin(w * 0.7), math.cos(w * 0.7)
    assert state.q[0] == pytest.approx(0.5 + (2.0 * s - 3.0 * c) / w)
    assert state.qd[0] == pytest.approx(2.0 * c + 3.0 * s)
    assert state.qdd[0] == pytest.approx(w * (3.0 * c - 2.0 * s))


def test_derivatives_and_period():
    rng = np.random.default_rng(0)
    motion = fourier_motion(rng.normal(size=3), *rng.normal(size=(2, 3, 4)), base_period=2.0, cycles=2.0).motion
    times, step = np.array([0.2, 0.9, 1.6]), 1e-5
    before, here, after = (motion.at(times + k * step) for k in (-1, 0, 1))
    assert np.allclose((after.q - before.q) / (2 * step), here.qd, atol=1e-6)
    assert np.allclose((after.qd - before.qd) / (2 * step), here.qdd, atol=1e-5)
    assert np.allclose(motion.at(times + 2.0).q, here.q, atol=1e-12)
    assert motion.end == 4.0


def test_refusals():
    with pytest.raises(ArgumentError, match="do not belong together"):
        fourier_motion([0.0], [[1.0]], [[1.0, 2.0]], base_period=1.0)
    with pytest.raises(ArgumentError, match="not finite"):
        fourier_motion([np.nan], [[1.0]], [[1.0]], base_period=1.0)
    with pytest.raises(ArgumentError, match=r"cycles of 0\.0 s"):
        fourier_motion([0.0], [[1.0]], [[1.0]], base_period=0.0)
