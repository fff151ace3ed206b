"""Norms of the error loop without sampling, against integrals of its impulse response and worst disturbances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.proof.tracking.error_response import error_response

PAIRS = [(2169.0, 24.0), (1.0, 2.0), (100.0, 20.0), (6.0, 5.0), (1000.0, 200.0), (4.0, 0.4), (225.0, 30.0 * 0.999)]


def impulse(p: float, s: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g and its derivative, by complex exponentials; a double pole by its limit."""
    root = np.emath.sqrt(0.25 * s * s - p)
    first, second = -0.5 * s + root, -0.5 * s - root
    if abs(first - second) < 1e-9:
        return t * np.exp(first * t), (1.0 + first * t) * np.exp(first * t)
    g = (np.exp(first * t) - np.exp(second * t)) / (first - second)
    slope = (first * np.exp(first * t) - second * np.exp(second * t)) / (first - second)
    return np.real(g), np.real(slope)


@pytest.mark.parametrize(("p", "s"), PAIRS)
def test_norms_are_integrals_of_the_impulse_response(p, s):
    slowest = 0.5 * s - math.sqrt(max(0.25 * s * s - p, 0.0))
    t = np.linspace(0.0, 40.0 / slowest, 1_000_001)
    g, slope = impulse(p, s, t)
    f = p * g + s * slope
    found = error_response(p, s)
    for gain, response in ((found.position, g), (found.speed, slope), (found.feedback, f)):
        assert gain.level == pytest.approx(np.trapezoid(np.abs(response), t), rel=1e-5)
        assert gain.drift == 0.0
    assert found.position.speed == pytest.approx(np.abs(g).max(), rel=1e-5)
    assert found.speed.position == pytest.approx(p * np.abs(g).max(), rel=1e-5)
    assert found.feedback.speed >= np.abs(f).max() * (1.0 - 1e-12)
    assert np.abs(slope + s * g).max() <= found.position.position * (1.0 + 1e-12)
    assert np.abs(slope).max() <= found.speed.speed * (1.0 + 1e-12)


def test_norms_of_poles_that_are_known():
    double = error_response(4.0, 4.0)
    assert double.position.level == pytest.approx(0.25, rel=1e-11)  # a constant disturbance is the worst
    assert double.speed.level == pytest.approx(2.0 / (2.0 * math.e), rel=1e-11)  # up and down again: twice 1/(a e)
    assert double.feedback.level == pytest.approx(1.0 + 2.0 * math.exp(-2.0), rel=1e-11)
    clover = error_response(144.0 + 2025.0, 24.0)  # -12 +- 45j: coth(12 pi/90)/2169
    assert clover.position.level == pytest.approx(1.0 / (2169.0 * math.tanh(12.0 * math.pi / 90.0)), rel=1e-11)


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-7, -1e-5, -1e-3])
def test_norms_are_continuous_where_poles_meet(apart):
    here, there = error_response(100.0, 20.0), error_response(100.0, 20.0 * (1.0 + apart))
    for name in ("position", "speed", "feedback"):
        assert getattr(there, name).level == pytest.approx(getattr(here, name).level, rel=2.0 * abs(apart) + 1e-9)


def test_the_worst_disturbance_reaches_the_norm():
    p, s = 325.0, 20.0
    end = 3.0
    t = np.linspace(0.0, end, 60_001)
    g, _ = impulse(p, s, end - t)
    reached = np.trapezoid(g * np.sign(g), t)
    level = error_response(p, s).position.level
    assert 0.9999 * level < reached <= level * (1.0 + 1e-6)


@pytest.mark.parametrize(("p", "s"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (math.inf, 1.0), (1.0, math.nan)])
def test_unstable_feedback_is_refused(p, s):
    with pytest.raises(ArgumentError, match="both are positive"):
        error_response(p, s)
