"""Cross-validated smoothing: known motions under noise, exact lines, misuse."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory.smoothing import acceleration_estimate, even_spline, smoothed_motion

pytest.importorskip("scipy")


def noisy(deviation, samples=500):
    t = np.linspace(0.0, 2.0, samples)
    clean = np.stack([np.sin(3.0 * t), 0.5 * np.cos(2.0 * t)], axis=1)
    slope = np.stack([3.0 * np.cos(3.0 * t), -np.sin(2.0 * t)], axis=1)
    bend = np.stack([-9.0 * np.sin(3.0 * t), -2.0 * np.cos(2.0 * t)], axis=1)
    return t, clean + deviation * np.random.default_rng(5).standard_normal(clean.shape), clean, slope, bend


def test_smoothing_takes_most_of_the_noise_away():
    t, q, clean, slope, bend = noisy(1e-3)
    motion = smoothed_motion(t, q, joints=("a", "b"))
    inner = slice(25, -25)
    assert np.sqrt(((motion.q - clean) ** 2).mean()) < 0.3e-3
    assert np.abs(motion.qd - slope)[inner].max() < 0.02
    raw = np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    error, before = (np.sqrt(((a - bend)[inner] ** 2).mean()) for a in (motion.qdd, raw))
    assert error < 0.01 * before
    assert error < 0.02 * np.abs(bend).max()


def test_encoder_steps_are_noise_too():
    t, _, clean, _, bend = noisy(0.0)
    stairs = 1e-4 * np.round(clean / 1e-4)
    error = np.abs(acceleration_estimate(t, stairs) - bend)[25:-25]
    assert error.max() < 0.03 * np.abs(bend).max()


def test_a_line_stays_a_line():
    t = np.linspace(0.0, 1.0, 50)
    motion = smoothed_motion(t, 2.0 * t[:, None] - 1.0)
    assert motion.joints == ("q1",)
    assert np.allclose(motion.q[:, 0], 2.0 * t - 1.0, atol=1e-9)
    assert np.allclose(motion.qd, 2.0, atol=1e-7)
    assert np.allclose(motion.qdd, 0.0, atol=1e-5)


@pytest.mark.parametrize(
    ("t", "q", "options", "message"),
    [
        (np.arange(5.0), np.zeros((5, 1)), {}, "positions of shape"),
        (np.arange(8.0), np.zeros((9, 1)), {}, "positions of shape"),
        (np.arange(8.0)[::-1], np.zeros((8, 1)), {}, "does not rise"),
        (np.arange(8.0), np.full((8, 1), np.nan), {}, "not finite"),
        (np.arange(8.0), np.zeros((8, 1)), {"smoothing": -1.0}, "smoothing"),
    ],
)
def test_misuse(t, q, options, message):
    with pytest.raises(ArgumentError, match=message):
        smoothed_motion(t, q, **options)


interpolate = pytest.importorskip("scipy.interpolate")
H = 0.004


def noisy_sine(count=150, noise=0.05):
    t = H * np.arange(count)
    return t, np.sin(9.0 * t) + noise * np.random.default_rng(1).normal(size=count)


@pytest.mark.parametrize("smoothing", [1e-8, 1e-5, 1e-2])
def test_it_is_the_smoothing_spline_of_scipy(smoothing):
    t, y = noisy_sine()
    found, reference = even_spline(y, H, smoothing=smoothing), interpolate.make_smoothing_spline(t, y, lam=smoothing)
    np.testing.assert_allclose(found.values, reference(t), atol=1e-9)
    np.testing.assert_allclose(found.bends[1:-1], reference.derivative(2)(t)[1:-1], rtol=1e-5, atol=1e-5)
    value, slope = found.between()
    middle = np.concatenate([[t[0] - H / 2], t + H / 2])
    np.testing.assert_allclose(value[1:-1], reference(middle[1:-1]), atol=1e-8)
    np.testing.assert_allclose(slope[1:-1], reference.derivative()(middle[1:-1]), atol=1e-7)


def test_cross_validation_chooses_about_what_scipy_chooses():
    """(3) approximates the trace; the curve is the same to a fraction of the noise that it takes away."""
    t, y = noisy_sine()
    found, reference = even_spline(y, H), interpolate.make_smoothing_spline(t, y)
    assert np.abs(found.values - reference(t)).max() < 2e-3
    assert np.abs(found.values - np.sin(9.0 * t)).std() < 0.02


def test_a_straight_line_stays_one():
    found = even_spline(2.0 + 3.0 * H * np.arange(20), H)
    value, slope = found.between()
    np.testing.assert_allclose(slope, 3.0, atol=1e-9)
    np.testing.assert_allclose(value, 2.0 + 3.0 * H * (np.arange(21) - 0.5), atol=1e-9)


@pytest.mark.parametrize("values", [np.zeros(5), np.full(20, np.nan), np.zeros((20, 2))])
def test_misuse_of_even_samples(values):
    with pytest.raises(ArgumentError, match="evenly apart"):
        even_spline(values, H)
